/**
 * Temporary folders of process tasks, and their removal before the next task of the same user. If supervisors may have
 * mount namespaces, each slot has folders of its own in place of the host's. Otherwise the host's folders are searched
 * for files of the slot's user. Without separate users, tasks are the agent's user, and their files cannot be
 * distinguished.
 */
import { lstatSync, opendirSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Logger } from '../../../src/observe/log.ts';
import type { Folder } from '../../../src/storage/folder.ts';
import { LocalRoot } from '../../../src/storage/local-root.ts';
import { removeTree } from '../../../src/storage/remove-tree.ts';
import { errnoOf } from '../../../src/storage/storage-errors.ts';
import type { MountStep } from '../spawner/spawn-order.ts';

export interface TemporaryFolders {
  /** Called before a slot is used for the first time. False if its leftovers cannot be removed. */
  open(slot: number): Promise<boolean>;
  /** A task of an earlier run of the agent still has the slot. */
  adopt(slot: number): void;
  /** Empties the slots that earlier runs of the agent left and no task has. */
  removeLeftovers(): Promise<void>;
  /** The mounts for the supervisor of a task. `program`: its names, all of which stay visible. */
  mounts(slot: number, program: readonly string[], sharedMemoryMib: number): Promise<readonly MountStep[]>;
  /** Removes the leftovers of a task; none of its processes runs any more. */
  clear(slot: number, task: LeavingTask): Promise<Cleared>;
}

export interface LeavingTask {
  readonly userId: number;
  /** Undefined if an earlier run of the agent started it. */
  readonly supervisorPid: number | undefined;
}

export interface Cleared {
  /** Nothing of the task is left where the next one could find it. */
  readonly isClear: boolean;
  /** Something is left that only disappears with the supervisor's namespaces. */
  readonly isSpent: boolean;
}

const CLEARED: Cleared = { isClear: true, isSpent: false };
const TEMPORARY = ['/tmp', '/var/tmp'];
const SHARED_MEMORY = '/dev/shm';
/** Where a supervisor checks for message queues. */
const QUEUES = 'queues';
const EVERYBODY = 0o1777;
const OTHERS_WRITE = 0o002;
const ROOT = 0;

export interface FoldersOptions {
  /** The agent's folder for temporary files; those of slots are inside it. */
  readonly folder: string;
  /** Folder of the executions' folders. */
  readonly executions: string;
  readonly log: Logger;
}

/** Folders for tasks that run as the agent's user. */
export const NO_FOLDERS: TemporaryFolders = {
  open: async () => true,
  adopt: () => undefined,
  removeLeftovers: async () => undefined,
  mounts: async () => [],
  clear: async () => CLEARED,
};

/** A folder of the host that each slot replaces by its own. */
interface Place {
  /** Resolved: no link. */
  readonly host: string;
  /** Name in the slot's folder. */
  readonly name: string;
  readonly isMemory: boolean;
}

/** Folders in mount namespaces, one for each slot's supervisor. */
export class OwnFolders implements TemporaryFolders {
  readonly #folder: string;
  /** Its name, and the target if that is a link. */
  readonly #executions: readonly string[];
  readonly #log: Logger;
  readonly #places: readonly Place[];
  readonly #opened = new Map<number, Promise<boolean>>();

  private constructor(
    { folder, log }: FoldersOptions,
    executions: readonly string[],
    places: readonly Place[],
  ) {
    this.#folder = folder;
    this.#executions = executions;
    this.#log = log;
    this.#places = places;
  }

  static async find(options: FoldersOptions): Promise<OwnFolders> {
    const memory = await hostFolders([SHARED_MEMORY]);
    const places = (await hostFolders([...TEMPORARY, SHARED_MEMORY])).map((host) => ({
      host,
      name: host.slice(1).replaceAll('/', '-'),
      isMemory: memory.includes(host),
    }));
    return new OwnFolders(options, await namesOf(options.executions), places);
  }

