/** Reads a passphrase from a file, a descriptor or the terminal, which does not show it. It is never an argument. */
import { readdirSync, readlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import { Secret } from '../lib/secret.ts';
import { fileProblem } from './frame/file-problem.ts';
import { checkPrivate } from './frame/private-file.ts';

const BYTES_MAX = 1_024;
/** The highest descriptor of standard input, output and error. */
const STANDARD = 2;

/**
 * The first line of a file (a path) or of a descriptor (a number), at most 1,024 bytes. Throws AppError INVALID_REQUEST
 * if it is empty or cannot be read, and a UsageError for a file that others can read.
 */
export async function readPassphrase(source: string | number): Promise<Secret> {
  const path = typeof source === 'number' ? `/dev/fd/${source}` : source;
  const what = typeof source === 'number' ? `descriptor ${source}` : source;
  if (typeof source === 'number' && !isGiven(source))
    throw new AppError('INVALID_REQUEST', `the passphrase: ${what} is not open`);
  const handle = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw new AppError(
      'INVALID_REQUEST',
      `the passphrase: ${what} cannot be read: ${fileProblem(cause)}`,
      {},
      { cause },
    );
  });
  try {
    // A descriptor is not checked: the shell that opened it has decided what it refers to.
    if (typeof source === 'string') await checkPrivate(handle, path);
    const bytes = Buffer.alloc(BYTES_MAX);
    let size = 0;
    for (;;) {
      // A descriptor may be a pipe, which has no positions.
      const { bytesRead } = await handle.read(bytes, size, BYTES_MAX - size, null);
      size += bytesRead;
      if (bytesRead === 0 || size === BYTES_MAX || bytes.subarray(0, size).includes('\n')) break;
    }
    const [line = ''] = bytes.subarray(0, size).toString('utf8').split(/\r?\n/);
    if (line === '') throw new AppError('INVALID_REQUEST', `the passphrase: ${what} is empty`);
    return new Secret(line);
  } finally {
    await handle.close();
  }
}

/**
 * Whether the descriptor came from the caller, and is not one of this program's own. Reading one of its own pipes, of
 * which it has both ends, would never end.
 */
function isGiven(descriptor: number): boolean {
  const targetOf = (one: number | string): string => {
    try {
      return readlinkSync(`/proc/self/fd/${one}`);
    } catch {
      return '';
    }
  };
  const target = targetOf(descriptor);
  if (target === '' || target.startsWith('anon_inode:')) return false;
  if (descriptor <= STANDARD || !target.startsWith('pipe:')) return true;
  return readdirSync('/proc/self/fd').filter((one) => targetOf(one) === target).length === 1;
}

/**
 * Asks at the terminal. Resolves with undefined if there is none; the answer may be empty. Throws AppError
 * INVALID_REQUEST if the signal or Ctrl-C ends the wait.
 */
export async function askPassphrase(prompt: string, signal: AbortSignal): Promise<Secret | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: hidden, terminal: true, historySize: 0 });
  // The prompt comes last: until the interface owns the terminal, it shows what is typed.
  process.stderr.write(prompt);
  try {
    return await new Promise<Secret>((resolve, reject) => {
      const stop = () => reject(new AppError('INVALID_REQUEST', 'no passphrase was typed'));
      lines.once('SIGINT', stop);
      lines.once('close', stop);
      signal.addEventListener('abort', stop, { once: true });
      lines.question('', (answer) => resolve(new Secret(answer)));
    });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
