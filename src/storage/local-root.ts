/**
 * Files below one local directory, reached one component at a time through open directories, so that no
 * symbolic link is ever followed and nothing outside the root can be touched, even while somebody swaps
 * directories under us.
 *
 * Node has no openat: `/proc/self/fd/<n>/<name>` is resolved by the kernel from the open directory itself,
 * which comes to the same. Where there is no such tree (not Linux) plain paths are used, which a swap at the
 * right moment can deceive.
 */
import { constants, type Dirent, existsSync, lstatSync, type OpenDirOptions } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, opendir, rename, unlink } from 'node:fs/promises';
import { AppError } from '../domain/errors.ts';
import {
  baseName,
  directoryOf,
  nameToBytes,
  needsBytes,
  normalisePath,
  relativePathProblem,
} from '../domain/paths.ts';
import { type FileFacts, toFacts } from './file-facts.ts';
import { nameOf } from './file-name.ts';
import { localDeviceOf, type RecentFile, readRecent } from './recent-file.ts';
import { SharedSync } from './shared-sync.ts';
import { errnoOf, toStorageError, translating } from './storage-errors.ts';

const OPEN_DIRECTORIES = '/proc/self/fd';
const HAS_OPEN_DIRECTORIES = existsSync(OPEN_DIRECTORIES);
// The types know nothing of it: names come as buffers, since they may be any bytes.
const AS_BYTES = { encoding: 'buffer', bufferSize: 256 } as unknown as OpenDirOptions;
const DIRECTORY_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY;
// O_NONBLOCK: opening a pipe that somebody put in the place of a file must not wait for a writer.
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Called before each file call that changes or opens something; it may throw. For simulated failures and
 * crashes.
 */
export type StepGate = (step: string) => void;

/** `path` relative to a root, checked and normalised. Throws PATH_NOT_ALLOWED. */
export function checkedPath(path: string): string {
  const problem = relativePathProblem(path);
  if (problem !== undefined) throw new AppError('PATH_NOT_ALLOWED', `the path ${problem}`, { path });
  return normalisePath(path);
}

export class LocalRoot {
  readonly root: string;
  readonly #gate: StepGate;
  readonly #ready: (() => Promise<void>) | undefined;
  readonly #syncs = new SharedSync();
  /** Where the root was found to lie on a disk of this host. */
  #device: bigint | undefined;
  #isElsewhere = !HAS_OPEN_DIRECTORIES;

  /** `ready`: run before the root is opened; throws when what should be there is not. */
  constructor(root: string, gate: StepGate = () => undefined, ready?: () => Promise<void>) {
    this.root = root;
    this.#gate = gate;
    this.#ready = ready;
  }

  /**
   * Runs `work` in the directory at `path` ('' is the root), which is closed afterwards. `create` makes the
   * directories that are missing, durably. Throws FILE_NOT_FOUND when it is absent, PATH_NOT_ALLOWED when a
   * component is not a directory (a symbolic link is not), WORKSPACE_UNAVAILABLE when the root itself is
   * missing.
   */
  async within<T>(path: string, work: (folder: Folder) => Promise<T>, create = false): Promise<T> {
    const folder = await this.#enter(path === '' ? '' : checkedPath(path), create);
    try {
      return await work(folder);
    } finally {
      await folder.close();
    }
  }

  /** As `within`, for the directory that holds the file at `path`; `work` also gets the file's name in it. */
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
    this.#gate(`open ${name}`);
    const device = await this.#localDevice();
    return device === undefined ? undefined : readRecent(this.root, name, device, nowMs);
  }

  /** Whether an open directory lies on the disk of this host that the root lies on: see `Folder.factsNow`. */
  async isQuick(folder: Folder): Promise<boolean> {
    const device = await this.#localDevice();
    return device !== undefined && (await folder.ownFacts()).device === String(device);
  }

  async #localDevice(): Promise<bigint | undefined> {
    if (this.#device === undefined && !this.#isElsewhere) {
      this.#device = await localDeviceOf(this.root).catch(() => undefined); // who opens it says why
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
      // The root itself may be a symbolic link: whoever configured the workspace chose it.
      return new Folder(await open(this.root, DIRECTORY_FLAGS), this.root, '', this.#gate, this.#syncs);
    } catch (error) {
      const errno = errnoOf(error);
      throw new AppError('WORKSPACE_UNAVAILABLE', `cannot open the workspace's directory: ${errno}`, {
        errno,
      });
    }
  }
}

/** An open directory below a root. Names are single components. Belongs to the `within` that made it. */
export class Folder {
  /** Relative to the root, '' for the root. */
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #absolute: string;
  readonly #gate: StepGate;
  readonly #syncs: SharedSync;

  constructor(handle: FileHandle, absolute: string, path: string, gate: StepGate, syncs: SharedSync) {
    this.#handle = handle;
    this.#absolute = absolute;
    this.path = path;
    this.#gate = gate;
    this.#syncs = syncs;
  }

