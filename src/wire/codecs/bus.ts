/** Envelopes between coordinators <-> bytes. Form only: what a message means is its actor's business. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { AppError } from '../../domain/errors.ts';
import {
  AnswerSchema,
  type Envelope,
  EnvelopeSchema,
  LeasesChangedSchema,
  type Mail,
  MailSchema,
  type Refusal,
  RefusalSchema,
} from '../generated/bus/v1/messages_pb.ts';

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

/** Fits the kernel's Envelope. */
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

const NO_BYTES = new Uint8Array(0);
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Throws when a message or value is no JSON (bigint, circular): a bug of the sender. */
export function encodeEnvelope(envelope: BusEnvelope): Uint8Array {
  const { id, from } = envelope;
  return toBinary(EnvelopeSchema, create(EnvelopeSchema, { id: BigInt(id), from, body: bodyOf(envelope) }));
}

function bodyOf(envelope: BusEnvelope) {
  switch (envelope.type) {
    case 'mail':
      return { case: 'mail' as const, value: fromMail(envelope) };
    case 'bounce':
      return { case: 'bounce' as const, value: fromMail(envelope.mail) };
    case 'answer': {
      const { askId, value } = envelope;
      const answer = create(AnswerSchema, { askId: BigInt(askId), value: toJson(value) });
      return { case: 'answer' as const, value: answer };
    }
    case 'refusal': {
      const { code, message, detail } = envelope.failure;
      const askId = BigInt(envelope.askId);
      const refusal = create(RefusalSchema, { askId, code, message, detail: toJson(detail) });
      return { case: 'refusal' as const, value: refusal };
    }
    case 'leasesChanged':
      return { case: 'leasesChanged' as const, value: create(LeasesChangedSchema) };
  }
}

function fromMail(mail: BusMail): Mail {
  const { type } = mail.message as { type?: unknown };
  return create(MailSchema, {
    id: BigInt(mail.id),
    from: mail.from,
    toKind: mail.to.kind,
    toKey: mail.to.key,
    messageType: typeof type === 'string' ? type : '',
    payload: toJson(mail.message),
    isNew: mail.isNew,
    ...(mail.ask === undefined ? {} : { askId: BigInt(mail.ask.askId), timeLeftMs: mail.ask.timeLeftMs }),
    hops: mail.hops,
  });
}

/** Throws AppError INVALID_REQUEST when the bytes are no envelope. */
export function decodeEnvelope(bytes: Uint8Array): BusEnvelope {
  try {
    return toEnvelope(fromBinary(EnvelopeSchema, bytes));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('INVALID_REQUEST', 'not an envelope', {}, { cause: error });
  }
}

/** As coordinators are called. */
const SENDER = /^[A-Za-z0-9_-]{1,100}$/;
const KIND = /^[A-Za-z0-9_-]{1,50}$/;
// limit: keys of actors are ids and a few words.
const KEY_CHARS_MAX = 200;
// limit: of an ask; nobody waits longer.
const TIME_LEFT_MS_MAX = 3_600_000;

function require(isTrue: boolean, what: string): void {
  if (!isTrue) throw new AppError('INVALID_REQUEST', what);
}

/** Numbers of envelopes and asks begin at 1 in each process: beyond what is exact there is none. */
function toNumber(id: bigint): number {
  require(id <= BigInt(Number.MAX_SAFE_INTEGER), 'a number beyond all that are given out');
  return Number(id);
}

function toEnvelope(envelope: Envelope): BusEnvelope {
  require(SENDER.test(envelope.from), 'a sender that is no coordinator');
  const head = { id: toNumber(envelope.id), from: envelope.from };
  const { body } = envelope;
  switch (body.case) {
    case 'mail':
      return toMail(body.value);
    case 'bounce':
      return { ...head, type: 'bounce', mail: toMail(body.value) };
    case 'answer':
      return {
        ...head,
        type: 'answer',
        askId: toNumber(body.value.askId),
        value: fromJson(body.value.value),
      };
    case 'refusal':
      return { ...head, type: 'refusal', askId: toNumber(body.value.askId), failure: toFailure(body.value) };
    case 'leasesChanged':
      return { ...head, type: 'leasesChanged' };
    default:
      throw new AppError('INVALID_REQUEST', 'an envelope of an unknown kind');
  }
}

function toMail(mail: Mail): BusMail {
  const message = fromJson(mail.payload);
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw new AppError('INVALID_REQUEST', 'a message is a JSON object');
  }
  require(SENDER.test(mail.from), 'a mail of no coordinator');
  require(KIND.test(mail.toKind) && mail.toKey.length <= KEY_CHARS_MAX, 'an address of no actor');
  require(typeof (message as { type?: unknown }).type === 'string', 'a message has a type');
  const { timeLeftMs } = mail;
  require(timeLeftMs >= 0 && timeLeftMs <= TIME_LEFT_MS_MAX, 'a time that nobody waits'); // not NaN either
  return {
    type: 'mail',
    id: toNumber(mail.id),
    from: mail.from,
    to: { kind: mail.toKind, key: mail.toKey },
    message,
    isNew: mail.isNew,
    ...(mail.askId === undefined ? {} : { ask: { askId: toNumber(mail.askId), timeLeftMs } }),
    hops: mail.hops,
  };
}

function toFailure({ code, message, detail }: Refusal): BusFailure {
  const parsed = fromJson(detail);
  if (typeof parsed !== 'object' || parsed === null) return { code, message };
  return { code, message, detail: parsed as Readonly<Record<string, unknown>> };
}

function toJson(value: unknown): Uint8Array<ArrayBuffer> {
  return value === undefined ? NO_BYTES : encoder.encode(JSON.stringify(value));
}

function fromJson(bytes: Uint8Array): unknown {
  return bytes.length === 0 ? undefined : JSON.parse(decoder.decode(bytes));
}
