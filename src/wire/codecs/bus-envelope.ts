/** The checks of envelopes from other coordinators. */
import { AppError } from '../../domain/errors.ts';
import type { AnyMessage, KernelFailure, MailEnvelope } from '../../kernel/mod.ts';

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

/** The name of a coordinator. Throws AppError INVALID_REQUEST. */
export function checkedSender(from: unknown): string {
  require(typeof from === 'string' && SENDER.test(from), "the sender is not a coordinator's name");
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
}): MailEnvelope {
  const { id, kind, key, message, isNew, hops, askId, timeLeftMs } = mail;
  require(isMessage(message), 'a message is a JSON object with a type');
  const isKey = typeof key === 'string' && key.length <= KEY_CHARS_MAX;
  require(typeof kind === 'string' && KIND.test(kind) && isKey, 'not the address of an actor');
  const from = checkedSender(mail.from);
  const base = { type: 'mail', id, from, to: { kind, key }, message, isNew, hops } as const;
  if (askId === undefined) return base;
  const isTime = typeof timeLeftMs === 'number' && timeLeftMs >= 0 && timeLeftMs <= TIME_LEFT_MS_MAX; // nor NaN
  require(isTime, 'the time left of an ask is out of range');
  return { ...base, ask: { askId, timeLeftMs } };
}

function isMessage(value: unknown): value is AnyMessage {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The failure of a refused ask; a `detail` that is not an object is left out. */
export function checkedFailure(code: string, message: string, detail: unknown): KernelFailure {
  if (typeof detail !== 'object' || detail === null) return { code, message };
  return { code, message, detail: detail as Readonly<Record<string, unknown>> };
}
