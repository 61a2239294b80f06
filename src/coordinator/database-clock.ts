/**
 * The database's clock, as one coordinator estimates it. All times of jobs, recipes and ingests come from it, so that
 * they do not depend on the clocks of hosts. Between readings it advances with the host's monotonic clock. The database
 * reads its clock between the request and the answer, so an estimate outside these bounds is moved to the nearer one.
 */
import type { Clock } from '../kernel/mod.ts';
import { realClock } from '../lib/real-clock.ts';
import type { ClockReading } from '../store/lease/lease-store.ts';

export class DatabaseClock implements Clock {
  readonly #host: Clock;
  /** Difference between the database's clock and the host's monotonic clock. */
  #aheadMs: number;

  /** The host's own clock until the first reading. */
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