  open(slot: number): Promise<boolean> {
    const known = this.#opened.get(slot);
    if (known !== undefined) return known;
    const opening = this.#make(slot);
    this.#opened.set(slot, opening);
    opening.catch(() => this.#opened.delete(slot)); // for example a full disk; the next task tries again
    return opening;
  }

  adopt(slot: number): void {
    this.#opened.set(slot, Promise.resolve(true));
  }

  async removeLeftovers(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const slot of names.map(Number)) {
      await this.open(slot).catch((error) => this.#log.warn('slot_not_emptied', { slot, error }));
    }
  }

  async mounts(slot: number, program: readonly string[], sharedMemoryMib: number): Promise<MountStep[]> {
    const base = join(this.#folder, `${slot}`);
    const queues = join(base, QUEUES);
    const steps: MountStep[] = [{ kind: 'mqueue', source: '', target: queues }];
    const options = `size=${Math.ceil(sharedMemoryMib)}m,mode=${EVERYBODY.toString(8)}`;
    for (const { name, isMemory } of this.#places) {
      if (isMemory) steps.push({ kind: 'tmpfs', source: options, target: join(base, name) });
    }
    for (const path of [queues, ...this.#executions]) steps.push(...this.#showing(base, path, 'folder'));
    for (const path of await this.#hidden(program)) steps.push(...this.#showing(base, path, 'file'));
    // With all mounts inside it. The one that covers the slot's own folder comes last.
    const covers = this.#places.filter(({ host }) => isWithin(base, host));
    for (const { host, name } of [...this.#places.filter((place) => !covers.includes(place)), ...covers]) {
      steps.push({ kind: 'bind', source: join(base, name), target: host });
    }
    return steps;
  }

  async clear(slot: number, { supervisorPid }: LeavingTask): Promise<Cleared> {
    let [isClear, isSpent] = [true, false];
    for (const { host, name, isMemory } of this.#places) {
      if (isMemory) {
        isSpent ||= supervisorPid !== undefined && isUsed(`/proc/${supervisorPid}/root${host}`);
        continue;
      }
      const path = join(this.#folder, `${slot}`, name);
      if (isUsed(path) && !(await this.#empty(slot, path))) isClear = false;
    }
    return { isClear, isSpent };
  }

  /** Names of the program that the mounts would hide. */
  async #hidden(program: readonly string[]): Promise<readonly string[]> {
    const isCovered = (path: string): boolean =>
      this.#places.some(({ host }) => isWithin(path, host)) &&
      !this.#executions.some((folder) => isWithin(path, folder));
    const hidden = program.filter(isCovered);
    const [path] = hidden;
    return path !== undefined && (await stat(path)).isFile() ? hidden : [];
  }

  /** Folders of root are our mount points; a task cannot create any. */
  async #empty(slot: number, path: string): Promise<boolean> {
    return removing(this.#log, { slot, path }, () =>
      new LocalRoot(path).within('', (folder) =>
        removeWhere(folder, async (name) => (await lstat(folder.at(name))).uid !== ROOT),
      ),
    );
  }

  async #make(slot: number): Promise<boolean> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const base = join(this.#folder, `${slot}`);
    const isGone = await removing(this.#log, { slot, path: base }, () =>
      new LocalRoot(this.#folder).within('', (folder) =>
        removeWhere(folder, async (name) => name === `${slot}`),
      ),
    );
    if (!isGone) return false;
    await mkdir(base, { mode: 0o700 });
    for (const name of [...this.#places.map((place) => place.name), QUEUES]) {
      await mkdir(join(base, name));
      await chmod(join(base, name), EVERYBODY);
    }
    return true;
  }

  /** Keeps something below a folder visible that is about to be covered. */
  #showing(base: string, path: string, kind: 'folder' | 'file'): MountStep[] {
    const place = this.#places.find(({ host }) => isWithin(path, host));
    if (place === undefined) return [];
    const steps: MountStep[] = [];
    const own = join(base, place.name);
    const target = join(own, relative(place.host, path));
    for (let parent = dirname(target); parent !== own; parent = dirname(parent)) {
      steps.unshift({ kind: 'folder', source: '', target: parent });
    }
    return [...steps, { kind, source: '', target }, { kind: 'bind', source: path, target }];
  }
}

/** Folders of the host, which tasks of all slots share. */
export class SharedFolders implements TemporaryFolders {
  readonly #log: Logger;
  readonly #hosts: readonly string[];
  readonly open = NO_FOLDERS.open;
  readonly adopt = NO_FOLDERS.adopt;
  readonly removeLeftovers = NO_FOLDERS.removeLeftovers;
  readonly mounts = NO_FOLDERS.mounts;

  private constructor(log: Logger, hosts: readonly string[]) {
    this.#log = log;
    this.#hosts = hosts;
  }

  static async find(log: Logger): Promise<SharedFolders> {
    return new SharedFolders(log, await hostFolders([...TEMPORARY, SHARED_MEMORY]));
  }

  async clear(slot: number, { userId }: LeavingTask): Promise<Cleared> {
    let isClear = true;
    for (const path of this.#hosts) {
      const isGone = await removing(this.#log, { slot, path }, () =>
        new LocalRoot(path).within('', (folder) => removeOf(folder, userId)),
      );
      isClear &&= isGone;
    }
    return { isClear, isSpent: false };
  }
}

/** Removes what a user owns in a folder, and in world-writable ones inside it. Returns the failure, if any. */
async function removeOf(folder: Folder, userId: number): Promise<Error | undefined> {
  return removeWhere(folder, async (name) => {
    const facts = await lstat(folder.at(name)).catch(unlessGone);
    if (facts === undefined || facts.uid === userId) return facts !== undefined;
    if (facts.isDirectory() && (facts.mode & OTHERS_WRITE) !== 0) {
      const below = await folder.enter(name);
      const failure = await removeOf(below, userId).finally(() => below.close());
      if (failure !== undefined) throw failure;
    }
    return false;
  });
}

function unlessGone(error: unknown): undefined {
  if (errnoOf(error) !== 'ENOENT') throw error;
}

/** Reads the names again as long as some are removed, because a changing folder may list only a part. */
async function removeWhere(
  folder: Folder,
  isLeft: (name: string) => Promise<boolean>,
): Promise<Error | undefined> {
  for (;;) {
    let removedCount = 0;
    for await (const { name } of folder.names()) {
      if (!(await isLeft(name))) continue;
      const { failure } = await removeTree(folder, name);
      if (failure !== undefined) return failure;
      removedCount += 1;
    }
    if (removedCount === 0) return undefined;
  }
}

async function removing(
  log: Logger,
  place: { readonly slot: number; readonly path: string },
  remove: () => Promise<Error | undefined>,
): Promise<boolean> {
  const error = await remove().catch((thrown: Error) => thrown);
  if (error !== undefined) log.error('slot_set_aside', { ...place, error });
  return error === undefined;
}

/**
 * Whether anybody but root has something there; what cannot be checked counts. Synchronous, and name by name: it is
 * empty after nearly every task.
 */
function isUsed(path: string): boolean {
  try {
    const folder = opendirSync(path, { bufferSize: 1 });
    try {
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        if (lstatSync(join(path, entry.name), { throwIfNoEntry: false })?.uid !== ROOT) return true;
      }
      return false;
    } finally {
      folder.closeSync();
    }
  } catch (error) {
    return errnoOf(error) !== 'ENOENT';
  }
}

/** The existing ones, resolved, without duplicates. */
async function hostFolders(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return [...new Set(found.filter((path) => path !== undefined))];
}

/** Its name, and the target if it is a link; empty if it does not exist. */
export async function namesOf(path: string): Promise<string[]> {
  const real = await realpath(path).catch(() => undefined);
  return real === undefined ? [] : [...new Set([resolve(path), real])];
}

function isWithin(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}
