/**
 * Encryption of stored secrets with AES-256-GCM under a key of the installation. A secret that is encrypted for one
 * purpose cannot be decrypted for another. An encrypted secret names its key:
 *
 *   byte 0       1..5      6..17   18..33   34..
 *   2 (version)  key id    nonce   tag      ciphertext
 *
 * Version 1, which earlier programs wrote, has no key id: it is tried with each key.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { KeyRing } from './key-ring.ts';

const ALGORITHM = 'aes-256-gcm';
const ID_BYTES = 5;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 2;
const VERSION_WITHOUT_ID = 1;

export interface Encryption {
  /**
   * `purpose` says what the secret belongs to (`job_type/12`); decrypting needs the same. Throws AppError
   * SECRET_UNREADABLE if the current key is missing here.
   */
  encrypt(clear: string, purpose: string): Buffer;
  /** Throws AppError SECRET_UNREADABLE if the key or the purpose differs, or the bytes were changed. */
  decrypt(encrypted: Uint8Array, purpose: string): string;
}

/** Uses the keys that the ring has at each call. */
export function encryptionWith(ring: KeyRing): Encryption {
  return {
    encrypt(clear, purpose) {
      const key = ring.currentKey;
      if (key === undefined) throw keyMissing(ring.currentId, purpose);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(purpose));
      const encrypted = Buffer.concat([cipher.update(clear, 'utf8'), cipher.final()]);
      return Buffer.concat([keyPrefix(ring.currentId), nonce, cipher.getAuthTag(), encrypted]);
    },
    decrypt(encrypted, purpose) {
      const bytes = Buffer.from(encrypted);
      if (bytes[0] === VERSION) {
        const id = keyIdOf(bytes) ?? '';
        const key = ring.key(id);
        if (key === undefined) throw keyMissing(id, purpose);
        return opened(bytes.subarray(1 + ID_BYTES), key, purpose);
      }
      return openedByAny(bytes, ring, purpose);
    },
  };
}

/** The first bytes of everything that is encrypted under the key; in base64 exactly eight characters. */
export function keyPrefix(keyId: string): Buffer {
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(keyId, 'hex')]);
}

/** The key that an encrypted secret names; undefined if it names none. */
export function keyIdOf(encrypted: Uint8Array): string | undefined {
  if (encrypted[0] !== VERSION) return undefined;
  return Buffer.from(encrypted.subarray(1, 1 + ID_BYTES)).toString('hex');
}

function openedByAny(bytes: Buffer, ring: KeyRing, purpose: string): string {
  let failure: unknown = unreadable(purpose);
  if (bytes[0] !== VERSION_WITHOUT_ID) throw failure;
  for (const key of ring.all()) {
    try {
      return opened(bytes.subarray(1), key, purpose);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function opened(bytes: Buffer, key: Buffer, purpose: string): string {
  const textAt = NONCE_BYTES + TAG_BYTES;
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(NONCE_BYTES, textAt));
    const clear = decipher.update(bytes.subarray(textAt));
    return Buffer.concat([clear, decipher.final()]).toString('utf8');
  } catch (cause) {
    throw unreadable(purpose, cause);
  }
}

function unreadable(purpose: string, cause?: unknown): AppError {
  const text =
    `a stored secret (${purpose}) cannot be opened: is MILLRACE_SECRET_KEY_FILE the one it was ` +
    'encrypted with?';
  return new AppError('SECRET_UNREADABLE', text, {}, { cause });
}

function keyMissing(id: string, purpose: string): AppError {
  const text = `MILLRACE_SECRET_KEY_FILE has no key ${id}, which a stored secret (${purpose}) needs`;
  return new AppError('SECRET_UNREADABLE', text, { key: id });
}
