/**
 * The database's clock, as one coordinator knows it: the instants of jobs, recipes and ingests are on it, whoever
 * writes them, however wrong the clocks of the hosts are. It runs on the host's monotonic clock, and is set right by
 * each answer of the database that proves it wrong: the database read its clock between the question and the answer.
 */
import type { Clock } from '../kernel/mod.ts';
import { realClock } from '../lib/real-clock.ts';
import type { ClockReading } from '../store/lease/lease-store.ts';

export class DatabaseClock implements Clock {
  readonly #host: Clock;
  /** What the database's clock is ahead of the host's monotonic one. */
  #aheadMs: number;

  /** Until the first reading it is the host's own clock. */
  constructor(host: Clock = realClock) {
    this.#host = host;
    this.#aheadMs = host.nowMs() - host.monotonicMs();
  }

  learn({ databaseMs, askedMs, answeredMs }: ClockReading): void {
    const leastMs = databaseMs - answeredMs;
    const mostMs = databaseMs - askedMs;
    this.#aheadMs = Math.min(Math.max(this.#aheadMs, leastMs), mostMs);
  }

  nowMs(): number {
    return Math.floor(this.#host.monotonicMs() + this.#aheadMs);
  }

  monotonicMs(): number {
    return this.#host.monotonicMs();
  }

  timer(afterMs: number, run: () => void): () => void {
    return this.#host.timer(afterMs, run);
  }

  soon(run: () => void): void {
    this.#host.soon(run);
  }
}
