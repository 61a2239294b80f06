/** Carries out the effects of a finished turn that leave the actor: tells, replies, calls of ports, timers. */

import type { AnyAddress } from '../actor/address.ts';
import type { Effect, ReplyTo } from '../actor/effect.ts';
import { type KernelFailure, toFailure } from '../actor/kernel-error.ts';
import type { KernelLog } from '../actor/ports.ts';
import type { Counters } from '../counters.ts';
import type { Timers } from '../timers.ts';
import type { Activation } from './activation.ts';
import type { Mail } from './mail.ts';

/** Where these effects go. */
export interface Outbox {
  tell(to: AnyAddress, message: object, isNew: boolean): void;
  answer(to: ReplyTo, value: unknown): void;
  refuse(to: ReplyTo, failure: KernelFailure): void;
  /** Forwards mail of an activation whose shard has another owner. */
  redirect(to: AnyAddress, mail: Mail): void;
}

export class Outputs {
  readonly #outbox: Outbox;
  readonly #timers: Timers;
  readonly #log: KernelLog;
  readonly #counters: Counters;
  /** Called when the system lane of an activation has new entries. */
  readonly #onNews: (activation: Activation) => void;

  constructor(
    outbox: Outbox,
    timers: Timers,
    log: KernelLog,
    counters: Counters,
    onNews: (activation: Activation) => void,
  ) {
    this.#outbox = outbox;
    this.#timers = timers;
    this.#log = log;
    this.#counters = counters;
    this.#onNews = onNews;
  }

  release(activation: Activation, ports: unknown, effects: readonly Effect<unknown, unknown>[]): void {
    for (const effect of effects) {
      switch (effect.type) {
        case 'tell':
          this.#outbox.tell(effect.to, effect.message, effect.isNew === true);
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
          this.#setTimer(activation, effect.name, effect.afterMs, effect.message as object);
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
    const back = (message: object) => {
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
        this.#counters.count(`${activation.address.kind}.${port}_failed`, 1);
        this.#log.warn('call failed', {
          actor: `${activation.address.kind}/${activation.address.key}`,
          port,
          error,
        });
        back({ type: failed, about, error: toFailure(error) });
      },
    );
  }

  #setTimer(activation: Activation, name: string, afterMs: number, message: object): void {
    this.#cancelTimer(activation, name);
    activation.timers ??= new Map();
    const timers = activation.timers;
    const handle = this.#timers.set(afterMs, () => {
      timers.delete(name);
      activation.offerSystem(message);
      this.#onNews(activation);
    });
    timers.set(name, handle);
  }

  #cancelTimer(activation: Activation, name: string): void {
    const handle = activation.timers?.get(name);
    if (handle === undefined) return;
    this.#timers.cancel(handle);
    activation.timers?.delete(name);
  }
}

type Call = Extract<Effect<unknown, unknown>, { readonly type: 'call' }>;

type Ports = Readonly<Record<string, (args: unknown) => unknown>>;
