/**
 * A backup and a restore of a database with many jobs, each with an execution, an input and a product: seconds, and the
 * size of the file.
 *
 * Beside them `pg_dump --format=custom` and `pg_restore --single-transaction` where their version is the server's, and
 * a bare COPY of the same tables: into a file without compression, and back into tables without indexes. `--server=`
 * names another server than the one of the bench.
 */
import { spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { BackupReader } from '../src/store/backup/backup-reader.ts';
import { backedUpTables } from '../src/store/backup/left-out.ts';
import { restoreBackup, verifyBackup } from '../src/store/backup/restore.ts';
import { takeBackup } from '../src/store/backup/take-backup.ts';
import { type StoreWorld, storeWorld } from '../test/store/store-world.ts';
import { testDatabase } from '../test/support/db.ts';
import { findProgram } from '../test/support/services/find-program.ts';
import { type Bench, runBench, type Subject } from './harness/bench.ts';
import { openTestDatabases } from './harness/database.ts';
import { fillHistory } from './harness/load/list-history.ts';
import type { Sample } from './harness/results/result.ts';

/** What a life of each job leaves besides its row. */
const LIVES = [
  `insert into job_exe (job_id, exe_num, job_type_id, node_id, status, created, queued, started, ended, last_modified)
   select id, 1, job_type_id, (select min(id) from node), 'COMPLETED', created, created, created, created, created
   from job`,
  `insert into file (uuid, file_type, file_name, media_type, file_size, sha256, workspace_id, file_path, job_id,
     job_exe_id, job_type_id, job_output, created, last_modified)
   select gen_random_uuid(), 'PRODUCT', 'product-' || job_id || '.txt', 'text/plain', job_id,
     encode(sha256(job_id::text::bytea), 'hex'), (select min(id) from workspace), 'products/' || job_id, job_id, id,
     job_type_id, 'OUT', created, created
   from job_exe`,
];

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function fill(world: StoreWorld, jobs: number): Promise<void> {
  await fillHistory(world, 'jobs', { finished: jobs, live: 0 });
  await withClient(world.url, async (client) => {
    await client.query('set session_replication_role = replica');
    for (const statement of LIVES) await client.query(statement);
    await client.query('analyze');
  });
}

/** Why a tool of PostgreSQL cannot be compared: it is not there, or older than the server. */
async function missingTool(url: string, tool: string): Promise<string | undefined> {
  const path = findProgram(tool);
  if (path === undefined) return `no ${tool}`;
  const said = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout;
  const own = /(\d+)\.\d+/.exec(said)?.[1];
  const [server] = await withClient(url, async (client) => (await client.query('show server_version')).rows);
  const major = /^\d+/.exec(String(server?.server_version))?.[0];
  return own === major ? undefined : `${tool} is ${own}, the server ${major}`;
}

function runTool(tool: string, args: readonly string[]): void {
  const done = spawnSync(findProgram(tool) ?? tool, args, { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${tool}: ${done.stderr}`);
}

/** COPY of each table to a file of its own, and back into tables that have columns only. */
const bare = {
  out: (url: string, folder: string) =>
    withClient(url, async (client) => {
      for (const table of backedUpTables()) {
        const stream = client.query(copyTo(`copy (select * from ${table}) to stdout`));
        await pipeline(stream, createWriteStream(join(folder, table)));
      }
    }),
  into: (url: string, schemaOf: string, folder: string) =>
    withClient(url, async (client) => {
      for (const table of backedUpTables()) {
        const columns = await withClient(schemaOf, async (source) => {
          const { rows } = await source.query<{ column: string }>(
            `select format('%I %s', attname, format_type(atttypid, atttypmod)) as column from pg_attribute
             where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
            [table],
          );
          return rows.map(({ column }) => column).join(', ');
        });
        await client.query(`create table ${table} (${columns})`);
        await pipeline(
          createReadStream(join(folder, table)),
          client.query(copyFrom(`copy ${table} from stdin`)),
        );
      }
    }),
};

