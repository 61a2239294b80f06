/**
 * Runs one turn of an activation: calls its handlers and sorts their effects. Changes nothing but the activation's
 * state.
 */
import { assert } from '../../lib/assert.ts';
import type { Ctx } from '../actor/actor.ts';
import { type Address, address } from '../actor/address.ts';
import type { Effect, Outcome, ReplyTo } from '../actor/effect.ts';
import type { KernelLimits } from '../actor/limits.ts';
import type { IdPools } from '../commit/id-pools.ts';
import type { Counters } from '../counters.ts';
import type { Activation } from './activation.ts';
import { AskMail, type Mail, messageOf, SystemMail } from './mail.ts';

/** The `Saved` message of a change, without its result. */
export interface WantedResult {
  readonly type: string;
  readonly about: unknown;
}

/** The result of a turn. Valid until the next turn runs, unless its arrays are taken over. */
export interface Decision {
  readonly changes: readonly unknown[];
  /** For each change the message that carries its result back; undefined for changes without one. */
  readonly wanted: readonly (WantedResult | undefined)[];
  /** Effects that leave after the commit. */
  readonly outputs: readonly Effect<unknown, unknown>[];
  readonly isStop: boolean;
  /** Set when a handler threw; everything else is then void. */
  readonly failure?: { readonly error: unknown; readonly mail: Mail | undefined } | undefined;
}

/** From this many consecutive refusals on, messages are handled one at a time, to find the one that is to blame. */
const ONE_BY_ONE_FROM = 2;

export class TurnRunner implements Decision {
  readonly #limits: KernelLimits;
  readonly #counters: Counters;
  readonly #ctx: TurnCtx;
  #changes: unknown[] = [];
  #wanted: (WantedResult | undefined)[] = [];
  #outputs: Effect<unknown, unknown>[] = [];
  #callCount = 0;
  isStop = false;
  failure: Decision['failure'];

  constructor(ids: IdPools, limits: KernelLimits, counters: Counters) {
    this.#limits = limits;
    this.#counters = counters;
    this.#ctx = new TurnCtx(ids, counters);
  }

  get changes(): readonly unknown[] {
    return this.#changes;
  }

  get wanted(): readonly (WantedResult | undefined)[] {
    return this.#wanted;
  }

  get outputs(): readonly Effect<unknown, unknown>[] {
    return this.#outputs;
  }

  /** Takes up to `turnMax` messages out of the activation; they stay in `activation.turn` until the turn has ended. */
  decide(activation: Activation, nowMs: number, monotonicMs: number): Decision {
    this.#reset();
    this.#ctx.enter(activation, nowMs);
    let current: Mail | undefined;
    try {
      const isOneByOne = activation.refusals >= ONE_BY_ONE_FROM;
      let room = isOneByOne ? 1 : activation.def.turnMax;
      if (activation.needsStart) {
        activation.needsStart = false;
        if (activation.def.start !== undefined) {
          this.#absorb(activation, activation.def.start(activation.state, this.#ctx));
          if (isOneByOne) room = 0;
        }
      }
      for (; room > 0; room--) {
        const mail = activation.take();
        if (mail === undefined) break;
        if (mail instanceof AskMail && mail.expiresMs <= monotonicMs) {
          this.#counters.deadLetters++;
          continue;
        }
        // The present state makes the calls that it needs itself, so outcomes for an earlier state are dropped.
        const isStale = isOfEarlierState(activation, mail);
        if (isStale && mail.call?.evenIfReloaded !== true) continue;
        current = mail;
        activation.turn.push(mail);
        this.#ctx.replyTo = mail instanceof AskMail ? mail.replyTo : undefined;
        const message = isStale ? { ...messageOf(mail), isStale } : messageOf(mail);
        this.#absorb(activation, activation.def.receive(activation.state, message, this.#ctx));
      }
    } catch (error) {
      this.failure = { error, mail: current };
    }
    this.#counters.messages += activation.turn.length;
    return this;
  }

  #reset(): void {
    // With changes, all three arrays now belong to a pending commit, the empty ones too. Otherwise only outputs that
    // are used may still be read.
    if (this.#changes.length > 0) {
      this.#changes = [];
      this.#wanted = [];
      this.#outputs = [];
    } else if (this.#outputs.length > 0) this.#outputs = [];
    this.#callCount = 0;
    this.isStop = false;
    this.failure = undefined;
  }

  #absorb(activation: Activation, outcome: Outcome<unknown, unknown, unknown>): void {
    activation.state = outcome.state;
    for (const effect of outcome.effects) {
      switch (effect.type) {
        case 'save':
          this.#changes.push(effect.change);
          this.#wanted.push(
            effect.saved === undefined ? undefined : { type: effect.saved, about: effect.about },
          );
          break;
        case 'stop':
          this.isStop = true;
          break;
        case 'call':
          this.#callCount++;
          // limit: callsMax. The outcomes of calls are what bounds the system lane.
          assert(
            activation.callCount + this.#callCount <= this.#limits.callsMax,
            `${activation.def.kind}: more than ${this.#limits.callsMax} calls under way`,
          );
          this.#outputs.push(effect);
          break;
        default:
          this.#outputs.push(effect);
      }
    }
  }
}

function isOfEarlierState(activation: Activation, mail: Mail): mail is SystemMail {
  return (
    mail instanceof SystemMail && mail.call !== undefined && mail.call.generation !== activation.generation
  );
}

/** One object serves all turns, so a handler must not keep it. */
class TurnCtx implements Ctx<unknown> {
  readonly #ids: IdPools;
  readonly #counters: Counters;
  self = address<unknown>('', '');
  shard = 0;
  epoch = 0;
  nowMs = 0;
  replyTo: ReplyTo | undefined = undefined;

  constructor(ids: IdPools, counters: Counters) {
    this.#ids = ids;
    this.#counters = counters;
  }

  enter(activation: Activation, nowMs: number): void {
    this.self = activation.address as Address<unknown>;
    this.shard = activation.lease.shard;
    this.epoch = activation.lease.epoch;
    this.nowMs = nowMs;
    this.replyTo = undefined;
  }

  newId(idKind: string): number {
    return this.#ids.take(idKind);
  }

  count(metric: string, n = 1): void {
    this.#counters.count(`${this.self.kind}.${metric}`, n);
  }
}
