/**
 * What must be true once all work is done, whatever was killed meanwhile: everything happened once, nothing is left
 * over, and what was counted while it happened is what a recount gives.
 */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Test } from 'tap';
import { checkDemo, type StoredFile } from '../../../src/cli/demo/demo-check.ts';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { processesOf } from './folder-processes.ts';
import { until } from './until.ts';
import type { DemoWork } from './work/demo-work.ts';
import type { World } from './world.ts';

interface IngestRecord {
  readonly file_name: string;
  readonly status: string;
  readonly source_file: { readonly id: number } | null;
}

interface JobRecord {
  readonly id: number;
  readonly status: string;
  readonly num_exes: number;
  readonly job_type: { readonly name: string; readonly is_system: boolean };
  readonly recipe: { readonly id: number } | null;
}

interface RecipeRecord extends Readonly<Record<string, unknown>> {
  readonly id: number;
  readonly jobs_total: number;
}

export interface ExecutionRecord {
  readonly status: string;
  readonly exe_num: number;
  readonly error: { readonly name: string } | null;
}

const COUNTED = ['pending', 'blocked', 'queued', 'running', 'failed', 'completed', 'canceled'] as const;
const MARKER = '.millrace-workspace';

/** `jobs`: those beside the files' own. */
export async function checkQuiet(
  t: Test,
  { world, client, work }: { world: World; client: InterfaceClient; work: DemoWork },
): Promise<void> {
  const files = work.delivered;
  await settled(world, client);
  const verdict = await checkDemo(client.typed, files, world.at.archive);
  t.strictSame(verdict.problems, [], 'the demo finds every file once, unchanged, with its two products');

  const ingests = await listed<IngestRecord>(client, '/v6/ingests/');
  t.strictSame(
    ingests.map((ingest) => `${ingest.file_name} ${ingest.status}`).sort(),
    files.map((file) => `${file.name} INGESTED`).sort(),
    'each file is one ingest',
  );
  await checkJobs(t, client, files.length);
  await checkFigures(t, client, files.length);
  await checkDisk(t, world, client);
  t.strictSame(tasksOf(world), [], 'no process of a task is left');
}

/** Work that nobody waits for ends a little later: acknowledgements, temporary names, folders of tasks. */
async function settled(world: World, client: InterfaceClient): Promise<void> {
  await until('no task is left and no job is live', async () => {
    if (tasksOf(world).length > 0) return false;
    const live = await listed<JobRecord>(client, '/v6/jobs/?status=RUNNING&status=QUEUED&status=PENDING');
    return live.every((job) => job.job_type.name === 'millrace-strike');
  });
  await until('no temporary name is left', () => temporaries(world).length === 0, 20_000).catch(
    () => undefined,
  );
}

async function checkJobs(t: Test, client: InterfaceClient, files: number): Promise<void> {
  const jobs = await listed<JobRecord>(client, '/v6/jobs/');
  const own = jobs.filter((job) => !job.job_type.is_system);
  t.strictSame(
    own.filter((job) => job.status !== 'COMPLETED').map((job) => `${job.id} ${job.status}`),
    [],
    'every job is completed',
  );
  const wrong: string[] = [];
  for (const job of jobs) {
    if (job.job_type.name === 'millrace-strike') continue;
    const executions = await listed<ExecutionRecord>(client, `/v6/jobs/${job.id}/executions/`);
    const completed = executions.filter((one) => one.status === 'COMPLETED');
    const isWrong =
      completed.length !== 1 ||
      completed[0]?.exe_num !== job.num_exes ||
      executions.some((one) => one.status === 'RUNNING');
    if (isWrong) wrong.push(`${job.job_type.name} ${job.id}: ${JSON.stringify(executions)}`);
  }
  t.strictSame(wrong, [], 'every job has one completed execution, its last, and none that runs');

  const recipes = await listed<RecipeRecord>(client, '/v6/recipes/');
  t.equal(recipes.length, files, 'one recipe a file');
  const miscounted = recipes.flatMap((recipe) => {
    const members = own.filter((job) => job.recipe?.id === recipe.id);
    const told = [recipe.jobs_total, ...COUNTED.map((state) => recipe[`jobs_${state}`])];
    const counted = [
      members.length,
      ...COUNTED.map((state) => members.filter((job) => job.status === state.toUpperCase()).length),
    ];
    return `${told}` === `${counted}` ? [] : [`recipe ${recipe.id}: ${told}, recounted ${counted}`];
  });
  t.strictSame(miscounted, [], 'counters of recipes are what a recount of their jobs gives');
  t.equal(own.filter((job) => job.recipe !== null).length, 2 * files, 'two jobs a recipe');
}

