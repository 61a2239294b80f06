/**
 * Executions that ended within the last three hours, by blocks of five minutes. Closed blocks are read once and kept,
 * so that a request reads only the last minutes.
 */
import type { EndedCount } from '../../store/status/facts.ts';

export const BLOCK_MS = 300_000;
const BLOCKS = 36;
/** The number of newest blocks that are read again, because a commit may come later than the time that it writes. */
const OPEN_BLOCKS = 2;

export class ExecutionWindow {
  readonly #read: (sinceMs: number) => Promise<readonly EndedCount[]>;
  /** Closed blocks, each complete. */
  readonly #closed = new Map<number, readonly EndedCount[]>();

  constructor(read: (sinceMs: number) => Promise<readonly EndedCount[]>) {
    this.#read = read;
  }

  /** The counts of the last 3 hours, up to 5 minutes more. */
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
