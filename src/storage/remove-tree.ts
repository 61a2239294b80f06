/**
 * Removes a directory and everything in it: by descriptor, depth first, a few names at a time. Directories without
 * rights for their owner get them. Directories too deep for a path are moved up first. A mount is never entered: its
 * content belongs to somebody else.
 */
import { randomUUID } from 'node:crypto';
import { AppError } from '../domain/errors.ts';
import { temporaryName } from './file-name.ts';
import type { Folder } from './folder.ts';

// limit: directories open at a time. A deeper one is moved to the top first.
const DEPTH_MAX = 32;
// limit: files removed at the same time. Node's pool has sixteen file threads, and others need it as well.
const AT_ONCE = 8;

/**
 * Errors of a directory that is not empty. EBUSY, the error of a mount point, is not among them: nothing below it is
 * touched.
 */
const HOLDS_MORE: readonly string[] = ['ENOTEMPTY', 'EEXIST'];

export interface TreeRemoval {
  /** How many names were removed. */
  readonly removedCount: number;
  /** The first failure to remove something; undefined when everything is gone. */
  readonly failure: AppError | undefined;
}

/**
 * Removes `name` from `parent`; an absent name is no failure. After a failure it continues with the rest. Rejects with
 * the signal's reason when aborted; the rest then stays.
 */
export async function removeTree(parent: Folder, name: string, signal?: AbortSignal): Promise<TreeRemoval> {
  const removal = new Removal(signal);
  await removal.remove(parent, name, 0);
  return { removedCount: removal.removedCount, failure: removal.failure };
}

class Removal {
  readonly #signal: AbortSignal | undefined;
  #top: Folder | undefined;
  #broughtUpCount = 0;
  removedCount = 0;
  failure: AppError | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  get #doneCount(): number {
    return this.removedCount + this.#broughtUpCount;
  }

  async remove(parent: Folder, name: string, depth: number): Promise<void> {
    this.#signal?.throwIfAborted();
    await this.#noting(async () => {
      const facts = await parent.facts(name);
      if (facts?.kind === 'directory') await this.#directory(parent, name, depth);
      else if (facts !== undefined) await this.#unlink(parent, name);
    });
  }

  async #directory(parent: Folder, name: string, depth: number): Promise<void> {
    if (await this.#isRemovedEmpty(parent, name)) return;
    if (depth > DEPTH_MAX && this.#top !== undefined) return this.#moveToTop(parent, name, this.#top);
    const folder = await enter(parent, name);
    let doneBefore: number;
    try {
      this.#top ??= folder;
      do {
        doneBefore = this.#doneCount;
        await this.#empty(folder, depth);
        // A directory that changes while it is read may be listed incompletely, so it is read again while names are
        // removed.
      } while (!(await this.#isRemovedEmpty(parent, name)) && this.#doneCount > doneBefore);
    } finally {
      await folder.close();
    }
  }

  async #isRemovedEmpty(parent: Folder, name: string): Promise<boolean> {
    try {
      if (await parent.removeDirectory(name)) this.removedCount += 1;
      return true;
    } catch (error) {
      if (error instanceof AppError && HOLDS_MORE.includes(`${error.detail.errno}`)) return false;
      throw error;
    }
  }

  async #empty(folder: Folder, depth: number): Promise<void> {
    let files: string[] = [];
    for await (const { name, kind } of folder.names()) {
      if (kind === 'directory') {
        this.#signal?.throwIfAborted();
        await this.#noting(() => this.#directory(folder, name, depth + 1));
      } else files.push(name);
      if (files.length < AT_ONCE) continue;
      await this.#removeFiles(folder, files, depth);
      files = [];
    }
    await this.#removeFiles(folder, files, depth);
  }

  async #removeFiles(folder: Folder, names: readonly string[], depth: number): Promise<void> {
    this.#signal?.throwIfAborted();
    await Promise.all(
      names.map((name) =>
        this.#noting(async () => {
          try {
            await this.#unlink(folder, name);
          } catch (error) {
            // The file system did not report its kind, or it was replaced meanwhile.
            if ((await folder.facts(name))?.kind !== 'directory') throw error;
            await this.remove(folder, name, depth + 1);
          }
        }),
      ),
    );
  }

  async #unlink(folder: Folder, name: string): Promise<void> {
    if (await folder.unlink(name)) this.removedCount += 1;
  }

  async #moveToTop(parent: Folder, name: string, top: Folder): Promise<void> {
    const newName = temporaryName(randomUUID());
    if (await renamed(parent, name, top, newName)) this.#broughtUpCount += 1;
  }

  async #noting(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // It was removed by another process.
      if (error.code !== 'FILE_NOT_FOUND') this.failure ??= error;
    }
  }
}

/** A directory to be moved must be writable itself, since its `..` changes. */
async function renamed(parent: Folder, name: string, top: Folder, newName: string): Promise<boolean> {
  try {
    return await parent.renameInto(name, top, newName);
  } catch {
    await parent.unlock(name);
    return parent.renameInto(name, top, newName);
  }
}

/** Opens a directory after giving its owner the rights to read and write it. */
async function enter(parent: Folder, name: string): Promise<Folder> {
  const folder = await parent.enter(name).catch(async (error: unknown) => {
    await parent.unlock(name);
    return parent.enter(name).catch(() => Promise.reject(error));
  });
  try {
    await folder.unlockOwn();
    return folder;
  } catch (error) {
    await folder.close();
    throw error;
  }
}
