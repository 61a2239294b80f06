/** A disk that is full ends no program at its start: it waits until there is room, and says what for. */
import { statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './logger.ts';

const DISK_FULL = new Set(['ENOSPC', 'EDQUOT']);
const CAUSES_MAX = 5;
const TRY_MS = 1_000;
/** Less than a program needs that begins. */
const FULL_BYTES = 1024 * 1024;

/** Whether there was no room for what failed: it, or what caused it, has a code that says so. */
export function isDiskFull(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth += 1) {
    if (DISK_FULL.has((cause as NodeJS.ErrnoException).code ?? '')) return true;
    cause = cause.cause;
  }
  return false;
}

/**
 * What kept another program from working in a folder, when that is a full disk: it says so, or it could not even write
 * that.
 */
export function diskFullCause(output: string, folder: string): Error | undefined {
  if (!/No space left on device|Disk quota exceeded/.test(output) && !isFull(folder)) return undefined;
  return Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
}

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(folder);
    // Some file systems have no fixed number of files and say zero of both.
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
  /** Ends the wait: it rejects with the failure of the last try. */
  readonly signal?: AbortSignal | undefined;
}

/** Does `work`, again and again while the disk is full. Any other failure is its own; so `work` leaves nothing then. */
export async function whenDiskHasRoom<T>(options: RoomOptions, work: () => Promise<T>): Promise<T> {
  const { what, folder, log, signal } = options;
  for (let isWaiting = false; ; isWaiting = true) {
    try {
      const done = await work();
      if (isWaiting) log.info('disk has room again', { what, folder });
      return done;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      if (!isWaiting) log.warn('waiting for room on a full disk', { what, folder, error });
      // Not unref'd: at a start nothing else may keep the process alive.
      await sleep(TRY_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
      if (signal?.aborted) throw error;
    }
  }
}
