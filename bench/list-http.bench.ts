/**
 * Pages of a hundred jobs a second over HTTP, in their default order: through all that a call goes through, read from
 * rows into records, checked and written as JSON.
 *
 * Beside it Fastify that runs the very same statements and writes what comes, and pgbench that runs them and leaves
 * what comes unread.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { type StoreWorld, storeWorld } from '../test/store/store-world.ts';
import { type Bench, ratioOf, runBench, type Subject } from './harness/bench.ts';
import { type BenchDatabase, openTestDatabases } from './harness/database.ts';
import { missingPeer } from './harness/debian.ts';
import { type Asked, listCaller } from './harness/load/asked-statements.ts';
import { fillHistory } from './harness/load/list-history.ts';
import { getMany } from './harness/load/load-client.ts';
import { type Meter, OWN_METER, rate } from './harness/meter.ts';
import { processorSeconds } from './harness/processor-time.ts';
import { launch, runToEnd } from './harness/program.ts';

const CONNECTIONS = 4;
const SERVER = fileURLToPath(new URL('./harness/load/list-server.ts', import.meta.url));
const FASTIFY = fileURLToPath(new URL('./peers/fastify-list.ts', import.meta.url));
const QUERIES = ['', 'status=COMPLETED'];

/** As SQL that pgbench can run: parameters written into it. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((one) => JSON.stringify(one)).join(',')}}`);
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value));
}

function scriptOf(statements: readonly Asked[]): string {
  const whole = ({ text, params }: Asked): string =>
    text.replace(/\$(\d+)/g, (_, at: string) => literal(params[Number(at) - 1])).replace(/\s+/g, ' ');
  return statements.map((one) => `${whole(one)};\n`).join('');
}

/** What `meter` has, and the server of the database beside it. */
function withDatabase(meter: Meter, database: BenchDatabase | undefined): Meter {
  return { cpu: () => ({ ...meter.cpu(), ...database?.meter.cpu() }) };
}

async function pgbench(
  bench: Bench,
  url: string,
  meter: Meter,
  statements: readonly Asked[],
  pages: number,
): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-pgbench-'));
  bench.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const script = join(folder, 'page.sql');
  const each = Math.max(1, Math.ceil(pages / CONNECTIONS));
  const argv = ['pgbench', '-n', '-M', 'simple', `-c${CONNECTIONS}`, `-t${each}`, '-f', script, url];
  return {
    ...{
      name: 'pgbench',
      isPeer: true,
      missing: await missingPeer(bench, ['pgbench'], 'postgresql-contrib'),
    },
    remark: 'nothing is read, or written as JSON',
    work: async () => {
      writeFileSync(script, scriptOf(statements));
      return rate(each * CONNECTIONS, meter, () => runToEnd(argv));
    },
  };
}

interface Pages {
  readonly path: string;
  /** How many a run. */
  readonly count: number;
  readonly database: BenchDatabase | undefined;
}

/** Pages of a program that prints its address. */
async function served(bench: Bench, main: string, args: readonly string[], pages: Pages) {
  const { path, count, database } = pages;
  const program = launch(bench, main, args);
  const address = await program.ready.catch(async (error: unknown) => {
    await program.stop();
    throw error;
  });
  const meter = withDatabase({ cpu: () => ({ server: processorSeconds(program.pid).own }) }, database);
  return {
    work: () => rate(count, meter, () => getMany(address, path, count, CONNECTIONS)),
    stop: () => program.stop(),
  };
}

async function compare(bench: Bench, world: StoreWorld, pages: Pages): Promise<void> {
  const { path, count, database } = pages;
  const statements = await listCaller(world).statementsOf(path);
  const ours = await served(bench, SERVER, [world.url], pages);
  try {
    const fastify = await served(bench, FASTIFY, [world.url, JSON.stringify(statements)], pages);
    try {
      const rows = await bench.compare({
        ...{ title: path, unit: 'pages/s', each: 'page' },
        subjects: [
          { name: 'Millrace', work: ours.work },
          {
            name: 'Fastify, the same statements',
            isPeer: true,
            work: fastify.work,
            remark: 'rows as they come',
          },
          await pgbench(bench, world.url, withDatabase(OWN_METER, database), statements, count),
        ],
      });
      const measured = ratioOf(rows, 'pgbench', 'Millrace');
      bench.aim({ text: `${path}: pgbench / Millrace`, measured, wanted: 1.5, bound: 'most', unit: 'x' });
    } finally {
      await fastify.stop();
    }
  } finally {
    await ours.stop();
  }
}

await runBench(import.meta.filename, async (bench) => {
  const rows = bench.parameter('rows', 200, 1_000_000);
  // A page takes 10 ms and more of two processors; all subjects and rounds together serve 24 times as many.
  const pages = bench.parameter('pages', 4, 200);
  const database = await openTestDatabases(bench);
  const downs: (() => Promise<void>)[] = [];
  try {
    const world = await storeWorld({ teardown: (down) => void downs.push(down) });
    await fillHistory(world, 'jobs', { finished: rows, live: 0 });
    for (const query of QUERIES) {
      const path = `/v6/jobs/?page_size=100${query && `&${query}`}`;
      await compare(bench, world, { path, count: pages, database });
    }
  } finally {
    for (const down of downs.reverse()) await down();
    await database?.stop();
  }
});
