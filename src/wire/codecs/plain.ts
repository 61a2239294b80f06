/**
 * Generated messages <-> plain values, field by field from their descriptors: int64 becomes a safe integer,
 * an enum its own strings, a oneof `body` a `type`. Form only; which plain types these are is said by the
 * codecs that use it.
 */
import {
  create,
  type DescField,
  type DescMessage,
  fromBinary,
  ScalarType,
  toBinary,
} from '@bufbuild/protobuf';
import { AppError } from '../../domain/errors.ts';

/** Strings for the numbers of one enum, by its full name; a number without a string is refused. */
export type EnumNames = ReadonlyMap<string, ReadonlyMap<number, string>>;

export interface PlainCodec<T> {
  /** Throws when the value does not fit the message; that is a bug of the sender. */
  encode(value: T): Buffer;
  /** Throws AppError INVALID_REQUEST when the bytes are no such message or say something unknown. */
  decode(bytes: Uint8Array): T;
}

interface PlainRecord {
  [name: string]: unknown;
}

interface FieldPlan {
  readonly name: string;
  /** The oneof that the field belongs to, if any; proto3 `optional` is not one. */
  readonly oneof: string | undefined;
  readonly toPlain: (value: unknown) => unknown;
  /** What stands in a message for a value that was left out. */
  readonly absent: () => unknown;
  readonly fromPlain: (value: unknown) => unknown;
}

const identity = (value: unknown): unknown => value;
const INT64 = new Set([ScalarType.INT64, ScalarType.UINT64]);

