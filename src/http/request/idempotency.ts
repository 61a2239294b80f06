/**
 * The `Idempotency-Key` of a request: its form, and the hash by which a repeat is compared with the first request. The
 * application answers repeats: see `Idempotency`.
 */
import { createHash, webcrypto } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { KeyedWork, Reply } from '../route.ts';

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';
/** limit: characters of a key. */
export const KEY_CHARS_MAX = 255;

/** A request with a key. */
export interface KeyedRequest {
  /** Null: no account. */
  readonly accountId: number | null;
  readonly key: string;
  /** SHA-256 of method, path, query and the body's SHA-256, in hexadecimal digits. */
  readonly hash: string;
}

export interface Idempotency {
  /**
   * Does the work, or returns the answer saved under the key. Throws IDEMPOTENCY_KEY_REUSED when a different request
   * has used the key, IDEMPOTENCY_KEY_IN_USE while a request with it is in progress, and the work's own failure when
   * nothing was saved.
   */
  once(request: KeyedRequest, work: KeyedWork): Promise<Reply>;
}

/** The key of a request, if it has one. Throws INVALID_REQUEST naming the header. */
export function readKey(headers: ReadonlyMap<string, string>): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === undefined) return undefined;
  if (key.length >= 1 && key.length <= KEY_CHARS_MAX && /^[\x20-\x7e]+$/.test(key)) return key;
  const description = `must be 1 to ${KEY_CHARS_MAX} printable ASCII characters`;
  const errors = [{ name: 'INVALID_HEADER', description, path: IDEMPOTENCY_HEADER }];
  throw new AppError('INVALID_REQUEST', `${IDEMPOTENCY_HEADER}: ${description}`, { errors });
}

/**
 * Runs off the event loop, which a body of 10 MiB would block for 20 ms. The bytes may be transferred once this
 * returns.
 */
export async function requestHash(
  { method, path, query }: { readonly method: string; readonly path: string; readonly query: string },
  body: Uint8Array,
): Promise<string> {
  const digest = Buffer.from(await webcrypto.subtle.digest('SHA-256', body));
  return createHash('sha256').update(`${method} ${path}?${query}\n`).update(digest).digest('hex');
}
