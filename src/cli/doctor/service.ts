/** Checks the service that commands use: whether it answers, and whether this person may use it. */
import { ClientError, RefusedError } from '../../client/errors.ts';
import { clientOf } from '../frame/connection.ts';
import type { Context } from '../frame/context.ts';
import { causeText, loginHelp } from '../frame/refusal.ts';
import { type Finding, LOOK_MS } from './finding.ts';

export interface LookedAtService {
  readonly finding: Finding;
  readonly behindMs?: number;
  readonly server?: string;
}

/** Less than a check may take, so that the finding says which address did not answer. */
const ANSWER_MS = LOOK_MS - 5_000;

export async function service(context: Context): Promise<LookedAtService> {
  const what = 'service';
  const connection = await context.connection();
  const { server, isNamed } = connection;
  const client = clientOf(connection);
  const late = AbortSignal.timeout(ANSWER_MS);
  const signal = AbortSignal.any([context.signal, late]);
  try {
    const { version } = await client.get('/v6/version/', { signal, retryForMs: 0 });
    const { timestamp, scheduler } = await client.get('/v6/status/', { signal, retryForMs: 0 });
    // The answer may be two seconds old.
    const behindMs = Date.parse(timestamp) - Date.now();
    const found = `Millrace ${version} answers at ${server}, scheduler ${scheduler.state.name}`;
    const isElsewhere = !/^https?:\/\/(localhost|127\.|\[::1\])/.test(server);
    return { finding: { what, verdict: 'ok', found }, ...(isElsewhere ? { behindMs, server } : {}) };
  } catch (error) {
    if (late.aborted && !context.signal.aborted) {
      const found = `no answer from ${server} within ${ANSWER_MS / 1_000} s`;
      const help =
        'check that this is the address of a service, that no firewall drops its calls, and its log';
      return { finding: { what, verdict: 'no', found, help } };
    }
    if (signal.aborted || !(error instanceof ClientError)) throw error;
    const found = causeText(error, connection);
    if (error instanceof RefusedError && error.status === 401) {
      return { finding: { what, verdict: 'no', found, help: loginHelp(connection) } };
    }
    if (!isNamed) {
      const help = '`millrace up` starts one; --server or MILLRACE_SERVER names another';
      return { finding: { what, verdict: 'note', found: `none answers at ${server}`, help } };
    }
    const help = 'check --server, MILLRACE_SERVER or the profile, and that it runs';
    return { finding: { what, verdict: 'no', found, help } };
  }
}
