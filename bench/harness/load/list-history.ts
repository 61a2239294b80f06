/**
 * Much history for lists, in bulk: rows go in without the indexes that only reads need, which are made again as the
 * catalog has them, and without what each row would set off; counters are counted once.
 *
 * 10^6 jobs row by row of one statement, with their indexes, foreign keys and counting triggers, took 330 s.
 */
import pg from 'pg';
import { RECOUNTED_DAYS, RECOUNTS } from '../../../test/store/metrics/recount.ts';
import type { StoreWorld } from '../../../test/store/store-world.ts';
import { listRows, type TableRows } from '../../../test/support/worlds/lists/list-rows.ts';

/** By kind of list, the tables that its pages read; `console`: those of all pages. */
const TABLES = {
  jobs: ['event', 'recipe', 'job', 'file', 'job_input_file'],
  files: ['file'],
  recipes: ['event', 'recipe'],
  ingests: ['ingest'],
  console: ['event', 'recipe', 'job', 'file', 'job_input_file', 'recipe_node', 'ingest'],
} as const satisfies Readonly<Record<string, readonly TableRows['table'][]>>;

export const LIST_KINDS = ['jobs', 'files', 'recipes', 'ingests'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** Rows in each table. */
export interface HistorySize {
  readonly finished: number;
  readonly live: number;
}

/** How many jobs there are for a recipe, its event and its input file. */
export const JOBS_PER_RECIPE = 10;
/** Two statements at a time, each in one process: an index made by several waits for their slowest. */
const SESSIONS = 2;
/**
 * With `replica` neither foreign keys are checked nor triggers called. The rest changes how soon rows are on the disk,
 * not whether: a checkpoint ends it. All of it ends with the session, so that what is measured has the server's own
 * settings.
 */
const SETTINGS = [
  ...['session_replication_role = replica', 'wal_compression = off', 'synchronous_commit = off'],
  ...["maintenance_work_mem = '1GB'", 'max_parallel_maintenance_workers = 0', 'statement_timeout = 0'],
];

/** Runs the statements, two at a time; the first error is thrown. */
async function runAll(url: string, statements: readonly string[]): Promise<void> {
  const left = [...statements];
  const work = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      for (const setting of SETTINGS) await client.query(`set ${setting}`);
      for (let text = left.shift(); text !== undefined; text = left.shift()) await client.query(text);
    } finally {
      await client.end();
    }
  };
  await Promise.all(Array.from({ length: Math.min(SESSIONS, statements.length) }, work));
}

/** What the triggers of counters would have added by now, counted from the rows. */
function countsOf(tables: readonly string[]): string[] {
  const counts = RECOUNTS.filter(({ table }) => tables.includes(table));
  return counts.map(({ text }) => `insert into list_count (kind, facets, count, least) ${text}`);
}

function insertsOf(world: StoreWorld, kind: keyof typeof TABLES, { finished, live }: HistorySize): string[] {
  const rows = finished + live;
  const perRecipe = kind === 'jobs' || kind === 'console' ? JOBS_PER_RECIPE : 1;
  // Ten million are those of four months.
  const apart = '1 second';
  const all = listRows(world, rows, { perRecipe, apart, live });
  const some = listRows(world, Math.ceil(rows / perRecipe), { apart, live: Math.ceil(live / perRecipe) });
  const own: readonly string[] = ['job', 'job_input_file', 'recipe_node'];
  return TABLES[kind].flatMap((table) => {
    const from = own.includes(table) ? all : some;
    return from.filter((one) => one.table === table).map(({ insert }) => insert);
  });
}

/** Fills the tables of one kind of list, or those of the console, in a new world. */
export async function fillHistory(
  world: StoreWorld,
  kind: keyof typeof TABLES,
  size: HistorySize,
): Promise<void> {
  const tables = TABLES[kind];
  const indexes = await world.rows<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = any($1::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)`,
    [tables],
  );
  await runAll(world.url, [`drop index ${indexes.map(({ name }) => name).join(', ')}`]);
  await runAll(world.url, insertsOf(world, kind, size));
  await runAll(world.url, [...indexes.map(({ definition }) => definition), ...countsOf(tables)]);
  await runAll(world.url, [`insert into list_day_count (kind, day, count, least) ${RECOUNTED_DAYS}`]);
  await runAll(
    world.url,
    [...tables, 'list_count', 'list_day_count'].map((table) => `vacuum analyze ${table}`),
  );
  await runAll(world.url, ['checkpoint']);
}
