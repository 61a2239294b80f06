/**
 * The address of an actor, and the shard that it belongs to. Pure: the result is the same in every process and release.
 */

/** The address of a virtual actor, which is never created explicitly: its kind and key are enough to reach it. */
export interface AnyAddress {
  readonly kind: string;
  readonly key: string;
}

/** A message of any actor, a JSON value. Only its sender and its handler know the rest of its type. */
export interface AnyMessage {
  readonly type: string;
}

declare const accepts: unique symbol;

/**
 * The address of an actor that accepts messages of the type `Message`. The type exists for the compiler only: it lets
 * `tell` and `ask` check what they send.
 */
export interface Address<in Message = never> extends AnyAddress {
  readonly [accepts]: (message: Message) => void;
}

/** Creates an address. Every module with messages declares the addresses of its actors by this function. */
export function address<Message>(kind: string, key: string): Address<Message> {
  return { kind, key } as Address<Message>;
}

/** The number of shards for the keys of all kinds. Rows store shards, so it never changes. */
export const SHARD_COUNT = 64;

const ZERO = 48;
const NINE = 57;

/**
 * The shard of an actor, 0 to 63. For a decimal key it is the number modulo 64, which SQL can compute as well (`id %
 * 64`); other keys are spread by FNV-1a over `kind/key`.
 */
export function shardOf(kind: string, key: string): number {
  let remainder = 0;
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at);
    if (code < ZERO || code > NINE) return hashOf(`${kind}/${key}`) % SHARD_COUNT;
    remainder = (remainder * 10 + code - ZERO) % SHARD_COUNT;
  }
  return key.length === 0 ? hashOf(kind) % SHARD_COUNT : remainder;
}

/** FNV-1a over UTF-16 code units, folded, because its low bits alone are weak for short keys. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}
