/** All timers of one system on a single timer of the clock, ordered by time, then by the order of setting. */
import { assert } from '../lib/assert.ts';
import { Heap } from '../lib/heap.ts';
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
  readonly #heap = new Heap<TimerHandle>(isBefore, [], (handle, place) => {
    handle.place = place;
  });
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
    this.#heap.push(handle);
    this.#arm();
    return handle;
  }

  cancel(handle: TimerHandle): void {
    if (handle.place < 0) return;
    this.#heap.removeAt(handle.place);
    handle.place = -1;
  }

  /** Nothing runs any more. */
  close(): void {
    this.#isClosed = true;
    this.#cancelAlarm?.();
  }

  #ring(): void {
    this.#cancelAlarm = undefined;
    this.#alarmAtMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.monotonicMs();
    for (let top = this.#heap.peek(); top !== undefined && top.atMs <= nowMs; top = this.#heap.peek()) {
      if (this.#isClosed) return;
      this.cancel(top);
      top.run();
    }
    this.#arm();
  }

  /** An alarm that fires too early is harmless, so cancelling the earliest timer does not change the alarm. */
  #arm(): void {
    const top = this.#heap.peek();
    if (top === undefined || top.atMs >= this.#alarmAtMs || this.#isClosed) return;
    this.#cancelAlarm?.();
    this.#alarmAtMs = top.atMs;
    this.#cancelAlarm = this.#clock.timer(Math.max(0, top.atMs - this.#clock.monotonicMs()), () =>
      this.#ring(),
    );
  }
}

function isBefore(a: TimerHandle, b: TimerHandle): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
