/** Open files as content that is to be stored, and pieces of content in memory. */
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';

/** First byte and number of bytes; a range past the end is cut off there. */
export interface ByteRange {
  readonly offset: number;
  readonly length?: number;
}

/**
 * A file's content that is to be stored, wherever it comes from. It can be opened again and again, a range at a
 * time, so that hashing, sending and sending once more need neither memory nor disk for it.
 */
export interface Content {
  readonly size: number;
  /** Failures are AppErrors. Whoever reads destroys the stream when it stops early. */
  open(range: ByteRange): Promise<Readable>;
}

const READ_BYTES = 256 * 1_024;

/** An open file as content, for as long as it is open. `size`: what it had when it was looked at. */
export function contentOf(handle: FileHandle, size: number): Content {
  return {
    size,
    async open({ offset, length = size - offset }) {
      return Readable.from(pieces(handle, offset, length), { objectMode: false });
    },
  };
}

/** A stream of the handle's own would close it when it is given up. */
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

/** One range in memory; shorter when the content ends before. */
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
