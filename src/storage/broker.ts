/**
 * The port to a workspace's files, used by agents only. Each kind of storage has one implementation; all must pass
 * `test/conformance/storage.ts`. Paths are relative to the workspace, in the form of domain/paths.
 *
 * Every broker guarantees: nothing stored is ever overwritten; a file survives a crash of the host once `store` has
 * returned; nothing outside the workspace is read or written, whatever links it contains. Failures are AppErrors:
 * FILE_NOT_FOUND, PATH_NOT_ALLOWED, FILESYSTEM_IO (with `detail.errno`), WORKSPACE_UNAVAILABLE, CONFLICT.
 */
import type { Readable } from 'node:stream';
import type { ByteRange, Content } from './content.ts';
import type { LocalRoot } from './local-root.ts';

export type BrokerKind = 'host' | 'nfs' | 'objstore';

export interface Reach {
  readonly isReachable: boolean;
  /** The directory exists and has no marker, so it may be claimed; the reason says if it cannot be marked from here. */
  readonly isUnmarked: boolean;
  /** Why it is not reachable; empty when it is. */
  readonly reason: string;
}

export interface StoredEntry {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** Changes with the content; see `FileFacts.identity`. */
  readonly identity: string;
  /** The hash that `store` computed, where the storage keeps it with the file. Lists leave it out. */
  readonly sha256?: string;
}

export interface ListOptions {
  readonly recursive: boolean;
  /** Only paths that begin with it. Any text, not necessarily a directory. */
  readonly prefix?: string;
  /** Only paths after it in the list's order: resumes an earlier list. */
  readonly after?: string;
  /** Sizes, times and identities are not needed: a storage that has to look at each file for them leaves them empty. */
  readonly pathsOnly?: boolean;
  /** Files per page; default 1,000. */
  readonly pageSize?: number;
  /** Most names of one directory in memory, default 1,000,000. A larger directory is read again. */
  readonly namesMax?: number;
}

/** A file in a mount. It is checked once and then used by its path, so the mount must be read-only. */
export interface MountedFile {
  readonly hostPath: string;
  readonly size: number;
}

export interface StoreOptions {
  /**
   * Identifies this piece of work. A repetition finds what the work has stored; different content of the same name is
   * stored separately.
   */
  readonly id: string | number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (bytes: number) => void;
  /**
   * Stores at the wanted path only. Throws CONFLICT if the path has any file that is not of this work,
   * WORKSPACE_UNAVAILABLE if the storage cannot guarantee that.
   */
  readonly isExact?: boolean;
  /**
   * With `isExact`: called when the content is known, before it gets its path. Resolves with the proof of an equal file
   * of this work that is at the path already and is kept; with undefined if the content has to be stored. Throws if the
   * path may not be used.
   */
  readonly reserve?: (content: StoredContent) => Promise<string | undefined>;
}

/** A file that is about to get its path. */
export interface StoredContent {
  /** As `Broker.proofAt` will give it. */
  readonly proof: string;
  readonly size: number;
  readonly sha256: string;
}

export interface Stored {
  /** Where it is stored; differs from the wanted path when other content has that. */
  readonly path: string;
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  readonly mtimeMs: number;
  /** The path already had the same content: nothing was written. */
  readonly isDuplicate: boolean;
  /** With `StoreOptions.reserve`: as `Broker.proofAt` gives it. */
  readonly proof?: string;
}

/** `versioned`: the file no longer exists, but the store keeps its content as an earlier version. */
export type Removal = 'removed' | 'absent' | 'versioned';

export interface Broker {
  readonly kind: BrokerKind;
  /**
   * Whether the workspace can be used from here. `claim`: mark the directory as this workspace if it is unmarked. Never
   * throws.
   */
  check(options?: { readonly claim?: boolean }): Promise<Reach>;
  /**
   * Regular files by path, ascending, in pages. Hidden names and symbolic links are left out. Directories are ordered
   * by UTF-16 code units and object stores by bytes: a list can only resume one from the same kind of storage.
   */
  list(options: ListOptions): AsyncIterable<readonly StoredEntry[]>;
  /** undefined when there is no such regular file. */
  stat(path: string): Promise<StoredEntry | undefined>;
  openRead(path: string, range?: ByteRange): Promise<Readable>;
  /** The path at which this host has the stored object mounted as a file; undefined when it has to be fetched. */
  mountedFile(path: string): Promise<MountedFile | undefined>;
  /** Stores a copy of the content, which may be opened more than once. */
  store(content: Content, path: string, options: StoreOptions): Promise<Stored>;
  /** The file that an earlier `store` of this work stored; undefined also if the storage does not record that. */
  storedBy(path: string, id: string | number): Promise<Stored | undefined>;
  /**
   * Removes what an unfinished `store` of this work has left behind. `isStored`: also the file of a `store` whose
   * answer was lost, if the storage records the work of a file. The work must not be repeated meanwhile.
   */
  abandon(path: string, id: string | number, isStored?: boolean): Promise<void>;
  /**
   * The proof of the file at a path, which distinguishes it from any other file there: the identity of a file in a
   * directory, the id of the work that stored an object. '' when nothing is there.
   */
  proofAt(path: string): Promise<string>;
  /** Removes what is at the path if it has this proof, also an upload that has not ended. */
  withdraw(path: string, proof: string): Promise<void>;
  /** `identity`: removes the file only if it has that identity; otherwise the file counts as absent. */
  remove(path: string, identity?: string): Promise<Removal>;
  /** The files as a local directory, if they are in one: needed to link and move without copying. */
  readonly local: LocalRoot | undefined;
}
