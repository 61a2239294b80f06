/**
 * Plain values <-> bytes of the messages of a contract, field by field from their descriptors: int64 is a safe integer,
 * an enum its own strings, a oneof `body` a `type`. Form only; which plain types these are is said by the codecs that
 * use it.
 *
 * The library's own messages would stand between the two: making them, and converting each field once more, took more
 * than half of the time of a launch, which was a tenth of a coordinator's in all (2026-11-22). The tests hold both ways
 * to what the library writes and reads.
 */
import type { Message } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { AppError } from '../../domain/errors.ts';
import { type EnumNames, PlainReader } from './field-wire.ts';
import type { Mapped } from './mapped.ts';
import { messageWires } from './message-wire.ts';

export interface PlainCodec<T> {
  /** Throws when the value does not fit the message; that is a bug of the sender. */
  encode(value: T): Buffer;
  /**
   * Throws AppError INVALID_REQUEST when the bytes are no such message or say something unknown, TOO_LARGE when it has
   * more parts than the codec takes.
   */
  decode(bytes: Uint8Array): T;
}

/**
 * A codec for one message type, whose fields are those of `T`. `wrappers`: messages whose only field stands for them in
 * plain values. `partsMax`: fields and items of one message that is read; any number when it is absent.
 */
export function plainCodec<T, M extends Message>(
  schema: GenMessage<M> & Mapped<M, T>,
  names: EnumNames,
  wrappers: ReadonlySet<string>,
  partsMax = Number.POSITIVE_INFINITY,
): PlainCodec<T> {
  const wire = messageWires(names, wrappers)(schema);
  return {
    encode: (value) => {
      const writer = new BinaryWriter();
      wire.write(writer, value);
      const bytes = writer.finish();
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    decode: (bytes) => {
      try {
        return wire.read(new PlainReader(bytes, partsMax), bytes.length) as T;
      } catch (error) {
        if (error instanceof AppError) throw error;
        throw new AppError('INVALID_REQUEST', `not a ${schema.name}`, {}, { cause: error });
      }
    },
  };
}

/** The codec, which reads no message of more bytes: AppError TOO_LARGE. */
export function upTo<T>(bytesMax: number, codec: PlainCodec<T>): PlainCodec<T> {
  return {
    encode: codec.encode,
    decode: (bytes) => {
      if (bytes.length > bytesMax) throw new AppError('TOO_LARGE', 'the message has too many bytes');
      return codec.decode(bytes);
    },
  };
}
