/**
 * A scan of many files: a dry run, then an ingest run that lists and records them while no node takes ingests; then how
 * fast they are ingested, and how fast the rest is canceled.
 *
 * Beside it `find -printf` into a COPY with as many rows, and a bare insert of the very rows that the scan made,
 * into tables with the same indexes.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InterfaceClient } from '../test/support/clients/interface-client.ts';
import { type Bench, runBench } from './harness/bench.ts';
import { withClient } from './harness/durability.ts';
import { type Measured, measured, OWN_METER } from './harness/meter.ts';
import { runToEnd } from './harness/program.ts';
import type { Row } from './harness/results/result.ts';
import { type System, startSystem } from './harness/system.ts';
import { until } from './harness/work.ts';

const FILES_EACH = 100;
const INGEST_MS = 10_000;
const LOOK_MS = 50;
const TABLES = ['event', 'job', 'ingest'];

interface Scan {
  readonly id: number;
  readonly file_count: number;
  readonly job: { readonly status: string };
  readonly dry_run_job: { readonly status: string };
}

function fill(root: string, files: number): void {
  const directories = Math.max(1, Math.ceil(files / FILES_EACH));
  for (let n = 0; n < directories; n++) {
    const directory = join(root, `area-${n % 20}`, `directory-${n}`);
    mkdirSync(directory, { recursive: true });
    for (let at = 0; at < FILES_EACH && n * FILES_EACH + at < files; at++)
      writeFileSync(join(directory, `file-${at}.txt`), `${n} ${at}`);
  }
}

const configuration = {
  workspace: 'files',
  scanner: { type: 'dir' },
  files_to_ingest: [{ filename_regex: '.*\\.csv' }, { filename_regex: '.*\\.txt' }],
};

/** A scan that could begin at once. */
async function makeScan(client: InterfaceClient, root: string): Promise<number> {
  const broker = { type: 'host', host_path: root };
  await client.post('/v6/workspaces/', { title: 'files', configuration: { broker } });
  const { id } = await client.post<Scan>('/v6/scans/', { title: 'Bench', configuration });
  await until('a node reaches the files', async () => {
    const body = { title: 'x', configuration };
    const { warnings } = await client.post<{ warnings: unknown[] }>('/v6/scans/validation/', body);
    return warnings.length === 0;
  });
  return id;
}

const rowOf = (name: string, files: number, { seconds, ...costs }: Measured, isPeer = false): Row => ({
  ...{ name, isPeer },
  samples: [{ value: files / seconds, count: files, ...costs }],
});

/** `find` into a table without an index but its key. */
async function findAndCopy({ databaseUrl, databaseMeter }: System, root: string): Promise<Measured> {
  await withClient(databaseUrl, async (client) => {
    await client.query('drop table if exists peer_found');
    await client.query(
      'create table peer_found (path text primary key, size bigint, at float8, inode bigint)',
    );
  });
  const script =
    'find "$1" -type f -printf "%p\\t%s\\t%T@\\t%i\\n" | psql -qX "$2" -c "copy peer_found from stdin"';
  const meter = { ...databaseMeter, cpu: () => ({ ...OWN_METER.cpu(), ...databaseMeter.cpu() }) };
  return measured(meter, () => runToEnd(['sh', '-c', script, 'sh', root, databaseUrl]));
}

/** The rows that the scan made, into tables with the same indexes. */
async function copyRows({ databaseUrl, databaseMeter }: System): Promise<Measured> {
  return withClient(databaseUrl, async (client) => {
    for (const table of TABLES) {
      await client.query(`create unlogged table bare_${table} as select * from ${table}`);
      await client.query(`create table copy_${table} (like ${table} including all)`);
    }
    return measured(databaseMeter, async () => {
      for (const table of TABLES) await client.query(`insert into copy_${table} select * from bare_${table}`);
    });
  });
}

