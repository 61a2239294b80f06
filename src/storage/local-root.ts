/**
 * Files below one local directory, reached one component at a time through open directories. So no symbolic link is
 * ever followed and nothing outside the root can be touched, even while somebody swaps directories. folder.ts has the
 * operations in an open directory.
 */
import { AppError } from '../domain/errors.ts';
import { baseName, directoryOf, normalisePath, relativePathProblem } from '../domain/paths.ts';
import { errnoWords } from '../lib/errno-words.ts';
import { type BeforeStep, Folder, HAS_OPEN_DIRECTORIES, openRootDirectory } from './folder.ts';
import { QuickFolder } from './quick-folder.ts';
import { localDeviceOf, type RecentFile, readRecent } from './recent-file.ts';
import { SharedSync } from './shared-sync.ts';
import { errnoOf } from './storage-errors.ts';

/** `path`, relative to a root, checked and normalised. Throws PATH_NOT_ALLOWED. */
export function checkedPath(path: string): string {
  const problem = relativePathProblem(path);
  if (problem !== undefined) throw new AppError('PATH_NOT_ALLOWED', `the path ${problem}`, { path });
  return normalisePath(path);
}

export class LocalRoot {
  readonly root: string;
  readonly #beforeStep: BeforeStep;
  readonly #ready: (() => Promise<void>) | undefined;
  readonly #syncs = new SharedSync();
  /** The device of the root, if it is a disk of this host. */
  #device: bigint | undefined;
  #isElsewhere = !HAS_OPEN_DIRECTORIES;

  /** `ready`: runs before the root is opened; throws when the root's content is not available. */
  constructor(root: string, beforeStep: BeforeStep = () => undefined, ready?: () => Promise<void>) {
    this.root = root;
    this.#beforeStep = beforeStep;
    this.#ready = ready;
  }

  /**
   * Runs `work` in the directory at `path` ('' is the root) and closes the directory afterwards. `create` makes missing
   * directories, durably. Throws FILE_NOT_FOUND when it is absent, PATH_NOT_ALLOWED when a component is not a directory
   * (a symbolic link is not), WORKSPACE_UNAVAILABLE when the root itself is missing.
   */
  async within<T>(path: string, work: (folder: Folder) => Promise<T>, create = false): Promise<T> {
    const folder = await this.open(path, create);
    try {
      return await work(folder);
    } finally {
      await folder.close();
    }
  }

  /** As `within`, but the caller closes the directory. */
  open(path: string, create = false): Promise<Folder> {
    return this.#enter(path === '' ? '' : checkedPath(path), create);
  }

  /** As `within`, for the directory of the file at `path`; `work` also gets the file's name in it. */
  async beside<T>(
    path: string,
    work: (folder: Folder, name: string) => Promise<T>,
    create = false,
  ): Promise<T> {
    const checked = checkedPath(path);
    return this.within(directoryOf(checked), (folder) => work(folder, baseName(checked)), create);
  }

  /**
   * A small file directly in the root that was changed a moment ago; undefined for any other, see `readRecent`.
   * `nowMs`: the wall clock.
   */
  async recent(path: string, nowMs: number): Promise<RecentFile | undefined> {
    const name = checkedPath(path);
    if (directoryOf(name) !== '') return undefined;
    this.#beforeStep(`open ${name}`);
    const device = await this.#localDevice();
    return device === undefined ? undefined : readRecent(this.root, name, device, nowMs);
  }

  /**
   * The directory at `path` for synchronous reads, if it is on the root's local disk; the caller closes it. Also
   * undefined if it cannot be opened; `open` then reports why.
   */
  async openQuick(path: string): Promise<QuickFolder | undefined> {
    const device = await this.#localDevice();
    if (device === undefined) return undefined;
    await this.#ready?.();
    return QuickFolder.open(this.root, path === '' ? '' : checkedPath(path), device);
  }

  async #localDevice(): Promise<bigint | undefined> {
    if (this.#device === undefined && !this.#isElsewhere) {
      this.#device = await localDeviceOf(this.root).catch(() => undefined); // the next open reports why
      this.#isElsewhere = this.#device === undefined;
    }
    return this.#device;
  }

  async #enter(path: string, create: boolean): Promise<Folder> {
    let folder = await this.#openRoot();
    for (const name of path === '' ? [] : path.split('/')) {
      try {
        const next = await folder.enter(name, create);
        await folder.close();
        folder = next;
      } catch (error) {
        await folder.close();
        throw error;
      }
    }
    return folder;
  }

  async #openRoot(): Promise<Folder> {
    await this.#ready?.();
    try {
      // The root itself may be a symbolic link, because the workspace's administrator has configured it.
      return new Folder(await openRootDirectory(this.root), this.root, '', this.#beforeStep, this.#syncs);
    } catch (error) {
      const errno = errnoOf(error);
      const why = errno === undefined ? 'it has failed' : errnoWords(errno);
      throw new AppError('WORKSPACE_UNAVAILABLE', `cannot open its directory '${this.root}': ${why}`, {
        errno,
      });
    }
  }
}
