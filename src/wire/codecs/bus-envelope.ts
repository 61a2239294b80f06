/** Envelopes between coordinators as plain values, and the checks of envelopes from other coordinators. */
import { AppError } from '../../domain/errors.ts';

/** A message for an actor. `message` is a JSON object with a `type`. */
export interface BusMail {
  readonly type: 'mail';
  readonly id: number;
  readonly from: string;
  readonly to: { readonly kind: string; readonly key: string };
  readonly message: object;
  readonly isNew: boolean;
  readonly ask?: { readonly askId: number; readonly timeLeftMs: number };
  readonly hops: number;
}

interface BusHead {
  readonly id: number;
  readonly from: string;
}

/** Has the shape of the kernel's Envelope. */
export type BusEnvelope =
  | BusMail
  | (BusHead & { readonly type: 'answer'; readonly askId: number; readonly value: unknown })
  | (BusHead & { readonly type: 'refusal'; readonly askId: number; readonly failure: BusFailure })
  | (BusHead & { readonly type: 'bounce'; readonly mail: BusMail })
  | (BusHead & { readonly type: 'leasesChanged' });

export interface BusFailure {
  readonly code: string;
  readonly message: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** The form of coordinators' names. */
const SENDER = /^[A-Za-z0-9_-]{1,100}$/;
const KIND = /^[A-Za-z0-9_-]{1,50}$/;
// limit: an actor's key is an id and a few words.
const KEY_CHARS_MAX = 200;
// limit: the time left of an ask; nobody waits longer.
const TIME_LEFT_MS_MAX = 3_600_000;

/** Throws AppError INVALID_REQUEST. */
export function require(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new AppError('INVALID_REQUEST', what);
}

export function checkedSender(from: unknown): string {
  require(typeof from === 'string' && SENDER.test(from), 'a sender that is no coordinator');
  return from;
}

/** The fields of a mail, which anybody may have written. Throws AppError INVALID_REQUEST. */
export function checkedMail(mail: {
  readonly id: number;
  readonly from: unknown;
  readonly kind: unknown;
  readonly key: unknown;
  readonly message: unknown;
  readonly isNew: boolean;
  readonly hops: number;
  readonly askId: number | undefined;
  readonly timeLeftMs: unknown;
}): BusMail {
  const { id, kind, key, message, isNew, hops, askId, timeLeftMs } = mail;
  const isObject = typeof message === 'object' && message !== null && !Array.isArray(message);
  require(isObject, 'a message is a JSON object');
  const isKey = typeof key === 'string' && key.length <= KEY_CHARS_MAX;
  require(typeof kind === 'string' && KIND.test(kind) && isKey, 'an address of no actor');
  require(typeof (message as { type?: unknown }).type === 'string', 'a message has a type');
  const from = checkedSender(mail.from);
  const base = { type: 'mail', id, from, to: { kind, key }, message, isNew, hops } as const;
  if (askId === undefined) return base;
  const isTime = typeof timeLeftMs === 'number' && timeLeftMs >= 0 && timeLeftMs <= TIME_LEFT_MS_MAX; // nor NaN
  require(isTime, 'a time that nobody waits');
  return { ...base, ask: { askId, timeLeftMs } };
}

export function checkedFailure(code: string, message: string, detail: unknown): BusFailure {
  if (typeof detail !== 'object' || detail === null) return { code, message };
  return { code, message, detail: detail as Readonly<Record<string, unknown>> };
}
