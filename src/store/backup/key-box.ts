/**
 * The encryption keys of an installation inside a backup, under a passphrase: scrypt makes a key of it, AES-256-GCM
 * encrypts with that. The parameters are in the file for readers, and others are refused: they decide how much memory
 * an attempt takes.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { Secret } from '../../lib/secret.ts';
import { KEY_BYTES, type SecretKey, secretKey } from '../secret-key/key-ring.ts';

export const PASSPHRASE_CHARS_MIN = 12;
const CIPHER = 'aes-256-gcm';
const SCRYPT = { N: 2 ** 17, r: 8, p: 1 } as const;
/** limit: bytes of memory that one attempt may take (it takes 128 MiB). */
const SCRYPT_BYTES_MAX = 256 * 1024 * 1024;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const PURPOSE = Buffer.from('millrace backup secret keys');

export interface LockedKeys {
  readonly kdf: 'scrypt';
  readonly n: number;
  readonly r: number;
  readonly p: number;
  /** Base64, as the others. */
  readonly salt: string;
  readonly nonce: string;
  readonly tag: string;
  readonly ciphertext: string;
}

export async function lockKeys(keys: readonly SecretKey[], passphrase: Secret): Promise<LockedKeys> {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, await keyFrom(passphrase, salt), nonce).setAAD(PURPOSE);
  const clear = Buffer.concat(keys.map(({ key }) => key));
  const ciphertext = Buffer.concat([cipher.update(clear), cipher.final()]);
  return {
    ...{ kdf: 'scrypt', n: SCRYPT.N, r: SCRYPT.r, p: SCRYPT.p },
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    ciphertext: ciphertext.toString('base64'),
  };
}

/** The keys, the newest last. Throws AppError INVALID_REQUEST if the passphrase is another. */
export async function unlockKeys(locked: LockedKeys, passphrase: Secret): Promise<readonly SecretKey[]> {
  if (locked.kdf !== 'scrypt' || locked.n !== SCRYPT.N || locked.r !== SCRYPT.r || locked.p !== SCRYPT.p) {
    throw new AppError(
      'INVALID_REQUEST',
      'the keys in the backup are locked in a way that is not known here',
    );
  }
  const [salt, nonce, tag, ciphertext] = [locked.salt, locked.nonce, locked.tag, locked.ciphertext].map(
    (one) => Buffer.from(String(one), 'base64'),
  ) as [Buffer, Buffer, Buffer, Buffer];
  const key = await keyFrom(passphrase, salt);
  let clear: Buffer;
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: 16 })
      .setAAD(PURPOSE)
      .setAuthTag(tag);
    clear = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch (cause) {
    throw new AppError('INVALID_REQUEST', 'the passphrase is not the one of the backup', {}, { cause });
  }
  const count = Math.floor(clear.length / KEY_BYTES);
  return Array.from({ length: count }, (_, at) =>
    secretKey(Buffer.from(clear.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES))),
  );
}

function keyFrom(passphrase: Secret, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { ...SCRYPT, maxmem: SCRYPT_BYTES_MAX };
    scrypt(passphrase.reveal().normalize('NFC'), salt, KEY_BYTES, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
