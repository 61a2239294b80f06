/**
 * A durable copy under a temporary name, to which `place` then gives its final name. Leaves nothing behind on failure.
 */
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../domain/errors.ts';
import type { Content } from './content.ts';
import { type Digest, type DigestOptions, digest } from './digest.ts';
import { type FileFacts, toFacts } from './file-facts.ts';
import type { Folder } from './folder.ts';
import { translating } from './storage-errors.ts';

/** The room for smaller files is not checked beforehand: copying one to a full disk fails soon enough. */
const LARGE_BYTES = 16 * 1024 * 1024;

export interface TemporaryCopy {
  readonly content: Digest;
  readonly facts: FileFacts;
}

export interface CopyOptions extends DigestOptions {
  /** The copy's modification time, in whole milliseconds; default: the time of copying. */
  readonly mtimeMs?: number;
}

/**
 * Copies `from` to the new file `name` and syncs the content. A file of that name from an earlier run is removed first:
 * temporary names belong to one piece of work.
 */
export async function copyToTemporary(
  from: FileHandle | Content,
  folder: Folder,
  name: string,
  options: CopyOptions = {},
): Promise<TemporaryCopy> {
  await folder.unlink(name);
  const size = 'open' in from ? from.size : (await from.stat()).size;
  // A sparse file reports a large size, and its copy would fill the disk with zeros.
  if (size >= LARGE_BYTES) await checkRoom(folder, size);
  const into = await folder.createNew(name);
  try {
    const copy = await translating('copy to', folder.pathOf(name), () => fill(from, into, options));
    const there = await folder.facts(name);
    if (there?.inode === copy.facts.inode) return copy;
    throw new AppError('STATE_CONFLICT', 'another execution writes this file now', {
      path: folder.pathOf(name),
    });
  } catch (error) {
    await removeOwn(folder, name, into);
    if (isFull(error)) await checkRoom(folder, size);
    throw error;
  } finally {
    await into.close();
  }
}

function isFull(error: unknown): boolean {
  return error instanceof AppError && error.detail.errno === 'ENOSPC';
}

async function checkRoom(folder: Folder, size: number): Promise<void> {
  const freeBytes = await folder.freeBytes();
  if (freeBytes === undefined || size <= freeBytes) return;
  const message = `${size} bytes are needed, and ${freeBytes} are free (ENOSPC)`;
  throw new AppError('FILESYSTEM_IO', message, { errno: 'ENOSPC', size, freeBytes });
}

async function fill(
  from: FileHandle | Content,
  into: FileHandle,
  options: CopyOptions,
): Promise<TemporaryCopy> {
  const content = await digest(from, { ...options, into });
  // Half a millisecond more: seconds as a double round down, and would read as the millisecond before.
  if (options.mtimeMs !== undefined) await into.utimes(new Date(), (options.mtimeMs + 0.5) / 1_000);
  await into.sync();
  return { content, facts: toFacts(await into.stat({ bigint: true })) };
}

/** Best effort: when the disk fails, the copy may not be removable either. The next run removes it. */
async function removeOwn(folder: Folder, name: string, into: FileHandle): Promise<void> {
  try {
    const mine = toFacts(await into.stat({ bigint: true }));
    const there = await folder.facts(name);
    if (there?.inode === mine.inode) await folder.unlink(name);
  } catch {
    // The original failure is reported instead of this one.
  }
}