async function secondsOf(jobs: number, work: () => unknown): Promise<Sample> {
  const startedMs = performance.now();
  await work();
  return { value: (performance.now() - startedMs) / 1_000, count: jobs };
}

/** A run takes minutes: what a first one loads does not count. */
const cold = (subjects: readonly Subject[]): readonly Subject[] =>
  subjects.map((subject) => ({ ...subject, isWarmedUp: false }));

async function measure(bench: Bench, world: StoreWorld, jobs: number, newDatabase: () => Promise<string>) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-backup-'));
  bench.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const { url } = world;
  const [file, dump] = [join(folder, 'all.backup'), join(folder, 'all.dump')];
  const missing = await missingTool(url, 'pg_dump');
  await bench.compare({
    ...{ title: 'Backup', unit: 's', each: 'job' },
    subjects: cold([
      {
        name: 'millrace backup',
        work: () => secondsOf(jobs, () => takeBackup({ url, path: file, version: '0', nowMs: 0 })),
      },
      {
        ...{ name: 'pg_dump', isPeer: true, missing, remark: 'gzip' },
        work: () => secondsOf(jobs, () => runTool('pg_dump', ['--format=custom', `--file=${dump}`, url])),
      },
      {
        ...{ name: 'COPY', isPeer: true, remark: 'not compressed, not synced, no snapshot of the whole' },
        work: () => secondsOf(jobs, () => bare.out(url, folder)),
      },
    ]),
  });
  const megabytes = (path: string) => Math.round(statSync(path).size / 1e5) / 10;
  const copied = backedUpTables().reduce((sum, table) => sum + statSync(join(folder, table)).size, 0);
  const sizes: (readonly [string, number])[] = [['millrace backup', megabytes(file)]];
  if (missing === undefined) sizes.push(['pg_dump', megabytes(dump)]);
  sizes.push(['COPY', Math.round(copied / 1e5) / 10]);
  bench.add({ kind: 'figures', title: 'Size of the file', columns: ['', 'MB'], rows: sizes });
  for (const [name, size] of sizes) bench.progress(`  ${name}: ${size} MB`);
  const restore = async (into: string) => {
    const reader = await BackupReader.open(file);
    await verifyBackup(reader);
    await restoreBackup({ url: into, reader });
    await reader.close();
  };
  const into = async (work: (database: string) => unknown) => {
    const database = await newDatabase();
    return secondsOf(jobs, () => work(database));
  };
  await bench.compare({
    ...{ title: 'Restore', unit: 's', each: 'job' },
    subjects: cold([
      {
        name: 'millrace restore',
        work: () => into(restore),
        remark: 'verified, with indexes and checked keys',
      },
      {
        ...{ name: 'pg_restore', isPeer: true, missing, remark: 'with indexes and checked keys' },
        work: () => into((database) => runTool('pg_restore', ['--single-transaction', '-d', database, dump])),
      },
      {
        ...{ name: 'COPY', isPeer: true, remark: 'no indexes, no keys' },
        work: () => into((database) => bare.into(database, url, folder)),
      },
    ]),
  });
}

await runBench(import.meta.filename, async (bench) => {
  const jobs = bench.parameter('jobs', 500, 1_000_000);
  const server = bench.word('server');
  const database = server === undefined ? await openTestDatabases(bench) : undefined;
  if (server !== undefined) process.env.MILLRACE_TEST_DATABASE_URL = server;
  const downs: (() => Promise<void>)[] = [];
  const teardown = { teardown: (down: () => Promise<void>) => void downs.push(down) };
  try {
    const world = await storeWorld(teardown);
    await fill(world, jobs);
    await measure(bench, world, jobs, () => testDatabase(teardown));
  } finally {
    for (const down of downs.reverse()) await down();
    await database?.stop();
  }
});
