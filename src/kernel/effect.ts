/** What a handler wants done, as data. The cell does it, in a fixed order, after the turn's commit. */
import type { Address } from './address.ts';
import type { KernelFailure } from './kernel-error.ts';

/** Where an answer goes. Plain data: an actor may keep it in its state and answer in a later turn. */
export interface ReplyTo {
  readonly coordinator: string;
  readonly askId: number;
}

export type Effect<Change> =
  /** Part of the turn's one commit. With a tag its result comes back as a `Saved` message. */
  | { readonly type: 'save'; readonly change: Change; readonly tag?: unknown }
  /** `isNew`: the addressee can't exist yet, so its load is skipped. */
  | { readonly type: 'tell'; readonly to: Address; readonly message: object; readonly isNew?: boolean }
  | { readonly type: 'reply'; readonly to: ReplyTo; readonly value: unknown }
  | { readonly type: 'refuse'; readonly to: ReplyTo; readonly error: KernelFailure }
  /** Runs `ports[port](args)`; the end of it comes back as a `Called` or `CallFailed` message. */
  | { readonly type: 'call'; readonly port: string; readonly args: unknown; readonly tag: unknown }
  /** One timer a name: setting it again moves it. Lost when the cell is unloaded; `start` sets it again. */
  | { readonly type: 'timer'; readonly name: string; readonly afterMs: number; readonly message: object }
  | { readonly type: 'cancelTimer'; readonly name: string }
  /** Unloads the cell after this turn; the next mail loads it again. */
  | { readonly type: 'stop' };

/** Comes back for a `save` with a tag. `result` is what the store said of that change. */
export interface Saved<Tag = unknown, Result = unknown> {
  readonly type: 'saved';
  readonly tag: Tag;
  readonly result: Result;
}

export interface Called<Tag = unknown, Result = unknown> {
  readonly type: 'called';
  readonly tag: Tag;
  readonly result: Result;
}

export interface CallFailed<Tag = unknown> {
  readonly type: 'callFailed';
  readonly tag: Tag;
  readonly error: KernelFailure;
}

export interface Outcome<State, Change> {
  readonly state: State | undefined;
  readonly effects: readonly Effect<Change>[];
}

const NOTHING: readonly never[] = [];

export function save<Change>(change: Change, tag?: unknown): Effect<Change> {
  return tag === undefined ? { type: 'save', change } : { type: 'save', change, tag };
}

export function tell(to: Address, message: object): Effect<never> {
  return { type: 'tell', to, message };
}

/** Tells an actor whose rows this very turn creates. */
export function tellNew(to: Address, message: object): Effect<never> {
  return { type: 'tell', to, message, isNew: true };
}

export function reply(to: ReplyTo, value: unknown): Effect<never> {
  return { type: 'reply', to, value };
}

export function refuse(to: ReplyTo, error: KernelFailure): Effect<never> {
  return { type: 'refuse', to, error };
}

export function call(port: string, args: unknown, tag: unknown): Effect<never> {
  return { type: 'call', port, args, tag };
}

export function timer(name: string, afterMs: number, message: object): Effect<never> {
  return { type: 'timer', name, afterMs, message };
}

export function cancelTimer(name: string): Effect<never> {
  return { type: 'cancelTimer', name };
}

export function stop(): Effect<never> {
  return { type: 'stop' };
}

/** The usual end of a handler. Without effects it costs one small object. */
export function stay<State, Change = never>(
  state: State | undefined,
  ...effects: readonly Effect<Change>[]
): Outcome<State, Change> {
  return { state, effects: effects.length === 0 ? NOTHING : effects };
}
