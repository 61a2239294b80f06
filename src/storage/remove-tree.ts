/**
 * Removes a directory and all that is in it, whatever that is: by descriptor, depth first, a few names at a time.
 * Directories without rights for their owner get them. What lies deeper than a path can spell is brought up first. A
 * mount is never entered: what is mounted there is somebody else's.
 */
import { randomUUID } from 'node:crypto';
import { AppError } from '../domain/errors.ts';
import { temporaryName } from './file-name.ts';
import type { Folder } from './folder.ts';

// limit: directories that are open at a time; one that lies deeper is moved to the top first.
const DEPTH_MAX = 32;
// limit: files that are removed side by side. The pool of file threads has sixteen, and others wait for it as well.
const AT_ONCE = 8;

/** A mount point is none of them: its removal is refused with EBUSY, and nothing below it is touched. */
const HOLDS_MORE: readonly string[] = ['ENOTEMPTY', 'EEXIST'];

export interface TreeRemoval {
  /** Names that were removed. */
  readonly removedCount: number;
  /** What could not be removed, the first of it; undefined when all is gone. */
  readonly failure: AppError | undefined;
}

/**
 * Removes `name` from `parent`; that there is none is no failure. Goes on with the rest after a failure. Rejects with
 * the signal's reason when that aborts, which leaves what was not removed.
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
    if (depth > DEPTH_MAX && this.#top !== undefined) return this.#bringUp(parent, name, this.#top);
    const folder = await enter(parent, name);
    let doneBefore: number;
    try {
      this.#top ??= folder;
      do {
        doneBefore = this.#doneCount;
        await this.#empty(folder, depth);
        // A directory that changes while it is read may be told in part: it is read again for as long as that helps.
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
            // The file system did not say what it is, or it is another thing by now.
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

  async #bringUp(parent: Folder, name: string, top: Folder): Promise<void> {
    const newName = temporaryName(randomUUID());
    if (await renamed(parent, name, top, newName)) this.#broughtUpCount += 1;
  }

  async #noting(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Somebody else was quicker.
      if (error.code !== 'FILE_NOT_FOUND') this.failure ??= error;
    }
  }
}

/** A directory that is moved has to be writable itself, since its `..` changes. */
async function renamed(parent: Folder, name: string, top: Folder, newName: string): Promise<boolean> {
  try {
    return await parent.renameInto(name, top, newName);
  } catch {
    await parent.unlock(name);
    return parent.renameInto(name, top, newName);
  }
}

/** Opens a directory that its owner may read and write from then on. */
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
