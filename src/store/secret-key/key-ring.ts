/**
 * The keys that secrets are sealed under. One of them seals; each of them opens what it once sealed. A ring never
 * forgets a key while the program runs: what others hold in memory may still be sealed under it.
 */
import { createHash } from 'node:crypto';
import { assert } from '../../lib/assert.ts';

export const KEY_BYTES = 32;
const ID_BYTES = 5;

export interface SecretKey {
  /** Ten hexadecimal digits, of the key itself: the same key has the same id everywhere. Tells nothing of it. */
  readonly id: string;
  readonly key: Buffer;
}

export function secretKey(key: Buffer): SecretKey {
  assert(key.length === KEY_BYTES, 'a key of another length');
  const digest = createHash('sha256').update('millrace key id\0').update(key).digest();
  return { id: digest.subarray(0, ID_BYTES).toString('hex'), key };
}

export class KeyRing {
  readonly #keys = new Map<string, Buffer>();
  #currentId: string;

  /** Until it is told otherwise, the first key seals. */
  constructor(keys: readonly SecretKey[]) {
    const [first] = keys;
    assert(first !== undefined, 'a ring without a key');
    this.#currentId = first.id;
    this.learn(keys);
  }

  /** Ids of the keys that it has, in the order in which it learned them. */
  get ids(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** Id of the key that seals; `currentKey` is undefined when it is not here. */
  get currentId(): string {
    return this.#currentId;
  }

  get currentKey(): Buffer | undefined {
    return this.#keys.get(this.#currentId);
  }

  learn(keys: readonly SecretKey[]): void {
    for (const { id, key } of keys) this.#keys.set(id, key);
  }

  /** From now on this one seals, also when it is not here: then nothing is sealed until it is learned. */
  use(id: string): void {
    this.#currentId = id;
  }

  key(id: string): Buffer | undefined {
    return this.#keys.get(id);
  }

  all(): readonly Buffer[] {
    return [...this.#keys.values()];
  }
}
