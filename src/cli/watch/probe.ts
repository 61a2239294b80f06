/** Finds out what answers at the address of a watch's service. */
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { RefusedError, UnreachableError } from '../../client/errors.ts';
import { createNodeClient } from '../../client/node.ts';
import { AwayError } from '../frame/exit-codes.ts';
import { isNotReady } from '../frame/refusal.ts';

const PROBE_MS = 2_000;
const VERSION = '/v6/version/';

type Found =
  /** Nothing answers. `error`: the failure of the call. */
  | { readonly what: 'none'; readonly error: UnreachableError }
  /** A program that is no Millrace service. */
  | { readonly what: 'foreign' }
  | { readonly what: 'service' }
  /** A service that cannot work yet, with the reason. */
  | { readonly what: 'starting'; readonly reason: string }
  /** A service whose certificate is not accepted here. `error`: the failure of the call. */
  | { readonly what: 'untrusted'; readonly error: UnreachableError };

const LOOK_EVERY_MS = 500;

/**
 * Whether a service works at the address. Waits while it is starting; `say` gets the reason. Throws the failed call if
 * its certificate is not accepted here, and the reason of the signal.
 */
export async function isServed(
  url: string,
  say: (note: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await foundAt(url, say, signal);
  if (found.what === 'untrusted') throw found.error;
  return found.what === 'service';
}

/** The same for an address that a person has named: throws unless a service works there. */
export async function requireService(
  url: string,
  say: (note: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const found = await foundAt(url, say, signal);
  if (found.what === 'service') return;
  if (found.what === 'foreign')
    throw new AwayError(`what answers at ${url} is no Millrace service: ${OTHERWISE}`);
  if (found.what === 'none' && found.error.fault === undefined)
    throw new AwayError(`nothing answers at ${url}: start it (millrace up), or ${OTHERWISE}`);
  throw found.error;
}

const OTHERWISE = 'leave --server, MILLRACE_SERVER and --profile away';

async function foundAt(
  url: string,
  say: (note: string) => void,
  signal: AbortSignal,
): Promise<Exclude<Found, { readonly what: 'starting' }>> {
  for (let said = ''; ; ) {
    const found = await probe(url);
    if (found.what !== 'starting') return found;
    if (found.reason !== said) say(`waiting for the service at ${url}: ${found.reason}`);
    said = found.reason;
    // poll: a starting service cannot report when it is ready.
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** One attempt, of two seconds at most. */
async function probe(url: string): Promise<Found> {
  try {
    const client = createNodeClient({ server: url, timeoutMs: PROBE_MS, retryForMs: 0 });
    const { body } = await client.request('GET', VERSION);
    return { what: isVersion(body) ? 'service' : 'foreign' };
  } catch (error) {
    if (error instanceof RefusedError && isNotReady(error)) return { what: 'starting', reason: error.detail };
    if (!(error instanceof UnreachableError)) return { what: 'foreign' };
    const isUntrusted = error.fault?.includes('certificate') === true && (await isServiceBehind(url));
    return { what: isUntrusted ? 'untrusted' : 'none', error };
  }
}

function isVersion(body: unknown): boolean {
  return typeof (body as { version?: unknown } | null | undefined)?.version === 'string';
}

/** Whether a Millrace service answers behind a certificate that is not accepted. Nothing secret is sent. */
async function isServiceBehind(url: string): Promise<boolean> {
  const options = { rejectUnauthorized: false, signal: AbortSignal.timeout(PROBE_MS) };
  try {
    const answer = await new Promise<string>((resolve, reject) => {
      const asked = request(new URL(VERSION, url), options, (response) => resolve(text(response)));
      asked.on('error', reject).end();
    });
    const body = JSON.parse(answer) as { readonly code?: unknown };
    // A service that is starting refuses every request with this code.
    return isVersion(body) || body.code === 'OWNER_UNAVAILABLE';
  } catch {
    return false;
  }
}
