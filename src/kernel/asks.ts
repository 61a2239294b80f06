/** Questions of this process that wait for their answer, each until its deadline. */
import type { Address } from './address.ts';
import type { Counters } from './counters.ts';
import { KernelError, type KernelFailure, kernelFailure } from './kernel-error.ts';
import type { TimerHandle, Timers } from './timers.ts';

interface PendingAsk {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: KernelError) => void;
  readonly deadline: TimerHandle;
}

export class Asks {
  readonly #timers: Timers;
  readonly #counters: Counters;
  readonly #pending = new Map<number, PendingAsk>();
  #lastId = 0;

  constructor(timers: Timers, counters: Counters) {
    this.#timers = timers;
    this.#counters = counters;
  }

  get size(): number {
    return this.#pending.size;
  }

  isPending(askId: number): boolean {
    return this.#pending.has(askId);
  }

  /**
   * `send` is called with the new ask's id. `isReachable` is asked when time is up, to tell the two reasons
   * apart.
   */
  open(
    to: Address,
    deadlineMs: number,
    isReachable: () => boolean,
    send: (askId: number) => void,
  ): Promise<unknown> {
    const askId = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const deadline = this.#timers.set(deadlineMs, () => {
        const who = `${to.kind}/${to.key}`;
        const failure = isReachable()
          ? kernelFailure('DEADLINE', `no answer from ${who} within ${deadlineMs} ms`)
          : kernelFailure('UNAVAILABLE', `${who} could not be reached within ${deadlineMs} ms`);
        this.refuse(askId, failure);
      });
      this.#pending.set(askId, { resolve, reject, deadline });
      send(askId);
    });
  }

  answer(askId: number, value: unknown): void {
    this.#close(askId)?.resolve(value);
  }

  refuse(askId: number, failure: KernelFailure): void {
    this.#close(askId)?.reject(new KernelError(failure));
  }

  refuseAll(failure: KernelFailure): void {
    for (const askId of [...this.#pending.keys()]) this.refuse(askId, failure);
  }

  /** A second answer, or one after the deadline, finds nobody. */
  #close(askId: number): PendingAsk | undefined {
    const ask = this.#pending.get(askId);
    if (ask === undefined) {
      this.#counters.deadLetters++;
      return undefined;
    }
    this.#pending.delete(askId);
    this.#timers.cancel(ask.deadline);
    return ask;
  }
}
