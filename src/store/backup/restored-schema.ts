/** The schema of a restore: created by the migrations, then without constraints and triggers while rows are loaded. */
import { logPartition } from '../log/partitions.ts';
import { MIGRATION_TABLE, type MigrationFile } from '../migration-list.ts';
import { LOG_PARTITION } from '../migrations/0001-tables.ts';
import { quoted, type Session } from './connection.ts';
import { unusable } from './format.ts';
import { IN_SCHEMA, logRanges } from './schema.ts';
import type { OnProgress } from './take-backup.ts';

/** As the migrator creates it; a test compares both. */
const CREATE_MIGRATION_TABLE = /* sql */ `
  create table ${MIGRATION_TABLE} (
    id serial primary key,
    name varchar(255) not null,
    executed_at timestamptz(6) not null default current_timestamp(6)
  )`;

/** limit: memory of the server for one index. */
const INDEX_MEMORY = '128MB';

export async function createSchema(session: Session, migrations: readonly MigrationFile[]): Promise<void> {
  await session.query(CREATE_MIGRATION_TABLE);
  for (const { name, up } of migrations) {
    for (const statement of up) await session.query(statement);
    await session.query(`insert into ${MIGRATION_TABLE} (name) values ($1)`, [name]);
  }
}

/** Statements that make the schema whole again. */
export interface Constraints {
  readonly indexes: readonly string[];
  readonly foreignKeys: readonly string[];
  readonly triggers: readonly string[];
}

const FOREIGN_KEYS = /* sql */ `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
  from pg_constraint where contype = 'f' and connamespace = ${IN_SCHEMA} and conparentid = 0
  order by conrelid::regclass::text, conname`;

const INDEXES = /* sql */ `
  select format('drop index %s', i.indexrelid::regclass) as drop, pg_get_indexdef(i.indexrelid) as add
  from pg_index i join pg_class c on c.oid = i.indrelid
  where c.relnamespace = ${IN_SCHEMA} and c.relkind = 'r' and not c.relispartition and c.relname = any($1)
    and not i.indisprimary and not exists (select from pg_constraint where conindid = i.indexrelid)
  order by i.indexrelid::regclass::text`;

interface Dropped {
  readonly drop: string;
  readonly add: string;
}

/** Takes the indexes, foreign keys and triggers away, and empties the tables. */
export async function dropConstraints(session: Session, tables: readonly string[]): Promise<Constraints> {
  const foreignKeys = await session.query<Dropped>(FOREIGN_KEYS);
  const indexes = await session.query<Dropped>(INDEXES, [tables]);
  for (const { drop } of [...foreignKeys, ...indexes]) await session.query(drop);
  const names = tables.map(quoted);
  for (const name of names) await session.query(`alter table ${name} disable trigger user`);
  await session.query(`truncate ${names.join(', ')}`);
  return {
    indexes: indexes.map(({ add }) => add),
    foreignKeys: foreignKeys.map(({ add }) => add),
    triggers: names.map((name) => `alter table ${name} enable trigger user`),
  };
}

/** Foreign keys last: they find what they refer to by the indexes. */
export async function addConstraints(
  session: Session,
  { indexes, foreignKeys, triggers }: Constraints,
  onProgress: OnProgress,
): Promise<void> {
  await session.query(`set local maintenance_work_mem = '${INDEX_MEMORY}'`);
  for (const [at, statement] of indexes.entries()) {
    onProgress('indexes', at, indexes.length);
    await session.query(statement);
  }
  for (const [at, statement] of foreignKeys.entries()) {
    onProgress('foreign keys', at, foreignKeys.length);
    await session.query(statement);
  }
  for (const statement of triggers) await session.query(statement);
}

/** limit: partitions of the logs, of 250,000 executions each. */
const RANGES_MAX = 10_000;

/** Creates the partitions that the backup's logs had, beside those of the migrations. */
export async function createLogRanges(session: Session, ranges: readonly number[]): Promise<void> {
  const isWrong = ranges.length > RANGES_MAX || ranges.some((from) => from % LOG_PARTITION !== 0);
  if (isWrong) throw unusable('its ranges of logs are not those of its schema');
  const known = new Set(await logRanges(session));
  for (const from of new Set(ranges)) {
    if (known.has(from)) continue;
    await session.query(
      `create table ${logPartition(from)} partition of job_log for values from (${from}) to (${from + LOG_PARTITION})`,
    );
  }
}
