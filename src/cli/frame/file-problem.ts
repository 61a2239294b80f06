/** Why a file of this machine cannot be read or written, in words. */

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EDQUOT: 'the quota of its disk is used up',
  EFBIG: 'it would be larger than its file system allows',
  EIO: 'its disk does not work',
  EISDIR: 'it is a directory',
  ELOOP: 'its path has too many links',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'there is no such file or directory',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is no directory',
  EPERM: 'this is not permitted',
  EROFS: 'its file system can only be read',
};

/** The failure in words, with the system's code in brackets. `path`: as the person typed it; empty if nobody did. */
export function fileProblem(error: unknown, path = ''): string {
  const { code = '', message } = error as Partial<NodeJS.ErrnoException>;
  const words = WORDS[code];
  const text = words === undefined ? code || String(message) : `${words} (${code})`;
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
