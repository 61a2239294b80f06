/**
 * Secrets at rest: sealed with AES-256-GCM under the installation's key. What is sealed for one purpose
 * cannot be opened for another. The key is a file of 32 random bytes, readable by its owner alone.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { AppError } from '../domain/errors.ts';
import { writeOnce } from '../lib/write-once.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 1;

export interface Seal {
  /** `purpose` says what the secret belongs to (`job_type/12`); opening needs the same. */
  seal(clear: string, purpose: string): Buffer;
  /** Throws AppError SECRET_UNREADABLE when the key or the purpose is another, or the bytes were changed. */
  open(sealed: Uint8Array, purpose: string): string;
}

export function sealOf(key: Buffer): Seal {
  return {
    seal(clear, purpose) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([cipher.update(clear, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
    },
    open(sealed, purpose) {
      const bytes = Buffer.from(sealed);
      const tagAt = 1 + NONCE_BYTES;
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(1, tagAt))
          .setAAD(Buffer.from(purpose))
          .setAuthTag(bytes.subarray(tagAt, tagAt + TAG_BYTES));
        const clear = decipher.update(bytes.subarray(tagAt + TAG_BYTES));
        return Buffer.concat([clear, decipher.final()]).toString('utf8');
      } catch (cause) {
        const text =
          `a stored secret (${purpose}) cannot be opened: is MILLRACE_SECRET_KEY_FILE the one it was ` +
          'sealed with?';
        throw new AppError('SECRET_UNREADABLE', text, {}, { cause });
      }
    },
  };
}

/** Reads the key; the first start makes it. Two starts at once end with the same key. */
export async function openSeal(keyFile: string): Promise<Seal> {
  await writeOnce(keyFile, randomBytes(KEY_BYTES));
  const key = await readFile(keyFile);
  if (key.length !== KEY_BYTES) {
    throw new AppError('INVALID_SETTINGS', `${keyFile} must hold ${KEY_BYTES} bytes, it has ${key.length}`);
  }
  return sealOf(key);
}
