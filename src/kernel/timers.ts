/** All timers of one system on a single timer of the clock: a heap ordered by time, then by the order of setting. */
import { assert } from '../lib/assert.ts';
import type { Clock } from './actor/ports.ts';

/** A pending timer. `place` is its position in the heap, -1 once it has run or was cancelled. */
export interface TimerHandle {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
  place: number;
}

export class Timers {
  readonly #clock: Clock;
  readonly #heap: TimerHandle[] = [];
  #order = 0;
  #cancelAlarm: (() => void) | undefined;
  #alarmAtMs = Number.POSITIVE_INFINITY;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(afterMs: number, run: () => void): TimerHandle {
    assert(afterMs >= 0, `a timer after ${afterMs} ms`);
    const handle = { atMs: this.#clock.monotonicMs() + afterMs, order: this.#order++, run, place: -1 };
    if (this.#isClosed) return handle;
    this.#up(this.#heap.push(handle) - 1, handle);
    this.#arm();
    return handle;
  }

  cancel(handle: TimerHandle): void {
    const place = handle.place;
    if (place < 0) return;
    handle.place = -1;
    const last = this.#heap.pop() as TimerHandle;
    if (last !== handle) this.#settle(place, last);
  }

  /** Cancels everything for good. */
  close(): void {
    this.#isClosed = true;
    for (const handle of this.#heap) handle.place = -1;
    this.#heap.length = 0;
    this.#cancelAlarm?.();
  }

  #ring(): void {
    this.#cancelAlarm = undefined;
    this.#alarmAtMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.monotonicMs();
    for (let top = this.#heap[0]; top !== undefined && top.atMs <= nowMs; top = this.#heap[0]) {
      this.cancel(top);
      top.run();
    }
    this.#arm();
  }

  /** An alarm that fires too early is harmless, so cancelling the earliest timer does not change the alarm. */
  #arm(): void {
    const top = this.#heap[0];
    if (top === undefined || top.atMs >= this.#alarmAtMs || this.#isClosed) return;
    this.#cancelAlarm?.();
    this.#alarmAtMs = top.atMs;
    this.#cancelAlarm = this.#clock.timer(Math.max(0, top.atMs - this.#clock.monotonicMs()), () =>
      this.#ring(),
    );
  }

  #settle(place: number, handle: TimerHandle): void {
    const heap = this.#heap;
    let at = place;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as TimerHandle, heap[child] as TimerHandle))
        child++;
      const below = heap[child] as TimerHandle;
      if (!isBefore(below, handle)) break;
      heap[at] = below;
      below.place = at;
      at = child;
    }
    this.#up(at, handle);
  }

  #up(place: number, handle: TimerHandle): void {
    const heap = this.#heap;
    let at = place;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as TimerHandle;
      if (!isBefore(handle, above)) break;
      heap[at] = above;
      above.place = at;
      at = parent;
    }
    heap[at] = handle;
    handle.place = at;
  }
}

function isBefore(a: TimerHandle, b: TimerHandle): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
