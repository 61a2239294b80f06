/**
 * The wire form of single values: numbers, texts, bytes and enums, with the library's writer and reader. It is
 * independent of messages, and reads directly into plain values.
 */
import { type DescField, ScalarType } from '@bufbuild/protobuf';
import { BinaryReader, type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { AppError } from '../../domain/errors.ts';

/** The strings for the numbers of each enum, by the enum's full name. A number without a string is refused. */
export type EnumNames = ReadonlyMap<string, ReadonlyMap<number, string>>;

/** A reader with further operations and a limit of parts. */
export class PlainReader extends BinaryReader {
  readonly #bytes: Uint8Array;
  #partsLeft: number;

  /**
   * `partsMax`: most fields and items that may be read. An item may take only two bytes, while its value takes a
   * hundred.
   */
  constructor(bytes: Uint8Array, partsMax: number) {
    super(bytes);
    this.#bytes = bytes;
    this.#partsLeft = partsMax;
  }

  /** Called before each field and each number of a list. Throws AppError TOO_LARGE when there are too many. */
  part(): void {
    if (this.#partsLeft === 0) throw new AppError('TOO_LARGE', 'the message has too many parts');
    this.#partsLeft -= 1;
  }

  /** Reads a length and returns the end of the bytes that it counts. Throws if that is after `end`. */
  openUntil(end: number): number {
    const length = this.uint32();
    const inner = this.pos + length;
    if (inner > end) throw new RangeError('a part is longer than the message that contains it');
    return inner;
  }

  /**
   * Reads a varint of up to 64 bits as a number. Throws AppError INVALID_REQUEST for one that numbers cannot represent
   * exactly. Only negative and too large ones are read as a bigint by the library, which took longer than all the rest
   * of an id.
   */
  integer(): number {
    const start = this.pos;
    let [value, scale, at] = [0, 1, start];
    for (;;) {
      const byte = this.#bytes[at] ?? 0;
      at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      scale *= 128;
      if (at - start > 8) return safe(this.int64());
    }
    this.pos = at;
    return Number.isSafeInteger(value) ? value : safe(BigInt(value));
  }
}

function safe(value: bigint | string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new AppError('INVALID_REQUEST', `${value} is not a safe integer`);
  return number;
}

export interface ValueWire {
  readonly wireType: WireType;
  /** The default of an unset field; it is not written. */
  readonly zero: unknown;
  write(writer: BinaryWriter, value: unknown): void;
  read(reader: PlainReader): unknown;
}

const { Varint, LengthDelimited, Bit64 } = WireType;
const TWO_32 = 2 ** 32;
const scratch = new Uint8Array(10);

function writeInteger(writer: BinaryWriter, value: number): void {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${value} is not a safe integer`);
  if (value >= 0 && value < TWO_32) {
    writer.uint32(value);
  } else if (value < 0) {
    writer.int64(value);
  } else {
    let [rest, length] = [value, 0];
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) scratch[length++] = (rest % 128) | 0x80;
    scratch[length++] = rest;
    writer.raw(scratch.subarray(0, length));
  }
}

const INTEGER: ValueWire = {
  ...{ wireType: Varint, zero: 0 },
  write: (writer, value) => writeInteger(writer, value as number),
  read: (reader) => reader.integer(),
};

const SCALARS: ReadonlyMap<ScalarType, ValueWire> = new Map([
  [ScalarType.INT64, INTEGER],
  [ScalarType.UINT64, INTEGER],
  scalar(ScalarType.STRING, LengthDelimited, '', 'string', (reader) => reader.string(true)),
  scalar(ScalarType.BYTES, LengthDelimited, new Uint8Array(0), 'bytes', (reader) => reader.bytes()),
  scalar(ScalarType.BOOL, Varint, false, 'bool', (reader) => reader.bool()),
  scalar(ScalarType.UINT32, Varint, 0, 'uint32', (reader) => reader.uint32()),
  scalar(ScalarType.INT32, Varint, 0, 'int32', (reader) => reader.int32()),
  scalar(ScalarType.DOUBLE, Bit64, 0, 'double', (reader) => reader.double()),
]);

type Method = 'string' | 'bytes' | 'bool' | 'uint32' | 'int32' | 'double';

function scalar(
  type: ScalarType,
  wireType: WireType,
  zero: unknown,
  method: Method,
  read: ValueWire['read'],
): [ScalarType, ValueWire] {
  const write = (writer: BinaryWriter, value: unknown): void => {
    (writer[method] as (value: unknown) => unknown).call(writer, value);
  };
  return [type, { wireType, zero, write, read }];
}

/** The wire form of a field's value, or of its items. Throws for kinds that our contracts do not use. */
export function valueWire(field: DescField, names: EnumNames): ValueWire {
  if (field.enum !== undefined) return enumWire(field.enum.typeName, names);
  return scalarWire(field.scalar as ScalarType);
}

export function scalarWire(type: ScalarType): ValueWire {
  const wire = SCALARS.get(type);
  if (wire === undefined) throw new Error(`no codec for values of type ${ScalarType[type]}`);
  return wire;
}

/** Uses the enum's strings. Zero is an unset field, refused like all numbers without a string. */
function enumWire(typeName: string, names: EnumNames): ValueWire {
  const strings = names.get(typeName);
  if (strings === undefined) throw new Error(`enum ${typeName} has no strings`);
  const numbers = new Map([...strings].map(([number, text]) => [text, number]));
  const translate = <From, To>(table: ReadonlyMap<From, To>, value: From): To => {
    const found = table.get(value);
    if (found === undefined) throw new AppError('INVALID_REQUEST', `${typeName} has no value ${value}`);
    return found;
  };
  return {
    ...{ wireType: Varint, zero: undefined },
    write: (writer, value) => void writer.int32(translate(numbers, value as string)),
    read: (reader) => translate(strings, reader.int32()),
  };
}
