/**
 * Runs one turn of an activation: calls its handlers and sorts their effects. Changes nothing but the activation's
 * state.
 */
import { assert } from '../../lib/assert.ts';
import type { Ctx } from '../actor/actor.ts';
import type { Address, AnyMessage } from '../actor/address.ts';
import type { Effect, HintEffect, Outcome, ReplyTo, Saved } from '../actor/effect.ts';
import type { IdPools } from '../commit/id-pools.ts';
import type { Runtime } from '../runtime.ts';
import type { Activation } from './activation.ts';
import { AskMail, type Mail, messageOf, SystemMail } from './mail.ts';

/** The `Saved` message of a change, without its result. */
export type WantedResult = Omit<Saved<string, unknown, unknown>, 'result'>;

/** The result of a turn. */
export interface Decision {
  readonly changes: unknown[];
  /** For each change the message that carries its result back; undefined for changes without one. */
  readonly wanted: (WantedResult | undefined)[];
  /** They leave before the commit. */
  readonly hints: HintEffect[];
  /** Effects that leave after the commit. */
  readonly outputs: Effect<unknown, AnyMessage>[];
  /** Calls among the outputs. */
  callCount: number;
  isStop: boolean;
  /** Set when a handler threw; everything else is then void. */
  failure: { readonly error: unknown; readonly mail: Mail | undefined } | undefined;
}

/** From this many consecutive refusals on, messages are handled one at a time, to find the one that is to blame. */
const ONE_BY_ONE_FROM = 2;

export class TurnRunner {
  readonly #runtime: Runtime;
  readonly #ids: IdPools;

  constructor(runtime: Runtime, ids: IdPools) {
    this.#runtime = runtime;
    this.#ids = ids;
  }

  /** Takes up to `turnMax` messages out of the activation; they stay in `activation.turn` until the turn has ended. */
  decide(activation: Activation, nowMs: number, monotonicMs: number): Decision {
    const { def, turn } = activation;
    const none = { callCount: 0, isStop: false, failure: undefined };
    const decision: Decision = { changes: [], wanted: [], hints: [], outputs: [], ...none };
    const ctx = this.#ctx(activation, nowMs);
    let current: Mail | undefined;
    try {
      const isOneByOne = activation.refusals >= ONE_BY_ONE_FROM;
      let room = isOneByOne ? 1 : def.turnMax;
      if (activation.needsStart) {
        activation.needsStart = false;
        if (def.start !== undefined) {
          this.#absorb(decision, activation, def.start(activation.state, ctx));
          if (isOneByOne) room = 0;
        }
      }
      for (; room > 0; room--) {
        const mail = activation.take();
        if (mail === undefined) break;
        if (mail instanceof AskMail && mail.expiresMs <= monotonicMs) {
          this.#runtime.counters.deadLetters++;
          continue;
        }
        // The present state makes the calls that it needs itself, so outcomes for an earlier state are dropped.
        const isStale = isOfEarlierState(activation, mail);
        if (isStale && mail.call?.evenIfReloaded !== true) continue;
        current = mail;
        turn.push(mail);
        ctx.replyTo = mail instanceof AskMail ? mail.replyTo : undefined;
        const message = isStale ? { ...messageOf(mail), isStale } : messageOf(mail);
        this.#absorb(decision, activation, def.receive(activation.state, message, ctx));
      }
    } catch (error) {
      decision.failure = { error, mail: current };
    }
    this.#runtime.counters.messages += turn.length;
    return decision;
  }

  /** One object serves all messages of the turn, so a handler must not keep it. */
  #ctx({ address, lease }: Activation, nowMs: number): Ctx<unknown> & { replyTo: ReplyTo | undefined } {
    return {
      self: address as Address<unknown>,
      shard: lease.shard,
      epoch: lease.epoch,
      nowMs,
      replyTo: undefined,
      newId: (idKind) => this.#ids.take(idKind),
      count: (metric, n = 1) => this.#runtime.counters.count(`${address.kind}.${metric}`, n),
    };
  }

  #absorb(decision: Decision, activation: Activation, outcome: Outcome<unknown, unknown, AnyMessage>): void {
    const { callsMax } = this.#runtime.limits;
    activation.state = outcome.state;
    for (const effect of outcome.effects) {
      if (effect.type === 'save') {
        const { change, saved, about } = effect;
        decision.changes.push(change);
        decision.wanted.push(saved === undefined ? undefined : { type: saved, about });
      } else if (effect.type === 'stop') {
        decision.isStop = true;
      } else if (effect.type === 'hint') {
        decision.hints.push(effect);
      } else {
        decision.outputs.push(effect);
        if (effect.type !== 'call') continue;
        // limit: callsMax. The outcomes of calls are what bounds the system lane.
        const calls = activation.callCount + ++decision.callCount;
        assert(calls <= callsMax, `${activation.def.kind}: more than ${callsMax} calls under way`);
      }
    }
  }
}

function isOfEarlierState(activation: Activation, mail: Mail): mail is SystemMail {
  return (
    mail instanceof SystemMail && mail.call !== undefined && mail.call.generation !== activation.generation
  );
}