/** A codec for one message type. `wrappers`: messages whose only field stands for them in plain values. */
export function plainCodec<T>(
  schema: DescMessage,
  names: EnumNames,
  wrappers: ReadonlySet<string>,
): PlainCodec<T> {
  const planOf = plans(names, wrappers);
  return {
    encode: (value) => {
      const bytes = toBinary(schema, planOf(schema).fromPlain(value) as never);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    decode: (bytes) => {
      try {
        return planOf(schema).toPlain(fromBinary(schema, bytes)) as T;
      } catch (error) {
        if (error instanceof AppError) throw error;
        throw new AppError('INVALID_REQUEST', `not a ${schema.name}`, {}, { cause: error });
      }
    },
  };
}

interface MessagePlan {
  toPlain(message: unknown): unknown;
  /** A whole message with all its fields: to have the library complete one takes as long again as encoding it. */
  fromPlain(value: unknown): unknown;
}

function plans(names: EnumNames, wrappers: ReadonlySet<string>): (schema: DescMessage) => MessagePlan {
  const made = new Map<string, MessagePlan>();
  return function planOf(schema: DescMessage): MessagePlan {
    let plan = made.get(schema.typeName);
    if (plan === undefined) {
      const fields = schema.fields.map((field) => fieldPlan(field, names, planOf));
      plan = wrappers.has(schema.typeName) ? wrapperPlan(schema, fields) : messagePlan(schema, fields);
      made.set(schema.typeName, plan);
    }
    return plan;
  };
}

function wrapperPlan({ typeName }: DescMessage, fields: readonly FieldPlan[]): MessagePlan {
  const [field] = fields as [FieldPlan];
  return {
    toPlain: (message) => field.toPlain((message as PlainRecord)[field.name]),
    fromPlain: (value) => ({ $typeName: typeName, [field.name]: field.fromPlain(value) }),
  };
}

function messagePlan({ typeName }: DescMessage, fields: readonly FieldPlan[]): MessagePlan {
  const direct = fields.filter((field) => field.oneof === undefined);
  const cases = new Map(
    fields.filter((field) => field.oneof !== undefined).map((field) => [field.name, field]),
  );
  if (cases.size > 0) return unionPlan(typeName, cases);
  return {
    toPlain: (message) => {
      const plain: PlainRecord = {};
      for (const field of direct) plain[field.name] = field.toPlain((message as PlainRecord)[field.name]);
      return plain;
    },
    fromPlain: (value) => {
      const message: PlainRecord = { $typeName: typeName };
      for (const field of direct) {
        const item = (value as PlainRecord)[field.name];
        message[field.name] = item === undefined ? field.absent() : field.fromPlain(item);
      }
      return message;
    },
  };
}

/** A message that is one oneof and nothing else: the case's fields with its name as `type`. */
function unionPlan(typeName: string, cases: ReadonlyMap<string, FieldPlan>): MessagePlan {
  return {
    toPlain: (message) => {
      const { body } = message as { body: { case: string | undefined; value?: unknown } };
      const field = cases.get(body.case ?? '');
      // A newer peer's message: the field is unknown here, so nothing can be said about it.
      if (field === undefined) throw new AppError('INVALID_REQUEST', 'a message without a known body');
      return { type: field.name, ...(field.toPlain(body.value) as object) };
    },
    fromPlain: (value) => {
      const name = (value as { type: string }).type;
      const field = cases.get(name);
      if (field === undefined) throw new AppError('INVALID_REQUEST', `no message is called ${name}`);
      return { $typeName: typeName, body: { case: name, value: field.fromPlain(value) } };
    },
  };
}

function fieldPlan(
  field: DescField,
  names: EnumNames,
  planOf: (schema: DescMessage) => MessagePlan,
): FieldPlan {
  const value = valuePlan(field, names, planOf);
  const oneof = field.oneof?.name;
  const name = field.localName;
  if (field.fieldKind === 'list') {
    const each = (convert: (item: unknown) => unknown) => (items: unknown) =>
      (items as unknown[]).map(convert);
    return { name, oneof, absent: () => [], toPlain: each(value.toPlain), fromPlain: each(value.fromPlain) };
  }
  // A sub-message that was not sent stands as undefined; of a wrapper, as its empty value.
  const wrapped = field.fieldKind === 'message' && value.empty !== undefined;
  const toPlain = wrapped ? (item: unknown) => value.toPlain(item ?? value.empty) : value.toPlain;
  return {
    name,
    oneof,
    absent: absentOf(field),
    toPlain: (item) => (item === undefined && !wrapped ? undefined : toPlain(item)),
    fromPlain: value.fromPlain,
  };
}

/** Messages, and what is declared optional, are not there; all else has its zero. */
function absentOf(field: DescField): () => unknown {
  if (field.fieldKind === 'map') return () => ({});
  const zero = create(field.parent) as unknown as PlainRecord;
  const value = field.oneof === undefined ? zero[field.localName] : undefined;
  return () => value;
}

interface ValuePlan {
  readonly toPlain: (value: unknown) => unknown;
  readonly fromPlain: (value: unknown) => unknown;
  /** What stands for a wrapper that was not sent. */
  readonly empty?: unknown;
}

function valuePlan(
  field: DescField,
  names: EnumNames,
  planOf: (schema: DescMessage) => MessagePlan,
): ValuePlan {
  if (field.message !== undefined) {
    const message = field.message;
    const plain = (value: unknown): unknown => planOf(message).toPlain(value);
    const fromPlain = (value: unknown): unknown => planOf(message).fromPlain(value);
    if (message.fields.length === 1 && message.fields[0]?.fieldKind === 'map') {
      return { toPlain: plain, fromPlain, empty: create(message) };
    }
    return { toPlain: plain, fromPlain };
  }
  if (field.enum !== undefined) return enumPlan(field.enum.typeName, names);
  if (field.fieldKind === 'map') return { toPlain: copyMap, fromPlain: copyMap };
  const scalar = field.scalar;
  if (scalar !== undefined && INT64.has(scalar)) return { toPlain: toSafeInteger, fromPlain: toBigint };
  return { toPlain: identity, fromPlain: identity };
}

/**
 * Names of a peer's map are data: an own object without a prototype's names would surprise, so they are
 * copied.
 */
function copyMap(value: unknown): unknown {
  return Object.fromEntries(Object.entries(value as object));
}

function toSafeInteger(value: unknown): number {
  const number = Number(value as bigint);
  if (!Number.isSafeInteger(number)) throw new AppError('INVALID_REQUEST', `${value} is no usable integer`);
  return number;
}

function toBigint(value: unknown): bigint {
  return BigInt(value as number);
}

function enumPlan(typeName: string, names: EnumNames): ValuePlan {
  const strings = names.get(typeName);
  if (strings === undefined) throw new Error(`enum ${typeName} has no strings`);
  const numbers = new Map([...strings].map(([number, text]) => [text, number]));
  const translate = (table: ReadonlyMap<unknown, unknown>) => (value: unknown) => {
    const found = table.get(value);
    if (found === undefined)
      throw new AppError('INVALID_REQUEST', `${typeName} has no value ${String(value)}`);
    return found;
  };
  return { toPlain: translate(strings), fromPlain: translate(numbers) };
}
