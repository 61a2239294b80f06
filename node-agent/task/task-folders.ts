/**
 * The folder of the executions' folders: creates and removes one for each. A folder that cannot be removed is set aside
 * (a leftover), reported, and tried again later.
 */

import pLimit from 'p-limit';
import { AppError } from '../../src/domain/errors.ts';
import type { Logger } from '../../src/observe/log.ts';
import type { Folder } from '../../src/storage/folder.ts';
import { LocalRoot } from '../../src/storage/local-root.ts';
import { removeTree } from '../../src/storage/remove-tree.ts';
import { allocatedBytes, quickAllocatedBytes } from '../../src/storage/tree-size.ts';
import { type Clock, pause } from '../clock.ts';
import type { FolderKind } from '../executor/executor.ts';
import { KeptFolders } from './kept-folders.ts';

/** The folder for leftovers. */
const LEFTOVERS = 'leftovers';
const RETRY_MS = 10 * 60_000;
// limit: folders that are removed at once, so that the pool of file threads has room for other work.
const REMOVALS_MAX = 4;
const DETAIL_CHARS_MAX = 200;

export interface TaskFoldersOptions {
  /** Absolute; exists. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with a description of the leftovers, and with undefined when there are none. */
  readonly onTrouble: (description: string | undefined) => void;
}

export class TaskFolders {
  readonly #options: TaskFoldersOptions;
  readonly #root: LocalRoot;
  readonly #kept: KeptFolders;
  readonly #limit = pLimit(REMOVALS_MAX);
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #removals = new Map<string, Promise<void>>();
  /** Why each leftover is still there, by its path. */
  readonly #leftovers = new Map<string, string>();
  #asideCount = 0;

  constructor(options: TaskFoldersOptions) {
    this.#options = options;
    this.#root = new LocalRoot(options.folder);
    this.#kept = new KeptFolders(options.folder, options.clock);
  }

