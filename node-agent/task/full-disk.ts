/**
 * Whether a task failed for want of room: its exit code says no more than that it failed, and its author is not to
 * blame for a disk of the node that was full. The disk is looked at while tasks run, because it may have room again by
 * the time that the end of one is heard of.
 */
import { statfs } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import { DeclaredFailure, TaskFailure } from './task-failure.ts';

/** What a disk has left that a task has just filled: less than a write of most programs. */
const FULL_BYTES = 1024 * 1024;
/** Between two looks, for all tasks together. */
const LOOK_MS = 500;

/** One main task, from its start to its end. */
export interface WatchedMain {
  /**
   * What is to be reported of its failure: `filesystem-io`, which is tried again, in place of an exit code when the
   * disk was found full, one that the manifest declares included: the program may mean its data or itself, and had no
   * room. Any other failure as it is.
   */
  blaming(failure: TaskFailure | DeclaredFailure): Promise<TaskFailure | DeclaredFailure>;
  end(): void;
}

export class DiskWatch {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #firstLook: Promise<void>;
  #mainCount = 0;
  /** How many looks have found the disk full. */
  #fullCount = 0;
  #isLookDue = false;

  /** `folder`: where the folders of tasks are. */
  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
    this.#firstLook = this.#look();
  }

  /**
   * `isFresh`: it has only just been started. Others ran while no agent did: what this one has found since its start
   * counts for them.
   */
  begin(isFresh: boolean): WatchedMain {
    const fullBefore = isFresh ? this.#fullCount : 0;
    this.#mainCount += 1;
    this.#lookSoon();
    return {
      blaming: async (failure) => {
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

  /** One timer for all: tasks may begin and end by the hundred between two looks. */
  #lookSoon(): void {
    if (this.#isLookDue) return;
    this.#isLookDue = true;
    this.#clock.after(LOOK_MS, async () => {
      if (this.#mainCount > 0) await this.#look();
      this.#isLookDue = false;
      if (this.#mainCount > 0) this.#lookSoon();
    });
  }

  /** Never rejects: a disk that cannot be looked at is not known to be full. */
  async #look(): Promise<void> {
    const disk = await statfs(this.#folder).catch(() => undefined);
    if (disk === undefined) return;
    // Some file systems have no fixed number of files and say zero of both.
    const hasNoFiles = disk.files > 0 && disk.ffree === 0;
    if (disk.bavail * disk.bsize < FULL_BYTES || hasNoFiles) this.#fullCount += 1;
  }
}
