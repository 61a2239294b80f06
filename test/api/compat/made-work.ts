/** The work that pages are looked at with: made under `/api/`, worked off by a real agent. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Answer,
  type Clients,
  COUNT_SKETCH,
  FAIL_SKETCH,
  INNER_DEFINITION,
  jobTypeBody,
  makeFolders,
  OUTER_DEFINITION,
  READ_SKETCH,
  untilAnswer,
} from './clients-world.ts';

export const SLOW_SKETCH = { title: 'Sleep Long', script: 'echo sleeping; sleep 600' };
export const WAIT_SKETCH = { title: 'Wait Long', script: 'true' };

/** Ids, by which paths of calls are filled in. */
export interface Work {
  readonly scan: number;
  readonly strike: number;
  readonly workspace: number;
  readonly recipe: number;
  readonly reprocessed: number;
  readonly recipeType: number;
  readonly ingest: number;
  readonly file: number;
  readonly failedJob: number;
  readonly runningJob: number;
  readonly runningExecution: number;
  readonly supersedingJob: number;
  readonly jobType: number;
  readonly batch: number;
  readonly dataset: number;
}

/** Fails unless the call succeeds. */
export async function made(clients: Clients, path: string, body: unknown, method = 'POST'): Promise<Answer> {
  const answer = await clients.call(method, path, body);
  if (answer.status >= 300)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
  return answer;
}

const RULES = [{ filename_regex: '.*txt' }];
const RECIPE = { name: 'outer-recipe' };

async function makeTypes(clients: Clients): Promise<number> {
  for (const sketch of [READ_SKETCH, COUNT_SKETCH, FAIL_SKETCH, SLOW_SKETCH, WAIT_SKETCH]) {
    await made(clients, 'job-types/', jobTypeBody(sketch));
  }
  await made(clients, 'recipe-types/', { title: 'Inner recipe', definition: INNER_DEFINITION });
  const outer = await made(clients, 'recipe-types/', { title: 'Outer recipe', definition: OUTER_DEFINITION });
  return outer.json.id;
}

async function makeWorkspaces(clients: Clients): Promise<number> {
  const { scanned, products } = makeFolders(clients.world);
  const watched = join(clients.world.folder, 'watched');
  mkdirSync(watched);
  writeFileSync(join(watched, 'seen.txt'), 'seen by the strike');
  const places = [
    ['Scanned', scanned],
    ['Products', products],
    ['Watched', watched],
  ] as const;
  for (const [title, path] of places) {
    const configuration = { broker: { type: 'host', host_path: path } };
    await made(clients, 'workspaces/', { title, description: '', base_url: null, configuration });
  }
  return (await clients.get('workspaces/?name=scanned')).json.results[0].id;
}

async function idOfJobType(clients: Clients, name: string): Promise<number> {
  return (await clients.get(`job-types/${name}/1.0.0/`)).json.id;
}

/** A job of the type on the file; resolves once it is in the state. */
async function jobIn(clients: Clients, name: string, file: number, state: string): Promise<Answer> {
  const body = { job_type_id: await idOfJobType(clients, name), input: { files: { INPUT_FILE: [file] } } };
  const { json } = await made(clients, 'jobs/', body);
  return untilAnswer(clients, `jobs/${json.id}/`, (answer) => answer.json.status === state);
}

/** The bodies that Create Batch sends. */
async function makeBatch(clients: Clients, recipeType: number): Promise<{ dataset: number; batch: number }> {
  const dataset = await made(clients, 'datasets/', {
    title: 'Of files',
    description: null,
    definition: {
      global_data: { files: {}, json: {} },
      global_parameters: { files: [], json: [] },
      parameters: { files: [{ name: 'INPUT_FILE' }], json: [] },
    },
    data_template: { files: { INPUT_FILE: 'FILE_VALUE' }, json: {} },
    created_started: 'P1D',
    created_ended: new Date().toISOString(),
    file_type: 'SOURCE',
  });
  const body = {
    title: 'Of all',
    description: null,
    recipe_type_id: recipeType,
    supersedes: true,
    definition: { dataset: dataset.json.id, forced_nodes: { all: false, nodes: ['read-bytes'] } },
    configuration: { priority: 100 },
  };
  const { json } = await made(clients, 'batches/validation/', body);
  if (json.is_valid !== true || 'effects' in json) throw new Error(JSON.stringify(json));
  const batch = (await made(clients, 'batches/', body)).json.id;
  await untilAnswer(clients, `batches/${batch}/`, (answer) => answer.json.is_creation_done);
  return { dataset: dataset.json.id, batch };
}

async function makeIngests(clients: Clients): Promise<{ scan: number; strike: number }> {
  const scanner = { type: 'dir', transfer_suffix: null };
  const scan = await made(clients, 'scans/', {
    title: 'My scan',
    description: null,
    configuration: { workspace: 'scanned', scanner, recursive: true, files_to_ingest: RULES, recipe: RECIPE },
  });
  await made(clients, 'scans/', { title: 'Never', configuration: scan.json.configuration });
  await made(clients, `scans/${scan.json.id}/process/`, { ingest: true });
  const monitor = { type: 'dir-watcher', transfer_suffix: '' };
  const strike = await made(clients, 'strikes/', {
    title: 'My strike',
    description: null,
    configuration: { workspace: 'watched', monitor, files_to_ingest: RULES, recipe: RECIPE },
  });
  return { scan: scan.json.id, strike: strike.json.id };
}

export async function makeWork(clients: Clients): Promise<Work> {
  const workspace = await makeWorkspaces(clients);
  const recipeType = await makeTypes(clients);
  const { scan, strike } = await makeIngests(clients);
  const recipes = await untilAnswer(
    clients,
    'recipes/?recipe_type_name=outer-recipe&is_completed=true&order=id',
    ({ json }) => json.count === 4,
  );
  const [first, second] = recipes.json.results;
  await made(clients, `recipes/${second.id}/reprocess/`, { all: true, nodes: [], sub_recipes: {} });
  const file = (await clients.get('files/?file_type=SOURCE')).json.results[0].id;
  const failed = await jobIn(clients, 'fail-always', file, 'FAILED');
  await made(clients, 'jobs/requeue/', { job_ids: [failed.json.id], url: '/api/v6/jobs/requeue/' });
  await untilAnswer(
    clients,
    `jobs/${failed.json.id}/`,
    ({ json }) => json.num_exes === 2 && json.status === 'FAILED',
  );
  const running = await jobIn(clients, 'sleep-long', file, 'RUNNING');
  await made(clients, 'job-types/wait-long/1.0.0/', { is_paused: true }, 'PATCH');
  await jobIn(clients, 'wait-long', file, 'QUEUED');
  const batched = await makeBatch(clients, recipeType);
  const superseding = await untilAnswer(
    clients,
    'jobs/?job_type_name=read-bytes&is_superseded=false',
    (answer) => answer.json.results.some((job: { superseded_job: unknown }) => job.superseded_job !== null),
  );
  return {
    ...{ scan, strike, workspace, recipeType, file, ...batched },
    recipe: first.id,
    reprocessed: second.id,
    ingest: (await clients.get('ingests/?status=INGESTED')).json.results[0].id,
    failedJob: failed.json.id,
    runningJob: running.json.id,
    runningExecution: running.json.execution.id,
    supersedingJob: superseding.json.results.find((job: { superseded_job: unknown }) => job.superseded_job)
      .id,
    jobType: await idOfJobType(clients, 'read-bytes'),
  };
}
