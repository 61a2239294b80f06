/** Asks of this process that wait for their answer, each until its deadline. */
import type { AnyAddress } from './actor/address.ts';
import { KernelError, type KernelFailure, kernelFailure } from './actor/kernel-error.ts';
import type { Runtime } from './runtime.ts';
import type { TimerHandle } from './timers.ts';

interface PendingAsk {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: KernelError) => void;
  readonly deadline: TimerHandle;
  readonly who: string;
  /** The other coordinator that the ask was sent to. */
  sentTo: string | undefined;
  /** The hops of its latest copy: copies with fewer hops have come back. */
  hops: number;
  /** Sends it once more; absent where that is not safe. */
  repeat: ((hops: number) => void) | undefined;
}

export class Asks {
  readonly #runtime: Runtime;
  readonly #pending = new Map<number, PendingAsk>();
  #lastId = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  get size(): number {
    return this.#pending.size;
  }

  /**
   * Whether an ask that comes back after so many hops is sent on from here. It is not if a copy of it was already sent
   * on, because the bus may have repeated the envelope.
   */
  mayForward(askId: number, hops: number): boolean {
    const ask = this.#pending.get(askId);
    if (ask === undefined || hops < ask.hops) return false;
    ask.hops = hops + 1;
    return true;
  }

  /**
   * `send` is called with the new ask's id, and returns how the ask is sent once more, if that is safe. `isReachable`
   * is called at the deadline, to distinguish the two reasons.
   */
  open(
    to: AnyAddress,
    deadlineMs: number,
    isReachable: () => boolean,
    send: (askId: number) => PendingAsk['repeat'],
  ): Promise<unknown> {
    const askId = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const who = `${to.kind}/${to.key}`;
      const deadline = this.#runtime.timers.set(deadlineMs, () => {
        const failure = isReachable()
          ? kernelFailure('DEADLINE', `no answer from ${who} within ${deadlineMs} ms`)
          : kernelFailure('UNAVAILABLE', `${who} could not be reached within ${deadlineMs} ms`);
        this.refuse(askId, failure);
      });
      const unsent = { sentTo: undefined, hops: 0, repeat: undefined };
      const ask: PendingAsk = { resolve, reject, deadline, who, ...unsent };
      this.#pending.set(askId, ask);
      ask.repeat = send(askId);
    });
  }

  sentTo(askId: number, coordinator: string | undefined): void {
    const ask = this.#pending.get(askId);
    if (ask !== undefined) ask.sentTo = coordinator;
  }

  /** These coordinators died: asks that were sent to them are sent again where that is safe, or fail at once. */
  abandon(coordinators: ReadonlySet<string>): void {
    for (const [askId, ask] of [...this.#pending]) {
      if (ask.sentTo === undefined || !coordinators.has(ask.sentTo)) continue;
      ask.sentTo = undefined;
      if (ask.repeat !== undefined) ask.repeat(ask.hops);
      else this.refuse(askId, kernelFailure('UNAVAILABLE', `${ask.who} was on a coordinator that is gone`));
    }
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

  /** A second answer, or one after the deadline, finds no entry. */
  #close(askId: number): PendingAsk | undefined {
    const ask = this.#pending.get(askId);
    if (ask === undefined) {
      this.#runtime.counters.deadLetters++;
      return undefined;
    }
    this.#pending.delete(askId);
    this.#runtime.timers.cancel(ask.deadline);
    return ask;
  }
}
