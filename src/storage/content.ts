/** Open files as content to be stored, and pieces of content in memory. */
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';

/** First byte and number of bytes. A range past the end is cut off at the end. */
export interface ByteRange {
  readonly offset: number;
  readonly length?: number;
}

/**
 * A file's content to be stored, from any source. It can be opened repeatedly, one range at a time, so that hashing,
 * sending and sending again need neither memory nor disk for it.
 */
export interface Content {
  readonly size: number;
  /** Failures are AppErrors. A reader that stops early must destroy the stream. */
  open(range: ByteRange): Promise<Readable>;
}

const READ_BYTES = 256 * 1_024;

/** An open file as content, usable while the file is open. `size`: the file's size when it was checked. */
export function contentOf(handle: FileHandle, size: number): Content {
  return {
    size,
    async open({ offset, length = size - offset }) {
      return Readable.from(pieces(handle, offset, length), { objectMode: false });
    },
  };
}

/** Not the handle's own stream, which would close the handle when it is destroyed. */
async function* pieces(handle: FileHandle, offset: number, length: number): AsyncGenerator<Buffer> {
  let [position, left] = [offset, length];
  while (left > 0) {
    const piece = Buffer.allocUnsafe(Math.min(READ_BYTES, left));
    const { bytesRead } = await handle.read(piece, 0, piece.length, position);
    if (bytesRead === 0) return;
    yield piece.subarray(0, bytesRead);
    position += bytesRead;
    left -= bytesRead;
  }
}

/** Reads one range into memory; shorter when the content ends earlier. */
export async function readRange(
  content: Content,
  offset: number,
  length: number,
  signal?: AbortSignal,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of (await content.open({ offset, length })) as AsyncIterable<Buffer>) {
    signal?.throwIfAborted();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
