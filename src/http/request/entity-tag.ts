/**
 * Tags of records: the hash of an answer's bytes, so that a client that has them need not get them again. A tag is
 * weak, because an answer has the same one in every coding.
 */
import { hash, webcrypto } from 'node:crypto';
import { isCompressible, VARY } from '../compression.ts';
import type { HttpResponse } from '../exchange.ts';

export const IF_NONE_MATCH = 'if-none-match';

/** Longer texts are hashed on the thread pool. */
const LOOP_CHARS_MAX = 65_536;
/** Characters of a hash in base64url that a tag has: 18 bytes. */
const HASH_CHARS = 24;

/** The answer with its tag; 304 without a body if the request has it. */
export function tagged(
  response: HttpResponse,
  requestHeaders: ReadonlyMap<string, string>,
): HttpResponse | Promise<HttpResponse> {
  const { status, headers, body } = response;
  if (status !== 200 || body.kind !== 'text') return response;
  const { text } = body;
  const withHash = (digest: string): HttpResponse => {
    const tag = `W/"${digest.slice(0, HASH_CHARS)}"`;
    const known = requestHeaders.get(IF_NONE_MATCH);
    const named = new Map(headers).set('etag', tag);
    if (known === undefined || !hasTag(known, tag)) return { ...response, headers: named };
    named.delete('content-type');
    if (isCompressible(text)) named.set('vary', VARY);
    return { status: 304, headers: named, body: { kind: 'none' } };
  };
  // In one call: an object of a hash takes four times as long for a record.
  if (text.length <= LOOP_CHARS_MAX) return withHash(hash('sha256', text, 'base64url'));
  return webcrypto.subtle
    .digest('SHA-256', Buffer.from(text))
    .then((digest) => withHash(Buffer.from(digest).toString('base64url')));
}

/** Weak and strong tags are compared alike. */
function hasTag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  const known: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return known.includes(tag.slice('W/'.length));
}
