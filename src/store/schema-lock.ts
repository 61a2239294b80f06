/**
 * The lock on the shape of the schema. A backup holds it shared, so that the tables and partitions that it reads stay;
 * changes of the shape (migrations, restores, the creation and removal of log partitions) hold it exclusively.
 */
import type { Sql } from './sql/sql.ts';

/** An arbitrary number that other programs in the database don't use. */
export const SCHEMA_LOCK = 7_232_871_001;

/** Takes the lock exclusively until the transaction ends, without waiting. False: a backup or a migration holds it. */
export async function tryLockSchema(inside: Sql): Promise<boolean> {
  const [row] = await inside.execute<{ taken: boolean }>('select pg_try_advisory_xact_lock($1) as taken', [
    SCHEMA_LOCK,
  ]);
  return row?.taken === true;
}
