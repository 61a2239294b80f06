/**
 * Executions that ended within the last three hours, by blocks of five minutes. Closed blocks are read once and kept,
 * so that a request costs as much as the last minutes, not as three hours.
 */
import type { EndedCount } from '../../store/status/facts.ts';

export const BLOCK_MS = 300_000;
const BLOCKS = 36;
/** A commit may be later than the time that it writes: the newest blocks are read again. */
const OPEN_BLOCKS = 2;

export class ExecutionWindow {
  readonly #read: (sinceMs: number) => Promise<readonly EndedCount[]>;
  /** Closed blocks, each complete. */
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
