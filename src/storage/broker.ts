/**
 * The port to a workspace's files, used by agents only. One implementation a kind of storage; all are held to
 * `test/conformance/storage.ts`. Paths are relative to the workspace, as domain/paths spells them.
 *
 * What every broker promises: nothing stored is ever overwritten; what `store` has answered survives a crash
 * of the host; nothing outside the workspace is read or written, whatever links lie in it.
 * Failures are AppErrors: FILE_NOT_FOUND, PATH_NOT_ALLOWED, FILESYSTEM_IO (with `detail.errno`),
 * WORKSPACE_UNAVAILABLE, CONFLICT.
 */
import type { Readable } from 'node:stream';
import type { ByteRange, Content } from './content.ts';
import type { LocalRoot } from './local-root.ts';

export type BrokerKind = 'host' | 'nfs' | 'objstore';

export interface Reach {
  readonly isReachable: boolean;
  /** The directory is there and carries no marker: it may be claimed. */
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
  /** What `store` found it to be, where that is kept with the file; lists do not say it. */
  readonly sha256?: string;
}

export interface ListOptions {
  readonly recursive: boolean;
  /** Only paths that begin with it; any text, not necessarily a directory. */
  readonly prefix?: string;
  /** Only paths after it in the list's order: resumes where an earlier list stopped. */
  readonly after?: string;
  /** Files a page, default 1,000. */
  readonly pageSize?: number;
  /** Names of one directory that are held in memory, default 1,000,000; of a larger one it is read again. */
  readonly namesMax?: number;
}

/** Checked at this moment only, and trusted by its path from then on: to be mounted read-only. */
export interface MountedFile {
  readonly hostPath: string;
  readonly size: number;
}

export interface StoreOptions {
  /**
   * Names this piece of work: the same work repeated finds what it left, other content of the name is kept
   * apart.
   */
  readonly id: string | number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (bytes: number) => void;
}

export interface Stored {
  /** Where it is; differs from the wanted path when that was taken by other content. */
  readonly path: string;
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  readonly mtimeMs: number;
  /** The path held the same content before: nothing was written. */
  readonly isDuplicate: boolean;
}

/** `versioned`: there is no such file any more, but the store keeps its content as an earlier version. */
export type Removal = 'removed' | 'absent' | 'versioned';

export interface Broker {
  readonly kind: BrokerKind;
  /**
   * Whether the workspace can be used from here. `claim`: mark it as this workspace when nobody has. Never
   * throws.
   */
  check(options?: { readonly claim?: boolean }): Promise<Reach>;
  /**
   * Regular files by path, ascending, in pages. Hidden names and symbolic links are left out. The order is that of
   * UTF-16 code units for directories and of bytes for object stores: a list goes on where one of its own stopped.
   */
  list(options: ListOptions): AsyncIterable<readonly StoredEntry[]>;
  /** undefined when there is no regular file. */
  stat(path: string): Promise<StoredEntry | undefined>;
  openRead(path: string, range?: ByteRange): Promise<Readable>;
  /** Where this host has the stored object mounted as a file; undefined when it has to be fetched. */
  mountedFile(path: string): Promise<MountedFile | undefined>;
  /** Stores a copy of the content, which may be opened more than once. */
  store(content: Content, path: string, options: StoreOptions): Promise<Stored>;
  /** What an earlier `store` of this work stored; undefined also where that is not kept with the files. */
  storedBy(path: string, id: string | number): Promise<Stored | undefined>;
  /** Removes what an unfinished `store` of this work has left. What it has stored stays. */
  abandon(path: string, id: string | number): Promise<void>;
  /** `identity`: only that content of the file; other content is as if there was none. */
  remove(path: string, identity?: string): Promise<Removal>;
  /** The files as a local directory, where they are one: what links and moves without copying needs. */
  readonly local: LocalRoot | undefined;
}
