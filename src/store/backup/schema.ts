/** Reads the schema from a database's catalogue: tables with their columns, sequences, partitions of the logs. */
import { MIGRATION_TABLE } from '../migration-list.ts';
import { quoted, type Session } from './connection.ts';
import type { BackupSequence } from './format.ts';

export const IN_SCHEMA = `(select oid from pg_namespace where nspname = current_schema())`;

export interface SchemaTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly isPartitioned: boolean;
}

const TABLES = /* sql */ `
  select c.relname::text as name, c.relkind = 'p' as "isPartitioned", array(
    select a.attname::text from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum
  ) as columns
  from pg_class c
  where c.relnamespace = ${IN_SCHEMA} and c.relkind in ('r', 'p') and not c.relispartition
  order by 1`;

/** All tables, without the partitions of others. */
export function schemaTables(session: Session): Promise<SchemaTable[]> {
  return session.query<SchemaTable>(TABLES);
}

const SEQUENCES = /* sql */ `
  select relname::text as name from pg_class
  where relnamespace = ${IN_SCHEMA} and relkind = 'S' and relname <> '${MIGRATION_TABLE}_id_seq' order by 1`;

export async function sequenceNames(session: Session): Promise<readonly string[]> {
  return (await session.query<{ name: string }>(SEQUENCES)).map(({ name }) => name);
}

/** Sequences are not part of a snapshot: if read after it was taken, none is behind an id in it. */
export async function readSequences(session: Session): Promise<readonly BackupSequence[]> {
  const names = await sequenceNames(session);
  const selects = names.map(
    (name, at) => `select ${at} as at, last_value::text as last, is_called as called from ${quoted(name)}`,
  );
  const rows = await session.query<{ at: number; last: string; called: boolean }>(
    `${selects.join(' union all ')} order by 1`,
  );
  return rows.map(({ at, last, called }) => ({
    name: names[at] ?? '',
    last_value: Number(last),
    is_called: called,
  }));
}

const LOG_RANGES = /* sql */ `
  select (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''(\\d+)''\\)'))[1]::float8 as begin
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'job_log'::regclass order by 1`;

/** First ids of the partitions of the logs, without the lowest and the default one. */
export async function logRanges(session: Session): Promise<readonly number[]> {
  const rows = await session.query<{ begin: number | null }>(LOG_RANGES);
  return rows.flatMap(({ begin }) => (begin === null ? [] : [begin]));
}

const SERVER = /* sql */ `
  select current_setting('server_version') as version, current_setting('server_version_num')::int as number`;

export async function serverVersion(session: Session): Promise<{ version: string; number: number }> {
  const [row] = await session.query<{ version: string; number: number }>(SERVER);
  return row ?? { version: '', number: 0 };
}

/** Names of applied migrations, in order; undefined: the database has no schema of Millrace. */
export async function appliedNames(session: Session): Promise<readonly string[] | undefined> {
  const [found] = await session.query<{ is: boolean }>(
    `select to_regclass('${MIGRATION_TABLE}') is not null as is`,
  );
  if (found?.is !== true) return undefined;
  const rows = await session.query<{ name: string }>(`select name from ${MIGRATION_TABLE} order by id`);
  return rows.map(({ name }) => name);
}
