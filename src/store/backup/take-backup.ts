/**
 * Takes a backup of a database that may be in use. One transaction reads everything from one snapshot. Before it takes
 * the snapshot it locks all tables against removal, and the schema against migrations; readers and writers notice
 * nothing.
 */
import { AppError } from '../../domain/errors.ts';
import type { Secret } from '../../lib/secret.ts';
import { SCHEMA_LOCK } from '../locks.ts';
import { MIGRATION_FILES } from '../migration-list.ts';
import type { SecretKey } from '../secret-key/key-ring.ts';
import { BackupFile } from './backup-file.ts';
import { quoted, type Session, withSession } from './connection.ts';
import { copyOut } from './copy.ts';
import type { BackupHeader, BackupTable, UnfinishedWork } from './format.ts';
import { type LockedKeys, lockKeys } from './key-box.ts';
import { backedUpTables, LEFT_OUT } from './left-out.ts';
import { appliedNames, logRanges, readSequences, schemaTables, serverVersion } from './schema.ts';

/** What is being done, for a person who waits. */
export type OnProgress = (step: string, done: number, total: number) => void;

export interface BackupOptions {
  readonly url: string;
  /** The final name. */
  readonly path: string;
  readonly version: string;
  readonly nowMs: number;
  /** Absent: the file gets no encryption keys. */
  readonly secretKeys?: { readonly keys: readonly SecretKey[]; readonly passphrase: Secret };
  readonly onProgress?: OnProgress;
  /** Ends the backup; it then rejects, and leaves no file. */
  readonly signal?: AbortSignal;
}

export interface BackupSummary {
  readonly tables: number;
  readonly rows: number;
  readonly bytes: number;
  /** Tables of others in the same schema, which are not in the backup. */
  readonly foreign: readonly string[];
}

/** Throws AppError DATABASE_VERSION, STORE_UNAVAILABLE, NO_ROOM, CONFLICT or INVALID_REQUEST. */
export async function takeBackup(options: BackupOptions): Promise<BackupSummary> {
  const { secretKeys } = options;
  const locked =
    secretKeys === undefined ? undefined : await lockKeys(secretKeys.keys, secretKeys.passphrase);
  return withSession(options.url, options.signal, async (session) => {
    await lockSchema(session);
    const file = await BackupFile.create(options.path);
    try {
      return await written(session, file, options, locked);
    } catch (error) {
      await file.discard();
      throw error;
    }
  });
}

/** Locks of the session, so that no statement takes a snapshot before the tables are locked. */
async function lockSchema(session: Session): Promise<void> {
  await session.query('select pg_advisory_lock_shared($1)', [SCHEMA_LOCK]);
  const applied = await appliedNames(session);
  if (applied === undefined) {
    throw new AppError('NOT_FOUND', 'the database has no tables of Millrace: there is nothing to back up');
  }
  const known = MIGRATION_FILES.map(({ name }) => name);
  if (applied.length === known.length && applied.every((name, at) => name === known[at])) return;
  const text =
    'the schema is not the one of this version. Take the backup with the version that the coordinators have, or ' +
    'start this one first';
  throw new AppError('DATABASE_VERSION', text, { applied });
}

async function written(
  session: Session,
  file: BackupFile,
  options: BackupOptions,
  locked: LockedKeys | undefined,
): Promise<BackupSummary> {
  const { signal, onProgress = () => undefined } = options;
  const names = backedUpTables();
  await session.query('begin transaction isolation level repeatable read, read only');
  await session.query(`lock table ${names.map(quoted).join(', ')} in access share mode`);
  const header = await headerOf(session, options, locked);
  await file.header(header);
  for (const [at, table] of header.tables.entries()) {
    onProgress(table.name, at, header.tables.length);
    const rows = await copyOut(session, selectionOf(table), (chunk) => {
      signal?.throwIfAborted();
      return file.rows(chunk);
    });
    signal?.throwIfAborted();
    await file.endTable(rows);
  }
  await session.query('commit');
  const end = await file.finish();
  return { tables: end.tables, rows: end.rows, bytes: file.bytes, foreign: await foreignTables(session) };
}

const selectionOf = ({ name, columns }: BackupTable): string =>
  `select ${columns.map(quoted).join(', ')} from ${quoted(name)}`;

async function headerOf(
  session: Session,
  { version, nowMs }: BackupOptions,
  locked: LockedKeys | undefined,
): Promise<BackupHeader> {
  const [epoch] = await session.query<{ epoch: number }>(
    'select max(epoch)::float8 as epoch from shard_lease',
  );
  const all = await schemaTables(session);
  const isBackedUp = new Set(backedUpTables());
  return {
    created: new Date(nowMs).toISOString(),
    millrace: version,
    postgresql: (await serverVersion(session)).version,
    migrations: MIGRATION_FILES.map(({ name }) => name),
    tables: all.filter(({ name }) => isBackedUp.has(name)).map(({ name, columns }) => ({ name, columns })),
    sequences: await readSequences(session),
    log_ranges: await logRanges(session),
    shard_epoch: epoch?.epoch ?? 0,
    unfinished: await unfinishedWork(session),
    ...(locked === undefined ? {} : { secret_keys: locked }),
  };
}

const UNFINISHED = /* sql */ `
  select 'jobs ' || status as what, count(*)::int as count from job
  where status in ('PENDING', 'QUEUED', 'RUNNING') group by status   -- = job_live_status_idx
  union all
  select 'ingests ' || status, count(*)::int from ingest
  where ingest_ended is null and status in ('TRANSFERRING', 'TRANSFERRED', 'INGESTING')
  group by status   -- = ingest_unfinished_idx
  order by 1`;

async function unfinishedWork(session: Session): Promise<UnfinishedWork> {
  const rows = await session.query<{ what: string; count: number }>(UNFINISHED);
  return Object.fromEntries(rows.map(({ what, count }) => [what, count]));
}

async function foreignTables(session: Session): Promise<readonly string[]> {
  const known = new Set([...backedUpTables(), ...Object.keys(LEFT_OUT)]);
  return (await schemaTables(session)).map(({ name }) => name).filter((name) => !known.has(name));
}
