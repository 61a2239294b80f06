/**
 * The wire form of a contract's messages as plain values: each field by its kind, built once for each message from its
 * descriptor.
 */
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { AppError } from '../../domain/errors.ts';
import { type EnumNames, type PlainReader, scalarWire, type ValueWire, valueWire } from './field-wire.ts';

/** A message's fields. Its owner reads and writes its length and tag. */
export interface MessageWire {
  write(writer: BinaryWriter, value: unknown): void;
  /** Reads from the reader's position to `end`. `type`: the value's `type` in a union. */
  read(reader: PlainReader, end: number, type?: string): unknown;
  /** The value of a message that was not sent. */
  absent(): unknown;
}

interface FieldWire {
  readonly name: string;
  readonly number: number;
  /** The value of a field that was not sent. Undefined if it `isRequired`, which refuses the message. */
  absent(): unknown;
  readonly isRequired?: boolean;
  /** Writes nothing for a value that readers assume for an absent field. */
  write(writer: BinaryWriter, value: unknown): void;
  /** `known`: the field's value so far. */
  read(reader: PlainReader, end: number, wireType: WireType, known: unknown): unknown;
}

interface PlainRecord {
  [name: string]: unknown;
}

const { LengthDelimited, StartGroup, EndGroup } = WireType;

/**
 * Makes the wire form of each message. `wrappers`: messages that are represented by their only field in plain values.
 */
export function messageWires(
  names: EnumNames,
  wrappers: ReadonlySet<string>,
): (schema: DescMessage) => MessageWire {
  const made = new Map<string, MessageWire>();
  const wireOf = (schema: DescMessage): MessageWire => {
    let wire = made.get(schema.typeName);
    if (wire === undefined) {
      wire = make(schema);
      made.set(schema.typeName, wire);
    }
    return wire;
  };
  const make = (schema: DescMessage): MessageWire => {
    const cases = schema.fields.filter(({ oneof }) => oneof !== undefined);
    if (cases.length > 0) return unionWire(cases, wireOf);
    const fields = schema.fields.map((field) => fieldWire(field, names, wireOf));
    fields.sort((one, other) => one.number - other.number);
    return wrappers.has(schema.typeName) ? wrapperWire(fields) : recordWire(fields);
  };
  return wireOf;
}

function recordWire(fields: readonly FieldWire[]): MessageWire {
  const byNumber: FieldWire[] = [];
  for (const field of fields) byNumber[field.number] = field;
  const required = fields.filter(({ isRequired }) => isRequired === true);
  return {
    absent: () => undefined,
    write: (writer, value) => {
      for (const field of fields) {
        const item = (value as PlainRecord)[field.name];
        if (item !== undefined) field.write(writer, item);
      }
    },
    read: (reader, end, type) => {
      const plain: PlainRecord = type === undefined ? {} : { type };
      for (const field of fields) plain[field.name] = field.absent();
      eachField(reader, end, (number, wireType) => {
        const field = byNumber[number];
        if (field === undefined) return false;
        plain[field.name] = field.read(reader, end, wireType, plain[field.name]);
        return true;
      });
      for (const { name } of required) {
        if (plain[name] === undefined) throw new AppError('INVALID_REQUEST', `a message without ${name}`);
      }
      return plain;
    },
  };
}

/**
 * Skips unknown fields, which a newer peer sends. Groups are refused: proto3 has none, and skipping one would not count
 * its content.
 */
function eachField(
  reader: PlainReader,
  end: number,
  take: (number: number, wireType: WireType) => boolean,
): void {
  while (reader.pos < end) {
    reader.part();
    const tag = reader.uint32();
    const [number, wireType] = [tag >>> 3, (tag & 7) as WireType];
    if (number === 0) throw new RangeError('a field without a number');
    if (wireType === StartGroup || wireType === EndGroup) throw new RangeError('a group');
    if (!take(number, wireType)) reader.skip(wireType, number);
  }
  if (reader.pos !== end) throw new RangeError('a field that is longer than its message');
}

function wrapperWire(fields: readonly FieldWire[]): MessageWire {
  const [field] = fields as [FieldWire];
  const record = recordWire(fields);
  return {
    absent: () => field.absent(),
    write: (writer, value) => field.write(writer, value),
    read: (reader, end) => (record.read(reader, end) as PlainRecord)[field.name],
  };
}

/** A message that is only one oneof of messages: the case's fields, with its name as `type`. */
function unionWire(cases: readonly DescField[], wireOf: (schema: DescMessage) => MessageWire): MessageWire {
  const made = cases.map((field) => {
    if (field.message === undefined) throw new Error(`no codec for the oneof of ${field}`);
    return { name: field.localName, number: field.number, wire: wireOf(field.message) };
  });
  const byName = new Map(made.map((one) => [one.name, one]));
  const byNumber = new Map(made.map((one) => [one.number, one]));
  return {
    absent: () => undefined,
    write: (writer, value) => {
      const { type } = value as { type: string };
      const body = byName.get(type);
      if (body === undefined) throw new AppError('INVALID_REQUEST', `no message is called ${type}`);
      writeInside(writer, body.number, () => body.wire.write(writer, value));
    },
    read: (reader, end) => {
      let plain: unknown;
      eachField(reader, end, (number, wireType) => {
        const body = byNumber.get(number);
        if (body === undefined) return false;
        expectType(wireType, LengthDelimited);
        plain = body.wire.read(reader, reader.openUntil(end), body.name);
        return true;
      });
      // The message of a newer peer, whose field is unknown here, cannot be interpreted.
      if (plain === undefined) throw new AppError('INVALID_REQUEST', 'a message without a known body');
      return plain;
    },
  };
}

