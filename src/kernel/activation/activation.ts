/** One live actor: its mailbox lanes, its state and its phase. Data only; `dispatcher.ts` drives it. */

import { Fifo } from '../../lib/fifo.ts';
import type { AnyActorDef } from '../actor/actor.ts';
import type { AnyAddress, AnyMessage } from '../actor/address.ts';
import type { TimerHandle } from '../timers.ts';
import { AskMail, type Mail, SystemMail } from './mail.ts';

/** This coordinator's lease on a shard. When a shard is lost and taken again, that is another ShardLease. */
export interface ShardLease {
  readonly shard: number;
  readonly epoch: number;
  /** `releasing`: finishes what it has and takes nothing new. `lost`: held by another coordinator, or by none. */
  status: 'held' | 'releasing' | 'lost';
}

/**
 * `unloaded` -> `loading` -> `loaded` -> (a turn with changes) `committing` -> `loaded`. After a failure the state is
 * dropped, and the activation is `waiting` for a back-off or `unloaded` again at once. `gone` is final.
 */
export type Phase = 'unloaded' | 'loading' | 'loaded' | 'committing' | 'waiting' | 'gone';

export class Activation {
  readonly def: AnyActorDef;
  readonly address: AnyAddress;
  readonly lease: ShardLease;
  phase: Phase = 'unloaded';
  state: unknown = undefined;
  /** Grows whenever the state is dropped, so that outcomes of calls made by an earlier state can be recognized. */
  generation = 0;
  needsStart = true;
  isQueued = false;
  /** A poll waits in its system lane. */
  isPolled = false;
  /** It has failed more often than its supervision allows. Shown to operators. */
  isSuspended = false;
  /** Its commit failed for a reason that may be its own: the next one shares its transaction with no other. */
  isAlone = false;
  /** Consecutive refusals of its commits; from the second on, messages are handled one at a time. */
  refusals = 0;
  /** The number of latest refusals that were lasting and had this same reason. */
  lasting = { reason: '', times: 0 };
  /** The message for which its handler threw, until that message has been handled. */
  blamed: Mail | undefined = undefined;
  dryRuns = 0;
  failuresMs: readonly number[] = [];
  callCount = 0;
  timers: Map<string, TimerHandle> | undefined = undefined;
  /** Messages of the turn that is being handled or committed. */
  readonly turn: Mail[] = [];
  /** Neighbours in the list of idle activations; see `idle-list.ts`. */
  idleBefore: Activation | undefined = undefined;
  idleAfter: Activation | undefined = undefined;
  idleSinceMs = -1;

  readonly #again = new Fifo<Mail>();
  readonly #system = new Fifo<SystemMail>();
  readonly #user = new Fifo<Mail>();

  constructor(def: AnyActorDef, address: AnyAddress, lease: ShardLease) {
    this.def = def;
    this.address = address;
    this.lease = lease;
  }

  get mailCount(): number {
    return this.#again.length + this.#system.length + this.#user.length;
  }

  /** Whether calls, timers or polls will bring mail. */
  get isWaiting(): boolean {
    const isPolled = this.def.poll !== undefined && this.state !== undefined;
    return this.callCount > 0 || isPolled || (this.timers !== undefined && this.timers.size > 0);
  }

  /** True when there is neither mail nor pending work that will bring some; timers do not count. */
  get isQuiet(): boolean {
    return (
      this.mailCount === 0 && this.callCount === 0 && (this.phase === 'loaded' || this.phase === 'unloaded')
    );
  }

  /** False when the lane is full. limit: mailboxMax. */
  offer(mail: Mail): boolean {
    if (this.#user.length >= this.def.mailboxMax) return false;
    this.#user.push(mail);
    return true;
  }

  /**
   * Adds a poll, or a result of a call, timer or save. Bounded by the number of those that the activation has requested
   * itself, and one poll.
   */
  offerSystem(message: AnyMessage, call?: SystemMail['call']): void {
    this.#system.push(new SystemMail(message, call));
  }

  /** Takes messages of an abandoned turn first, then the system lane, then the user lane. */
  take(): Mail | undefined {
    return this.#again.shift() ?? this.#system.shift() ?? this.#user.shift();
  }

  /** Puts the messages of an abandoned turn back, without `dropped`. */
  putBack(dropped?: Mail): void {
    this.#again.prepend(dropped === undefined ? this.turn : this.turn.filter((mail) => mail !== dropped));
    this.turn.length = 0;
  }

  /** Takes all mail that another activation could use; the rest is dropped. */
  drainMail(): Mail[] {
    const mail = [...this.turn, ...this.#again.drain(), ...this.#user.drain()];
    this.#system.drain();
    this.turn.length = 0;
    return mail.filter((item) => !(item instanceof SystemMail));
  }

  /** Replaces a message of the turn by others. */
  replaceInTurn(mail: Mail, others: readonly Mail[]): void {
    this.turn.splice(this.turn.indexOf(mail), 1, ...others);
  }

  /** Asks among the messages of the turn. */
  turnAsks(): AskMail[] {
    return this.turn.filter((mail) => mail instanceof AskMail);
  }
}

/** Whether a fallback may replace the message if it fails for good. */
export function hasFallback(activation: Activation, mail: Mail | undefined): mail is Mail {
  return mail !== undefined && !(mail instanceof AskMail) && activation.def.fallbackFor !== undefined;
}

/** The name of the activation in logs. */
export function nameOf(activation: Activation): { readonly actor: string } {
  return { actor: `${activation.address.kind}/${activation.address.key}` };
}
