/**
 * The files of control groups. They are in the kernel's memory: reading and writing them takes microseconds, less than
 * a thread would.
 */
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

// limit: files that stay open; others are opened for each reading.
const OPEN_MAX = 512;
let openCount = 0;
/** More than any file has that is read through it, except lists of processes. */
const piece = Buffer.alloc(4_096);

/** The text of a file of a group; '' if it cannot be read. */
export type Reader = (path: string) => string;

/**
 * The text of any file of a group, which is opened for it. Throws if that fails. The kernel ends a piece before a line
 * that does not fit, so only a small one is known to be all.
 */
export function readGroupFile(path: string): string {
  const file = openSync(path, 'r');
  try {
    const length = readSync(file, piece, 0, piece.length, null);
    if (length < piece.length / 2) return piece.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
  return readFileSync(path, 'utf8');
}

export const readControl: Reader = (path) => {
  try {
    return readGroupFile(path);
  } catch {
    return ''; // the group is gone
  }
};

/**
 * Files of one group that exists as long as this object is used: each is opened once, so that a reading is one call
 * instead of three. Not for lists of processes: version 1 shows the reader of an open file an earlier list.
 */
export class GroupFiles {
  readonly #files = new Map<string, number>();
  // The files of a group do not change.
  readonly #absent = new Set<string>();

  readonly read: Reader = (path) => {
    if (this.#absent.has(path)) return '';
    let file = this.#files.get(path);
    try {
      if (file === undefined) {
        if (openCount >= OPEN_MAX) return readControl(path);
        file = this.#open(path, 'r');
      }
      return piece.toString('utf8', 0, readSync(file, piece, 0, piece.length, 0));
    } catch {
      if (file === undefined) this.#absent.add(path);
      else this.#close(path, file);
      return '';
    }
  };

  /** Writes to a file, which is read through the same descriptor later. Throws if that fails. */
  write(path: string, text: string): void {
    writeSync(this.#files.get(path) ?? this.#open(path, 'r+'), text, 0);
  }

  close(): void {
    for (const [path, file] of this.#files) this.#close(path, file);
  }

  #open(path: string, flags: 'r' | 'r+'): number {
    const file = openSync(path, flags);
    openCount += 1;
    this.#files.set(path, file);
    return file;
  }

  #close(path: string, file: number): void {
    this.#files.delete(path);
    openCount -= 1;
    closeSync(file);
  }
}
