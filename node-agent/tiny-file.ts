/**
 * Reading a few bytes that were written just now, at once: they are in memory, and handing open, read and
 * close to threads takes longer. Never waits, whatever a task has put in the file's place.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';

const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Up to `bytesMax` bytes from `position`; undefined when the file is not there or cannot be read. */
export function readTinySync(path: string, position: number, bytesMax: number): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, FLAGS);
  } catch {
    return undefined; // never made, or removed meanwhile
  }
  try {
    const content = Buffer.alloc(bytesMax);
    return content.subarray(0, readSync(file, content, 0, bytesMax, position));
  } catch {
    return undefined; // a pipe or a directory in its place
  } finally {
    closeSync(file);
  }
}
