/** Files with a secret: their owner alone may read them. */
import type { FileHandle } from 'node:fs/promises';
import { UsageError } from './exit-codes.ts';

/** Other users may do nothing with the file. */
const OTHERS = 0o077;

/** Throws a UsageError if others can read or write the open file. A terminal belongs to its user, whatever its mode. */
export async function checkPrivate(file: FileHandle, path: string): Promise<void> {
  const facts = await file.stat();
  if (facts.isCharacterDevice() || (facts.mode & OTHERS) === 0) return;
  throw new UsageError(`${path} can be read by others: run chmod 600 on it`);
}
