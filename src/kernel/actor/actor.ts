/** What the author of an actor writes: one ActorDef a kind. Says nothing of how it is run. */
import type { Address } from './address.ts';
import type { Outcome, ReplyTo } from './effect.ts';
import type { Supervision } from './supervisor.ts';

/** What a handler may know besides its state and message. Valid only during the call. */
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
   * A fresh identifier. When the pool is dry the turn is given up here and run again: never catch around it.
   */
  newId(idKind: string): number;
  /** Adds to a counter of `stats().counters`. Counts turns that are given up, too. */
  count(metric: string, n?: number): void;
}

export interface Reconciliation<Message, Ports> {
  readonly everyMs: number;
  /**
   * Reads from rows what lost wake-ups of these shards would have said. Bounds its own answer. `isTakenOver`:
   * the shards are just ours, so whoever was at work on them is not any more, however short ago.
   */
  find(
    shards: readonly number[],
    ports: Ports,
    isTakenOver: boolean,
  ): Promise<readonly { readonly key: string; readonly message: Message }[]>;
}

/** What is worked on in a message's place, and what the log says that it was about: no secrets. */
export interface Fallback<Message> {
  readonly messages: readonly Message[];
  readonly about: Readonly<Record<string, unknown>>;
}

export interface ActorDef<State, Message extends { readonly type: string }, Ports, Change> {
  readonly kind: string;
  /** User messages that may wait in one activation. */
  readonly mailboxMax: number;
  /** A loaded activation without mail, timers and calls is unloaded after this long. */
  readonly idleMs: number;
  /** Messages of one activation in one turn: one commit. */
  readonly turnMax: number;
  /** Live activations of this kind on one coordinator; the kernel's limit when absent. */
  readonly liveMax?: number;
  readonly supervise: Supervision;

  /**
   * States of many actors with one query. A key that is absent from the answer has no rows: state undefined.
   */
  load(keys: readonly string[], ports: Ports): Promise<ReadonlyMap<string, State>>;
  /** Part of the first turn after every load: sets timers again, asks for what may have been missed. */
  start?(state: State | undefined, ctx: Ctx<Message>): Outcome<State, Change, Message>;
  /**
   * Synchronous, and pure apart from updating `state` in place. May run again for the same message when a
   * turn is given up, always from freshly loaded state. A throw means a bug: the message is dropped.
   */
  receive(state: State | undefined, message: Message, ctx: Ctx<Message>): Outcome<State, Change, Message>;
  /**
   * For a message that cannot be worked off however often it is tried, because its sender would only repeat it: what
   * to do instead, such as its parts one by one, or that it failed. Undefined: it is dropped, as is one that a
   * substitute comes to in the end. Never of an ask, whose sender is told.
   */
  fallbackFor?(message: Message): Fallback<Message> | undefined;
  readonly reconcile?: Reconciliation<Message, Ports>;
}

/** An actor whose types the runtime doesn't know. */
export type AnyActorDef = ActorDef<unknown, { readonly type: string }, unknown, unknown>;

/** Gives the compiler the four types, and the reader a word to search for. */
export function defineActor<State, Message extends { readonly type: string }, Ports, Change>(
  def: ActorDef<State, Message, Ports, Change>,
): ActorDef<State, Message, Ports, Change> {
  return def;
}
