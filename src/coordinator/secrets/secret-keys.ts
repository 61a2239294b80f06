/**
 * The keys with which one coordinator encrypts secrets. It reads them from its file at intervals, and reports in the
 * database which ones it has. The newest key that all coordinators have is used for encryption. Any coordinator then
 * encrypts older secrets again with it, in portions. Every step can be interrupted and continued.
 */
import { AppError } from '../../domain/errors.ts';
import { whenDiskHasRoom } from '../../lib/disk-space.ts';
import type { Logger } from '../../lib/logger.ts';
import { type Encryption, encryptionWith } from '../../store/secret-key/encryption.ts';
import { hasKeyFile, openKeyFile, readKeyFile } from '../../store/secret-key/key-file.ts';
import { KeyRing } from '../../store/secret-key/key-ring.ts';
import {
  decryptsWithoutId,
  type EncryptedPlace,
  keysInUse,
  reEncryptPiece,
} from '../../store/secret-key/re-encryption.ts';
import {
  completeKey,
  currentKey,
  type KeyState,
  promoteKey,
  reportKeys,
} from '../../store/secret-key/save.ts';
import type { Sql } from '../../store/sql/sql.ts';

export interface SecretKeyParts {
  readonly sql: Sql;
  /** MILLRACE_SECRET_KEY_FILE. */
  readonly file: string;
  /** Id of this coordinator. */
  readonly self: string;
  readonly places: readonly EncryptedPlace[];
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

const EVERY_MS = 5_000;
// limit: portions of secrets that are encrypted again in one step; the rest follows in the next one.
const PORTIONS_MAX = 50;

/**
 * A missing file is created at the first start. Throws AppError INVALID_SETTINGS if the file cannot be read, or does
 * not contain the key of an encrypted secret, which the message names.
 */
export async function openSecretKeys(parts: SecretKeyParts): Promise<SecretKeys> {
  await refuseMissingFile(parts);
  const room = { what: 'the file of keys', folder: parts.file, log: parts.log };
  const ring = new KeyRing(await whenDiskHasRoom(room, () => openKeyFile(parts.file)));
  const { id } = await currentKey(parts.sql, ring.ids.at(-1) ?? '');
  const encryption = encryptionWith(ring);
  const keys = new SecretKeys(parts, ring, encryption);
  ring.use(id);
  await refuseMissing(parts, ring, encryption);
  await keys.step();
  return keys;
}

const REMEDY = 'use the file of the other coordinators, or the one that was kept with the backup';

/** No file is created where its key could not decrypt what is stored: it would stand where the right one belongs. */
async function refuseMissingFile({ sql, file, places }: SecretKeyParts): Promise<void> {
  if (await hasKeyFile(file)) return;
  const used = await keysInUse(sql, places);
  if (used.length === 0) return;
  const text = `${file} does not exist, and stored secrets are encrypted with key ${used.join(', ')}: ${REMEDY}`;
  throw new AppError('INVALID_SETTINGS', text);
}

async function refuseMissing(
  { sql, file, places, log }: SecretKeyParts,
  ring: KeyRing,
  encryption: Encryption,
): Promise<void> {
  const missing = (await keysInUse(sql, places)).filter((id) => ring.key(id) === undefined);
  const canDecryptWithoutId = await decryptsWithoutId(sql, encryption, places);
  if (missing.length > 0 || !canDecryptWithoutId) {
    const what = missing.length === 0 ? 'the key' : `key ${missing.join(', ')}`;
    const has = `it has ${ring.ids.join(', ')}`;
    const text = `${file} lacks ${what} that stored secrets are encrypted with (${has}): ${REMEDY}`;
    throw new AppError('INVALID_SETTINGS', text);
  }
  if (ring.currentKey !== undefined) return;
  log.warn('secret_key_missing', { file, missing: ring.currentId, has: ring.ids });
}

export class SecretKeys {
  readonly encryption: Encryption;
  readonly #parts: SecretKeyParts;
  readonly #ring: KeyRing;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** The key for which this coordinator has verified that every secret is encrypted with it. */
  #verifiedKeyId = '';
  #problem = '';

  constructor(parts: SecretKeyParts, ring: KeyRing, encryption: Encryption) {
    this.#parts = parts;
    this.#ring = ring;
    this.encryption = encryption;
  }

  /** Repeats `step` every few seconds until it is closed. */
  follow(everyMs = EVERY_MS): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#running = this.step().then(() => this.follow(everyMs));
    }, everyMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /**
   * Reads the file, reports its keys, and continues a key change. A failure is logged once and retried at the next
   * step.
   */
  async step(): Promise<void> {
    try {
      await this.#synchronize();
      this.#problem = '';
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#problem) this.#parts.log.warn('secret_keys_not_followed', { problem });
      this.#problem = problem;
    }
  }

  async #synchronize(): Promise<void> {
    const { sql, self, file, log } = this.#parts;
    const inFile = await readKeyFile(file);
    this.#ring.learn(inFile);
    const newest = inFile.at(-1)?.id ?? '';
    const before = await currentKey(sql, newest);
    this.#follow(before.id);
    await reportKeys(sql, { self, keyIds: inFile.map(({ id }) => id), currentId: before.id });
    if (newest !== before.id && (await promoteKey(sql, newest))) {
      log.info('secret_key_changed', { from: before.id, to: newest });
    }
    const state = await currentKey(sql, newest);
    if (state.id !== before.id) {
      this.#follow(state.id);
      await reportKeys(sql, { self, keyIds: inFile.map(({ id }) => id), currentId: state.id });
    }
    await this.#encryptAgain(state);
  }

  #follow(id: string): void {
    if (id === this.#ring.currentId) return;
    this.#ring.use(id);
    if (this.#ring.currentKey !== undefined) return;
    this.#parts.log.error('secret_key_missing', { file: this.#parts.file, missing: id, has: this.#ring.ids });
  }

  /**
   * Encrypts secrets again once all coordinators use the key, and a second time when no transaction can be open that
   * began before that.
   */
  async #encryptAgain({ id, isCompleted, isEverywhere, isSettled }: KeyState): Promise<void> {
    if (isCompleted || !isEverywhere || this.#ring.currentKey === undefined) return;
    if (this.#verifiedKeyId === id && !isSettled) return;
    const { sql, log } = this.#parts;
    const { reEncrypted, unreadable, isWhole } = await this.#reEncrypt(id);
    if (reEncrypted > 0) log.info('secrets_encrypted_again', { key: id, reEncrypted });
    if (unreadable > 0) log.error('secrets_unreadable', { key: id, unreadable });
    if (!isWhole || unreadable > 0) return;
    this.#verifiedKeyId = id;
    if (!isSettled) return;
    await completeKey(sql, id);
    log.info('secret_keys_rotated', { key: id });
  }

  async #reEncrypt(keyId: string) {
    const { sql, places } = this.#parts;
    const done = { reEncrypted: 0, unreadable: 0, isWhole: true };
    let portions = 0;
    for (const place of places) {
      let after: number | undefined = 0;
      while (after !== undefined) {
        if (portions === PORTIONS_MAX || this.#isClosed) return { ...done, isWhole: false };
        portions += 1;
        const portion = await reEncryptPiece(sql, this.encryption, place, { keyId, after });
        done.reEncrypted += portion.reEncrypted;
        done.unreadable += portion.unreadable;
        after = portion.next;
      }
    }
    return done;
  }
}
