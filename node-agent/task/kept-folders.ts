/**
 * Folders of tasks that leave nothing behind: kept after the task and given to a later one of the same kind, for
 * process tasks of the same user. A folder that is made and removed takes 27 calls in threads, that of a container 60,
 * and removing a directory waits for the disk (p50 0.7 ms, p99 8 ms beside a journal that is synced; ext4, 2026-11-27).
 *
 * Such a task can only change a few directories in its folder. Each change of a directory's content or attributes sets
 * its change time, which no process can set back. So a folder is kept only if all change times are those from before
 * the task. They are from a while before it, so that a coarse clock cannot hide a change. The times at which they were
 * read count as well, so that the next task does not learn whether the one before it has listed them.
 *
 * The files of a task's streams are emptied, not removed, if no process can still have one open, and the next
 * supervisor overwrites the file of this one. Making a file takes ext4 up to 0.6 ms if many were removed within a
 * minute, because it does not use their inode numbers again (`recently_deleted`).
 *
 * Files are emptied in threads. All other calls are synchronous: renames and removals of small files, which wait for no
 * disk (p99 below 0.1 ms in that measurement). If one took long all the same, no folder is given or kept for a while.
 */
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  ftruncate,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
} from 'node:fs';
import { lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isLocalDirectory } from '../../src/storage/recent-file.ts';
import type { Clock } from '../clock.ts';
import type { FolderKind } from '../executor/executor.ts';
import { isDiskFull } from './full-disk.ts';
import { type TaskFolder, taskFolder } from './task-folder.ts';

/** The folder of kept folders, beside the executions' folders. Only the agent can enter it. */
const KEPT = 'kept';
// limit: folders that wait for tasks of one kind, and folders in all. An empty one takes 12 to 32 KiB.
const PER_KIND_MAX = 4;
const FOLDERS_MAX = 256;
/** Longer than a tick of any clock of a file system. */
const SETTLED_MS = 50;
/** Files up to this size are removed synchronously. */
const SMALL_BYTES = 64 * 1024;
const SLOW_MS = 200;
const SLOW_PAUSE_MS = 30_000;
/** Its group may enter a folder, but not list it. */
const PASSABLE = 0o710;
const EXACTLY = { bigint: true } as const;
const BLOCK_BYTES = 512;

interface KeptFolder {
  readonly path: string;
  readonly kind: FolderKind;
  /** `Clock.bootMs` when its directories were complete. */
  readonly madeMs: number;
  /** Those of the directories that a task can change, in their order. */
  readonly times: readonly DirectoryTimes[];
  /** On the disk, of it and its directories. */
  readonly bytes: number;
  /** What is known of its present task. */
  task: {
    /** Whether no process has the files of its streams any more. */
    areLogsClosed: boolean;
    /** Whether it was found to have left nothing, after its end. */
    wasUntouched: boolean;
  };
}

const NEW_TASK = { areLogsClosed: false, wasUntouched: false };

interface DirectoryTimes {
  readonly changedNs: bigint;
  readonly readNs: bigint;
}

const timesOf = ({ ctimeNs, atimeNs }: BigIntStats): DirectoryTimes => {
  return { changedNs: ctimeNs, readNs: atimeNs };
};

export class KeptFolders {
  readonly #folder: string;
  readonly #clock: Clock;
  /** By the name of the kind, oldest first. */
  readonly #free = new Map<string, KeptFolder[]>();
  /** By execution. */
  readonly #given = new Map<number, KeptFolder>();
  readonly #making = new Set<string>();
  #madeCount = 0;
  #lostCount = 0;
  #pausedUntilMs = 0;
  #isLocal: Promise<boolean> | undefined;

  /** `folder`: of the executions' folders; absolute. */
  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /**
   * Gives an execution without a folder a complete one. False: none is kept, or the disk is full. Then a folder is
   * made, whose failure reports the full disk; otherwise the supervisor would fail without a reason.
   */
  give(executionId: number, kind: FolderKind): boolean {
    const free = this.#free.get(kind.name);
    const [oldest] = free ?? [];
    if (free === undefined || oldest === undefined) return false;
    if (this.#clock.bootMs() - oldest.madeMs < SETTLED_MS) return false;
    let isFull = false;
    const isGiven = this.#quickly(() => {
      isFull = isDiskFull(this.#folder);
      if (isFull) return false;
      chmodSync(oldest.path, PASSABLE);
      renameSync(oldest.path, this.#pathOf(executionId));
      return true;
    });
    if (isGiven === undefined || isFull) return false;
    free.shift();
    if (isGiven) this.#given.set(executionId, Object.assign(oldest, { task: { ...NEW_TASK } }));
    else this.#lostCount += 1; // for example because a folder of that name exists
    return isGiven;
  }

  /** Whether the ended task has left nothing in the directories of its folder; false also if that is not known. */
  isUntouched(executionId: number): boolean {
    const given = this.#given.get(executionId);
    if (given?.task.wasUntouched === true) return true;
    const folder = taskFolder(this.#pathOf(executionId));
    return given !== undefined && this.#quickly(() => isUntouched(folder, given)) === true;
  }

  /** Said of a task whose streams' files can be another one's once they are empty. */
  closeLogs(executionId: number): void {
    const given = this.#given.get(executionId);
    if (given !== undefined) given.task.areLogsClosed = true;
  }

  /** Bytes on the disk of the folder of such a task, after its end; undefined if they are not known. */
  sizeOf(executionId: number): number | undefined {
    const given = this.#given.get(executionId);
    if (given === undefined) return undefined;
    const folder = taskFolder(this.#pathOf(executionId));
    let bytes: number | undefined;
    this.#quickly(() => {
      given.task.wasUntouched = isUntouched(folder, given);
      const files = given.task.wasUntouched ? filesOf(folder, given.kind) : undefined;
      bytes = files?.reduce((sum, path) => sum + lstatSync(path).blocks * BLOCK_BYTES, given.bytes);
      return true;
    });
    return bytes;
  }

  /** Keeps the folder of an ended task; resolves when it can be given. Undefined: it has to be removed. */
  keep(executionId: number): Promise<true> | undefined {
    const given = this.#given.get(executionId);
    if (given === undefined) return undefined;
    this.#given.delete(executionId);
    const folder = taskFolder(this.#pathOf(executionId));
    const files: number[] = [];
    const isKept = this.#quickly(() => {
      if (!isUntouched(folder, given) || !isCleared(folder, given, files)) return false;
      renameSync(folder.root, given.path);
      return true;
    });
    const emptied = Promise.all(files.map((file) => empty(file)));
    if (isKept !== true) {
      this.#lostCount += 1;
      return undefined;
    }
    return emptied.then((all) => {
      if (all.every(Boolean)) this.#free.get(given.kind.name)?.push(given);
      else this.#lostCount += 1;
      return true;
    });
  }