/** What is counted by hour is what a recount of jobs and ingests gives. */
async function checkFigures(t: Test, client: InterfaceClient, files: number): Promise<void> {
  interface Series {
    readonly column: { readonly name: string };
    readonly values: readonly { readonly value: number }[];
  }
  const sums = async (path: string): Promise<Record<string, number>> => {
    const series = await listed<Series>(client, `/v6/metrics/${path}`);
    return Object.fromEntries(
      series.map(({ column, values }) => [column.name, values.reduce((sum, { value }) => sum + value, 0)]),
    );
  };
  const jobs = await listed<JobRecord>(client, '/v6/jobs/');
  const inStatus = (status: string) => jobs.filter((job) => job.status === status).length;
  const [completed, failed, canceled] = ['COMPLETED', 'FAILED', 'CANCELED'].map(inStatus);
  t.match(
    await sums('job-types/plot-data/?group=overview'),
    { completed_count: completed, failed_count: failed, canceled_count: canceled },
    'metrics of jobs are what a recount gives',
  );
  t.match(
    await sums('ingests/plot-data/?group=overview'),
    { ingested_count: files, total_count: files },
    'metrics count each file once',
  );
  const strikes = await listed<{ files: number; size: number }>(
    client,
    '/v6/ingests/status/?use_ingest_time=true',
  );
  const sizes = await listed<{ file_size: number }>(client, '/v6/ingests/?status=INGESTED');
  t.strictSame(
    strikes.map((strike) => [strike.files, strike.size]),
    [[files, sizes.reduce((sum, { file_size: size }) => sum + size, 0)]],
    'ingests by hour count each file once',
  );
}

/** Files in the archive are those that are registered, and arrivals are empty, once what is void is removed. */
export async function checkDisk(t: Test, world: World, client: InterfaceClient): Promise<void> {
  const paths = async () =>
    (await listed<StoredFile>(client, '/v6/files/')).map((file) => file.file_path).sort();
  await until('what is void is removed', async () => {
    const isMoved = filesBelow(world.at.arrivals).length === 0;
    return isMoved && filesBelow(world.at.archive).join() === (await paths()).join();
  }).catch(() => undefined); // what follows says which are left
  t.strictSame(
    filesBelow(world.at.archive),
    await paths(),
    'the archive holds what is registered, each once, and nothing else',
  );
  t.strictSame(filesBelow(world.at.arrivals), [], 'nothing is left among the arrivals');
}

export async function listed<T>(client: InterfaceClient, path: string): Promise<T[]> {
  const records: T[] = [];
  for await (const record of client.all<T>(path)) records.push(record);
  return records;
}

/** Paths below a workspace's directory, sorted, without its marker. */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== MARKER)
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .sort();
}

function temporaries(world: World): string[] {
  return [...filesBelow(world.at.archive), ...filesBelow(world.at.arrivals)].filter((path) =>
    path.includes('.millrace-'),
  );
}

/** Command lines of tasks. */
export function tasksOf(world: World): string[] {
  return processesOf(world.folder)
    .filter(({ isTask }) => isTask)
    .map(({ commandLine }) => commandLine);
}
