/**
 * Failures of the operating system's file calls, translated to AppErrors. Nothing else in this room reads
 * errno.
 */
import { AppError, type ErrorCode } from '../domain/errors.ts';

const CODES: Readonly<Record<string, ErrorCode>> = {
  ENOENT: 'FILE_NOT_FOUND',
  ENOTDIR: 'PATH_NOT_ALLOWED',
  ELOOP: 'PATH_NOT_ALLOWED',
  ENAMETOOLONG: 'PATH_NOT_ALLOWED',
};

/** The errno name of a failed file call (`ENOSPC`), or undefined when it is no such failure. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return error instanceof Error && !(error instanceof AppError) && typeof code === 'string'
    ? code
    : undefined;
}

/**
 * The failure as an AppError that names what was done to which path; what is no file failure is returned as
 * it is.
 */
export function toStorageError(error: unknown, action: string, path: string): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  const code = CODES[errno] ?? 'FILESYSTEM_IO';
  return new AppError(
    code,
    `cannot ${action} '${path}': ${errno}`,
    { action, path, errno },
    { cause: error },
  );
}

/** Runs a file call; its failure is thrown as `toStorageError` says. */
export async function translating<T>(action: string, path: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toStorageError(error, action, path);
  }
}
