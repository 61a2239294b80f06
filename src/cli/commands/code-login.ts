/** Login by a code that the person types on the service's page, in a browser on any machine. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RefusedError } from '../../client/errors.ts';
import { clientOf } from '../frame/connection.ts';
import type { Context } from '../frame/context.ts';
import { FailedError } from '../frame/exit-codes.ts';

/** RFC 8628, 3.5: what a refusal of a fast poll adds to the interval, in seconds. */
const SLOWER_BY = 5;

/** Resolves with the token once the login is approved. Throws a FailedError if it was denied or has expired. */
export async function tokenByCode(
  context: Context,
  server: string,
  asked: { readonly scope: 'read' | 'write' | 'admin'; readonly days: number },
): Promise<string> {
  const { signal } = context;
  const nobody = clientOf({ server, token: undefined });
  const begun = await nobody.post('/v6/login/codes/', { body: asked, signal });
  // Not a note: `--quiet` must not hide what the person has to do.
  context.problem(
    `Open ${begun.verification_uri} in a browser, log in there, and type this code. ` +
      `It is valid for ${begun.expires_in / 60} minutes.`,
  );
  for (const line of ['', `    ${begun.user_code}`, '']) context.problem(line);
  let intervalS = begun.interval;
  for (;;) {
    await sleep(intervalS * 1_000, undefined, { signal });
    try {
      const body = { device_code: begun.device_code };
      return (await nobody.post('/v6/login/codes/token/', { body, signal })).token;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      if (error.code === 'LOGIN_SLOW_DOWN') intervalS += SLOWER_BY;
      else if (error.code === 'LOGIN_DENIED' || error.code === 'LOGIN_EXPIRED') {
        throw new FailedError(error.detail);
      } else if (error.code !== 'LOGIN_PENDING') throw error;
    }
  }
}
