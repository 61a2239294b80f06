/**
 * Files directly in the folder of an execution, by path. The folder belongs to the agent. If the agent is not root, the
 * task runs as the same user, and may replace a file by anything. So none of these calls follows a link or waits for
 * the other end of a pipe, and only regular files are opened.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const SAFELY = constants.O_NONBLOCK | constants.O_NOFOLLOW;
const FLAGS = {
  read: constants.O_RDONLY | SAFELY,
  change: constants.O_RDWR | SAFELY,
  replace: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | SAFELY,
} as const;

/**
 * Up to `bytesMax` bytes from `position`; undefined if the file does not exist or cannot be read. Synchronous: for a
 * few recently written bytes, which are in memory; handing open, read and close to threads takes longer.
 */
export function readTinySync(path: string, position: number, bytesMax: number): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, FLAGS.read);
  } catch {
    return undefined; // never created, or removed meanwhile
  }
  try {
    if (!fstatSync(file).isFile()) return undefined;
    const content = Buffer.alloc(bytesMax);
    return content.subarray(0, readSync(file, content, 0, bytesMax, position));
  } catch {
    return undefined; // a failure of the disk
  } finally {
    closeSync(file);
  }
}

export interface TaskFileFacts {
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * The facts of a regular file; undefined if there is none. Synchronous: the kernel has the facts of a file that is
 * being written.
 */
export function taskFileFacts(path: string): TaskFileFacts | undefined {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  return facts?.isFile() ? { size: facts.size, mtimeMs: facts.mtimeMs } : undefined;
}

/** The caller closes it; undefined if there is no regular file, or it cannot be opened. */
export async function openTaskFile(path: string, how: keyof typeof FLAGS): Promise<FileHandle | undefined> {
  const file = await open(path, FLAGS[how], 0o600).catch(() => undefined);
  if (file === undefined || (await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

/** Creates the file, replacing an old one. Throws if that fails. */
export async function writeTaskFile(path: string, text: string): Promise<void> {
  const file = await openTaskFile(path, 'replace');
  if (file === undefined) throw new Error(`'${path}' cannot be written`);
  await file.writeFile(text).finally(() => file.close());
}

/** Up to `bytesMax` bytes as text; '' if there is no such file. */
export async function readTaskFile(path: string, bytesMax: number): Promise<string> {
  const file = await openTaskFile(path, 'read');
  if (file === undefined) return '';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytesMax), 0, bytesMax, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
