/** Delays the loads of a kind while the service behind them can't be reached, with growing pauses between attempts. */
import type { Runtime } from './runtime.ts';

export class Backoff {
  readonly #runtime: Runtime;
  readonly #onOpen: () => void;
  #isOpen = true;
  #failures = 0;
  #cause: 'load' | 'commit' | undefined;

  constructor(runtime: Runtime, onOpen: () => void) {
    this.#runtime = runtime;
    this.#onOpen = onOpen;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The last attempt failed; asks that reach their deadline then say so. */
  get isTroubled(): boolean {
    return this.#failures > 0;
  }

  fail(cause: 'load' | 'commit'): void {
    this.#cause = cause;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { timers, limits } = this.#runtime;
    const waitMs = limits.unavailableBackoffMs * 2 ** Math.min(this.#failures++, 20);
    timers.set(Math.min(waitMs, limits.unavailableBackoffMaxMs), () => {
      this.#isOpen = true;
      this.#onOpen();
    });
  }

  /** A load that succeeds says nothing about commits (a full disk can still be read). */
  succeed(what: 'load' | 'commit'): void {
    if (this.#isOpen && (what === 'commit' || this.#cause === 'load')) this.#failures = 0;
  }
}
