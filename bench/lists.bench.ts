/**
 * Every list over a table that grows, at little and at much history: what a page of a hundred takes through the
 * dispatcher (p50, p99), with its count, and the same statements alone, their rows left unread. Without a filter, with
 * each filter alone, and a hundred pages deep. One job, recipe and ingest in eleven is not finished: a large batch is
 * under way.
 *
 * `--rows=` is the largest history, `--only=jobs,files` the kinds. The sizes of one kind are there at the same time,
 * and are asked in turn, call by call: what else the machine does meets all. With `--add`, kinds are added to the page
 * of a run before. What few rows match is compared where both sizes have as many records to show. `--quiet` waits until
 * nothing else runs, once all rows are there.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type StoreWorld, storeWorld } from '../test/store/store-world.ts';
import { type Bench, runBench } from './harness/bench.ts';
import { openTestDatabases } from './harness/database.ts';
import { median, percentile, ratios } from './harness/figures.ts';
import { type Asked, listCaller } from './harness/load/asked-statements.ts';
import { fillHistory, LIST_KINDS, type ListKind } from './harness/load/list-history.ts';

/** A list should take as long with much history as with little. */
const LITTLE = 10_000;
const MUCH = 1_000_000;
/** For each live row, where a kind has such. */
const FINISHED = 10;

const HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString();
const WITHIN = ['started=P7D', `started=${HOUR_AGO}`, `ended=${HOUR_AGO}`];
const SOURCES = [
  ...['source_sensor_class=few', 'source_sensor=sensor 1', 'source_collection=few', 'source_task=sensor 2'],
  ...['source_started=P7D', `source_ended=${new Date().toISOString()}`],
];
const PAGES = ['', 'page=100', 'order=-last_modified'];

/** By list: queries, the first without a filter. */
const LISTS: Readonly<Record<ListKind, Readonly<Record<string, readonly string[]>>>> = {
  jobs: {
    '/v6/jobs/': [
      ...[...PAGES, ...WITHIN, ...SOURCES, 'status=COMPLETED&page=50', 'status=QUEUED&page=50'],
      ...['PENDING', 'BLOCKED', 'QUEUED', 'RUNNING', 'COMPLETED', 'FAILED'].map(
        (status) => `status=${status}`,
      ),
      ...[
        'job_id=7',
        'job_type_id=2',
        'job_type_name=type-a',
        'job_type_name=type-b',
        'job_type_version=1.0.0',
      ],
      ...['batch_id=42', 'batch_id=43', 'batch_id=44', 'recipe_id=7', 'error_category=DATA', 'error_id=1'],
      ...['running_node_id=1', 'waits_for=input', 'is_superseded=false', 'is_superseded=true'],
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
      ...[
        ...PAGES,
        'modified_started=P7D',
        `modified_ended=${HOUR_AGO}`,
        'created_started=P7D',
        'data_started=P7D',
        ...SOURCES,
      ],
      ...['file_type=PRODUCT', 'file_type=SOURCE', 'job_type_id=2', 'job_type_name=type-a', 'job_output=OUT'],
      ...['batch_id=42', 'batch_id=43', 'recipe_id=7', 'recipe_node=node', 'recipe_type_id=1', 'job_id=7'],
      ...['countries=FRA', 'media_type=text/plain', 'file_name=name 7', 'file_name_search=ame 77'],
    ],
  },
  recipes: {
    '/v6/recipes/': [
      ...[...PAGES, ...WITHIN, ...SOURCES, 'recipe_id=7', 'recipe_type_id=1', 'recipe_type_name=recipe-a'],
      ...['is_completed=true', 'is_completed=false', 'is_superseded=false', 'is_superseded=true'],
      ...['batch_id=42', 'batch_id=43', 'batch_id=44', 'root_recipe_id=7', 'state=RUNNING', 'state=BLOCKED'],
    ],
  },
  ingests: {
    '/v6/ingests/': [
      ...[...PAGES, ...WITHIN, 'status=INGESTED', 'status=ERRORED', 'status=TRANSFERRED'],
      ...['strike_id=7', 'scan_id=7', 'file_name=ame 77'],
    ],
  },
};

