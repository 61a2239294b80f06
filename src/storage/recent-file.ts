/**
 * Hashes small, recently changed files on local disks synchronously: they are still in memory, where a file call takes
 * microseconds. A thread's round trip takes ten times as long, and the asynchronous way needs a dozen of them. This
 * lowered an agent's processor time for a file of 1 kB from 0.82 ms to 0.28 ms (bench/arrivals.bench.ts).
 */
import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { needsBytes } from '../domain/paths.ts';
import { type FileFacts, toFacts } from './file-facts.ts';
import { errnoOf } from './storage-errors.ts';

/** ext2 to ext4, XFS, Btrfs, tmpfs, F2FS: they keep birth times, and a rename sets the change time. */
const LOCAL_TYPES = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010]);

/** limit: bytes hashed synchronously; takes at most 0.1 ms. */
export const SMALL_BYTES_MAX = 64 * 1_024;
/** Older changes may have to be read from the disk, which is done in a thread. */
const RECENT_MS = 60_000;

const DIRECTORY_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY;
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const piece = Buffer.allocUnsafe(SMALL_BYTES_MAX + 1);

export interface RecentFile {
  readonly facts: FileFacts;
  /** `sha256`: lower-case hexadecimal. */
  readonly content: { readonly size: number; readonly sha256: string };
}

/** Whether a directory is on a local file system, where checking a file does not hang. */
export async function isLocalDirectory(path: string): Promise<boolean> {
  const { type } = await statfs(path);
  return LOCAL_TYPES.has(type);
}

/** The device of a directory, if it is on a local file system. */
export async function localDeviceOf(path: string): Promise<bigint | undefined> {
  if (!(await isLocalDirectory(path))) return undefined;
  return (await stat(path, { bigint: true })).dev;
}

/**
 * The file `name` directly in `root`, as long as it is on `device`. Undefined if it is absent, not small, not changed
 * recently or being written, and after any failure. Follows no symbolic link.
 */
export function readRecent(
  root: string,
  name: string,
  device: bigint,
  nowMs: number,
): RecentFile | undefined {
  if (needsBytes(name)) return undefined;
  let directory: number | undefined;
  let file: number | undefined;
  try {
    directory = openSync(root, DIRECTORY_FLAGS);
    file = openSync(`/proc/self/fd/${directory}/${name}`, READ_FLAGS);
    const facts = toFacts(fstatSync(file, { bigint: true }));
    const isQuick = facts.kind === 'file' && facts.size <= SMALL_BYTES_MAX;
    if (!isQuick || facts.device !== String(device) || nowMs - facts.ctimeUs / 1_000 > RECENT_MS)
      return undefined;
    const size = readSync(file, piece, 0, facts.size + 1, 0);
    if (size !== facts.size) return undefined;
    const sha256 = hash('sha256', piece.subarray(0, size), 'hex');
    if (toFacts(fstatSync(file, { bigint: true })).identity !== facts.identity) return undefined;
    return { facts, content: { size, sha256 } };
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
    if (directory !== undefined) closeSync(directory);
  }
}
