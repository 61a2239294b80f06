/**
 * One open directory, and the operations in it. Names in workspaces and in tasks' folders are passed to the file system
 * here and nowhere else (scripts/tidy/law.ts): relative to the open directory, following no link, never waiting for the
 * other end of a pipe.
 *
 * Node has no openat, but the kernel resolves `/proc/self/fd/<n>/<name>` from the open directory itself, which has the
 * same effect. Without /proc (not Linux) plain paths are used; those can be redirected by swapping a directory at the
 * right moment.
 */
import { constants, type Dirent, existsSync, lstatSync } from 'node:fs';
import {
  access,
  chmod,
  copyFile,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  opendir,
  rename,
  rmdir,
  statfs,
  unlink,
} from 'node:fs/promises';
import { AppError } from '../domain/errors.ts';
import { nameToBytes, needsBytes } from '../domain/paths.ts';
import { digest } from './digest.ts';
import { type FileFacts, toFacts } from './file-facts.ts';
import { nameOf } from './file-name.ts';
import type { SharedSync } from './shared-sync.ts';
import { errnoOf, toStorageError, translating } from './storage-errors.ts';

const OPEN_DIRECTORIES = '/proc/self/fd';
export const HAS_OPEN_DIRECTORIES = existsSync(OPEN_DIRECTORIES);
const AS_BYTES = { encoding: 'buffer', bufferSize: 256 } as const;
/** Names come as buffers, since they may be any bytes. Node's types do not have this encoding. */
const openNames = opendir as unknown as (
  path: string,
  options: typeof AS_BYTES,
) => Promise<{ read(): Promise<Dirent<Buffer> | null>; close(): Promise<void> }>;
const DIRECTORY_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY;
// O_NONBLOCK: if somebody replaced a file by a pipe, opening it must not wait for a writer.
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const WRITE_FLAGS = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** Linux's O_PATH, which Node does not name: locates the file without opening it or checking permissions on it. */
const FIND_FLAGS = 0o10000000 | constants.O_NOFOLLOW;

/** Called before each file call that changes or opens something; may throw. For simulated failures and crashes. */
export type BeforeStep = (step: string) => void;

/**
 * The root itself may be a symbolic link, because an administrator has configured it. Throws the file call's failure.
 */
export function openRootDirectory(root: string): Promise<FileHandle> {
  return open(root, DIRECTORY_FLAGS);
}

/** An open directory below a root. Names are single components. Owned by the `within` that created it. */
export class Folder {
  /** Relative to the root; '' for the root. */
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #absolute: string;
  readonly #beforeStep: BeforeStep;
  readonly #syncs: SharedSync;

  constructor(handle: FileHandle, absolute: string, path: string, beforeStep: BeforeStep, syncs: SharedSync) {
    this.#handle = handle;
    this.#absolute = absolute;
    this.path = path;
    this.#beforeStep = beforeStep;
    this.#syncs = syncs;
  }