  /** The path of `name`, relative to the root. */
  pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}/${name}`;
  }

  /** What file calls take for `name`: valid only while this folder is open. */
  at(name: string): string | Buffer {
    const folder = HAS_OPEN_DIRECTORIES ? `${OPEN_DIRECTORIES}/${this.#handle.fd}` : this.#absolute;
    if (!needsBytes(name)) return `${folder}/${name}`;
    return Buffer.concat([Buffer.from(`${folder}/`), nameToBytes(name)]);
  }

  /** Opens a directory in this one. */
  async enter(name: string, create = false): Promise<Folder> {
    if (create) await this.#makeDirectory(name);
    const open_ = () => open(this.at(name), DIRECTORY_FLAGS | constants.O_NOFOLLOW);
    const handle = await translating('enter', this.pathOf(name), open_);
    return new Folder(handle, `${this.#absolute}/${name}`, this.pathOf(name), this.#gate, this.#syncs);
  }

  /** What is there, without following a link; undefined when nothing is. */
  async facts(name: string): Promise<FileFacts | undefined> {
    try {
      return toFacts(await lstat(this.at(name), { bigint: true }));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      return translating('look at', this.pathOf(name), () => Promise.reject(error));
    }
  }

  /** The same, at once: for a few names at a time, of a folder that is quick. */
  factsNow(name: string): FileFacts | undefined {
    try {
      const found = lstatSync(this.at(name), { bigint: true, throwIfNoEntry: false });
      return found === undefined ? undefined : toFacts(found);
    } catch (error) {
      throw toStorageError(error, 'look at', this.pathOf(name));
    }
  }

  /** What this directory itself is. */
  async ownFacts(): Promise<FileFacts> {
    return toFacts(await this.#handle.stat({ bigint: true }));
  }

  /**
   * Opens a regular file for reading; anything else is refused with PATH_NOT_ALLOWED. The caller closes it.
   */
  async openRead(name: string): Promise<FileHandle> {
    this.#gate(`open ${name}`);
    const handle = await translating('read', this.pathOf(name), () => open(this.at(name), READ_FLAGS));
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    throw new AppError('PATH_NOT_ALLOWED', `'${this.pathOf(name)}' is not a regular file`, {});
  }

  /** Creates a file that must not exist, for writing. The caller closes it. */
  async createNew(name: string, mode = 0o644): Promise<FileHandle> {
    this.#gate(`create ${name}`);
    return translating('create', this.pathOf(name), () => open(this.at(name), CREATE_FLAGS, mode));
  }

  /**
   * One more name for a file. Never overwrites: `taken` when the name exists, `impossible` when these two
   * directories or this file allow no link (another file system, somebody else's file).
   */
  async link(name: string, into: Folder, newName: string): Promise<'linked' | 'taken' | 'impossible'> {
    this.#gate(`link ${name} ${newName}`);
    try {
      await link(this.at(name), into.at(newName));
      return 'linked';
    } catch (error) {
      const errno = errnoOf(error) ?? '';
      if (errno === 'EEXIST') return 'taken';
      if (['EXDEV', 'EPERM', 'EMLINK', 'EOPNOTSUPP', 'ENOSYS'].includes(errno)) return 'impossible';
      return translating('link', into.pathOf(newName), () => Promise.reject(error));
    }
  }

  /**
   * Another name in the same directory; `newName` must be one that only its owner uses, since rename
   * overwrites.
   */
  async renameToOwn(name: string, newName: string): Promise<boolean> {
    this.#gate(`rename ${name} ${newName}`);
    return this.#unlessAbsent('rename', name, () => rename(this.at(name), this.at(newName)));
  }

  /** Whether there was something to remove. Directories are never removed. */
  async unlink(name: string): Promise<boolean> {
    this.#gate(`unlink ${name}`);
    return this.#unlessAbsent('remove', name, () => unlink(this.at(name)));
  }

  /** Makes what happened to the names of this directory durable. Shared with whoever asks meanwhile. */
  async sync(): Promise<void> {
    this.#gate(`sync ${this.path}`);
    const { inode } = await this.ownFacts();
    await translating('sync', this.path, () => this.#syncs.run(inode, () => this.#handle.sync()));
  }

  /** Names in this directory, as texts, in no order, read a few at a time: there may be millions. */
  async *names(): AsyncGenerator<{ readonly name: string; readonly kind: FileFacts['kind'] | undefined }> {
    const folder = HAS_OPEN_DIRECTORIES ? `${OPEN_DIRECTORIES}/${this.#handle.fd}` : this.#absolute;
    const directory = await translating('list', this.path, () => opendir(folder, AS_BYTES));
    try {
      for (;;) {
        const entry = await translating('list', this.path, () => directory.read());
        if (entry === null) return;
        yield { name: nameOf(entry.name as unknown as Buffer), kind: kindOf(entry) };
      }
    } finally {
      await directory.close();
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #makeDirectory(name: string): Promise<void> {
    this.#gate(`mkdir ${name}`);
    try {
      await mkdir(this.at(name), { mode: 0o755 });
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return;
      await translating('create the directory', this.pathOf(name), () => Promise.reject(error));
    }
    await this.sync();
  }

  async #unlessAbsent(action: string, name: string, call: () => Promise<void>): Promise<boolean> {
    try {
      await call();
      return true;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      return translating(action, this.pathOf(name), () => Promise.reject(error));
    }
  }
}

/** undefined where the file system does not say. */
function kindOf(entry: Dirent): FileFacts['kind'] | undefined {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'other' : undefined;
}
