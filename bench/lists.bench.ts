/**
 * Every list over a table that grows, at little and at much history: what a page of a hundred takes through the
 * dispatcher (p50, p99), and the same statements alone, their rows left unread. Without a filter, with filters that
 * choose nearly all rows, which are the dear ones to count, and a hundred pages deep.
 *
 * `--rows=` is the larger history; the page of its results has all lists, the aims those that should not change.
 */
import pg from 'pg';
import { foldListCounts } from '../src/store/list-counts.ts';
import { type StoreWorld, storeWorld } from '../test/store/store-world.ts';
import { fillLists, GROWING } from '../test/support/list-rows.ts';
import { listCaller } from './harness/asked-statements.ts';
import { type Bench, runBench } from './harness/bench.ts';
import { openTestDatabases } from './harness/database.ts';
import { median, percentile } from './harness/figures.ts';

/** A list of it should take as long with much history as with little. */
const LITTLE = 10_000;

/** By list: queries, the first without a filter. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  '/v6/files/': [
    '',
    'file_type=PRODUCT',
    'job_type_name=type-a',
    'order=-last_modified',
    'modified_started=P7D',
  ],
  '/v6/ingests/': ['', 'status=INGESTED', 'order=-last_modified', 'started=P7D'],
  '/v6/jobs/': [
    '',
    'status=COMPLETED',
    'job_type_name=type-a',
    'is_superseded=false',
    'started=P7D',
    'page=100',
  ],
  '/v6/recipes/': [
    '',
    'recipe_type_name=recipe-a',
    'is_completed=true',
    'order=-last_modified',
    'started=P7D',
  ],
  '/v6/queue/status/': [''],
  '/v6/load/': [''],
  '/v6/ingests/status/': [''],
  '/v6/errors/': [''],
  '/v6/nodes/': [''],
  '/v6/job-types/': [''],
  '/v6/recipe-types/': [''],
  '/v6/workspaces/': [''],
  '/v6/strikes/': [''],
  '/v6/scans/': [''],
  '/v6/batches/': [''],
  '/v6/datasets/': [''],
};

interface Figures {
  readonly p50: number;
  readonly p99: number;
}

const WARM_UPS = 5;

/** Milliseconds of each call, one after another. */
async function measure(calls: number, work: () => Promise<unknown>): Promise<Figures> {
  const times: number[] = [];
  for (let call = 0; call < calls + WARM_UPS; call++) {
    const began = performance.now();
    await work();
    if (call >= WARM_UPS) times.push(performance.now() - began);
  }
  return { p50: median(times), p99: percentile(times, 0.99) };
}

/** Rows are put in without the indexes that only reads need, which are made afterwards. */
async function fill(world: StoreWorld, pool: pg.Pool, rows: number): Promise<void> {
  const indexes = await pool.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where not indisunique and indrelid = any($1::regclass[])`,
    [GROWING],
  );
  for (const { name } of indexes.rows) await pool.query(`drop index ${name}`);
  await fillLists({ ...world, rows: async (text) => (await pool.query(text)).rows }, rows);
  for (const { definition } of indexes.rows) await pool.query(definition);
  await foldListCounts(world.db.sql);
  await pool.query(`vacuum analyze ${GROWING.join(', ')}, list_count, list_count_delta`);
}

interface Line {
  readonly list: string;
  readonly served: Figures;
  readonly bare: Figures;
}

/** A line for each list and query, over a database with so many rows a table. */
async function measureLists(rows: number, calls: number): Promise<Line[]> {
  const downs: (() => Promise<void>)[] = [];
  const world = await storeWorld({ teardown: (down) => void downs.push(down) });
  // As text: nothing is made of what comes.
  const types = { getTypeParser: () => (text: unknown) => text };
  const options = '-c timezone=UTC -c plan_cache_mode=force_custom_plan -c jit=off';
  const pool = new pg.Pool({ connectionString: world.url, types, options });
  const caller = listCaller(world);
  const lines: Line[] = [];
  try {
    await fill(world, pool, rows);
    for (const [path, queries] of Object.entries(LISTS)) {
      for (const query of queries) {
        const list = `${path}${query && `?${query}`}`;
        const statements = await caller.statementsOf(list);
        const served = await measure(calls, () => caller.get(list));
        const bare = await measure(calls, () =>
          Promise.all(statements.map((one) => pool.query({ text: one.text, values: [...one.params] }))),
        );
        lines.push({ list, served, bare });
      }
    }
    return lines;
  } finally {
    await pool.end();
    for (const down of downs.reverse()) await down();
  }
}

function report(bench: Bench, rows: number, lines: readonly Line[]): void {
  bench.add({
    ...{ kind: 'figures', title: `${rows} rows a table` },
    columns: ['', 'p50, ms', 'p99, ms', 'bare p50, ms', 'bare p99, ms', 'p50 / bare'],
    rows: lines.map(({ list, served, bare }) => [
      ...[list, served.p50, served.p99, bare.p50, bare.p99],
      served.p50 / bare.p50,
    ]),
  });
}

/** The worst of some. */
function worst(ratios: readonly (readonly [list: string, ratio: number])[]): readonly [string, number] {
  return ratios.reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0] as const);
}

await runBench(import.meta.filename, async (bench) => {
  const rows = bench.parameter('rows', 300, 1_000_000);
  const calls = bench.parameter('calls', 1, 100);
  const database = await openTestDatabases(bench);
  try {
    const sizes = bench.isTiny ? [rows] : [LITTLE, rows];
    const all = [];
    for (const size of sizes) {
      const lines = await measureLists(size, calls);
      report(bench, size, lines);
      all.push(lines);
    }
    const [little = [], much = little] = all;
    const growing = much.map(({ list, served }, at): readonly [string, number] => {
      return [list, served.p99 / (little[at]?.served.p99 ?? Number.NaN)];
    });
    const beside = much.map(({ list, served, bare }): readonly [string, number] => [
      list,
      served.p50 / bare.p50,
    ]);
    const aim = (text: string, [list, measured]: readonly [string, number]) =>
      bench.aim({ text: `${text}, worst: ${list}`, measured, wanted: 1.5, bound: 'most', unit: 'x' });
    aim('p50 / bare SQL', worst(beside));
    aim(`p99 at ${rows} / at ${LITTLE}`, worst(growing));
    const medianOver = median(beside.map(([, ratio]) => ratio));
    bench.aim({
      text: 'p50 / bare SQL, median',
      measured: medianOver,
      wanted: 1.5,
      bound: 'most',
      unit: 'x',
    });
  } finally {
    await database?.stop();
  }
});
