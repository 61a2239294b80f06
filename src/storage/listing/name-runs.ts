/**
 * The names of one directory in the order of UTF-16 code units, however many there are. They are sorted in runs as they
 * arrive and merged as they are taken, so that no step blocks the event loop. When there are more than fit into memory,
 * the first in order are kept, and the directory must be read again for the rest.
 */
import { Heap } from '../../lib/heap.ts';

// limit: names sorted at a time; takes some milliseconds.
const RUN_MAX = 4_096;
// limit: names of one directory in memory; about 100 MB.
const NAMES_MAX = 1_000_000;

interface Run {
  readonly names: readonly string[];
  at: number;
}

export class NameRuns {
  readonly #runMax: number;
  readonly #namesMax: number;
  #runs: string[][] = [];
  #last: string[] = [];
  #count = 0;
  #cutAfter: string | undefined;

  constructor(namesMax = NAMES_MAX, runMax = RUN_MAX) {
    this.#namesMax = namesMax;
    this.#runMax = runMax;
  }

  /** Up to this name nothing was left out; undefined when nothing was left out at all. */
  get cutAfter(): string | undefined {
    return this.#cutAfter;
  }

  get count(): number {
    return this.#count;
  }

  add(name: string): void {
    if (this.#cutAfter !== undefined && name > this.#cutAfter) return;
    this.#last.push(name);
    this.#count += 1;
    if (this.#last.length < this.#runMax) return;
    this.#endRun();
    if (this.#count > this.#namesMax) this.#cut();
  }

  /** The names, ascending. No name may be added after this call. */
  *sorted(): Generator<string> {
    this.#endRun();
    const runs = this.#runs.map((names): Run => ({ names, at: 0 }));
    const heap = new Heap<Run>((a, b) => (a.names[a.at] as string) < (b.names[b.at] as string), runs);
    for (let run = heap.pop(); run !== undefined; run = heap.pop()) {
      yield run.names[run.at] as string;
      run.at += 1;
      if (run.at < run.names.length) heap.push(run);
    }
  }

  #endRun(): void {
    if (this.#last.length > 0) this.#runs.push(this.#last.sort());
    this.#last = [];
  }

  /** Keeps about half: the names up to the median of the runs' middle names. */
  #cut(): void {
    const middles = this.#runs.map((names) => names[names.length >> 1] as string).sort();
    const cutAfter = middles[middles.length >> 1] as string;
    this.#cutAfter = cutAfter;
    this.#runs = this.#runs
      .map((names) => names.slice(0, countUpTo(names, cutAfter)))
      .filter((names) => names.length > 0);
    this.#count = this.#runs.reduce((sum, { length }) => sum + length, 0);
  }
}

/** How many of the sorted names are at or before `last`. */
function countUpTo(names: readonly string[], last: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((names[middle] as string) <= last) low = middle + 1;
    else high = middle;
  }
  return low;
}
