/**
 * Executions that ended within the last three hours, by blocks of five minutes. Blocks that are over are read
 * once and kept, so that asking often costs what ended in the last minutes, and not what ended in three
 * hours.
 */
import type { EndedCount } from '../../store/status/facts.ts';

export const BLOCK_MS = 300_000;
const BLOCKS = 36;
/** A commit may be a little behind the instant that it writes: the newest blocks are read anew. */
const OPEN_BLOCKS = 2;

export class ExecutionWindow {
  readonly #read: (sinceMs: number) => Promise<readonly EndedCount[]>;
  /** Blocks that are over, each whole. */
  readonly #closed = new Map<number, readonly EndedCount[]>();

  constructor(read: (sinceMs: number) => Promise<readonly EndedCount[]>) {
    this.#read = read;
  }

  /** From 3 h to 3 h 5 min of counts. */
  async counts(nowMs: number): Promise<readonly EndedCount[]> {
    const newest = Math.floor(nowMs / BLOCK_MS);
    const oldest = newest - BLOCKS;
    for (const block of this.#closed.keys()) if (block < oldest) this.#closed.delete(block);
    let from = oldest;
    while (this.#closed.has(from)) from++;
    const kept = [...this.#closed].filter(([block]) => block < from).flatMap(([, counts]) => counts);
    const found = await this.#read(from * BLOCK_MS);
    const byBlock = Map.groupBy(found, (one) => one.block);
    for (let block = from; block <= newest - OPEN_BLOCKS; block++) {
      this.#closed.set(block, byBlock.get(block) ?? []);
    }
    return [...kept, ...found];
  }
}
