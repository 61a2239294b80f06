/**
 * The file systems of a world: one directory a workspace, shared by the hosts that mount it. What was written is
 * there whatever dies afterwards.
 */
import { objectIdentity } from '../../src/domain/workspace/object-identity.ts';

export interface StoredFile {
  readonly inode: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly sha256: string;
  /** The ETag of an object in a bucket. */
  readonly etag?: string;
}

export class Directory {
  readonly uuid: string;
  readonly files = new Map<string, StoredFile>();
  /** Bears the marker of its workspace. */
  isMarked = false;
  /** Those who watch it hear of every name that changed. */
  readonly watchers = new Set<(path: string) => void>();

  constructor(uuid: string) {
    this.uuid = uuid;
  }

  put(path: string, file: StoredFile): void {
    this.files.set(path, file);
    for (const watcher of this.watchers) watcher(path);
  }

  remove(path: string): void {
    this.files.delete(path);
  }
}

export function identityOf(file: StoredFile): string {
  if (file.etag !== undefined) return objectIdentity(file.etag, file.size);
  return `${file.inode}:${file.size}:${file.mtimeMs}`;
}

export class Disks {
  readonly directories = new Map<string, Directory>();
  #inode = 0;

  directory(uuid: string): Directory {
    let directory = this.directories.get(uuid);
    if (directory === undefined) {
      directory = new Directory(uuid);
      this.directories.set(uuid, directory);
    }
    return directory;
  }

  /** New content, with an inode of its own. */
  write(uuid: string, path: string, content: Omit<StoredFile, 'inode'>): StoredFile {
    this.#inode += 1;
    const file = { ...content, inode: this.#inode };
    this.directory(uuid).put(path, file);
    return file;
  }
}
