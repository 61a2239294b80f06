/** Lets the outputs of a finished turn leave: tells, answers, calls of ports, timers. */
import type { AnyAddress } from './address.ts';
import type { Activation } from './activation.ts';
import type { Counters } from './counters.ts';
import type { Effect, ReplyTo } from './effect.ts';
import { type KernelFailure, toFailure } from './kernel-error.ts';
import type { Mail } from './mail.ts';
import type { KernelLog } from './ports.ts';
import type { Timers } from './timers.ts';

/** Where outputs go. */
export interface Outbox {
  tell(to: AnyAddress, message: object, isNew: boolean): void;
  answer(to: ReplyTo, value: unknown): void;
  refuse(to: ReplyTo, failure: KernelFailure): void;
  /** Mail of a cell whose shard went elsewhere. */
  redirect(to: AnyAddress, mail: Mail): void;
}

export class Outputs {
  readonly #outbox: Outbox;
  readonly #timers: Timers;
  readonly #log: KernelLog;
  readonly #counters: Counters;
  /** The cell has news in its system lane. */
  readonly #onNews: (cell: Activation) => void;

  constructor(
    outbox: Outbox,
    timers: Timers,
    log: KernelLog,
    counters: Counters,
    onNews: (cell: Activation) => void,
  ) {
    this.#outbox = outbox;
    this.#timers = timers;
    this.#log = log;
    this.#counters = counters;
    this.#onNews = onNews;
  }

  release(cell: Activation, ports: unknown, effects: readonly Effect<unknown, unknown>[]): void {
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
          this.#call(cell, ports as Ports, effect);
          break;
        case 'timer':
          this.#setTimer(cell, effect.name, effect.afterMs, effect.message as object);
          break;
        case 'cancelTimer':
          this.#cancelTimer(cell, effect.name);
          break;
      }
    }
  }

  #call(cell: Activation, ports: Ports, { port, args, done, failed, about, evenIfReloaded }: Call): void {
    cell.callCount++;
    const { generation } = cell;
    const back = (message: object) => {
      cell.callCount--;
      if (cell.phase === 'gone') return;
      cell.offerSystem(message, { generation, evenIfReloaded });
      this.#onNews(cell);
    };
    const run = async () => {
      if (typeof ports[port] !== 'function') throw new Error(`no port ${port}`);
      return ports[port](args);
    };
    run().then(
      (result) => back({ type: done, about, result }),
      (error: unknown) => {
        this.#counters.count(`${cell.address.kind}.${port}_failed`, 1);
        this.#log.warn('call failed', { actor: `${cell.address.kind}/${cell.address.key}`, port, error });
        back({ type: failed, about, error: toFailure(error) });
      },
    );
  }

  #setTimer(cell: Activation, name: string, afterMs: number, message: object): void {
    this.#cancelTimer(cell, name);
    cell.timers ??= new Map();
    const timers = cell.timers;
    const handle = this.#timers.set(afterMs, () => {
      timers.delete(name);
      cell.offerSystem(message);
      this.#onNews(cell);
    });
    timers.set(name, handle);
  }

  #cancelTimer(cell: Activation, name: string): void {
    const handle = cell.timers?.get(name);
    if (handle === undefined) return;
    this.#timers.cancel(handle);
    cell.timers?.delete(name);
  }
}

type Call = Extract<Effect<unknown, unknown>, { readonly type: 'call' }>;

type Ports = Readonly<Record<string, (args: unknown) => unknown>>;