function writeInside(writer: BinaryWriter, number: number, write: () => void): void {
  writer.tag(number, LengthDelimited).fork();
  write();
  writer.join();
}

function expectType(wireType: WireType, wanted: WireType): void {
  if (wireType !== wanted) throw new TypeError(`wire type ${wireType} instead of ${wanted}`);
}

function fieldWire(
  field: DescField,
  names: EnumNames,
  wireOf: (schema: DescMessage) => MessageWire,
): FieldWire {
  const at = { name: field.localName, number: field.number };
  if (field.fieldKind === 'map') return { ...at, ...mapWire(field) };
  if (field.message !== undefined) {
    const one = messageValue(field.number, wireOf(field.message));
    return { ...at, ...(field.fieldKind === 'list' ? listOf(one) : one) };
  }
  const wire = valueWire(field, names);
  if (field.fieldKind !== 'list') return { ...at, ...singleValue(field, wire) };
  return {
    ...at,
    ...(wire.wireType === LengthDelimited ? listOf(singleItem(at.number, wire)) : packed(at.number, wire)),
  };
}

type FieldForm = Omit<FieldWire, 'name' | 'number'>;

function messageValue(number: number, wire: MessageWire): FieldForm {
  return {
    absent: wire.absent,
    write: (writer, value) => writeInside(writer, number, () => wire.write(writer, value)),
    read: (reader, end, wireType) => {
      expectType(wireType, LengthDelimited);
      return wire.read(reader, reader.openUntil(end));
    },
  };
}

function singleItem(number: number, wire: ValueWire): FieldForm {
  return {
    absent: () => undefined,
    write: (writer, value) => wire.write(writer.tag(number, wire.wireType), value),
    read: (reader, _end, wireType) => {
      expectType(wireType, wire.wireType);
      return wire.read(reader);
    },
  };
}

/** Not sent when it is its default, unless it is declared optional. An enum has no default: it must be sent. */
function singleValue(field: DescField, wire: ValueWire): FieldForm {
  const item = singleItem(field.number, wire);
  if (field.presence !== FeatureSet_FieldPresence.IMPLICIT) return item;
  const isZero =
    wire.zero instanceof Uint8Array
      ? (value: unknown) => (value as Uint8Array).length === 0
      : (value: unknown) => value === wire.zero;
  return {
    ...item,
    absent: () => wire.zero,
    isRequired: wire.zero === undefined,
    write: (writer, value) => {
      if (!isZero(value)) item.write(writer, value);
    },
  };
}

function listOf(item: FieldForm): FieldForm {
  return {
    absent: () => [],
    write: (writer, value) => {
      for (const one of value as unknown[]) item.write(writer, one);
    },
    read: (reader, end, wireType, known) => {
      (known as unknown[]).push(item.read(reader, end, wireType, undefined));
      return known;
    },
  };
}

/** Numbers are written packed; unpacked ones are read as well. */
function packed(number: number, wire: ValueWire): FieldForm {
  return {
    absent: () => [],
    write: (writer, value) => {
      const items = value as unknown[];
      if (items.length === 0) return;
      writeInside(writer, number, () => {
        for (const item of items) wire.write(writer, item);
      });
    },
    read: (reader, end, wireType, known) => {
      const list = known as unknown[];
      if (wireType !== LengthDelimited) {
        expectType(wireType, wire.wireType);
        list.push(wire.read(reader));
        return list;
      }
      const inner = reader.openUntil(end);
      while (reader.pos < inner) {
        reader.part();
        list.push(wire.read(reader));
      }
      if (reader.pos !== inner) throw new RangeError('a number that is longer than its list');
      return list;
    },
  };
}

/**
 * Names to scalars. The names come from a peer, so each is defined as the object's own property, whatever it is called.
 */
function mapWire(field: DescField & { fieldKind: 'map' }): FieldForm {
  if (field.mapKey !== ScalarType.STRING || field.mapKind !== 'scalar')
    throw new Error(`no codec for the map ${field}`);
  const [key, value] = [scalarWire(ScalarType.STRING), scalarWire(field.scalar)];
  const [keyField, valueField] = [singleItem(1, key), singleItem(2, value)];
  return {
    absent: () => ({}),
    write: (writer, map) => {
      for (const [name, one] of Object.entries(map as object)) {
        writer.tag(field.number, LengthDelimited).fork();
        keyField.write(writer, name);
        valueField.write(writer, one);
        writer.join();
      }
    },
    read: (reader, end, wireType, known) => {
      expectType(wireType, LengthDelimited);
      let [name, one]: unknown[] = [key.zero, value.zero];
      const inner = reader.openUntil(end);
      eachField(reader, inner, (number, type) => {
        if (number === 1) name = keyField.read(reader, inner, type, undefined);
        else if (number === 2) one = valueField.read(reader, inner, type, undefined);
        return number === 1 || number === 2;
      });
      const own = { value: one, writable: true, enumerable: true, configurable: true };
      if (name === '__proto__') Object.defineProperty(known, name, own);
      else (known as PlainRecord)[name as string] = one;
      return known;
    },
  };
}
