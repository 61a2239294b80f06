/** Carries out the effects of a finished turn that leave the actor: tells, replies, calls of ports, timers. */

import type { AnyAddress, AnyMessage } from '../actor/address.ts';
import type { Done, Effect, Failed, ReplyTo } from '../actor/effect.ts';
import { type KernelFailure, toFailure } from '../actor/kernel-error.ts';
import type { Runtime } from '../runtime.ts';
import { type Activation, nameOf } from './activation.ts';
import type { Mail } from './mail.ts';

/** Where these effects go. */
export interface Outbox {
  tell(to: AnyAddress, message: AnyMessage): void;
  answer(to: ReplyTo, value: unknown): void;
  refuse(to: ReplyTo, failure: KernelFailure): void;
  /** Forwards mail of an activation whose shard has another owner. */
  redirect(to: AnyAddress, mail: Mail): void;
}

export class Outputs {
  readonly #runtime: Runtime;
  readonly #outbox: Outbox;
  /** Called when the system lane of an activation has new entries. */
  readonly #onNews: (activation: Activation) => void;

  constructor(runtime: Runtime, outbox: Outbox, onNews: (activation: Activation) => void) {
    this.#runtime = runtime;
    this.#outbox = outbox;
    this.#onNews = onNews;
  }

  release(activation: Activation, ports: unknown, effects: readonly Effect<unknown, AnyMessage>[]): void {
    for (const effect of effects) {
      switch (effect.type) {
        case 'tell':
          this.#outbox.tell(effect.to, effect.message);
          break;
        case 'reply':
          this.#outbox.answer(effect.to, effect.value);
          break;
        case 'refuse':
          this.#outbox.refuse(effect.to, effect.error);
          break;
        case 'call':
          this.#call(activation, ports as Ports, effect);
          break;
        case 'timer':
          this.#setTimer(activation, effect.name, effect.afterMs, effect.message);
          break;
        case 'cancelTimer':
          this.#cancelTimer(activation, effect.name);
          break;
      }
    }
  }

  #call(
    activation: Activation,
    ports: Ports,
    { port, args, done, failed, about, evenIfReloaded }: Call,
  ): void {
    activation.callCount++;
    const { generation } = activation;
    const back = (message: Done<string, unknown, unknown> | Failed<string, unknown>) => {
      activation.callCount--;
      if (activation.phase === 'gone') return;
      activation.offerSystem(message, { generation, evenIfReloaded });
      this.#onNews(activation);
    };
    const run = async () => {
      if (typeof ports[port] !== 'function') throw new Error(`no port ${port}`);
      return ports[port](args);
    };
    run().then(
      (result) => back({ type: done, about, result }),
      (error: unknown) => {
        this.#runtime.counters.count(`${activation.address.kind}.${port}_failed`, 1);
        this.#runtime.log.warn('call_failed', { ...nameOf(activation), port, error });
        back({ type: failed, about, error: toFailure(error) });
      },
    );
  }

  #setTimer(activation: Activation, name: string, afterMs: number, message: AnyMessage): void {
    this.#cancelTimer(activation, name);
    activation.timers ??= new Map();
    const timers = activation.timers;
    const handle = this.#runtime.timers.set(afterMs, () => {
      timers.delete(name);
      activation.offerSystem(message);
      this.#onNews(activation);
    });
    timers.set(name, handle);
  }

  #cancelTimer(activation: Activation, name: string): void {
    const handle = activation.timers?.get(name);
    if (handle === undefined) return;
    this.#runtime.timers.cancel(handle);
    activation.timers?.delete(name);
  }
}

type Call = Extract<Effect<unknown, AnyMessage>, { readonly type: 'call' }>;

type Ports = Readonly<Record<string, (args: unknown) => unknown>>;
