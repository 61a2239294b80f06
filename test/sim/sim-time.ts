/**
 * The one time of a simulated world: a heap of what is due, and nothing else. Between two instants everything that
 * can run has run.
 */

import { Broken } from './invariants/broken.ts';

interface Due {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
  isCanceled: boolean;
}

/** limit: a world that takes more steps than this never comes to rest. A healthy one takes up to some 30,000. */
const STEPS_MAX = 500_000;

export const EPOCH_MS = Date.UTC(2026, 0, 1);

export class SimTime {
  nowMs = 0;
  /** How many events have run. */
  steps = 0;
  readonly #heap: Due[] = [];
  #order = 0;

  /** Runs `run` once after `afterMs`; answers what cancels it. */
  after(afterMs: number, run: () => void): () => void {
    const due = { atMs: this.nowMs + Math.max(0, afterMs), order: this.#order++, run, isCanceled: false };
    this.#push(due);
    return () => {
      due.isCanceled = true;
    };
  }

  /** Moves from event to event for `forMs`; `afterEach` looks at the world after each. */
  async run(forMs: number, afterEach: () => void, isOver: () => boolean = () => false): Promise<void> {
    const untilMs = this.nowMs + forMs;
    while (!isOver()) {
      const due = this.#pop(untilMs);
      if (due === undefined) break;
      this.nowMs = due.atMs;
      this.steps++;
      if (this.steps > STEPS_MAX)
        throw new Broken('a world comes to rest', `${this.steps} steps`, this.nowMs);
      due.run();
      await settled();
      afterEach();
    }
    if (!isOver()) this.nowMs = untilMs;
  }

  #pop(untilMs: number): Due | undefined {
    const heap = this.#heap;
    for (;;) {
      const top = heap[0];
      if (top === undefined || top.atMs > untilMs) return undefined;
      const last = heap.pop() as Due;
      if (heap.length > 0) this.#sink(last);
      if (!top.isCanceled) return top;
    }
  }

  #push(due: Due): void {
    const heap = this.#heap;
    let at = heap.push(due) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Due;
      if (!isBefore(due, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = due;
  }

  #sink(due: Due): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Due, heap[child] as Due)) child++;
      const below = heap[child] as Due;
      if (!isBefore(below, due)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = due;
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/** All microtasks have run by then (ticks come after them): nothing in the world waits for anything but its time. */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
