/**
 * The encryption keys of this program. One key encrypts; all keys decrypt. A ring never drops a key while the program
 * runs, because other processes may still hold secrets that are encrypted under it.
 */
import { createHash } from 'node:crypto';
import { assert } from '../../lib/assert.ts';

export const KEY_BYTES = 32;
const ID_BYTES = 5;

export interface SecretKey {
  /** Ten hexadecimal digits derived from the key: the same everywhere, without revealing the key. */
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

  /** The first key encrypts until `use` is called. */
  constructor(keys: readonly SecretKey[]) {
    const [first] = keys;
    assert(first !== undefined, 'a ring without a key');
    this.#currentId = first.id;
    this.learn(keys);
  }

  /** Ids of the keys that it has, in the order in which they were added. */
  get ids(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** Id of the key that encrypts; `currentKey` is undefined if that key is not here. */
  get currentId(): string {
    return this.#currentId;
  }

  get currentKey(): Buffer | undefined {
    return this.#keys.get(this.#currentId);
  }

  learn(keys: readonly SecretKey[]): void {
    for (const { id, key } of keys) this.#keys.set(id, key);
  }

  /** From now on this key encrypts. If the ring does not have it yet, encrypting fails until it does. */
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
