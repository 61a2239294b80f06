/**
 * What a handler wants done, as data. Saves are the turn's commit; the other effects leave after it, in the order in
 * which the turn's handlers returned them.
 */
import type { Address, AnyAddress, AnyMessage } from './address.ts';
import type { KernelFailure } from './kernel-error.ts';

declare const takes: unique symbol;
declare const answered: unique symbol;
declare const brings: unique symbol;
declare const signature: unique symbol;

/**
 * Where the answer to an ask goes. Plain data: an actor may keep it in its state and answer in a later turn. `Answer`
 * is the type that the asker expects; it exists for the compiler only.
 */
export interface ReplyTo<in Answer = never> {
  readonly coordinator: string;
  readonly askId: number;
  readonly [takes]?: (answer: Answer) => void;
}

/** A message that is asked, with the type of its answer. Messages extend it, or are intersected with it. */
export interface AnsweredWith<out Answer> {
  readonly [answered]?: Answer;
}

/** An answer that only confirms that the work is done. */
export type Confirmed = Readonly<Record<string, never>>;

/** The type of the answer to a message; `never` for one that is only told. */
export type AnswerTo<Message> =
  Message extends AnsweredWith<infer Answer> ? (unknown extends Answer ? never : Answer) : never;

/** The messages of an actor that can be asked. */
export type QuestionOf<Message> = Message extends unknown
  ? [AnswerTo<Message>] extends [never]
    ? never
    : Message
  : never;

/** A method of an actor's ports, as `call` names it. */
export type Port<Args, Result> = string & { readonly [signature]?: (args: Args) => Result };

export type PortsOf<Ports> = {
  readonly [Name in keyof Ports]: Ports[Name] extends () => Promise<infer Result>
    ? Port<undefined, Result>
    : Ports[Name] extends (args: infer Args) => Promise<infer Result>
      ? Port<Args, Result>
      : never;
};

/** The names of all methods of `Ports`, with their types, for use with `call`. */
export function portsOf<Ports>(): PortsOf<Ports> {
  return new Proxy({}, { get: (_, name) => name }) as PortsOf<Ports>;
}

/** Part of the turn's one commit. With `saved`, the result of the change comes back as a message of that type. */
export interface SaveEffect<out Change, out Message = never> {
  readonly type: 'save';
  readonly change: Change;
  readonly saved?: string;
  readonly about?: unknown;
  readonly [brings]?: Message;
}

export interface TellEffect {
  readonly type: 'tell';
  readonly to: AnyAddress;
  readonly message: AnyMessage;
}

/**
 * Leaves before the turn's commit, if its addressee is loaded on this coordinator: else it is dropped. The turn may
 * then not be saved, so the addressee acts on it as on a guess. If both turns are ready before the next group begins,
 * one transaction saves them, the hinting turn first.
 */
export interface HintEffect {
  readonly type: 'hint';
  readonly to: AnyAddress;
  readonly message: AnyMessage;
}

/** Runs `ports[port](args)`. The outcome comes back as a message of the type `done` or `failed`. */
export interface CallEffect<out Message> {
  readonly type: 'call';
  readonly port: string;
  readonly args: unknown;
  readonly done: string;
  readonly failed: string;
  readonly about: unknown;
  readonly evenIfReloaded: boolean;
  readonly [brings]?: Message;
}

/** A timer has a name; setting it again moves it. It is lost when the state is dropped; `start` sets it again. */
export interface TimerEffect<out Message> {
  readonly type: 'timer';
  readonly name: string;
  readonly afterMs: number;
  readonly message: Message;
}

/**
 * `Message`: the messages that come back to the actor itself, from calls, timers and saves that ask for their result.
 */
export type Effect<Change, Message = never> =
  | SaveEffect<Change, Message>
  | TellEffect
  | HintEffect
  | { readonly type: 'reply'; readonly to: ReplyTo; readonly value: unknown }
  | { readonly type: 'refuse'; readonly to: ReplyTo; readonly error: KernelFailure }
  | CallEffect<Message>
  | TimerEffect<Message>
  | { readonly type: 'cancelTimer'; readonly name: string }
  /** Unloads the activation after this turn; the next mail loads it again. */
  | { readonly type: 'stop' };

