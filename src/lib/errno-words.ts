/** Failures of the operating system's file calls, in words. */

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EBUSY: 'something else uses it',
  EDQUOT: 'the quota of its disk is used up',
  EFBIG: 'it would be larger than its file system allows',
  EIO: 'its disk does not work',
  EISDIR: 'it is a directory',
  ELOOP: 'its path has too many links',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'there is no such file or directory',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is no directory',
  ENOTEMPTY: 'it is not empty',
  EPERM: 'this is not permitted',
  EROFS: 'its file system can only be read',
  ESTALE: 'its file server has lost it',
};

/** The code in brackets, after the words for it, if there are any. */
export function errnoWords(code: string, words = WORDS[code]): string {
  return words === undefined ? code : `${words} (${code})`;
}
