/**
 * A scan of many files beside `find | wc` over the same tree and a bare COPY of the rows that it makes: a dry run, an
 * ingest run that lists and records while no node takes ingests, then how fast the files are ingested, how fast the
 * rest is canceled, and what coordinator and agent hold in memory. Not a regression gate: read the ratios.
 *
 * node bench/scan.bench.ts [files, default 100000] [--profile=folder for V8's processor profiles]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPool, sqlOf } from '../src/store/sql.ts';
import { startSystem } from './harness/system.ts';

const given = process.argv.slice(2);
const FILES = Number(given.find((value) => /^\d+$/.test(value)) ?? 100_000);
const profiles = given.find((value) => value.startsWith('--profile='))?.slice('--profile='.length);
const DIRECTORIES = Math.max(1, FILES / 100);
const LOOK_MS = 50;
const DEADLINE_MS = 300_000;
const INGEST_MS = Math.min(20_000, FILES);
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

interface Scan {
  readonly id: number;
  readonly file_count: number;
  readonly job: { readonly status: string };
  readonly dry_run_job: { readonly status: string };
}

async function until(what: string, is: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await is())) {
    if (performance.now() > deadline) throw new Error(`${what}: not in time`);
    await new Promise((wake) => setTimeout(wake, LOOK_MS));
  }
}

/** Seconds. */
async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await run();
  return (performance.now() - startedMs) / 1_000;
}

function fill(root: string): void {
  for (let n = 0; n < DIRECTORIES; n++) {
    const directory = join(root, `area-${n % 20}`, `directory-${n}`);
    mkdirSync(directory, { recursive: true });
    for (let at = 0; at < FILES / DIRECTORIES; at++)
      writeFileSync(join(directory, `file-${at}.txt`), `${n} ${at}`);
  }
}

const rate = (seconds: number): string => `${(FILES / seconds).toFixed(0)} files/s`;

const system = await startSystem({ agent: 'process', profiles });
const pool = openPool({
  ...{
    url: system.databaseUrl,
    connectionsMax: 1,
    statementTimeoutMs: DEADLINE_MS,
    applicationName: 'bench',
  },
});
try {
  const { client } = system;
  const root = join(system.folder, 'files');
  fill(root);
  const find = (): void => {
    const counted = execFileSync('sh', ['-c', 'find "$0" -type f -printf "%p %s %T@ %i\\n" | wc -l', root]);
    if (Number(counted) !== FILES) throw new Error('find disagrees');
  };
  find();
  const findSeconds = await timed(async () => find());
  const broker = { type: 'host', host_path: root };
  await client.post('/v6/workspaces/', { title: 'files', configuration: { broker } });
  const configuration = {
    workspace: 'files',
    scanner: { type: 'dir' },
    files_to_ingest: [{ filename_regex: '.*\\.csv' }, { filename_regex: '.*\\.txt' }],
  };
  const { id } = await client.post<Scan>('/v6/scans/', { title: 'Bench', configuration });
  const look = () => client.get<Scan>(`/v6/scans/${id}/`);
  const report = (what: string, seconds: number): void => {
    const { coordinator, agent } = system.resident();
    const memory = `coordinator ${coordinator.toFixed(0)} MiB, agent ${agent.toFixed(0)} MiB`;
    say(`  ${what.padEnd(22)}${rate(seconds).padEnd(18)}${memory}`);
  };
  await until('a node reaches the files', async () => {
    const { warnings } = await client.post<{ warnings: unknown[] }>('/v6/scans/validation/', {
      ...{ title: 'x', configuration },
    });
    return warnings.length === 0;
  });
  const [node] = (await client.get<{ results: { id: number }[] }>('/v6/nodes/')).results;
  const pause = (isPaused: boolean) => client.patch(`/v6/nodes/${node?.id}/`, { is_paused: isPaused });
  say(`${FILES} files in ${DIRECTORIES} directories`);
  say(`  find | wc             ${rate(findSeconds)}`);
  const dry = await timed(async () => {
    await client.post(`/v6/scans/${id}/process/`, {});
    await until('the dry run is done', async () => (await look()).dry_run_job.status === 'COMPLETED');
  });
  report('dry run', dry);
  const before = system.spent();
  const recorded = await timed(async () => {
    await client.post(`/v6/scans/${id}/process/`, { ingest: true });
    await until('the listing runs', async () => (await look()).job.status !== 'QUEUED');
    // A paused node goes on with what it runs, and takes no ingests.
    await pause(true);
    await until('all is recorded', async () => (await look()).job.status === 'COMPLETED');
  });
  report('list and record', recorded);
  const after = system.spent();
  const used = (name: 'coordinator' | 'agent' | 'postgres') =>
    `${name} ${(((after[name] - before[name]) * 1_000) / FILES).toFixed(3)} ms`;
  say(`  processor time a file: ${used('coordinator')}, ${used('agent')}, ${used('postgres')}`);
  const { file_count: counted } = await look();
  if (counted !== FILES) throw new Error(`${counted} files were counted`);

  const sql = sqlOf(pool);
  const tables = ['event', 'job', 'ingest'];
  for (const table of tables)
    await sql.execute(`create unlogged table bare_${table} as select * from ${table}`, []);
  const folder = join(system.folder, 'copied');
  mkdirSync(folder, { mode: 0o777 });
  execFileSync('chmod', ['777', folder, system.folder]);
  for (const table of tables) {
    await sql.execute(`copy bare_${table} to '${join(folder, table)}'`, []);
    await sql.execute(`create table copy_${table} (like ${table} including all)`, []);
  }
  const copied = await timed(async () => {
    for (const table of tables) await sql.execute(`copy copy_${table} from '${join(folder, table)}'`, []);
  });
  say(`  bare COPY of the rows ${rate(copied)}, all indexes kept`);
  say(
    `  ratio                 ${(copied / recorded).toFixed(2)} of COPY, ${(findSeconds / dry).toFixed(2)} of find`,
  );

  const ingested = () => client.count(`/v6/ingests/?scan_id=${id}&status=INGESTED`);
  await pause(false);
  await until('the first are ingested', async () => (await ingested()) > 0);
  const first = await ingested();
  const seconds = await timed(() => new Promise((wake) => setTimeout(wake, INGEST_MS)));
  say(`  ingest                ${(((await ingested()) - first) / seconds).toFixed(0)} files/s`);
  let canceled = 0;
  const answered = await timed(async () => {
    const { canceled_jobs: jobs } = await client.post<{ canceled_jobs: number[] }>(
      `/v6/scans/cancel/${id}/`,
      {},
    );
    canceled = jobs.length;
  });
  const live = () => client.count(`/v6/ingests/?scan_id=${id}&status=TRANSFERRED&status=INGESTING`);
  const ended = await timed(() => until('all are canceled', async () => (await live()) === 0));
  say(
    `  cancel                ${canceled} jobs, answered in ${answered.toFixed(2)} s, done ${ended.toFixed(1)} s later`,
  );
  report('at the end', recorded);
} finally {
  await pool.end();
  await system.stop();
}
