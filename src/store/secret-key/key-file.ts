/**
 * The file of encryption keys, readable by its owner only. The first start creates it, with one key as 32 bare bytes. A
 * file with several keys has a line for each, the newest last: `<id> <key in base64url>`.
 */
import { randomBytes } from 'node:crypto';
import { access, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { writeOnce } from '../../lib/write-once.ts';
import { KEY_BYTES, type SecretKey, secretKey } from './key-ring.ts';

const FILE_BYTES_MAX = 65_536;
const LINE = /^([0-9a-f]{10})\s+([A-Za-z0-9_-]{43})$/;

export function hasKeyFile(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Its keys, the newest last; the file is created if it is missing. Two concurrent starts get the same key. */
export async function openKeyFile(path: string): Promise<readonly SecretKey[]> {
  await writeOnce(path, randomBytes(KEY_BYTES));
  return readKeyFile(path);
}

/** Throws AppError INVALID_SETTINGS with the file and the line, and no key. */
export async function readKeyFile(path: string): Promise<readonly SecretKey[]> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw new AppError('INVALID_SETTINGS', `${path} cannot be read (${cause.code})`, {}, { cause });
  });
  if (bytes.length === KEY_BYTES) return [secretKey(bytes)];
  if (bytes.length > FILE_BYTES_MAX) throw new AppError('INVALID_SETTINGS', `${path} is no file of keys`);
  const keys = bytes
    .toString('latin1')
    .split('\n')
    .flatMap((line, index) => readLine(line.trim(), `${path}, line ${index + 1}`, bytes.length));
  if (keys.length === 0) throw new AppError('INVALID_SETTINGS', `${path} has no key in it`);
  return keys;
}

function readLine(line: string, place: string, fileBytes: number): SecretKey[] {
  if (line === '' || line.startsWith('#')) return [];
  const [, id, text] = LINE.exec(line) ?? [];
  const form = `it must hold ${KEY_BYTES} bytes (it has ${fileBytes}), or lines of an id and a key`;
  if (id === undefined || text === undefined) throw new AppError('INVALID_SETTINGS', `${place}: ${form}`);
  const key = secretKey(Buffer.from(text, 'base64url'));
  if (key.id !== id) throw new AppError('INVALID_SETTINGS', `${place}: the key is not the one of its id`);
  return [key];
}

/** Adds a new key as the newest; returns its id. The file is replaced atomically. */
export function addKey(path: string): Promise<string> {
  return rewritten(path, (keys) => {
    const added = secretKey(randomBytes(KEY_BYTES));
    return { keys: [...keys, added], result: added.id };
  });
}

/**
 * Adds keys that a backup had; returns the ids of those that were missing. A missing file is created with them. In an
 * existing one they come first: its newest key stays the one that encrypts.
 */
export async function addOlderKeys(path: string, older: readonly SecretKey[]): Promise<readonly string[]> {
  const isThere = await hasKeyFile(path);
  await writeOnce(path, linesOf(older));
  if (!isThere) return older.map(({ id }) => id);
  return rewritten(path, (keys) => {
    const known = new Set(keys.map(({ id }) => id));
    const missing = older.filter(({ id }) => !known.has(id));
    return { keys: [...missing, ...keys], result: missing.map(({ id }) => id) };
  });
}

/**
 * Moves all keys but the newest to `<path>.retired`, where a restore of an older backup finds them; returns their ids.
 */
export function retireKeys(path: string): Promise<readonly string[]> {
  return rewritten(path, async (keys) => {
    const retired = keys.slice(0, -1);
    if (retired.length > 0) await append(`${path}.retired`, linesOf(retired));
    return { keys: keys.slice(-1), result: retired.map(({ id }) => id) };
  });
}

type Change<T> = { readonly keys: readonly SecretKey[]; readonly result: T };

async function rewritten<T>(
  path: string,
  change: (keys: readonly SecretKey[]) => Change<T> | Promise<Change<T>>,
): Promise<T> {
  const pending = `${path}.next`;
  // This file serves as a lock: only the process that created it changes the keys.
  const file = await open(pending, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST')
      throw new AppError('INVALID_SETTINGS', `${pending} cannot be written (${cause.code})`, {}, { cause });
    const text = `${pending} exists: another process changes the keys. Remove it if that was stopped`;
    throw new AppError('STATE_CONFLICT', text);
  });
  try {
    const { keys, result } = await change(await readKeyFile(path));
    await file.writeFile(linesOf(keys));
    await file.sync();
    await rename(pending, path);
    await syncFolder(path);
    return result;
  } catch (error) {
    await unlink(pending).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}

async function append(path: string, text: string): Promise<void> {
  const file = await open(path, 'a', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
}

function linesOf(keys: readonly SecretKey[]): string {
  return keys.map(({ id, key }) => `${id} ${key.toString('base64url')}\n`).join('');
}
