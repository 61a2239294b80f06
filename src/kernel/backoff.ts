/** Delays the loads of a kind while the service behind them can't be reached, with growing pauses between attempts. */
import type { KernelLimits } from './actor/limits.ts';
import type { Timers } from './timers.ts';

export class Backoff {
  readonly #timers: Timers;
  readonly #limits: KernelLimits;
  readonly #onOpen: () => void;
  #isOpen = true;
  #failures = 0;
  #cause: 'load' | 'commit' | undefined;

  constructor(timers: Timers, limits: KernelLimits, onOpen: () => void) {
    this.#timers = timers;
    this.#limits = limits;
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
    const waitMs = this.#limits.unavailableBackoffMs * 2 ** Math.min(this.#failures++, 20);
    this.#timers.set(Math.min(waitMs, this.#limits.unavailableBackoffMaxMs), () => {
      this.#isOpen = true;
      this.#onOpen();
    });
  }

  /** A load that succeeds says nothing about commits (a full disk can still be read). */
  succeed(what: 'load' | 'commit'): void {
    if (this.#isOpen && (what === 'commit' || this.#cause === 'load')) this.#failures = 0;
  }
}
