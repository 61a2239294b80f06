/**
 * The database of a coordinator: opened, migrated and closed here. Rows are read and written by hand-written SQL, over
 * one pool for commits and others for everything else.
 */
import { AppError } from '../domain/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { LEASE_MS_MAX } from './lease/lease-store.ts';
import { SCHEMA_LOCK, takeLock, tryLockSchema } from './locks.ts';
import { MIGRATION_FILES, MIGRATION_TABLE, type MigrationFile, UNRELEASED } from './migration-list.ts';
import { runMigrations } from './migrator.ts';
import type { ToMigrate } from './migrator-worker.ts';
import { openPool, type PoolOptions, type Sql, sqlOf } from './sql/sql.ts';
import { sqlStateOf, storeError } from './sql/store-errors.ts';

export interface DatabaseOptions {
  readonly url: string;
  readonly log: Logger;
  /** Connections for reads and the catalog. */
  readonly connectionsMax?: number;
  /** The time after which the server ends a statement, except in migrations. */
  readonly statementTimeoutMs?: number;
  readonly applicationName?: string;
}

/** The connections of one pool. */
export interface PoolFigures {
  readonly name: string;
  readonly max: number;
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

export interface Database {
  readonly sql: Sql;
  /** For the committer only, so that waiting reads do not delay commits. */
  readonly commits: Sql;
  pools(): readonly PoolFigures[];
  close(): Promise<void>;
}

const UNDEFINED_TABLE = '42P01';
/** Connections for statements that find rows by key, such as the loads of actors. */
const KEYED_MAX = 5;
/** Connections for commits; more concurrent commits than that wait for one. */
const COMMITS_MAX = 8;
/**
 * A commit locks its leases. If its coordinator stops in the middle, the locks are released before the leases expire,
 * so that another coordinator can take them at once.
 */
const IDLE_COMMIT_MS = 5_000;

/**
 * Opens the database and migrates its schema to this program's. Throws AppError DATABASE_VERSION if a newer program has
 * migrated it, STORE_UNAVAILABLE if it cannot be reached.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const applicationName = options.applicationName ?? 'millrace';
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000;
  const { url } = options;
  const poolOf = (connectionsMax: number, over: Partial<PoolOptions> = {}) =>
    openPool({ url, connectionsMax, statementTimeoutMs, applicationName, ...over });
  const pool = poolOf(options.connectionsMax ?? 7);
  const keyedPool = poolOf(KEYED_MAX, { queryPlans: 'kept' });
  const commitPool = poolOf(COMMITS_MAX, {
    queryPlans: 'kept',
    idleInTransactionMs: IDLE_COMMIT_MS,
  });
  const sql = sqlOf(pool, keyedPool);
  const close = async () => {
    await Promise.all([pool, keyedPool, commitPool].map((one) => one.end()));
  };
  try {
    await migrate(sql, options.log, { url, applicationName });
  } catch (error) {
    await close().catch(() => undefined);
    throw storeError(error);
  }
  return {
    sql,
    commits: sqlOf(commitPool),
    pools: () => [figuresOf('reads', pool), figuresOf('keyed', keyedPool), figuresOf('commits', commitPool)],
    close,
  };
}

function figuresOf(name: string, pool: ReturnType<typeof openPool>): PoolFigures {
  const { totalCount: open, idleCount: idle, waitingCount: waiting, options } = pool;
  return { name, max: options.max, open, idle, waiting };
}

/**
 * One coordinator migrates at a time; the others wait for it and find nothing left to do. A migration also waits for
 * backups. A schema that is current needs no lock: migrations become visible all at once.
 */
async function migrate(sql: Sql, log: Logger, toMigrate: ToMigrate): Promise<void> {
  if (await isCurrent(sql)) return;
  await sql.transaction(async (lock) => {
    await lock.execute('set local statement_timeout = 0');
    await lock.execute('set local idle_in_transaction_session_timeout = 0');
    if (!(await tryLockSchema(lock))) {
      log.info('migration_waiting', { note: 'a backup, a restore or another migration is under way' });
      await takeLock(lock, SCHEMA_LOCK);
    }
    const applied = await appliedMigrations(sql);
    refuseOthers(applied);
    if (applied.length === MIGRATION_FILES.length) return;
    if (applied.length > 0) await refuseBeside(sql, applied);
    log.info('schema_migrated', { migrations: await runMigrations(toMigrate) });
  });
}

async function isCurrent(sql: Sql): Promise<boolean> {
  const applied = await appliedMigrations(sql);
  refuseOthers(applied);
  return applied.length === MIGRATION_FILES.length;
}

async function appliedMigrations(sql: Sql): Promise<readonly string[]> {
  try {
    const rows = await sql.execute<{ name: string }>(`select name from ${MIGRATION_TABLE} order by id`);
    return rows.map((row) => row.name);
  } catch (error) {
    if (sqlStateOf(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}

function refuseOthers(applied: readonly string[]): void {
  if (applied.includes(UNRELEASED)) {
    throw new AppError(
      'DATABASE_VERSION',
      'The database was made by a version from before the first release, whose data cannot be taken over. Start that ' +
        'version to continue with it, or give this one an empty database (DATABASE_URL, or another data folder).',
      { migrations: [UNRELEASED] },
    );
  }
  const known = new Set(MIGRATION_FILES.map((file) => file.name));
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new AppError(
    'DATABASE_VERSION',
    `The database was migrated by a newer program (${unknown.join(', ')}). Start that version, or restore a ` +
      'backup from before its migration: a schema is never migrated back.',
    { migrations: unknown },
  );
}

/**
 * Some migrations do not allow coordinators of the previous version beside them. A seat that expires later than any
 * lease lasts was written before the database's clock stepped back.
 */
export async function refuseBeside(
  sql: Sql,
  applied: readonly string[],
  files: readonly Pick<MigrationFile, 'name' | 'isBreaking'>[] = MIGRATION_FILES,
): Promise<void> {
  const breaking = files.filter((file) => file.isBreaking && !applied.includes(file.name));
  if (breaking.length === 0) return;
  const rows = await sql.execute<{ id: string }>(
    `select id from coordinator
     where expires > now() and expires <= now() + ${LEASE_MS_MAX} * interval '1 millisecond'`,
  );
  if (rows.length === 0) return;
  const names = breaking.map((file) => file.name);
  throw new AppError(
    'DATABASE_VERSION',
    `${rows.length} coordinators of the previous version still run, but must not beside this one ` +
      `(${names.join(', ')}). Stop all coordinators, then start this version. One that was killed counts until its ` +
      'lease lapses.',
    { migrations: names },
  );
}
