/** How much of a disk a directory holds, by descriptor, depth first, a few names at a time. */
import type { Folder } from './folder.ts';

// limit: names that are counted. Whoever has more is not told a figure that took long.
const NAMES_MAX = 20_000;
// limit: directories open at a time.
const DEPTH_MAX = 32;

/** Bytes allocated to `name` in `parent` and everything in it; undefined if it is too large to be counted. */
export async function allocatedBytes(parent: Folder, name: string): Promise<number | undefined> {
  let namesLeft = NAMES_MAX;
  const count = async (folder: Folder, entry: string, depth: number): Promise<number> => {
    const facts = await folder.facts(entry);
    if (facts === undefined) return 0;
    if (facts.kind !== 'directory') return facts.allocatedBytes;
    if (depth > DEPTH_MAX) throw new RangeError('too deep');
    const inner = await folder.enter(entry);
    try {
      let sum = facts.allocatedBytes;
      for await (const found of inner.names()) {
        namesLeft -= 1;
        if (namesLeft < 0) throw new RangeError('too many names');
        sum += await count(inner, found.name, depth + 1);
      }
      return sum;
    } finally {
      await inner.close();
    }
  };
  try {
    return await count(parent, name, 0);
  } catch {
    return undefined; // too large, or not readable: the figure is only for people
  }
}
