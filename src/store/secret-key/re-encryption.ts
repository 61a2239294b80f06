/**
 * Encrypts all secrets in the database with another key, a bounded number of rows at a time. A row that was changed
 * meanwhile is left as it is. Repeating or interrupting it is harmless.
 */

import type { Sql } from '../sql/sql.ts';
import { type Encryption, keyIdOf, keyPrefix } from './encryption.ts';

/** A column with encrypted secrets: bytes, or JSON that contains them as base64. */
export interface EncryptedPlace {
  readonly table: string;
  readonly column: string;
  /** The path to the text in a JSON column. */
  readonly path?: readonly string[];
  /** The purpose for which the secret of the row with this id was encrypted. */
  readonly purposeOf: (id: number) => string;
}

interface EncryptedRow {
  readonly id: number;
  readonly encrypted: string;
}

export interface Piece {
  /** The start of the next piece; undefined if there is none. */
  readonly next: number | undefined;
  readonly reEncrypted: number;
  /** Rows that no available key can decrypt. */
  readonly unreadable: number;
}

const PIECE_ROWS = 100;

/** The encrypted bytes as base64, for either kind of column. */
function encryptedText({ column, path }: EncryptedPlace): string {
  if (path === undefined) return `translate(encode(${column}, 'base64'), E'\\n', '')`;
  return `${column} #>> '{${path.join(',')}}'`;
}

/** Encrypts again the next rows after `after` that are under another key than `keyId`, the current one. */
export async function reEncryptPiece(
  sql: Sql,
  encryption: Encryption,
  place: EncryptedPlace,
  cursor: { readonly keyId: string; readonly after: number },
): Promise<Piece> {
  const text = encryptedText(place);
  const rows = await sql.execute<EncryptedRow>(
    `select id, ${text} as encrypted from ${place.table}
     where id > $1 and not starts_with(${text}, $2) order by id limit ${PIECE_ROWS}`,
    [cursor.after, keyPrefix(cursor.keyId).toString('base64')],
  );
  let reEncrypted = 0;
  let unreadable = 0;
  for (const row of rows) {
    const again = encryptedAgain(encryption, row.encrypted, place.purposeOf(row.id));
    if (again === undefined) unreadable += 1;
    else reEncrypted += await replace(sql, place, row, again);
  }
  const isLast = rows.length < PIECE_ROWS;
  return { next: isLast ? undefined : rows.at(-1)?.id, reEncrypted, unreadable };
}

function encryptedAgain(encryption: Encryption, encrypted: string, purpose: string): Buffer | undefined {
  let clear: string;
  try {
    clear = encryption.decrypt(Buffer.from(encrypted, 'base64'), purpose);
  } catch {
    return undefined; // counted only; the error is reported where the row is used
  }
  return encryption.encrypt(clear, purpose);
}

async function replace(sql: Sql, place: EncryptedPlace, row: EncryptedRow, again: Buffer): Promise<number> {
  const { table, column, path } = place;
  const value = path === undefined ? '$2' : `jsonb_set(${column}, '{${path.join(',')}}', to_jsonb($2::text))`;
  const changed = await sql.execute(
    `update ${table} set ${column} = ${value} where id = $1 and ${encryptedText(place)} = $3 returning id`,
    [row.id, path === undefined ? again : again.toString('base64'), row.encrypted],
  );
  return changed.length;
}

/** Base64 of secrets that name their key begins with this (byte 0 is 2). */
const NAMES_ITS_KEY = "'^A[g-v]'";

/** Ids of the keys that secrets are encrypted under. */
export async function keysInUse(sql: Sql, places: readonly EncryptedPlace[]): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const place of places) {
    const text = encryptedText(place);
    const rows = await sql.execute<{ readonly prefix: string }>(
      `select distinct left(${text}, 8) as prefix from ${place.table} where ${text} ~ ${NAMES_ITS_KEY}`,
    );
    for (const { prefix } of rows) ids.add(keyIdOf(Buffer.from(prefix, 'base64')) ?? '');
  }
  return [...ids].sort();
}

/**
 * Whether secrets without a key id can be decrypted; one is tried, since all were encrypted under one key. True if
 * there are none.
 */
export async function decryptsWithoutId(
  sql: Sql,
  encryption: Encryption,
  places: readonly EncryptedPlace[],
): Promise<boolean> {
  for (const place of places) {
    const text = encryptedText(place);
    const [row] = await sql.execute<EncryptedRow>(
      `select id, ${text} as encrypted from ${place.table} where ${text} !~ ${NAMES_ITS_KEY} order by id limit 1`,
    );
    if (row === undefined) continue;
    return encryptedAgain(encryption, row.encrypted, place.purposeOf(row.id)) !== undefined;
  }
  return true;
}

export interface UnreadableSecret {
  /** `job_type`, `workspace` or `strike`. */
  readonly table: string;
  /** Name, of a job type with its version. */
  readonly name: string;
}

/** Records with a secret that cannot be decrypted; all with a secret if there is no key. A piece of rows at a time. */
export async function unreadableSecrets(
  sql: Sql,
  encryption: Encryption | undefined,
  places: readonly EncryptedPlace[],
): Promise<readonly UnreadableSecret[]> {
  const found: UnreadableSecret[] = [];
  for (const place of places.filter(({ table }) => table !== 'idempotency_key')) {
    const text = encryptedText(place);
    let after = 0;
    for (;;) {
      const rows = await sql.execute<EncryptedRow & { name: string }>(
        `select id, concat_ws(' ', name, to_jsonb(r) ->> 'version') as name, ${text} as encrypted
         from ${place.table} r where id > $1 and ${text} is not null order by id limit ${PIECE_ROWS}`,
        [after],
      );
      for (const { id, name, encrypted } of rows) {
        if (encryption !== undefined && canDecrypt(encryption, encrypted, place.purposeOf(id))) continue;
        found.push({ table: place.table, name });
      }
      const last = rows.at(-1)?.id;
      if (last === undefined || rows.length < PIECE_ROWS) break;
      after = last;
    }
  }
  return found;
}

function canDecrypt(encryption: Encryption, encrypted: string, purpose: string): boolean {
  try {
    encryption.decrypt(Buffer.from(encrypted, 'base64'), purpose);
    return true;
  } catch {
    return false; // the caller lists it
  }
}
