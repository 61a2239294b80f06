/**
 * Much history for lists, in bulk: rows go in without the indexes that only reads need, which are made again as the
 * catalog has them, and without what each row would set off; counters are counted once.
 *
 * 10^6 jobs row by row of one statement, with their indexes, foreign keys and counting triggers, took 330 s.
 */
import pg from 'pg';
import {
  COUNTED_BATCH_FILES,
  COUNTED_BATCH_JOBS,
  COUNTED_BATCH_RECIPES,
  COUNTED_FILES,
  COUNTED_INGESTS,
  COUNTED_JOBS,
  COUNTED_RECIPES,
} from '../../../src/store/metrics/list-counts.ts';
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
const COUNTED = [
  ...[COUNTED_FILES, COUNTED_INGESTS, COUNTED_JOBS, COUNTED_RECIPES],
  ...[COUNTED_BATCH_FILES, COUNTED_BATCH_JOBS, COUNTED_BATCH_RECIPES],
];

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

/** What the triggers of counters would have added by now, counted from the rows: see migrations 0001 and 0023. */
function countsOf(tables: readonly string[]): string[] {
  const counts = COUNTED.flatMap(({ kind, facets }) => {
    const table = kind.replace('_batch', '');
    if (!tables.includes(table)) return [];
    const names = Object.keys(facets).map((column) => column.slice(column.indexOf('.') + 1));
    const object = names.map((name) => `'${name}', ${name}`).join(', ');
    const where = table === kind ? '' : 'where batch_id is not null';
    return `select '${kind}', jsonb_build_object(${object}), count(*) from ${table} ${where}
      group by ${names.join(', ')}`;
  });
  for (const table of ['file', 'ingest', 'job', 'recipe'].filter((one) => tables.includes(one))) {
    counts.push(`select '${table}_time', jsonb_build_object('span', (extract(epoch from span) / 600)::bigint), count(*)
      from (select date_bin('10 minutes', last_modified, 'epoch') as span from ${table}) as s group by span`);
  }
  if (tables.includes('file')) {
    counts.push(`select 'file_country', jsonb_build_object('country', country, 'job_type_id', job_type_id), count(*)
      from (select distinct id, job_type_id, country from file cross join unnest(countries) as c (country)) as s
      group by country, job_type_id`);
  }
  return counts.map((count) => `insert into list_count (kind, facets, count) ${count}`);
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
  await runAll(
    world.url,
    [...tables, 'list_count'].map((table) => `vacuum analyze ${table}`),
  );
  await runAll(world.url, ['checkpoint']);
}
