/**
 * Every list over a table that grows, at little and at much history: what a page of a hundred takes through the
 * dispatcher (p50, p99), and the same statements alone, their rows left unread. Without a filter, and with filters that
 * choose nearly all rows, which are the dear ones to count. `node bench/lists.bench.ts [rows …, default 10000 1000000]`
 * prints the table. Uses the test services' database.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { apiDeps } from '../src/app/api-deps.ts';
import { apiRoutes } from '../src/http/v6/index.ts';
import { foldListCounts } from '../src/store/list-counts.ts';
import type { Sql } from '../src/store/sql.ts';
import { type StoreWorld, storeWorld } from '../test/store/store-world.ts';
import { makeCaller } from '../test/support/http.ts';
import { idleParts } from '../test/support/idle-parts.ts';
import { fillLists, GROWING } from '../test/support/list-rows.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { calls: { type: 'string', default: '200' } },
});
const SIZES = positionals.length > 0 ? positionals.map(Number) : [10_000, 1_000_000];
const CALLS = Number(values.calls);

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
  '/v6/jobs/': ['', 'status=COMPLETED', 'job_type_name=type-a', 'is_superseded=false', 'started=P7D'],
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

type Asked = { readonly text: string; readonly params: readonly unknown[] };

interface Figures {
  readonly p50: number;
  readonly p99: number;
}

/** Milliseconds of each call, one after another. */
async function measure(work: () => Promise<unknown>): Promise<Figures> {
  const times: number[] = [];
  for (let call = 0; call < CALLS + 5; call++) {
    const began = performance.now();
    await work();
    if (call >= 5) times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
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

const say = (...cells: readonly (string | number)[]): void => {
  const texts = cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(1) : cell));
  process.stdout.write(
    `${texts.map((text, at) => (at === 0 ? text.padEnd(46) : text.padStart(9))).join('')}\n`,
  );
};

async function bench(rows: number): Promise<void> {
  const downs: (() => Promise<void>)[] = [];
  const world = await storeWorld({ teardown: (down) => void downs.push(down) });
  // As text: nothing is made of what comes.
  const types = { getTypeParser: () => (text: unknown) => text };
  const options = '-c timezone=UTC -c plan_cache_mode=force_custom_plan -c jit=off';
  const pool = new pg.Pool({ connectionString: world.url, types, options });
  const asked: Asked[] = [];
  const sql: Sql = {
    execute: (statement, params = []) => {
      asked.push({ text: typeof statement === 'string' ? statement : statement.text, params: [...params] });
      return world.db.sql.execute(statement, params);
    },
    transaction: (work) => world.db.sql.transaction(work),
  };
  const caller = makeCaller(apiRoutes('any'), apiDeps(idleParts(sql)), {
    nowMs: Date.now,
    isCheckingReplies: false,
  });
  try {
    await fill(world, pool, rows);
    say(`${rows} rows a table`, 'p50 ms', 'p99 ms', 'bare p50', 'bare p99', 'ratio');
    for (const [path, queries] of Object.entries(LISTS)) {
      for (const query of queries) {
        asked.length = 0;
        const { status, text } = await caller.get(`${path}?${query}`);
        if (status !== 200) throw new Error(`${path}?${query}: ${text}`);
        const statements = [...asked];
        const served = await measure(() => caller.get(`${path}?${query}`));
        const bare = await measure(() =>
          Promise.all(statements.map((one) => pool.query({ text: one.text, values: [...one.params] }))),
        );
        say(
          `${path}${query && `?${query}`}`,
          served.p50,
          served.p99,
          bare.p50,
          bare.p99,
          served.p50 / bare.p50,
        );
      }
    }
  } finally {
    await pool.end();
    for (const down of downs.reverse()) await down();
  }
}

for (const rows of SIZES) await bench(rows);
