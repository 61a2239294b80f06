/** Files of this machine that have their names only when they are whole: a full disk or a kill leaves none in part. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { escapeControls } from './escape.ts';
import { FailedError } from './exit-codes.ts';
import { fileProblem } from './file-problem.ts';

export interface WholeFileOptions {
  /** What is there already is replaced; otherwise it stays, and a FailedError is thrown. */
  readonly isReplacing: boolean;
  /** By default what the umask leaves of 0666. */
  readonly mode?: number;
}

/** What a file system without hard links answers. */
const WITHOUT_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Throws a FailedError with the cause if nothing can be written; what `content` rejects with otherwise. */
export async function writeWhole(
  path: string,
  content: string | AsyncIterable<Uint8Array>,
  { isReplacing, mode = 0o666 }: WholeFileOptions,
): Promise<void> {
  // A short name of its own: that of the file may be as long as names can be.
  const partial = join(dirname(path), `.millrace-${randomBytes(6).toString('hex')}.partial`);
  const source = Readable.from(typeof content === 'string' ? [content] : content);
  try {
    await pipeline(source, createWriteStream(partial, { flags: 'wx', mode, flush: true }));
    await (isReplacing ? rename(partial, path) : renameToNew(partial, path));
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw isOfFile(error) ? notWritten(path, error) : error;
  }
}

/** Throws a FailedError if there is something at the path. */
export async function requireNew(path: string): Promise<void> {
  const isThere = await lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw notWritten(path, error);
    },
  );
  if (isThere) throw existing(path);
}

async function renameToNew(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path);
    await rm(partial);
  } catch (error) {
    if (!WITHOUT_LINKS.has((error as NodeJS.ErrnoException).code)) throw error;
    await (await open(path, 'wx')).close();
    await rename(partial, path);
  }
}

/** Errors of file calls have a number; those of the network do not come here as they are. */
function isOfFile(error: unknown): error is NodeJS.ErrnoException {
  return typeof (error as NodeJS.ErrnoException | undefined)?.errno === 'number';
}

export function notWritten(path: string, error: unknown): FailedError {
  if ((error as NodeJS.ErrnoException).code === 'EEXIST') return existing(path);
  return new FailedError(`${escapeControls(path)} cannot be written: ${fileProblem(error)}`);
}

function existing(path: string): FailedError {
  return new FailedError(`${escapeControls(path)} exists, and is not overwritten`);
}
