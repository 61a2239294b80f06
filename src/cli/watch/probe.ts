/** What answers at an address at which a watch looks for a service. */
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { RefusedError } from '../../client/errors.ts';
import { createNodeClient } from '../../client/node.ts';
import { certificateHelp, isNotReady } from '../frame/refusal.ts';

const PROBE_MS = 2_000;
const VERSION = '/v6/version/';

type Found =
  /** Nothing answers, or a program that is no Millrace service. */
  | { readonly what: 'none' }
  | { readonly what: 'service' }
  /** A service that does no work yet, and why. */
  | { readonly what: 'starting'; readonly reason: string }
  /** A service whose certificate is not accepted here. `error`: the failure of the call. */
  | { readonly what: 'untrusted'; readonly error: unknown };

const LOOK_EVERY_MS = 500;

/**
 * Whether a service works at the address. One that starts is waited for; `say` gets why. Throws the failure of the call
 * to a service whose certificate is not accepted here, and the reason of the signal.
 */
export async function isServed(
  url: string,
  say: (note: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  for (let said = ''; ; ) {
    const found = await probe(url);
    if (found.what === 'untrusted') throw found.error;
    if (found.what !== 'starting') return found.what === 'service';
    if (found.reason !== said) say(`waiting for the service at ${url}: ${found.reason}`);
    said = found.reason;
    // poll: a service that starts tells nobody when it is ready.
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** Looks once, for two seconds at most. */
async function probe(url: string): Promise<Found> {
  try {
    const client = createNodeClient({ server: url, timeoutMs: PROBE_MS, retryForMs: 0 });
    const { body } = await client.request('GET', VERSION);
    return isVersion(body) ? { what: 'service' } : { what: 'none' };
  } catch (error) {
    if (error instanceof RefusedError && isNotReady(error)) return { what: 'starting', reason: error.detail };
    const isUntrusted = certificateHelp(error) !== undefined && (await isServiceBehind(url));
    return isUntrusted ? { what: 'untrusted', error } : { what: 'none' };
  }
}

function isVersion(body: unknown): boolean {
  return typeof (body as { version?: unknown } | null | undefined)?.version === 'string';
}

/** Whether the owner of a certificate that is not accepted says that it is a service. Nothing secret is sent to it. */
async function isServiceBehind(url: string): Promise<boolean> {
  const options = { rejectUnauthorized: false, signal: AbortSignal.timeout(PROBE_MS) };
  try {
    const answer = await new Promise<string>((resolve, reject) => {
      const asked = request(new URL(VERSION, url), options, (response) => resolve(text(response)));
      asked.on('error', reject).end();
    });
    const body = JSON.parse(answer) as { readonly code?: unknown };
    // One that does not work yet refuses every request, in the form of all its refusals.
    return isVersion(body) || body.code === 'OWNER_UNAVAILABLE';
  } catch {
    return false;
  }
}