/** What is ingested a second, and how the rest is canceled. */
async function ingestAndCancel(bench: Bench, { client }: System, id: number, goOn: () => Promise<void>) {
  const ingested = () => client.count(`/v6/ingests/?scan_id=${id}&status=INGESTED`);
  await goOn();
  await until('the first are ingested', async () => (await ingested()) > 0);
  const first = await ingested();
  const { seconds } = await measured(OWN_METER, () => sleep(bench.isTiny ? 100 : INGEST_MS));
  const ingestedEach = ((await ingested()) - first) / seconds;
  let canceled = 0;
  const answer = await measured(OWN_METER, async () => {
    const { canceled_jobs: jobs } = await client.post<{ canceled_jobs: number[] }>(
      `/v6/scans/cancel/${id}/`,
      {},
    );
    canceled = jobs.length;
  });
  const live = () => client.count(`/v6/ingests/?scan_id=${id}&status=TRANSFERRED&status=INGESTING`);
  const ended = await measured(OWN_METER, () => until('all are canceled', async () => (await live()) === 0));
  bench.add({
    ...{ kind: 'figures', title: 'Afterwards', columns: ['', ''] },
    rows: [
      ['ingested, files/s', ingestedEach],
      ['canceled, jobs', canceled],
      ['cancel answered after, s', answer.seconds],
      ['all canceled after, s', ended.seconds],
    ],
  });
}

await runBench(import.meta.filename, async (bench) => {
  const files = bench.parameter('files', 200, 100_000);
  const system = await startSystem(bench, { agent: 'process' });
  try {
    const { client, meter } = system;
    const root = join(system.folder, 'files');
    fill(root, files);
    const id = await makeScan(client, root);
    const look = () => client.get<Scan>(`/v6/scans/${id}/`);
    const [node] = (await client.get<{ results: { id: number }[] }>('/v6/nodes/')).results;
    const pause = (isPaused: boolean) => client.patch(`/v6/nodes/${node?.id}/`, { is_paused: isPaused });
    const isDone = async (job: 'job' | 'dry_run_job') => (await look())[job].status === 'COMPLETED';
    const dry = await measured(meter, async () => {
      await client.post(`/v6/scans/${id}/process/`, {});
      await until('the dry run is done', () => isDone('dry_run_job'), LOOK_MS);
    });
    const recorded = await measured(meter, async () => {
      await client.post(`/v6/scans/${id}/process/`, { ingest: true });
      await until('the listing runs', async () => (await look()).job.status !== 'QUEUED', LOOK_MS);
      // A paused node continues with what it runs, and takes no ingests.
      await pause(true);
      await until('all is recorded', () => isDone('job'), LOOK_MS);
    });
    const { file_count: counted } = await look();
    if (counted !== files) throw new Error(`${counted} files were counted`);
    const found = await findAndCopy(system, root).catch(() => undefined);
    const copied = await copyRows(system);
    const peers = [rowOf('insert of the same rows, all indexes', files, copied, true)];
    if (found !== undefined) peers.unshift(rowOf('find -printf into COPY', files, found, true));
    bench.add({
      ...{ kind: 'comparison', title: `A scan of ${files} files`, unit: 'files/s', each: 'file' },
      rows: [
        rowOf('Millrace, list and record', files, recorded),
        rowOf('Millrace, dry run', files, dry),
        ...peers,
      ],
    });
    for (const [text, wanted, { seconds }] of [
      ['dry run', 3, dry],
      ['list and record', 5, recorded],
    ] as const) {
      bench.aim({
        ...{ text: `${text} / find into COPY, time`, wanted, bound: 'most', unit: 'x' },
        measured: seconds / (found?.seconds ?? Number.NaN),
      });
    }
    const { coordinator, agent } = system.resident();
    bench.note(
      `Resident afterwards: coordinator ${coordinator.toFixed(0)} MiB, agent ${agent.toFixed(0)} MiB.`,
    );
    await ingestAndCancel(bench, system, id, () => pause(false));
  } finally {
    await system.stop();
  }
});
