/** Lets a program wait for room at its start instead of failing when the disk is full, and says what it waits for. */
import { statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './logger.ts';

const DISK_FULL = new Set(['ENOSPC', 'EDQUOT']);
const CAUSES_MAX = 5;
const TRY_MS = 1_000;
/** A starting program needs more than this. */
const FULL_BYTES = 1024 * 1024;

/** Whether the failure, or a cause of it, has an error code for a full disk or quota. */
export function isDiskFull(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth += 1) {
    if (DISK_FULL.has((cause as NodeJS.ErrnoException).code ?? '')) return true;
    cause = cause.cause;
  }
  return false;
}

/**
 * The full disk that kept another program from working in a folder, if that is the reason: its output says so, or it
 * had no room even to write that.
 */
export function diskFullCause(output: string, folder: string): Error | undefined {
  if (!/No space left on device|Disk quota exceeded/.test(output) && !isFull(folder)) return undefined;
  return Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
}

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(folder);
    // Some file systems have no fixed number of files and report zero for both.
    return bavail * bsize < FULL_BYTES || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}

export interface RoomOptions {
  /** What is to be written, for people: `the lock of the data folder`. */
  readonly what: string;
  /** Where. */
  readonly folder: string;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  /** Ends the wait, which then rejects with the failure of the last try. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Does `work`, and repeats it while the disk is full; `work` must leave nothing behind then. Rejects with any other
 * failure.
 */
export async function whenDiskHasRoom<T>(options: RoomOptions, work: () => Promise<T>): Promise<T> {
  const { what, folder, log, signal } = options;
  for (let isWaiting = false; ; isWaiting = true) {
    try {
      const done = await work();
      if (isWaiting) log.info('disk_has_room', { what, folder });
      return done;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      if (!isWaiting) log.warn('disk_full', { what, folder, error });
      // Not unref'd: at a start nothing else may keep the process alive.
      await sleep(TRY_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
      if (signal?.aborted) throw error;
    }
  }
}
