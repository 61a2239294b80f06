/**
 * Determines whether a task failed because the node's disk was full, which its exit code does not show. The disk is
 * checked while tasks run, because it may have space again when the end of one is noticed.
 */
import { type StatsFs, statfsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import { DeclaredFailure, TaskFailure } from './task-failure.ts';

/** With less free space than this, the disk counts as full: most programs write more than that at a time. */
const FULL_BYTES = 1024 * 1024;
/** The interval between two checks, for all tasks together. */
const LOOK_MS = 500;

/** One main task, from its start to its end. */
export interface WatchedMain {
  /**
   * The failure to report: `filesystem-io`, which is tried again, instead of an exit code if the disk was found full.
   * This includes exit codes that the manifest declares, because the program had no space. Other failures are
   * unchanged.
   */
  explained(failure: TaskFailure | DeclaredFailure): Promise<TaskFailure | DeclaredFailure>;
  end(): void;
}

export class DiskWatch {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #firstLook: Promise<void>;
  #mainCount = 0;
  /** How many checks have found the disk full. */
  #fullCount = 0;
  #isLookDue = false;

  /** `folder`: the folder of the task folders. */
  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
    this.#firstLook = this.#look();
  }

  /**
   * `isFresh`: it has just been started. For a task that was running before, all checks since the start of this agent
   * count.
   */
  begin(isFresh: boolean): WatchedMain {
    const fullBefore = isFresh ? this.#fullCount : 0;
    this.#mainCount += 1;
    this.#lookSoon();
    return {
      explained: async (failure) => {
        if (!(failure instanceof DeclaredFailure) && failure.errorName !== 'algorithm-unknown')
          return failure;
        await Promise.all([this.#firstLook, this.#look()]);
        if (this.#fullCount === fullBefore) return failure;
        return new TaskFailure('filesystem-io', `${failure.message}, and the disk of its folder was full`);
      },
      end: () => {
        this.#mainCount -= 1;
      },
    };
  }

  /** One timer for all: hundreds of tasks may begin and end between two checks. */
  #lookSoon(): void {
    if (this.#isLookDue) return;
    this.#isLookDue = true;
    this.#clock.after(LOOK_MS, async () => {
      if (this.#mainCount > 0) await this.#look();
      this.#isLookDue = false;
      if (this.#mainCount > 0) this.#lookSoon();
    });
  }

  /** Never rejects: a disk that cannot be checked does not count as full. */
  async #look(): Promise<void> {
    const disk = await statfs(this.#folder).catch(() => undefined);
    if (disk !== undefined && isFull(disk)) this.#fullCount += 1;
  }
}

function isFull({ bavail, bsize, files, ffree }: StatsFs): boolean {
  // Some file systems have no fixed number of files and report zero for both.
  const hasNoFiles = files > 0 && ffree === 0;
  return bavail * bsize < FULL_BYTES || hasNoFiles;
}

/** Whether the disk of a folder is full. Synchronous: for local disks. Throws if it cannot be checked. */
export function isDiskFull(folder: string): boolean {
  return isFull(statfsSync(folder));
}
