/** The clock of the simulated database's server: everything that is stored is on it, and it may be stepped. */
import { EPOCH_MS, type SimTime } from '../sim-time.ts';

export class ServerClock {
  /** When it was set forward last, on the world's time. */
  forwardAtMs = Number.NEGATIVE_INFINITY;
  isStepped = false;
  readonly #time: SimTime;
  #offMs = 0;
  #latestMs = EPOCH_MS;

  constructor(time: SimTime) {
    this.#time = time;
  }

  /** Milliseconds since 1970. */
  nowMs(): number {
    return EPOCH_MS + this.#time.nowMs + this.#offMs;
  }

  /** The latest instant that it has ever shown. */
  get latestMs(): number {
    return Math.max(this.#latestMs, this.nowMs());
  }

  /** Forwards, or back where it is negative. */
  step(byMs: number): void {
    this.#latestMs = this.latestMs;
    this.isStepped = true;
    if (byMs > 0) this.forwardAtMs = this.#time.nowMs;
    this.#offMs += byMs;
  }
}
