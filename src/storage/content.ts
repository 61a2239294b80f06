/** Local files as content that is to be stored, and pieces of content in memory. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { AppError } from '../domain/errors.ts';
import type { Content } from './broker.ts';
import { translating } from './storage-errors.ts';

const READ_BYTES = 256 * 1_024;

/** A local file as content, while `work` runs. It is the caller's own and is not followed if it is a link. */
export async function withLocalFile<T>(path: string, work: (content: Content) => Promise<T>): Promise<T> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await translating('read', path, () => open(path, flags));
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) throw new AppError('PATH_NOT_ALLOWED', `'${path}' is not a regular file`, { path });
    return await work({
      size: facts.size,
      async open({ offset, length = facts.size - offset }) {
        const range = {
          highWaterMark: READ_BYTES,
          start: offset,
          end: offset + Math.max(0, length) - 1,
          autoClose: false,
        };
        // An empty range has no last byte: read as one that begins past the file's end.
        return handle.createReadStream(length > 0 ? range : { start: facts.size, autoClose: false });
      },
    });
  } finally {
    await handle.close();
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
