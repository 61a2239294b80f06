/**
 * Every list over a table that grows, at little and at much history: what a page of a hundred takes through the
 * dispatcher (p50, p99), and the same statements alone, their rows left unread. Without a filter, with filters that
 * choose nearly all rows, half of them and few, and a hundred pages deep.
 *
 * `--rows=` is the largest history, `--only=jobs,files` the kinds. The sizes of one kind are there at the same time,
 * and are asked in turn, call by call: what else the machine does meets all. With `--add`, kinds are added to the page
 * of a run before. What few rows match is compared where both sizes have as many records to show.
 */
import { loadavg } from 'node:os';
import pg from 'pg';
import { type StoreWorld, storeWorld } from '../test/store/store-world.ts';
import { type Bench, runBench } from './harness/bench.ts';
import { openTestDatabases } from './harness/database.ts';
import { median, percentile, ratios } from './harness/figures.ts';
import { type Asked, listCaller } from './harness/load/asked-statements.ts';
import { fillHistory, LIST_KINDS, type ListKind } from './harness/load/list-history.ts';

/** A list of it should take as long with much history as with little. */
const LITTLE = 10_000;
/** Measured too where there is more. */
const MIDDLE = 1_000_000;

/** By list: queries, the first without a filter. */
const LISTS: Readonly<Record<ListKind, Readonly<Record<string, readonly string[]>>>> = {
  jobs: {
    '/v6/jobs/': [
      ...['', 'page=100', 'order=-last_modified', 'started=P7D'],
      ...['status=COMPLETED', 'status=FAILED', 'status=COMPLETED&page=50'],
      ...['job_type_name=type-a', 'is_superseded=false', 'batch_id=42', 'batch_id=43', 'recipe_id=7'],
    ],
    ...Object.fromEntries(
      [
        ...['queue/status', 'load', 'ingests/status', 'errors', 'nodes', 'job-types', 'recipe-types'],
        ...['workspaces', 'strikes', 'scans', 'batches', 'datasets'],
      ].map((name) => [`/v6/${name}/`, ['']]),
    ),
  },
  files: {
    '/v6/files/': [
      ...['', 'page=100', 'order=-last_modified', 'modified_started=P7D'],
      ...['file_type=PRODUCT', 'job_type_name=type-a', 'batch_id=42', 'batch_id=43', 'recipe_id=7'],
    ],
  },
  recipes: {
    '/v6/recipes/': [
      ...['', 'page=100', 'order=-last_modified', 'started=P7D'],
      ...['recipe_type_name=recipe-a', 'is_completed=true', 'batch_id=42', 'batch_id=43'],
    ],
  },
  ingests: {
    '/v6/ingests/': [
      ...['', 'page=100', 'order=-last_modified', 'started=P7D', 'status=INGESTED', 'status=ERRORED'],
    ],
  },
};

const WARM_UPS = 5;

/** The load of the last minute, and of the last five. */
const load = (): string => {
  const [one = 0, five = 0] = loadavg();
  return `${one.toFixed(1)}, ${five.toFixed(1)}`;
};

/** A database with so many rows a table, and what asks it. */
interface History {
  readonly rows: number;
  readonly get: (list: string) => Promise<number>;
  readonly statementsOf: (list: string) => Promise<readonly Asked[]>;
  /** The statements alone, as text: nothing is made of what comes. */
  readonly ask: (statements: readonly Asked[]) => Promise<unknown>;
}

async function historyOf(
  bench: Bench,
  kind: ListKind,
  rows: number,
  world: StoreWorld,
  atEnd: (down: () => Promise<void>) => void,
): Promise<History> {
  const began = performance.now();
  await fillHistory(world, kind, rows);
  const seconds = Math.round((performance.now() - began) / 1000);
  bench.note(`${kind}: ${rows} rows were put in in ${seconds} s, load ${load()}`);
  const types = { getTypeParser: () => (text: unknown) => text };
  const options = '-c timezone=UTC -c plan_cache_mode=force_custom_plan -c jit=off';
  const pool = new pg.Pool({ connectionString: world.url, types, options });
  // Its end leaves connections that are still closing when the database is dropped.
  pool.on('error', () => undefined);
  atEnd(() => pool.end());
  return {
    ...listCaller(world),
    rows,
    ask: (statements) =>
      Promise.all(statements.map(({ text, params }) => pool.query({ text, values: [...params] }))),
  };
}