  /** Makes a folder for a later task of the kind, in threads. Rejects if the file system refuses it. */
  async makeFor(kind: FolderKind): Promise<void> {
    const { name } = kind;
    const free = this.#free.get(name) ?? [];
    this.#free.set(name, free);
    if (this.#making.has(name) || free.length >= PER_KIND_MAX) return;
    if (this.#madeCount - this.#lostCount >= FOLDERS_MAX || !(await this.#isOnLocalDisk())) return;
    this.#making.add(name);
    try {
      await mkdir(join(this.#folder, KEPT), { recursive: true, mode: 0o700 });
      this.#madeCount += 1;
      const path = join(this.#folder, KEPT, String(this.#madeCount));
      await mkdir(path, { mode: 0o700 });
      const folder = taskFolder(path);
      await kind.make(folder);
      // Listed first, which changes when they were read.
      const inside = await allInside(path);
      const factsOf = (paths: readonly string[]) => Promise.all(paths.map((one) => lstat(one, EXACTLY)));
      const all = await factsOf([path, ...inside]);
      const bytes = all.reduce((sum, { blocks }) => sum + Number(blocks) * BLOCK_BYTES, 0);
      const times = (await factsOf(kind.changeable(folder))).map(timesOf);
      free.push({ path, kind, madeMs: this.#clock.bootMs(), times, bytes, task: NEW_TASK });
    } catch (error) {
      this.#lostCount += 1;
      throw error;
    } finally {
      this.#making.delete(name);
    }
  }

  /** File systems of other hosts may have less exact change times, and may hang. */
  #isOnLocalDisk(): Promise<boolean> {
    this.#isLocal ??= isLocalDirectory(this.#folder);
    return this.#isLocal;
  }

  #pathOf(executionId: number): string {
    return join(this.#folder, String(executionId));
  }

  /** Undefined if calls were slow recently, so that none is made; false if one has failed. */
  #quickly(calls: () => boolean): boolean | undefined {
    const startedMs = this.#clock.bootMs();
    if (startedMs < this.#pausedUntilMs) return undefined;
    try {
      return calls();
    } catch {
      return false;
    } finally {
      const endedMs = this.#clock.bootMs();
      if (endedMs - startedMs > SLOW_MS) this.#pausedUntilMs = endedMs + SLOW_PAUSE_MS;
    }
  }
}

/** The paths of all that is in a directory, at any depth, which no task has had yet. */
async function allInside(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const found = entries.map(async (entry) => {
    const at = join(path, entry.name);
    return entry.isDirectory() ? [at, ...(await allInside(at))] : [at];
  });
  return (await Promise.all(found)).flat();
}

function isUntouched(folder: TaskFolder, { kind, times }: KeptFolder): boolean {
  const areSame = kind.changeable(folder).every((path, index) => {
    const { changedNs, readNs } = timesOf(lstatSync(path, EXACTLY));
    return changedNs === times[index]?.changedNs && readNs === times[index].readNs;
  });
  return areSame && kind.emptied(folder).every(isEmpty);
}

function isEmpty(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}

/** The few files that every task has; undefined if there is more in its folder than those and its directories. */
function filesOf(folder: TaskFolder, kind: FolderKind): string[] | undefined {
  const { root, stdout, stderr, supervisor, spare } = folder;
  const [files, directories] = [[stdout, stderr, supervisor, spare], kind.directories(folder)];
  const found = readdirSync(root).map((name) => join(root, name));
  const left = found.filter((path) => !directories.includes(path));
  return left.every((path) => files.includes(path)) ? left : undefined;
}

/** Removes the files, or opens those that are to be emptied, if they are small and nothing else is there. */
function isCleared(folder: TaskFolder, { kind, task }: KeptFolder, opened: number[]): boolean {
  const files = filesOf(folder, kind);
  const facts = files?.map((path) => [path, lstatSync(path)] as const);
  const isFit = facts?.every(([, { size, nlink }]) => size <= SMALL_BYTES && nlink === 1) ?? false;
  if (facts === undefined || !isFit) return false;
  for (const [path, { size }] of facts) {
    // The next supervisor overwrites it before it gives it this name again.
    if (path === folder.supervisor) renameSync(path, folder.spare);
    else if (!task.areLogsClosed) unlinkSync(path);
    else if (size > 0) opened.push(openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW));
  }
  return true;
}

const cut = promisify(ftruncate);

/** In a thread: this can wait for what others write to the disk, 0.6 ms mostly. False if it fails. */
async function empty(file: number): Promise<boolean> {
  try {
    await cut(file);
    return true;
  } catch {
    return false;
  } finally {
    closeSync(file);
  }
}
