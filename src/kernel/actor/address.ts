/** Who an actor is, and which shard it lives in. Pure: the same answer in every process and every release. */

/** A virtual actor: it needs no creation; its kind and key are enough to reach it. */
export interface AnyAddress {
  readonly kind: string;
  readonly key: string;
}

declare const accepts: unique symbol;

/**
 * The address of an actor that accepts messages of the type `Message`. The type exists for the compiler only: it lets
 * `tell` and `ask` check what they send.
 */
export interface Address<in Message = never> extends AnyAddress {
  readonly [accepts]: (message: Message) => void;
}

/** Every module with messages declares the addresses of its actors by this, once. */
export function address<Message>(kind: string, key: string): Address<Message> {
  return { kind, key } as Address<Message>;
}

/** How many shards all keys of all kinds fall into. Rows remember shards: never change it. */
export const SHARD_COUNT = 64;

const ZERO = 48;
const NINE = 57;

/**
 * The shard of an actor, 0..63. A decimal key is its number modulo 64, so that SQL can say the same
 * (`id % 64`); any other key is spread by FNV-1a over `kind/key`.
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

/** FNV-1a over UTF-16 code units, folded: its low bits alone are weak for short keys. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}