/** What one list costs at one size: milliseconds of each call, those of the same call of the statements beside them. */
interface Line {
  readonly list: string;
  readonly rows: number;
  /** Records of the page. What few rows match has less to show of little history. */
  readonly found: number;
  readonly served: number[];
  readonly bare: number[];
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** A line for each size. */
async function measureList(list: string, histories: readonly History[], calls: number): Promise<Line[]> {
  const found = await Promise.all(histories.map(({ get }) => get(list)));
  const lines = histories.map(({ rows }, at): Line => {
    return { list, rows, found: found[at] ?? 0, served: [], bare: [] };
  });
  const statements = await Promise.all(histories.map((history) => history.statementsOf(list)));
  for (let call = -WARM_UPS; call < calls; call++) {
    for (const [at, { get, ask }] of histories.entries()) {
      const served = await msOf(() => get(list));
      const bare = await msOf(() => ask(statements[at] ?? []));
      if (call < 0) continue;
      lines[at]?.served.push(served);
      lines[at]?.bare.push(bare);
    }
  }
  return lines;
}

/** Lines of all lists of a kind. */
async function measureKind(
  bench: Bench,
  kind: ListKind,
  sizes: readonly number[],
  calls: number,
): Promise<Line[]> {
  const downs: (() => Promise<void>)[] = [];
  const atEnd = (down: () => Promise<void>) => void downs.push(down);
  try {
    const histories: History[] = [];
    for (const rows of sizes) {
      const world = await storeWorld({ teardown: atEnd });
      histories.push(await historyOf(bench, kind, rows, world, atEnd));
    }
    const lines: Line[] = [];
    for (const [path, queries] of Object.entries(LISTS[kind])) {
      for (const query of queries) {
        lines.push(...(await measureList(`${path}${query && `?${query}`}`, histories, calls)));
      }
    }
    bench.note(`${kind}: measured until ${new Date().toISOString().slice(0, 16)}Z, load ${load()}`);
    return lines;
  } finally {
    for (const down of downs.reverse()) await down();
  }
}

const p99 = (times: readonly number[]): number => percentile(times, 0.99);
const besideBare = ({ served, bare }: Line): number => median(ratios(served, bare));

/** What each size has beside the smallest, by list. */
function growthOf(lines: readonly Line[], measure: (times: readonly number[]) => number) {
  const least = Math.min(...lines.map(({ rows }) => rows));
  const little = new Map(
    lines.filter(({ rows }) => rows === least).map(({ list, served }) => [list, measure(served)]),
  );
  return ({ list, served }: Line): number => measure(served) / (little.get(list) ?? Number.NaN);
}

function report(bench: Bench, kind: ListKind, rows: number, lines: readonly Line[]): void {
  const [p50Growth, p99Growth] = [growthOf(lines, median), growthOf(lines, p99)];
  const columns = ['', 'records', 'p50, ms', 'p99, ms', 'bare p50, ms', 'bare p99, ms', 'p50 / bare'];
  bench.add({
    ...{ kind: 'figures', title: `${kind}: ${rows} rows a table` },
    columns: [...columns, `p50 / at ${LITTLE}`, `p99 / at ${LITTLE}`],
    rows: lines
      .filter((line) => line.rows === rows)
      .map((line) => [
        ...[line.list, line.found, median(line.served), p99(line.served), median(line.bare), p99(line.bare)],
        ...[besideBare(line), p50Growth(line), p99Growth(line)],
      ]),
  });
}

/** Sets aims for lists over tables that grow; the others are beside them. */
function aims(bench: Bench, kind: ListKind, rows: number, lines: readonly Line[]): void {
  const much = lines.filter((line) => line.rows === rows && line.list.startsWith(`/v6/${kind}/`));
  const grown = much.filter((line) => {
    return lines.some(({ list, rows, found }) => {
      return list === line.list && rows === LITTLE && found === line.found;
    });
  });
  const aim = (text: string, ratioOf: (line: Line) => number, some: readonly Line[]) => {
    const all = some.map((line) => [line.list, ratioOf(line)] as const);
    const [list, measured] = all.reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0] as const);
    const [wanted, bound, unit] = [1.5, 'most', 'x'] as const;
    bench.aim({ text: `${kind}: ${text}, worst: ${list}`, measured, wanted, bound, unit });
    const middle = median(all.map(([, ratio]) => ratio));
    bench.aim({ text: `${kind}: ${text}, median`, measured: middle, wanted, bound, unit });
  };
  aim(`p50 at ${rows} / bare SQL`, besideBare, much);
  aim(`p50 at ${rows} / at ${LITTLE}`, growthOf(lines, median), grown);
  aim(`p99 at ${rows} / at ${LITTLE}`, growthOf(lines, p99), grown);
}

await runBench(import.meta.filename, async (bench) => {
  const rows = bench.parameter('rows', 300, MIDDLE);
  const calls = bench.parameter('calls', 1, 200);
  const sizes = bench.isTiny ? [rows] : [LITTLE, MIDDLE, rows].filter((size) => size <= rows);
  const distinct = [...new Set(sizes)];
  const database = await openTestDatabases(bench);
  try {
    for (const kind of LIST_KINDS) {
      if (!bench.wants(kind)) continue;
      const lines = await measureKind(bench, kind, distinct, calls);
      for (const size of distinct) report(bench, kind, size, lines);
      aims(bench, kind, rows, lines);
    }
  } finally {
    await database?.stop();
  }
});
