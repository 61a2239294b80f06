/**
 * The steps after a restore: migrate to the present schema, begin an epoch of the stream of changes, list unreadable
 * secrets.
 */
import type { Logger } from '../../lib/logger.ts';
import { addTick } from '../change/ticks.ts';
import { openDatabase } from '../database.ts';
import { encryptionWith } from '../secret-key/encryption.ts';
import { KeyRing, type SecretKey } from '../secret-key/key-ring.ts';
import {
  type EncryptedPlace,
  type UnreadableSecret,
  unreadableSecrets,
} from '../secret-key/re-encryption.ts';
import type { Sql } from '../sql/sql.ts';

export interface AfterRestoreOptions {
  readonly url: string;
  readonly log: Logger;
  /** Keys that the coordinators of this installation will have. */
  readonly keys: readonly SecretKey[];
  readonly places: readonly EncryptedPlace[];
  /** Further steps of a restore. */
  readonly also?: (sql: Sql) => Promise<void>;
}

/** Returns the secrets that no key can decrypt. */
export async function completeRestore(options: AfterRestoreOptions): Promise<readonly UnreadableSecret[]> {
  const { url, log, keys, places, also } = options;
  const database = await openDatabase({ url, log });
  try {
    await addTick(database.sql); // the history is another one now, so this begins a new epoch
    await also?.(database.sql);
    const encryption = keys.length === 0 ? undefined : encryptionWith(new KeyRing(keys));
    return await unreadableSecrets(database.sql, encryption, places);
  } finally {
    await database.close();
  }
}
