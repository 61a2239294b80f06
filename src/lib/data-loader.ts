/**
 * Batches reads that arrive together into one statement. Each call is answered by a read that began after the call did,
 * so no caller gets data older than a read of its own would return. If no read is under way, a caller does not wait for
 * others.
 */

export interface DataLoaderOptions {
  /** Most reads under way at once; calls beyond that wait for the next read. */
  readonly lanes?: number;
  /** Most keys of one read. */
  readonly keysMax?: number;
}

interface Waiting<K, V> {
  readonly key: K;
  readonly resolve: (value: V | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** `read` returns what exists for the given keys, which are distinct. */
export function dataLoader<K, V>(
  read: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
  { lanes = 2, keysMax = 500 }: DataLoaderOptions = {},
): (key: K) => Promise<V | undefined> {
  let waiting: Waiting<K, V>[] = [];
  let underWay = 0;
  const next = async (): Promise<void> => {
    const taken = waiting.slice(0, keysMax);
    waiting = waiting.slice(keysMax);
    underWay += 1;
    try {
      const found = await read([...new Set(taken.map(({ key }) => key))]);
      for (const { key, resolve } of taken) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of taken) reject(error);
    } finally {
      underWay -= 1;
      if (waiting.length > 0) void next();
    }
  };
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (underWay < lanes) void next();
    });
}

/** The same, for a read without a key. */
export function shared<V>(read: () => Promise<V>): () => Promise<V> {
  const one = dataLoader(async () => new Map([['', await read()]]), { lanes: 1 });
  return async () => (await one('')) as V;
}