  /** Creates the empty folder of an execution, removing that of an earlier run. Throws AppError. */
  async make(executionId: number): Promise<void> {
    const name = String(executionId);
    await this.#removals.get(name);
    await this.#root.within('', async (folder) => {
      try {
        await folder.makeNewDirectory(name, 0o700);
      } catch (error) {
        if (!(error instanceof AppError) || error.detail.errno !== 'EEXIST') throw error;
        await this.#clear(folder, name);
        await folder.makeNewDirectory(name, 0o700);
      }
    });
  }

  /** Gives an execution a folder with its directories that is kept for tasks of the kind. False: `make` one. */
  give(executionId: number, kind: FolderKind): boolean {
    if (this.#removals.has(String(executionId))) return false;
    if (this.#kept.give(executionId, kind)) return true;
    const { log } = this.#options;
    const making = async (): Promise<void> => this.#kept.makeFor(kind);
    void this.#work(() => making().catch((error) => log.debug('task_folder_not_made_ahead', { error })));
    return false;
  }

  /**
   * Removes the folder of an execution, or keeps it for another. Resolves when it is removed, set aside, or ready for
   * the other; never rejects.
   */
  remove(executionId: number): Promise<unknown> {
    const kept = this.#kept.keep(executionId);
    if (kept !== undefined) return kept;
    const name = String(executionId);
    const removal = this.#work(() =>
      this.#limit(() => this.#root.within('', (folder) => this.#clear(folder, name))),
    ).finally(() => this.#removals.delete(name));
    this.#removals.set(name, removal);
    return removal;
  }

  /** The files of an execution's streams can be another one's once they are empty. */
  closeLogs(executionId: number): void {
    this.#kept.closeLogs(executionId);
  }

  /** Bytes on the disk of an execution's folder; undefined if they cannot be counted. */
  async sizeOf(executionId: number): Promise<number | undefined> {
    const name = String(executionId);
    try {
      return (
        this.#kept.sizeOf(executionId) ??
        (await this.#quickSizeOf(name)) ??
        (await this.#root.within('', (all) => allocatedBytes(all, name)))
      );
    } catch {
      return undefined;
    }
  }

  /** Whether a directory of an execution's folder is empty. False also if threads are needed to find that out. */
  async isEmpty(executionId: number, name: string): Promise<boolean> {
    if (this.#kept.isUntouched(executionId)) return true;
    const folder = await this.#root.openQuick(`${executionId}/${name}`);
    try {
      if (folder === undefined) return false;
      const names = folder.names();
      const isEmpty = names.next().done === true;
      names.return(undefined);
      return isEmpty;
    } catch {
      return false;
    } finally {
      folder?.close();
    }
  }

  async #quickSizeOf(name: string): Promise<number | undefined> {
    const all = await this.#root.openQuick('');
    try {
      return all && (await quickAllocatedBytes(all, name));
    } finally {
      all?.close();
    }
  }

  /** The number of folders that are being removed. */
  get removalCount(): number {
    return this.#removals.size;
  }

  /**
   * Sets aside all folders whose execution is not held, and begins to remove leftovers, now and at intervals. Throws
   * AppError if the folder of the folders cannot be read.
   */
  async resume(isHeld: (executionId: number) => boolean): Promise<void> {
    await this.#root.within('', async (folder) => {
      for await (const { name } of folder.names()) {
        if (name !== LEFTOVERS && !isHeld(Number(name))) await this.#setAside(folder, name);
      }
    });
    void this.#work(async () => {
      const { clock } = this.#options;
      for (;;) {
        await this.#retry();
        await pause(clock, RETRY_MS, this.#stopping.signal);
        this.#stopping.signal.throwIfAborted();
      }
    });
  }

  /** The rest is removed after the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  /** Removes `name`, or sets it aside, so that the name is free. Throws AppError if it is not. */
  async #clear(folder: Folder, name: string): Promise<void> {
    const { failure } = await removeTree(folder, name, this.#stopping.signal);
    if (failure === undefined) return this.#settled(name);
    const path = await this.#setAside(folder, name);
    this.#note(path, failure);
    if (path === name) throw failure;
    this.#settled(name);
  }

  /** Resolves with its new path; the old one if it cannot be moved. */
  async #setAside(folder: Folder, name: string): Promise<string> {
    try {
      const aside = await folder.enter(LEFTOVERS, true);
      try {
        let newName: string;
        do {
          this.#asideCount += 1;
          newName = `${name}-${this.#asideCount}`;
        } while ((await aside.facts(newName)) !== undefined);
        await folder.renameInto(name, aside, newName);
        return `${LEFTOVERS}/${newName}`;
      } finally {
        await aside.close();
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#note(name, error);
      return name;
    }
  }

  async #retry(): Promise<void> {
    await this.#root
      .within(LEFTOVERS, async (aside) => {
        for await (const { name } of aside.names()) {
          const { failure } = await this.#limit(() => removeTree(aside, name, this.#stopping.signal));
          if (failure === undefined) this.#settled(`${LEFTOVERS}/${name}`);
          else this.#note(`${LEFTOVERS}/${name}`, failure);
        }
      })
      .catch((error: unknown) => {
        // There is no folder of leftovers.
        if (!(error instanceof AppError) || error.code !== 'FILE_NOT_FOUND') throw error;
      });
    for (const path of [...this.#leftovers.keys()].filter((one) => !one.includes('/'))) {
      await this.#root.within('', (folder) => this.#clear(folder, path)).catch(unlessNoted);
    }
  }

  #note(path: string, failure: AppError): void {
    if (!this.#leftovers.has(path)) {
      this.#options.log.warn('task_leftover_not_removed', { path, error: failure });
    }
    this.#leftovers.set(path, failure.message.slice(0, DETAIL_CHARS_MAX));
    this.#tell();
  }

  #settled(path: string): void {
    if (this.#leftovers.delete(path)) this.#tell();
  }

  #tell(): void {
    const [first] = this.#leftovers;
    const { folder, onTrouble } = this.#options;
    if (first === undefined) {
      onTrouble(undefined);
      return;
    }
    const [path, reason] = first;
    const count = this.#leftovers.size;
    const others = count === 1 ? '' : `, and ${count - 1} more`;
    onTrouble(`what tasks left cannot be removed: ${folder}/${path} (${reason})${others}`);
  }

  #work(work: () => Promise<void>): Promise<void> {
    const { log } = this.#options;
    const running = work()
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) log.error('task_folders_not_removed', { error });
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }
}

/** Ignores errors of the file system, which are recorded and retried by the caller. */
function unlessNoted(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}