/** Comes back for a `save` that asks for its result: the store's answer to that change. */
export interface Saved<Type extends string, Result, About = undefined> {
  readonly type: Type;
  readonly about: About;
  readonly result: Result;
}

/** The outcome of a call that succeeded. */
export interface Done<Type extends string, Result, About = undefined> extends Saved<Type, Result, About> {
  /** The state that made the call has been dropped since. Only calls that are made `evenIfReloaded` then come back. */
  readonly isStale?: true;
}

/** The outcome of a call that failed. */
export interface Failed<Type extends string, About = undefined>
  extends Omit<Done<Type, never, About>, 'result'> {
  readonly error: KernelFailure;
}

export interface Outcome<State, Change, out Message = never> {
  readonly state: State | undefined;
  readonly effects: readonly Effect<Change, Message>[];
}

const NOTHING: readonly never[] = [];

export function save<const Change>(change: Change): SaveEffect<Change> {
  return { type: 'save', change };
}

/** `Result` is the store's answer to such a change; the project's own wrapper derives it from the change. */
export function saveForResult<Change, Result, const Type extends string, About>(
  change: Change,
  saved: Type,
  about: About,
): SaveEffect<Change, Saved<Type, Result, About>> {
  return { type: 'save', change, saved, about };
}

export function tell<M extends AnyMessage>(to: Address<M>, message: NoInfer<M>): TellEffect {
  return { type: 'tell', to, message };
}

/** Tells what this turn is about to save. A `tell` of the same has to follow: hints are often dropped. */
export function hint<M extends AnyMessage>(to: Address<M>, message: NoInfer<M>): HintEffect {
  return { type: 'hint', to, message };
}

/** The asker of the message that is being handled; undefined when the message was told. */
export function askerOf<Message>(
  _message: Message,
  ctx: { readonly replyTo?: ReplyTo | undefined },
): ReplyTo<AnswerTo<Message>> | undefined {
  return ctx.replyTo as ReplyTo<AnswerTo<Message>> | undefined;
}

export function reply<Answer>(to: ReplyTo<Answer>, value: NoInfer<Answer>): Effect<never> {
  return { type: 'reply', to, value };
}

export function refuse(to: ReplyTo, error: KernelFailure): Effect<never> {
  return { type: 'refuse', to, error };
}

/**
 * Calls a port. The outcome comes back as a message: `done` and `failed` are its types, and `about` is data that the
 * handler wants back. The outcome is dropped if the state that made the call is dropped meanwhile, unless
 * `evenIfReloaded`.
 */
export function call<Args, Result, const Answers extends Outcomes>(
  port: Port<Args, Result>,
  args: NoInfer<Args>,
  outcomes: Answers,
): CallEffect<Done<Answers['done'], Result, AboutOf<Answers>> | Failed<Answers['failed'], AboutOf<Answers>>> {
  const { done, failed, about, evenIfReloaded = false } = outcomes;
  return { type: 'call', port, args, done, failed, about, evenIfReloaded };
}

/** The message types of a call's outcomes, and the data that their handlers want back. */
export interface Outcomes {
  readonly done: string;
  readonly failed: string;
  readonly about?: unknown;
  readonly evenIfReloaded?: boolean;
}

type AboutOf<Answers> = Answers extends { readonly about: infer About } ? About : undefined;

export function timer<const Message extends AnyMessage>(
  name: string,
  afterMs: number,
  message: Message,
): TimerEffect<Message> {
  return { type: 'timer', name, afterMs, message };
}

export function cancelTimer(name: string): Effect<never> {
  return { type: 'cancelTimer', name };
}

export function stop(): Effect<never> {
  return { type: 'stop' };
}

/**
 * The usual result of a handler: keeps the state. Without effects it costs one small object. The types of its effects
 * are those that the caller returns.
 */
export function stay<State, Change = never, Message = never>(
  state: State | undefined,
  ...effects: readonly NoInfer<Effect<Change, Message>>[]
): Outcome<NonNullable<State>, Change, Message> {
  return {
    state: state as NonNullable<State> | undefined,
    effects: effects.length === 0 ? NOTHING : effects,
  };
}
