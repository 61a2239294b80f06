/** One live actor: its lanes, its state and where it is in its life. Data only; `dispatcher.ts` moves it. */
import type { AnyActorDef } from '../actor/actor.ts';
import type { AnyAddress } from '../actor/address.ts';
import { Fifo } from '../fifo.ts';
import type { TimerHandle } from '../timers.ts';
import { AskMail, type CallOrigin, type Mail, SystemMail } from './mail.ts';

/** A lease this coordinator has on a shard. A shard lost and taken again is another ShardLease. */
export interface ShardLease {
  readonly shard: number;
  readonly epoch: number;
  /** `releasing`: finishes what it has, takes nothing new. `lost`: another's, or nobody's. */
  status: 'held' | 'releasing' | 'lost';
}

/**
 * unloaded -> loading -> loaded -> (turn with changes) committing -> loaded
 * Any failure: state dropped, then `waiting` for a back-off or at once `unloaded` again. `gone` is the end.
 */
export type Phase = 'unloaded' | 'loading' | 'loaded' | 'committing' | 'waiting' | 'gone';

export class Activation {
  readonly def: AnyActorDef;
  readonly address: AnyAddress;
  readonly lease: ShardLease;
  phase: Phase = 'unloaded';
  state: unknown = undefined;
  /** Grows whenever the state is dropped: what an earlier state called for comes back to another. */
  generation = 0;
  needsStart = true;
  isQueued = false;
  /** The failure before was one too many. For the eyes of operators. */
  isSuspended = false;
  /** Its commit failed for reasons that may be its own: the next goes alone. */
  isAlone = false;
  /** Refusals of commits in a row; from the second on, messages are worked off one by one. */
  refusals = 0;
  /** How many of the latest refusals were lasting ones with this very reason. */
  lasting = { reason: '', times: 0 };
  /** The message that its handler threw at, until it is worked off. */
  blamed: Mail | undefined = undefined;
  dryRuns = 0;
  failuresMs: readonly number[] = [];
  callCount = 0;
  timers: Map<string, TimerHandle> | undefined = undefined;
  /** Messages of the turn that is being decided or committed. */
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

  /** Neither mail nor anything under way that will bring some, timers aside. */
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

  /** Bounded by what the activation itself has asked for: calls, timers, saves that want their result. */
  offerSystem(message: object, call?: CallOrigin): void {
    this.#system.push(new SystemMail(message, call));
  }

  /** What was given up comes first, then the system lane, then the user lane. */
  take(): Mail | undefined {
    return this.#again.shift() ?? this.#system.shift() ?? this.#user.shift();
  }

  /** Puts the messages of a given-up turn back, without `dropped`. */
  putBack(dropped?: Mail): void {
    this.#again.prepend(dropped === undefined ? this.turn : this.turn.filter((mail) => mail !== dropped));
    this.turn.length = 0;
  }

  /** Takes all mail that another activation could use; the rest is thrown away. */
  drainMail(): Mail[] {
    const mail = [...this.turn, ...this.#again.drain(), ...this.#user.drain()];
    this.#system.drain();
    this.turn.length = 0;
    return mail.filter((item) => !(item instanceof SystemMail));
  }

  /** Puts others in the place of a message of the turn. */
  replaceInTurn(mail: Mail, others: readonly Mail[]): void {
    this.turn.splice(this.turn.indexOf(mail), 1, ...others);
  }

  /** Asks that wait in the turn. */
  turnAsks(): AskMail[] {
    return this.turn.filter((mail) => mail instanceof AskMail);
  }
}

/** Something may take the message's place, should it fail for good. */
export function hasFallback(activation: Activation, mail: Mail | undefined): mail is Mail {
  return mail !== undefined && !(mail instanceof AskMail) && activation.def.fallbackFor !== undefined;
}

/** As logs name it. */
export function nameOf(activation: Activation): { readonly actor: string } {
  return { actor: `${activation.address.kind}/${activation.address.key}` };
}
