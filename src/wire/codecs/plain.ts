/**
 * Plain values <-> bytes of a contract's messages, field by field from their descriptors: int64 is a safe integer, an
 * enum its own strings, a oneof `body` a `type`. Checks their form only; the codecs that use it choose the plain types.
 *
 * The library's own messages are bypassed: making them and converting each field once more took more than half of the
 * time of a launch, which was a tenth of a coordinator's total (2026-11-22). The tests compare both directions with
 * what the library writes and reads.
 */
import type { Message } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { AppError } from '../../domain/errors.ts';
import { type EnumNames, PlainReader } from './field-wire.ts';
import type { Mapped } from './mapped.ts';
import { messageWires } from './message-wire.ts';

export interface PlainCodec<T> {
  /** Throws when the value does not fit the message, which is a bug of the sender. */
  encode(value: T): Buffer;
  /**
   * Throws AppError INVALID_REQUEST when the bytes are not such a message or contain something unknown, TOO_LARGE when
   * it has more parts than the codec accepts.
   */
  decode(bytes: Uint8Array): T;
}

/**
 * A codec for one message type, whose fields are those of `T`. `wrappers`: messages that are represented by their only
 * field in plain values. `partsMax`: most fields and items of a message that is read; no limit by default.
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

/** The codec, refusing messages with more bytes: AppError TOO_LARGE. */
export function upTo<T>(bytesMax: number, codec: PlainCodec<T>): PlainCodec<T> {
  return {
    encode: codec.encode,
    decode: (bytes) => {
      if (bytes.length > bytesMax) throw new AppError('TOO_LARGE', 'the message has too many bytes');
      return codec.decode(bytes);
    },
  };
}
