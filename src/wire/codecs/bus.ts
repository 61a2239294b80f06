/** Envelopes between coordinators <-> bytes. Checks their form only; actors check the meaning. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { AppError } from '../../domain/errors.ts';
import type { Envelope, MailEnvelope } from '../../kernel/mod.ts';
import {
  AnswerSchema,
  BatchSchema,
  type Envelope as Encoded,
  EnvelopeSchema,
  LeasesChangedSchema,
  type Mail,
  MailSchema,
  RefusalSchema,
} from '../generated/bus/v1/messages_pb.ts';
import { decodeMembers } from './bus-batch.ts';
import { checkedFailure, checkedMail, checkedSender, require } from './bus-envelope.ts';

/** The value of an envelope's `reads`: see the contract. */
const READS_BATCHES = 1;

/** The content of one message between coordinators. */
export interface BusDelivery {
  /** The sender of the message. */
  readonly from: string;
  /** Whether its sender understands batches. */
  readonly readsBatches: boolean;
  readonly envelopes: readonly Envelope[];
  /** Grows with each message of its sender; 0: the sender does not number its messages. */
  readonly number: number;
  /** The number of the message before it; 0: the order does not matter. */
  readonly previous: number;
  /** Fields are zero where there is nothing to report. */
  readonly notes: BusNotes;
}

/**
 * The part of a message that reports on other messages. Each field is 0 if there is nothing to report. See the
 * contract.
 */
export interface BusNotes {
  readonly received: number;
  readonly probe: number;
  readonly probed: number;
}

/** The sender of a message, and the message's number. */
export interface Counted {
  readonly sender: string;
  readonly number: number;
  readonly previous: number;
}

const NO_BYTES = new Uint8Array(0);
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Throws when a message or value is not JSON (bigint, circular): a bug of the sender. */
export function encodeEnvelope(envelope: Envelope, counted?: Counted): Uint8Array {
  return toBytes(envelope.id, envelope.from, bodyOf(envelope), counted);
}

/** `members` as `encodeMember` makes them, all from one sender. */
export function encodeBatch(from: string, members: string, counted?: Counted): Uint8Array {
  const envelopes = encoder.encode(`[${members}]`);
  return toBytes(0, from, { case: 'batch', value: create(BatchSchema, { envelopes }) }, counted);
}

/**
 * The same message without a predecessor, so that it is accepted whatever came before. The last of repeated fields
 * counts.
 */
export function withoutPrevious(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([bytes, PREVIOUS_NONE]);
}

/** `previous = 0` in protobuf: the tag of field 15, and a varint. */
const PREVIOUS_NONE = Uint8Array.of(15 << 3, 0);

/** A message without envelopes. */
export function encodeNotes(from: string, notes: Partial<BusNotes>): Uint8Array {
  const { received = 0, probe = 0, probed = 0 } = notes;
  const numbers = { received: BigInt(received), probe: BigInt(probe), probed: BigInt(probed) };
  return toBinary(EnvelopeSchema, create(EnvelopeSchema, { from, reads: READS_BATCHES, ...numbers }));
}

function toBytes(id: number, from: string, body: Encoded['body'], counted?: Counted): Uint8Array {
  const reads = READS_BATCHES;
  const count = counted && {
    sender: counted.sender,
    number: BigInt(counted.number),
    previous: BigInt(counted.previous),
  };
  return toBinary(EnvelopeSchema, create(EnvelopeSchema, { id: BigInt(id), from, reads, body, ...count }));
}

function bodyOf(envelope: Envelope) {
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

function fromMail(mail: MailEnvelope): Mail {
  return create(MailSchema, {
    id: BigInt(mail.id),
    from: mail.from,
    toKind: mail.to.kind,
    toKey: mail.to.key,
    messageType: mail.message.type,
    payload: toJson(mail.message),
    isNew: mail.isNew,
    ...(mail.ask === undefined ? {} : { askId: BigInt(mail.ask.askId), timeLeftMs: mail.ask.timeLeftMs }),
    hops: mail.hops,
  });
}

/** Throws AppError INVALID_REQUEST when the bytes are not a message of envelopes, or contain an invalid one. */
export function decodeDelivery(bytes: Uint8Array): BusDelivery {
  try {
    const envelope = fromBinary(EnvelopeSchema, bytes);
    const { reads, sender } = envelope;
    const from = checkedSender(sender === '' ? envelope.from : sender);
    const notes = {
      received: toNumber(envelope.received),
      probe: toNumber(envelope.probe),
      probed: toNumber(envelope.probed),
    };
    const number = toNumber(envelope.number);
    const previous = toNumber(envelope.previous);
    const envelopes = envelopesOf(envelope, notes);
    return { from, readsBatches: reads >= READS_BATCHES, envelopes, number, previous, notes };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('INVALID_REQUEST', 'not an envelope', {}, { cause: error });
  }
}

function envelopesOf(envelope: Encoded, notes: BusNotes): readonly Envelope[] {
  const { body } = envelope;
  if (body.case === 'batch') return decodeMembers(decoder.decode(body.value.envelopes), envelope.from);
  const isNote = notes.received + notes.probe + notes.probed > 0;
  return body.case === undefined && isNote ? [] : [toEnvelope(envelope)];
}

/** Numbers of envelopes and asks begin at 1 in each process, so they never grow beyond exact numbers. */
function toNumber(id: bigint): number {
  require(id <= BigInt(Number.MAX_SAFE_INTEGER), 'an id or number is not a safe integer');
  return Number(id);
}

function toEnvelope(envelope: Encoded): Envelope {
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
    case 'refusal': {
      const { code, message, detail } = body.value;
      const failure = checkedFailure(code, message, fromJson(detail));
      return { ...head, type: 'refusal', askId: toNumber(body.value.askId), failure };
    }
    case 'leasesChanged':
      return { ...head, type: 'leasesChanged' };
    default:
      throw new AppError('INVALID_REQUEST', 'an envelope of an unknown kind');
  }
}

function toMail(mail: Mail): MailEnvelope {
  return checkedMail({
    id: toNumber(mail.id),
    from: mail.from,
    kind: mail.toKind,
    key: mail.toKey,
    message: fromJson(mail.payload),
    isNew: mail.isNew,
    hops: mail.hops,
    askId: mail.askId === undefined ? undefined : toNumber(mail.askId),
    timeLeftMs: mail.timeLeftMs,
  });
}

function toJson(value: unknown): Uint8Array<ArrayBuffer> {
  return value === undefined ? NO_BYTES : encoder.encode(JSON.stringify(value));
}

function fromJson(bytes: Uint8Array): unknown {
  return bytes.length === 0 ? undefined : JSON.parse(decoder.decode(bytes));
}
