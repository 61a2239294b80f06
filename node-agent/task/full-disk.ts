/**
 * Whether a task failed for want of room: its exit code says no more than that it failed, and its author is not to
 * blame for a disk of the node that was full.
 */
import { statfs } from 'node:fs/promises';
import { type DeclaredFailure, TaskFailure } from './task-failure.ts';

/** What a disk has left that a task has just filled: less than a write of most programs. */
const FULL_BYTES = 1024 * 1024;

/**
 * What is to be reported of a failed main task: `filesystem-io`, which is tried again, in place of a failure that
 * nobody knows the reason of while the disk of its folder is full; any other as it is.
 */
export async function blamingFullDisk(
  failure: TaskFailure | DeclaredFailure,
  folder: string,
): Promise<TaskFailure | DeclaredFailure> {
  if (failure.errorName !== 'algorithm-unknown' || !failure.isBuiltin) return failure;
  const disk = await statfs(folder).catch(() => undefined);
  if (disk === undefined) return failure;
  // Some file systems have no fixed number of files and say zero of both.
  const hasNoFiles = disk.files > 0 && disk.ffree === 0;
  if (disk.bavail * disk.bsize >= FULL_BYTES && !hasNoFiles) return failure;
  return new TaskFailure('filesystem-io', `${failure.message}, and the disk of its folder is full`);
}
