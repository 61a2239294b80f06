/**
 * Shares the event loop between a listing and other work: files are checked synchronously in slices of some
 * milliseconds, and other work runs in between. If checks are so slow that the files cannot be in memory, threads wait
 * for the disk for a while.
 */
import { setImmediate } from 'node:timers/promises';

/** The length of a slice. Its last call may have to wait for the disk. */
const TURN_MS = 10;
/** The clock is read after this many names or files, which take some tens of microseconds. */
const CALLS_BETWEEN_CLOCKS = 8;
/** Checking a file that is in memory takes 0.005 ms, and rarely ten times as much on a busy machine. */
const SLOW_FILE_MS = 0.1;
/** Checks that took less than this in all are not judged, because another process may have had the processor. */
const SLOW_MS = 20;
/** Files that are then left to threads. */
const FILES_IN_THREADS = 2_000;

export class Pace {
  #turnEndsMs = performance.now() + TURN_MS;
  #callsToClock = CALLS_BETWEEN_CLOCKS;
  #leftToThreads = 0;
  /** The last checks: how many files, and how long they took. */
  #files = 0;
  #filesMs = 0;

  /** Whether files are to be checked synchronously. */
  get isQuick(): boolean {
    return this.#leftToThreads === 0;
  }

  /** Records that `count` files were checked synchronously since `sinceMs` (of `performance.now()`). */
  looked(count: number, sinceMs: number): void {
    this.#files += count;
    this.#filesMs += performance.now() - sinceMs;
    if (this.#filesMs < SLOW_MS) return;
    if (this.#filesMs > this.#files * SLOW_FILE_MS) this.#leftToThreads = FILES_IN_THREADS;
    this.#files = 0;
    this.#filesMs = 0;
  }

  lookedInThreads(count: number): void {
    this.#leftToThreads = Math.max(0, this.#leftToThreads - count);
  }

  /** After each synchronous call: whether `nextTurn` must be awaited. */
  isTurnOver(): boolean {
    this.#callsToClock -= 1;
    if (this.#callsToClock > 0) return false;
    this.#callsToClock = CALLS_BETWEEN_CLOCKS;
    return performance.now() >= this.#turnEndsMs;
  }

  /** Lets all other work that is ready run first. */
  async nextTurn(): Promise<void> {
    await setImmediate();
    this.#turnEndsMs = performance.now() + TURN_MS;
  }
}