  /** The path of `name`, relative to the root. */
  pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}/${name}`;
  }

  /** The argument of file calls for `name`. Valid only while this folder is open. */
  at(name: string): string | Buffer {
    const folder = HAS_OPEN_DIRECTORIES ? `${OPEN_DIRECTORIES}/${this.#handle.fd}` : this.#absolute;
    if (!needsBytes(name)) return `${folder}/${name}`;
    return Buffer.concat([Buffer.from(`${folder}/`), nameToBytes(name)]);
  }

  /** Throws if this agent may not make files here. */
  async mayWrite(): Promise<void> {
    await translating('write to', this.path, () => access(this.at('.'), constants.W_OK | constants.X_OK));
  }

  /** Opens a directory in this one. */
  async enter(name: string, create = false): Promise<Folder> {
    if (create) await this.#makeDirectory(name);
    const open_ = () => open(this.at(name), DIRECTORY_FLAGS | constants.O_NOFOLLOW);
    const handle = await translating('enter', this.pathOf(name), open_);
    return new Folder(handle, `${this.#absolute}/${name}`, this.pathOf(name), this.#beforeStep, this.#syncs);
  }

  /** The facts of `name`, without following a link; undefined when there is nothing. */
  async facts(name: string): Promise<FileFacts | undefined> {
    try {
      return toFacts(await lstat(this.at(name), { bigint: true }));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      return translating('look at', this.pathOf(name), () => Promise.reject(error));
    }
  }

  /** The same, synchronously: for a few names at a time, in a fast folder. */
  factsNow(name: string): FileFacts | undefined {
    try {
      const found = lstatSync(this.at(name), { bigint: true, throwIfNoEntry: false });
      return found === undefined ? undefined : toFacts(found);
    } catch (error) {
      throw toStorageError(error, 'look at', this.pathOf(name));
    }
  }

  /** The facts of this directory. */
  async ownFacts(): Promise<FileFacts> {
    return toFacts(await this.#handle.stat({ bigint: true }));
  }

  /** Opens a regular file for reading; anything else is refused with PATH_NOT_ALLOWED. The caller closes it. */
  async openRead(name: string): Promise<FileHandle> {
    this.#beforeStep(`open ${name}`);
    const open_ = () => open(this.at(name), READ_FLAGS);
    return this.#regular(name, await translating('read', this.pathOf(name), open_));
  }

  /** The content of a regular file, if it has at most `bytesMax` bytes. */
  async readUpTo(name: string, bytesMax: number): Promise<Uint8Array | undefined> {
    const handle = await this.openRead(name);
    try {
      const { size } = await handle.stat();
      // One byte more than expected: the file may grow while it is read.
      const bytes = new Uint8Array(Math.min(size, bytesMax) + 1);
      let length = 0;
      while (length < bytes.length) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return length > bytesMax ? undefined : bytes.subarray(0, length);
    } finally {
      await handle.close();
    }
  }

  /** As `openRead`, for reading and writing an existing file. */
  async openWrite(name: string): Promise<FileHandle> {
    this.#beforeStep(`open ${name}`);
    const open_ = () => open(this.at(name), WRITE_FLAGS);
    return this.#regular(name, await translating('write', this.pathOf(name), open_));
  }

  /** Creates a file for writing; fails if the name exists. The caller closes it. */
  async createNew(name: string, mode = 0o644): Promise<FileHandle> {
    this.#beforeStep(`create ${name}`);
    return translating('create', this.pathOf(name), () => open(this.at(name), CREATE_FLAGS, mode));
  }

  /**
   * Copies an open file to a new name: a clone where the file system supports it, else its bytes. The copy gets the
   * file's mode.
   */
  async copyFrom(from: FileHandle, name: string): Promise<void> {
    this.#beforeStep(`create ${name}`);
    await translating('create', this.pathOf(name), async () => {
      if (HAS_OPEN_DIRECTORIES) {
        const flags = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;
        return copyFile(`${OPEN_DIRECTORIES}/${from.fd}`, this.at(name), flags);
      }
      const into = await open(this.at(name), CREATE_FLAGS, 0o600);
      await digest(from, { into }).finally(() => into.close());
    });
  }

  /**
   * Adds a name for a file. Never overwrites: `taken` when the name exists, `impossible` when these two directories or
   * this file allow no link (another file system, somebody else's file).
   */
  async link(name: string, into: Folder, newName: string): Promise<'linked' | 'taken' | 'impossible'> {
    this.#beforeStep(`link ${name} ${newName}`);
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

  /** Renames within the directory. `newName` must be used by its owner only, since rename overwrites. */
  async renameToOwn(name: string, newName: string): Promise<boolean> {
    return this.renameInto(name, this, newName);
  }

  /** Renames into another directory, likewise. False when there is no `name`. */
  async renameInto(name: string, into: Folder, newName: string): Promise<boolean> {
    this.#beforeStep(`rename ${name} ${newName}`);
    return this.#unlessAbsent('rename', name, () => rename(this.at(name), into.at(newName)));
  }

  /** Makes a directory; fails if it exists. */
  async makeNewDirectory(name: string, mode: number): Promise<void> {
    this.#beforeStep(`mkdir ${name}`);
    await translating('create the directory', this.pathOf(name), () => mkdir(this.at(name), { mode }));
  }

  /** Removes an empty directory. Returns whether there was one. */
  async removeDirectory(name: string): Promise<boolean> {
    this.#beforeStep(`rmdir ${name}`);
    return this.#unlessAbsent('remove', name, () => rmdir(this.at(name)));
  }

  /** Gives the owner all rights in the directory `name`, so that its content can be removed. */
  async unlock(name: string): Promise<void> {
    await translating('unlock', this.pathOf(name), async () => {
      if (!HAS_OPEN_DIRECTORIES) return chmod(this.at(name), 0o700);
      const found = await open(this.at(name), FIND_FLAGS | constants.O_DIRECTORY);
      await chmod(`${OPEN_DIRECTORIES}/${found.fd}`, 0o700).finally(() => found.close());
    });
  }

  /** The same for this directory itself. */
  async unlockOwn(): Promise<void> {
    await translating('unlock', this.path, async () => {
      const { mode } = await this.#handle.stat();
      if ((mode & 0o700) !== 0o700) await this.#handle.chmod(0o700);
    });
  }

  /** Bytes free for the agent on this file system; undefined if it does not report them. */
  async freeBytes(): Promise<number | undefined> {
    const own = HAS_OPEN_DIRECTORIES ? `${OPEN_DIRECTORIES}/${this.#handle.fd}` : this.#absolute;
    const { blocks, bavail, bsize } = await translating('look at', this.path, () => statfs(own));
    return blocks === 0 ? undefined : bavail * bsize;
  }

  /** Removes a name; returns whether it existed. Never removes a directory. */
  async unlink(name: string): Promise<boolean> {
    this.#beforeStep(`unlink ${name}`);
    return this.#unlessAbsent('remove', name, () => unlink(this.at(name)));
  }

  /** Makes changes to the names of this directory durable. Concurrent calls share one sync. */
  async sync(): Promise<void> {
    this.#beforeStep(`sync ${this.path}`);
    const { inode } = await this.ownFacts();
    await translating('sync', this.path, () => this.#syncs.run(inode, () => this.#handle.sync()));
  }

  /** The names in this directory, as texts, in no order, read a few at a time: there may be millions. */
  async *names(): AsyncGenerator<{ readonly name: string; readonly kind: FileFacts['kind'] | undefined }> {
    const folder = HAS_OPEN_DIRECTORIES ? `${OPEN_DIRECTORIES}/${this.#handle.fd}` : this.#absolute;
    const directory = await translating('list', this.path, () => openNames(folder, AS_BYTES));
    try {
      for (;;) {
        const entry = await translating('list', this.path, () => directory.read());
        if (entry === null) return;
        yield { name: nameOf(entry.name), kind: kindOf(entry) };
      }
    } finally {
      await directory.close();
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #regular(name: string, handle: FileHandle): Promise<FileHandle> {
    try {
      if ((await handle.stat()).isFile()) return handle;
      throw new AppError('PATH_NOT_ALLOWED', `'${this.pathOf(name)}' is not a regular file`, {});
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async #makeDirectory(name: string): Promise<void> {
    this.#beforeStep(`mkdir ${name}`);
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

/** undefined if the file system does not report it. */
function kindOf(entry: Dirent<Buffer>): FileFacts['kind'] | undefined {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'other' : undefined;
}
