/** What the author of an actor writes: one ActorDef for each kind. How actors are run is defined elsewhere. */
import type { Address, AnyMessage } from './address.ts';
import type { Outcome, ReplyTo } from './effect.ts';
import type { Supervision } from './supervisor.ts';

/** What a handler may use besides its state and message. Valid only during the call. */
export interface Ctx<in Message = never> {
  readonly self: Address<Message>;
  readonly shard: number;
  readonly epoch: number;
  /** Wall clock, milliseconds since 1970, UTC; the same for all messages of a turn. */
  readonly nowMs: number;
  /**
   * Set while an ask is handled. `askerOf` gives it the type of the answer: answer now, or keep it for a later turn.
   */
  readonly replyTo?: ReplyTo | undefined;
  /**
   * A new identifier, which is never returned again: those of abandoned turns are lost. If the pool is empty, this
   * throws, and the turn is abandoned and run again: never catch it.
   */
  newId(idKind: string): number;
  /** Adds to a counter of `stats().counters`, also in turns that are abandoned. */
  count(metric: string, n?: number): void;
}

export interface Reconciliation<Message, Ports> {
  /** Each coordinator runs `find` at this interval for all its shards, and at once for shards that it has taken. */
  readonly everyMs: number;
  /**
   * Reads rows of these shards, and returns the messages that their actors seem to have missed, which are then told to
   * them. Those that are lost again are found by the next run. Limits its own answer. `isTakenOver`: the shards were
   * just taken over, so their former owner no longer works on them, however recent its work.
   */
  find(
    shards: readonly number[],
    ports: Ports,
    isTakenOver: boolean,
  ): Promise<readonly { readonly key: string; readonly message: Message }[]>;
}

/** What all loaded actors of a kind are asked at an interval, by one timer for all of them. */
export interface Poll<Message> {
  readonly everyMs: number;
  readonly message: Message;
}

/** The message that replaces another one, and what the log says about the replaced one: no secrets. */
export interface Fallback<Message> {
  readonly messages: readonly Message[];
  readonly about: Readonly<Record<string, unknown>>;
}

export interface ActorDef<State, Message extends AnyMessage, Ports, Change> {
  readonly kind: string;
  /** limit: user messages that wait in one activation. */
  readonly mailboxMax: number;
  /** A loaded activation without mail, timers and calls is unloaded after this time. */
  readonly idleMs: number;
  /** limit: messages of one activation in one turn, and so in one commit. */
  readonly turnMax: number;
  /** limit: live activations of this kind on one coordinator; the kernel's default when absent. */
  readonly liveMax?: number;
  readonly supervise: Supervision;

  /**
   * Loads the states of many actors with one query. A key that is absent from the answer has no rows; its state is
   * undefined.
   */
  load(keys: readonly string[], ports: Ports): Promise<ReadonlyMap<string, State>>;
  /** Part of the first turn after every load: sets timers again, and calls ports for what may have been missed. */
  start?(state: State | undefined, ctx: Ctx<Message>): Outcome<State, Change, Message>;
  /**
   * Handles one message. Synchronous, and pure apart from changing `state` in place. May run again for the same message
   * when a turn is abandoned, always with freshly loaded state. A throw means a bug: the message is dropped.
   */
  receive(state: State | undefined, message: Message, ctx: Ctx<Message>): Outcome<State, Change, Message>;
  /**
   * What to do instead of a message that fails however often it is tried and that its sender would only repeat: for
   * instance its parts one by one, or recording that it failed. If undefined, or if the fallback fails as well, the
   * message is dropped. Not used for asks, whose sender gets the failure.
   */
  fallbackFor?(message: Message): Fallback<Message> | undefined;
  readonly reconcile?: Reconciliation<Message, Ports>;
  /**
   * Each loaded actor with a state gets this message at the interval, in its system lane, and stays loaded. One that
   * has not handled the last one gets no other.
   */
  readonly poll?: Poll<Message>;
  /**
   * Handles a message where it arrives, without a turn, if it has no effects: turns for the heartbeats of a thousand
   * agents are what they cost while nothing else happens. False: the state is as before, and the message gets a turn.
   * Not used for asks, nor while other messages or a turn come before it. A throw means a bug: the message gets a turn.
   */
  absorb?(state: State, message: Message, nowMs: number): boolean;
}

/** An actor definition whose types the runtime doesn't know. */
export type AnyActorDef = ActorDef<unknown, AnyMessage, unknown, unknown>;

/** Gives the compiler the four types, and readers one word to search for. */
export function defineActor<State, Message extends AnyMessage, Ports, Change>(
  def: ActorDef<State, Message, Ports, Change>,
): ActorDef<State, Message, Ports, Change> {
  return def;
}