const WARM_UPS = 5;
const QUIET_LOAD = 1;
const LOOK_EVERY_MS = 5_000;

/** Waits until the load of the last minute is small. */
async function untilQuiet(): Promise<void> {
  while ((loadavg()[0] ?? 0) > QUIET_LOAD) await sleep(LOOK_EVERY_MS);
}

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
  const live = kind === 'files' ? 0 : Math.ceil(rows / FINISHED);
  await fillHistory(world, kind, { finished: rows, live });
  const seconds = Math.round((performance.now() - began) / 1000);
  bench.note(`${kind}: ${rows} and ${live} live rows were put in in ${seconds} s, load ${load()}`);
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

/** The databases of a kind, one for each size. */
async function fillKind(
  bench: Bench,
  kind: ListKind,
  sizes: readonly number[],
  atEnd: (down: () => Promise<void>) => void,
): Promise<History[]> {
  const histories: History[] = [];
  for (const rows of sizes) {
    const world = await storeWorld({ teardown: atEnd });
    histories.push(await historyOf(bench, kind, rows, world, atEnd));
  }
  return histories;
}

/** Lines of all lists of a kind. */
async function measureKind(
  bench: Bench,
  kind: ListKind,
  histories: readonly History[],
  calls: number,
): Promise<Line[]> {
  const lines: Line[] = [];
  for (const [path, queries] of Object.entries(LISTS[kind])) {
    for (const query of queries) {
      lines.push(...(await measureList(`${path}${query && `?${query}`}`, histories, calls)));
    }
  }
  bench.note(`${kind}: measured until ${new Date().toISOString().slice(0, 16)}Z, load ${load()}`);
  return lines;
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
    ...{ kind: 'figures', title: `${kind}: ${rows} finished rows a table` },
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
  const aim = (text: string, ratioOf: (line: Line) => number, some: readonly Line[], wanted: number) => {
    const all = some.map((line) => [line.list, ratioOf(line)] as const);
    const [list, measured] = all.reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0] as const);
    const [bound, unit] = ['most', 'x'] as const;
    bench.aim({ text: `${kind}: ${text}, worst: ${list}`, measured, wanted, bound, unit });
    const middle = median(all.map(([, ratio]) => ratio));
    bench.aim({ text: `${kind}: ${text}, median`, measured: middle, wanted, bound, unit });
  };
  aim(`p50 at ${rows} / bare SQL`, besideBare, much, 1.5);
  aim(`p50 at ${rows} / at ${LITTLE}`, growthOf(lines, median), grown, 1.25);
  aim(`p99 at ${rows} / at ${LITTLE}`, growthOf(lines, p99), grown, 1.25);
}

await runBench(import.meta.filename, async (bench) => {
  const rows = bench.parameter('rows', 300, MUCH);
  const calls = bench.parameter('calls', 1, 200);
  const sizes = bench.isTiny || rows <= LITTLE ? [rows] : [LITTLE, rows];
  const database = await openTestDatabases(bench);
  const downs: (() => Promise<void>)[] = [];
  try {
    const kinds = LIST_KINDS.filter((kind) => bench.wants(kind));
    const filled: (readonly [ListKind, History[]])[] = [];
    for (const kind of kinds)
      filled.push([kind, await fillKind(bench, kind, sizes, (down) => downs.push(down))]);
    if (bench.word('quiet') !== undefined) await untilQuiet();
    for (const [kind, histories] of filled) {
      const lines = await measureKind(bench, kind, histories, calls);
      for (const size of sizes) report(bench, kind, size, lines);
      aims(bench, kind, rows, lines);
    }
  } finally {
    for (const down of downs.reverse()) await down();
    await database?.stop();
  }
});
