/** A clock that only a test advances. Before it advances, all deferred work and all microtasks have run. */
import type { Clock } from '../../src/kernel/mod.ts';

interface Pending {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

export const EPOCH_MS = Date.UTC(2026, 0, 1);

export class VirtualClock implements Clock {
  #elapsedMs = 0;
  #order = 0;
  #pending: Pending[] = [];
  #soon: (() => void)[] = [];

  nowMs(): number {
    return EPOCH_MS + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  timer(afterMs: number, run: () => void): () => void {
    const pending = { atMs: this.#elapsedMs + afterMs, order: this.#order++, run };
    this.#pending.push(pending);
    return () => {
      this.#pending = this.#pending.filter((other) => other !== pending);
    };
  }

  soon(run: () => void): void {
    this.#soon.push(run);
  }

  /** The number of pending timers. */
  get timerCount(): number {
    return this.#pending.length;
  }

  /** Runs everything that is due at the present instant. */
  async settle(): Promise<void> {
    do {
      for (const run of this.#soon.splice(0)) run();
      await new Promise((resolve) => setImmediate(resolve)); // all microtasks run before it
    } while (this.#soon.length > 0);
  }

  async advance(byMs: number): Promise<void> {
    const untilMs = this.#elapsedMs + byMs;
    await this.settle();
    while (await this.#step(untilMs)) await this.settle();
    this.#elapsedMs = untilMs;
    await this.settle();
  }

  /** Moves from timer to timer until `isTrue`; throws when that takes longer than `withinMs`. */
  async until(what: string, isTrue: () => boolean, withinMs = 60_000): Promise<void> {
    const untilMs = this.#elapsedMs + withinMs;
    await this.settle();
    while (!isTrue()) {
      if (!(await this.#step(untilMs))) throw new Error(`not within ${withinMs} ms: ${what}`);
      await this.settle();
    }
  }

  /** Simulates a paused process: time passes, and then all due timers fire late. */
  async pause(forMs: number): Promise<void> {
    this.#elapsedMs += forMs;
    await this.advance(0);
  }

  async #step(untilMs: number): Promise<boolean> {
    let next: Pending | undefined;
    for (const pending of this.#pending) {
      if (next === undefined || pending.atMs < next.atMs) next = pending;
      else if (pending.atMs === next.atMs && pending.order < next.order) next = pending;
    }
    if (next === undefined || next.atMs > untilMs) return false;
    this.#pending = this.#pending.filter((other) => other !== next);
    this.#elapsedMs = Math.max(this.#elapsedMs, next.atMs);
    next.run();
    return true;
  }
}
