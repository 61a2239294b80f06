/** Databases for tests of backups: filled with one row a table, backed up, restored, and compared. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Test } from 'tap';
import { BackupFile } from '../../../src/store/backup/backup-file.ts';
import { BackupReader } from '../../../src/store/backup/backup-reader.ts';
import { withSession } from '../../../src/store/backup/connection.ts';
import { copyOut } from '../../../src/store/backup/copy.ts';
import type { BackupHeader } from '../../../src/store/backup/format.ts';
import { LEFT_OUT } from '../../../src/store/backup/left-out.ts';
import { restoreBackup, verifyBackup } from '../../../src/store/backup/restore.ts';
import { appliedNames, logRanges, readSequences, schemaTables } from '../../../src/store/backup/schema.ts';
import { takeBackup } from '../../../src/store/backup/take-backup.ts';
import { testDatabase } from '../../support/db.ts';
import { type StoreWorld, storeWorld } from '../store-world.ts';

/** All that the text form of COPY, JSON and terminals take for something else. */
export const ODD = '\\N \\. \t\n\r\b\f\v \\\\ \\x41 \' " $$ ; -- äöü \u202e مرحبا 👩‍🚀 \u0001\u007f end\\';

export async function ask<T extends object>(url: string, text: string, params: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(text, params)).rows;
  } finally {
    await client.end();
  }
}

/** Where a check allows few values. */
const CHECKED: Readonly<Record<string, string | null>> = {
  ...{ 'client_spelling.kind': 'workspace', 'access_token.scope': 'read', 'audit.known_by': 'none' },
  ...{ 'error.category': 'DATA', 'type_update.kind': 'job', 'type_update_member.state': 'waiting' },
  ...{ 'recipe_node.sub_recipe_id': null, 'recipe_node.condition_id': null, 'job.owner_kind': 'job' },
  ...{ 'job.status': 'RUNNING', 'job_exe.status': 'COMPLETED', 'job_request.action': 'cancel' },
  ...{ 'job_request.revision': 'newest', 'job_log.stream': 'stdout', 'file.file_type': 'SOURCE' },
  ...{ 'ingest.scan_id': null, 'ingest.status': 'INGESTED', 'scan.run': 'ingest', 'purge.phase': 'find' },
  ...{ 'purge_file.bytes': 'waiting', 'daily_start.kind': 'job', 'daily_start_delta.kind': 'job' },
  ...{ 'job_outcome.status': 'FAILED', 'job_outcome_delta.status': 'FAILED' },
  ...{ 'scheduler_settings.queue_mode': 'FIFO', 'scheduler_settings.system_logging_level': 'INFO' },
};

const VALUES: Readonly<Record<string, unknown>> = {
  ...{ bigint: 1, integer: 1, smallint: 1, boolean: true, numeric: '1.50', 'double precision': 0.1 },
  'timestamp with time zone': '2026-01-02 03:04:05.678901+00',
  date: '2026-01-02',
  json: JSON.stringify({ [ODD]: ODD }),
  jsonb: JSON.stringify({ [ODD]: ODD }),
  uuid: '00000000-0000-4000-8000-00000000000f',
  bytea: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  text: ODD,
  'bigint[]': [1],
  'text[]': [ODD, ''],
};

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly length: number | null;
}

const COLUMNS = `
  select c.relname::text as table, a.attname::text as column, format_type(a.atttypid, null) as type,
    case when a.atttypmod > 4 and format_type(a.atttypid, null) = 'character varying' then a.atttypmod - 4 end as length
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> 'schema_migration' and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;

/** One row in every table; each id is 1, so that all references fit. */
export async function fillEveryTable(url: string): Promise<void> {
  const columns = (await ask<Column>(url, COLUMNS)).filter(
    ({ table }) => !/^(object_change|change_|shard_lease|coordinator|secret_key_holder)/.test(table),
  );
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set session_replication_role = replica');
  for (const table of new Set(columns.map((one) => one.table))) {
    const own = columns.filter((one) => one.table === table);
    const values = own.map(({ column, type, length }) => {
      const checked = CHECKED[`${table}.${column}`];
      if (checked !== undefined) return checked;
      const value = type === 'character varying' ? ODD : VALUES[type];
      if (value === undefined) throw new Error(`no value for ${table}.${column}, ${type}`);
      return length === null || typeof value !== 'string' ? value : value.slice(0, length);
    });
    const names = own.map(({ column }) => `"${column}"`).join(', ');
    await client.query(`delete from "${table}"`);
    await client.query(
      `insert into "${table}" (${names}) values (${values.map((_, at) => `$${at + 1}`).join(', ')})`,
      values,
    );
  }
  await client.end();
}

/** The rows of each table as one hash. */
export async function fingerprints(url: string, tables: readonly string[]): Promise<Record<string, string>> {
  const client = new pg.Client({
    connectionString: url,
    options: '-c timezone=UTC -c datestyle=ISO -c extra_float_digits=1',
  });
  await client.connect();
  const found: Record<string, string> = {};
  for (const table of tables) {
    const { rows } = await client.query<{ hash: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text collate "C")), '') as hash
       from "${table}" t`,
    );
    found[table] = rows[0]?.hash ?? '';
  }
  await client.end();
  return found;
}

export interface BackupWorld extends StoreWorld {
  readonly file: string;
  /** A backup of the world's database. */
  backUp(): Promise<void>;
}

export async function backupWorld(t: Test): Promise<BackupWorld> {
  const world = await storeWorld(t);
  const file = join(t.testdir(), 'all.backup');
  const backUp = async () => {
    await takeBackup({ url: world.url, path: file, version: '0.0.0-test', nowMs: 0 });
  };
  return { ...world, file, backUp };
}

/**
 * A file as the program writes it, from a database of any schema, with other content of the header where it is given.
 */
export async function writeBackup(
  url: string,
  path: string,
  over: Partial<Record<keyof BackupHeader, unknown>> = {},
  rowsOf: (table: string) => string | undefined = () => undefined,
): Promise<void> {
  await withSession(url, undefined, async (session) => {
    const tables = (await schemaTables(session)).filter(({ name }) => !Object.hasOwn(LEFT_OUT, name));
    const header = {
      ...{ created: '2026-01-02T03:04:05.678Z', millrace: '0.0.0-test', postgresql: '18.0', shard_epoch: 0 },
      migrations: await appliedNames(session),
      tables: tables.map(({ name, columns }) => ({ name, columns })),
      ...{ sequences: await readSequences(session), log_ranges: await logRanges(session), unfinished: {} },
      ...over,
    } as BackupHeader;
    const file = await BackupFile.create(path);
    await file.header(header);
    // Tables of somebody else's making have no rows.
    if (Array.isArray(over.tables)) for (const _ of over.tables) await file.endTable(0);
    for (const { name, columns } of over.tables === undefined ? tables : []) {
      const given = rowsOf(name);
      if (given !== undefined) await file.rows(Buffer.from(given));
      const selection = `select ${columns.map((column) => `"${column}"`).join(', ')} from "${name}"`;
      await file.endTable(
        given === undefined ? await copyOut(session, selection, (chunk) => file.rows(chunk)) : 1,
      );
    }
    await file.finish();
  });
}

/** Restores into a new database, or the given one, and returns its URL. */
export async function restored(t: Test, file: string, into?: string): Promise<string> {
  const url = into ?? (await testDatabase(t));
  const reader = await BackupReader.open(file);
  try {
    await verifyBackup(reader);
    await restoreBackup({ url, reader });
  } finally {
    await reader.close();
  }
  return url;
}

export const modeOf = (path: string): number => statSync(path).mode & 0o777;
