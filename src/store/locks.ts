/**
 * All advisory locks of PostgreSQL that this program takes, and what each protects. The numbers are arbitrary, and
 * other programs in the database do not use them. They never change, because coordinators of two versions run side by
 * side during an upgrade.
 */
import type { Sql } from './sql/sql.ts';

/** One number, or two: PostgreSQL keeps them apart. */
export type Lock = number | readonly [number, number];

/**
 * The shape of the schema. A backup holds it shared, so that the tables and partitions that it reads stay; changes of
 * the shape (migrations, restores, the creation and removal of log partitions) hold it exclusively.
 */
export const SCHEMA_LOCK = 7_232_871_001;

/** Edits that read several types before they write, so that none decides on outdated rows. */
export const CATALOG_LOCK = 7_232_871_002;

/** Deletions hold it exclusively; transactions that refer to records that could be deleted hold it shared. */
export const DELETION_LOCK = 7_232_871_003;

/** Creation and removal of partitions of the changes. */
export const CHANGE_PARTITIONS_LOCK = 7_232_871_004;

/** Creation of the types of diagnostics: several coordinators may start at once. */
export const DIAGNOSTIC_TYPES_LOCK = 6_100_117;

/** Changes of accounts and of their roles, so that one administrator remains. */
export const ACCOUNTS_LOCK = [4_711, 10] as const;

/** Logins by OpenID, which may create an account or link an identity to one. */
export const IDENTITIES_LOCK = [4_711, 11] as const;

/** Creation and decision of login codes, so that their limits are exact. */
export const LOGIN_CODES_LOCK = [4_711, 12] as const;

/** Writes of saved filters, so that the limit of an account is exact. */
export const SAVED_FILTERS_LOCK = [4_711, 13] as const;

/** Waits for the lock and holds it exclusively until the transaction ends. */
export async function takeLock(inside: Sql, lock: Lock): Promise<void> {
  if (typeof lock === 'number') await inside.execute('select pg_advisory_xact_lock($1)', [lock]);
  else await inside.execute('select pg_advisory_xact_lock($1, $2)', [...lock]);
}

/**
 * Takes SCHEMA_LOCK exclusively until the transaction ends, without waiting. False: a backup or a migration holds it.
 */
export async function tryLockSchema(inside: Sql): Promise<boolean> {
  const [row] = await inside.execute<{ taken: boolean }>('select pg_try_advisory_xact_lock($1) as taken', [
    SCHEMA_LOCK,
  ]);
  return row?.taken === true;
}
