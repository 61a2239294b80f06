/**
 * Restores a backup into an empty database, in one transaction: a restore that fails, or is killed, leaves the database
 * as empty as it was. The schema is created as it was at the backup, without what is cheaper to add to full tables
 * (indexes, foreign keys), and without triggers while rows are loaded. Migrations to the present schema follow, as at a
 * coordinator's start.
 */
import { AppError } from '../../domain/errors.ts';
import { SCHEMA_LOCK } from '../locks.ts';
import { MIGRATION_FILES } from '../migration-list.ts';
import type { BackupReader } from './backup-reader.ts';
import { POSTGRESQL_MIN, quoted, type Session, withSession } from './connection.ts';
import { CopyIn } from './copy.ts';
import { refuseUsed } from './empty-database.ts';
import { unusable } from './format.ts';
import { LEFT_OUT } from './left-out.ts';
import { addConstraints, createLogRanges, createSchema, dropConstraints } from './restored-schema.ts';
import { schemaTables, sequenceNames, serverVersion } from './schema.ts';
import type { OnProgress } from './take-backup.ts';

/**
 * How far every sequence is moved on. Ids that were given out after the backup are never given out again: agents, paths
 * and other systems still have them. A multiple of 64, so that ids keep their stripes (src/store/ids.ts).
 */
export const ID_GAP = 2 ** 40;
/** limit: of a sequence. JSON numbers are exact up to twice as much. */
const ID_MAX = 2 ** 52;

export interface RestoreOptions {
  readonly url: string;
  readonly reader: BackupReader;
  readonly onProgress?: OnProgress;
  readonly signal?: AbortSignal;
}

/** Reads the whole file without a database. Throws AppError INVALID_REQUEST if it is damaged. */
export async function verifyBackup(
  reader: BackupReader,
  onProgress: OnProgress = () => undefined,
  signal?: AbortSignal,
): Promise<void> {
  refuseMigrations(reader);
  const ignore = async () => signal?.throwIfAborted();
  const receiver = { begin: ignore, rows: ignore, end: ignore };
  await reader.read(receiver, (bytes) => onProgress('verifying the file', bytes, reader.bytes));
}

/** The file must be verified. Throws AppError CONFLICT if the database is used, INVALID_REQUEST for a wrong file. */
export async function restoreBackup(options: RestoreOptions): Promise<void> {
  const { reader, url, onProgress = () => undefined } = options;
  const { header } = reader;
  await withSession(url, options.signal, async (session) => {
    await refuseServer(session);
    await session.query('begin');
    await lockExclusively(session);
    await refuseUsed(session);
    await createSchema(session, refuseMigrations(reader));
    const tables = await matchedTables(session, reader);
    const later = await dropConstraints(session, [...tables.keys()]);
    await createLogRanges(session, header.log_ranges);
    await load(session, tables, options);
    await moveSequences(session, reader);
    await session.query('update shard_lease set epoch = $1', [header.shard_epoch + ID_GAP]);
    await addConstraints(session, later, onProgress);
    onProgress('statistics', 0, 1);
    await session.query('analyze');
    options.signal?.throwIfAborted();
    await session.query('commit');
  });
}

/** The statements of the migrations up to the backup's. */
function refuseMigrations({ header }: BackupReader): readonly (typeof MIGRATION_FILES)[number][] {
  const known = MIGRATION_FILES.map(({ name }) => name);
  const unknown = header.migrations.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const text =
      `the backup was taken by a newer version, ${header.millrace} (${unknown.join(', ')}): restore it with that ` +
      'version. Nothing was restored';
    throw new AppError('DATABASE_VERSION', text, { unknown });
  }
  if (header.migrations.length === 0 || header.migrations.some((name, at) => name !== known[at])) {
    throw unusable('its list of migrations has gaps');
  }
  return MIGRATION_FILES.slice(0, header.migrations.length);
}

async function refuseServer(session: Session): Promise<void> {
  const { version, number } = await serverVersion(session);
  if (number >= POSTGRESQL_MIN * 10_000) return;
  const text = `PostgreSQL ${POSTGRESQL_MIN} or later is needed, the server is ${version}`;
  throw new AppError('DATABASE_VERSION', text);
}

async function lockExclusively(session: Session): Promise<void> {
  const [row] = await session.query<{ taken: boolean }>('select pg_try_advisory_xact_lock($1) as taken', [
    SCHEMA_LOCK,
  ]);
  if (row?.taken === true) return;
  throw new AppError('CONFLICT', 'a coordinator, a backup or another restore is at work in the database');
}

interface MatchedTable {
  readonly columns: readonly string[];
  readonly isPartitioned: boolean;
}

/** The backup's tables and columns must be those of the schema, so that no name of the file gets into a statement. */
async function matchedTables(
  session: Session,
  { header }: BackupReader,
): Promise<ReadonlyMap<string, MatchedTable>> {
  const schema = new Map((await schemaTables(session)).map((table) => [table.name, table]));
  const matched = new Map<string, MatchedTable>();
  for (const { name, columns } of header.tables) {
    const table = schema.get(name);
    if (table === undefined || Object.hasOwn(LEFT_OUT, name) || matched.has(name)) {
      throw unusable(`a table in it is not one of its schema: ${JSON.stringify(name)}`);
    }
    if (!isSameSet(columns, table.columns)) throw unusable(`table ${name} has other columns than its schema`);
    matched.set(name, { columns, isPartitioned: table.isPartitioned });
  }
  const missing = [...schema.keys()].filter((name) => !matched.has(name) && !Object.hasOwn(LEFT_OUT, name));
  if (missing.length > 0) throw unusable(`tables are missing: ${missing.join(', ')}`);
  return matched;
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  const all = new Set(others);
  return some.length === all.size && new Set(some).size === all.size && some.every((one) => all.has(one));
}

async function load(
  session: Session,
  tables: ReadonlyMap<string, MatchedTable>,
  { reader, onProgress = () => undefined, signal }: RestoreOptions,
): Promise<void> {
  let copy: CopyIn | undefined;
  let current = '';
  await reader.read(
    {
      async begin({ name }) {
        const { columns = [], isPartitioned } = tables.get(name) ?? {};
        current = name;
        // `freeze` writes rows that need no vacuum. PostgreSQL allows it for plain tables that this transaction has
        // emptied.
        const how = isPartitioned === true ? '' : ' with (freeze)';
        copy = new CopyIn(
          session,
          `copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin${how}`,
        );
      },
      async rows(chunk) {
        signal?.throwIfAborted();
        await copy?.rows(chunk);
      },
      async end({ name }, expected) {
        const loaded = await copy?.end();
        if (loaded === expected) return;
        throw unusable(`table ${name} has ${loaded} rows, and its count says ${expected}`);
      },
    },
    (bytes) => onProgress(current, bytes, reader.bytes),
  );
}

async function moveSequences(session: Session, { header }: BackupReader): Promise<void> {
  const names = new Set(await sequenceNames(session));
  const given = header.sequences.map(({ name }) => name);
  if (!isSameSet(given, [...names])) throw unusable('its sequences are not those of its schema');
  const far = header.sequences.find((one) => one.last_value + ID_GAP > ID_MAX);
  if (far !== undefined) throw unusable(`no ids are left after so many restores (${far.name})`);
  const values = header.sequences.map((one) => [one.last_value + ID_GAP, one.is_called]);
  await session.query(
    `select setval(quote_ident(name)::regclass, value, called)
     from unnest($1::text[], $2::bigint[], $3::boolean[]) as s (name, value, called)`,
    [given, values.map(([value]) => value), values.map(([, called]) => called)],
  );
}
