/** Writes local files under a temporary name, and renames them when complete: no failure leaves a partial file. */
import { createWriteStream } from 'node:fs';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { escapeControls } from './escape.ts';
import { FailedError } from './exit-codes.ts';
import { fileProblem } from './file-problem.ts';

export interface WholeFileOptions {
  /** True: an existing file is replaced. False: it stays, and a FailedError is thrown. */
  readonly isReplacing: boolean;
  /** The mode, reduced by the umask; 0666 by default. */
  readonly mode?: number;
}

/** Error codes of file systems without hard links. */
const WITHOUT_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Throws a FailedError with the cause if the file cannot be written, and whatever `content` rejects with. */
export async function writeWhole(
  path: string,
  content: string | AsyncIterable<Uint8Array>,
  { isReplacing, mode = 0o666 }: WholeFileOptions,
): Promise<void> {
  // Not derived from the file's name, which may have the greatest possible length already.
  const partial = join(dirname(path), `.millrace-${crypto.randomUUID()}.partial`);
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
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw notWritten(path, error);
  });
  if (found?.isDirectory() === true)
    throw new FailedError(
      `${escapeControls(path)} is a directory: name the file that is to be written there`,
    );
  if (found !== undefined) throw existing(path);
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

/** Only errors of file calls have an `errno` here; the client wraps those of the network. */
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
