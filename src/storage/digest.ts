/**
 * Reads a file once: computes its hash and, if requested, copies it. Bounded memory; can be aborted between two pieces.
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Content } from './content.ts';

// 256 KiB: hashing a piece holds the event loop for about 0.2 ms. Larger pieces were not faster.
const PIECE_BYTES = 256 * 1_024;

export interface DigestOptions {
  /** Receives a copy, from its beginning. */
  readonly into?: FileHandle;
  /** When aborted, rejects with the signal's reason before the next piece. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes read so far, after each piece. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

export interface Digest {
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** Reads `from` from beginning to end. Failures of file calls are thrown unchanged. */
export async function digest(from: FileHandle | Content, options: DigestOptions = {}): Promise<Digest> {
  if ('open' in from) return digestContent(from, options);
  const { size: expected } = await from.stat();
  const piece = Buffer.allocUnsafe(Math.max(1, Math.min(PIECE_BYTES, expected + 1)));
  const hash = createHash('sha256');
  let size = 0;
  for (;;) {
    options.signal?.throwIfAborted();
    const { bytesRead } = await from.read(piece, 0, piece.length, size);
    if (bytesRead === 0) return { size, sha256: hash.digest('hex') };
    const read = piece.subarray(0, bytesRead);
    hash.update(read);
    if (options.into !== undefined) await writeAll(options.into, read, size);
    size += bytesRead;
    options.onProgress?.(size);
  }
}

async function digestContent(content: Content, options: DigestOptions): Promise<Digest> {
  options.signal?.throwIfAborted();
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of (await content.open({ offset: 0 })) as AsyncIterable<Buffer>) {
    options.signal?.throwIfAborted();
    hash.update(piece);
    if (options.into !== undefined) await writeAll(options.into, piece, size);
    size += piece.length;
    options.onProgress?.(size);
  }
  return { size, sha256: hash.digest('hex') };
}

async function writeAll(into: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await into.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}
