/** Why a file of this machine cannot be read or written, in words. */
import { errnoWords } from '../../lib/errno-words.ts';

/** The failure in words, with the system's code in brackets. `path`: as the person typed it; empty if nobody did. */
export function fileProblem(error: unknown, path = ''): string {
  const { code = '', message } = error as Partial<NodeJS.ErrnoException>;
  const text = code === '' ? String(message) : errnoWords(code);
  return code === 'ENOENT' ? `${text}${notUtf8(path)}` : text;
}

/** What to do about a path that was not UTF-8 when typed: it arrives here with U+FFFD in it, and names no file. */
export function notUtf8(path: string): string {
  return path.includes('\ufffd')
    ? '; its name is not UTF-8, and cannot be an argument: rename it, or type /dev/stdin, and redirect it: <FILE'
    : '';
}

/** The same for a path in a workspace; undefined if it was UTF-8. */
export function notUtf8Place(path: string): string | undefined {
  return path.includes('\ufffd')
    ? 'the path has \ufffd in it: an argument that is not UTF-8 arrives so, and names no file; rename the file'
    : undefined;
}
