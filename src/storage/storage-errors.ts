/** Translates failures of the operating system's file calls to AppErrors. Nothing else in this folder reads errno. */
import { AppError, type ErrorCode } from '../domain/errors.ts';
import { errnoWords } from '../lib/errno-words.ts';

const CODES: Readonly<Record<string, ErrorCode>> = {
  ENOENT: 'FILE_NOT_FOUND',
  ENOTDIR: 'PATH_NOT_ALLOWED',
  ELOOP: 'PATH_NOT_ALLOWED',
  ENAMETOOLONG: 'PATH_NOT_ALLOWED',
};

/** What these mean for paths that must not leave a workspace. */
const WORDS: Readonly<Record<string, string>> = {
  ENOTDIR: 'no directory; links are not followed',
  ELOOP: 'a link; links are not followed',
};

/** The errno name of a failed file call (`ENOSPC`); undefined for any other failure. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return error instanceof Error && !(error instanceof AppError) && typeof code === 'string'
    ? code
    : undefined;
}

/** The failure as an AppError that names the action and the path. Anything but a file failure is returned unchanged. */
export function toStorageError(error: unknown, action: string, path: string): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  const code = CODES[errno] ?? 'FILESYSTEM_IO';
  return new AppError(
    code,
    `cannot ${action} '${path}': ${errnoWords(errno, WORDS[errno])}`,
    { action, path, errno },
    { cause: error },
  );
}

/** Runs a file call; translates its failure with `toStorageError`. */
export async function translating<T>(action: string, path: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toStorageError(error, action, path);
  }
}
