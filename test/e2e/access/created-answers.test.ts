/**
 * What creates are answered is what was committed, however soon a node takes it up. The answer to a request with a key
 * is saved by the commit itself: those to requests without one must say the same.
 */
import t, { type Test } from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';
import { type KeyedAnswer, newKey, send } from '../harness/work/keyed-calls.ts';

const JOBS = 25;
const RECIPES = 10;
const BATCHES = 3;
const STRIKES = 5;
const AT_A_TIME = 5;

/** A job, a recipe with a job, a condition that waits for the job and one that waits for nothing. */
async function recipeTypeOf(client: InterfaceClient): Promise<number> {
  const number = { files: [], json: [{ name: 'N', type: 'integer' }] };
  const fromRecipe = { N: { type: 'recipe', input: 'N' } };
  const job = (...after: string[]) => ({
    dependencies: after.map((name) => ({ name })),
    input: fromRecipe,
    node_type: { node_type: 'job', job_type_name: 'quick', job_type_version: '1.0.0' },
  });
  const inner = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Inner',
    definition: { input: number, nodes: { only: job() } },
  });
  const node_type = { node_type: 'recipe', recipe_type_name: inner.name };
  const filter = { filters: [{ name: 'N', type: 'integer', condition: '<', values: [0] }] };
  const condition = { node_type: 'condition', interface: number, data_filter: filter };
  const nodes = {
    first: job(),
    inner: { dependencies: [], input: fromRecipe, node_type },
    gate: { dependencies: [{ name: 'first' }], input: fromRecipe, node_type: condition },
    last: job('gate'),
    open: { dependencies: [], input: fromRecipe, node_type: condition },
  };
  const outer = { title: 'Outer', definition: { input: number, nodes } };
  return (await client.post<{ id: number }>('/v6/recipe-types/', outer)).id;
}

t.test('a create is answered with the committed record, even if a node has changed it since', async (t) => {
  const { world, coordinator, client } = await startPair(t);
  const json = [{ name: 'N', type: 'integer' }];
  const jobTypeId = await createJobType(client, { name: 'quick', script: 'true', json });
  const recipeTypeId = await recipeTypeOf(client);
  const { id: dataset } = await client.post<{ id: number }>('/v6/datasets/', {
    definition: { parameters: { files: [], json } },
    data: [1, 2, 3].map((n) => ({ files: {}, json: { N: n } })),
  });
  await client.post('/v6/workspaces/', {
    title: 'Archive',
    configuration: { broker: { type: 'host', host_path: world.at.archive } },
  });
  const watched = { files: [{ name: 'F' }], json: [] };
  await client.post('/v6/recipe-types/', { title: 'Watched', definition: { input: watched, nodes: {} } });
  const input = { files: {}, json: { N: 1 } };

  const create = (path: string, body: object, times: number) =>
    createAll(t, coordinator.url, path, body, times);
  const jobs = await create('/v6/jobs/', { job_type_id: jobTypeId, input }, JOBS);
  const recipes = await create('/v6/recipes/', { recipe_type_id: recipeTypeId, input }, RECIPES);
  const batches = await create(
    '/v6/batches/',
    { recipe_type_id: recipeTypeId, definition: { dataset, supersedes: false } },
    BATCHES,
  );
  const configuration = {
    ...{ workspace: 'archive', recipe: { name: 'watched' } },
    monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
    files_to_ingest: [{ filename_regex: '.*' }],
  };
  const strikes = await create('/v6/strikes/', { title: 'Watch', configuration }, STRIKES);

  for (const { json } of jobs) {
    t.match(json, { status: 'QUEUED', num_exes: 1, node: null, execution: null, started: null, ended: null });
  }
  for (const { json } of recipes) {
    t.match(json, { is_completed: false, completed: null, jobs_total: 2, sub_recipes_total: 1 });
    t.match(json, { jobs_queued: 2, jobs_running: 0, jobs_completed: 0, sub_recipes_completed: 0 });
    t.strictSame(
      Object.keys(json.details.nodes).sort(),
      ['first', 'gate', 'inner', 'open'],
      'not what came later',
    );
    t.match(json.details.nodes, {
      first: { node_type: { status: 'QUEUED' } },
      inner: { node_type: { is_completed: false, jobs_total: 1, jobs_queued: 1 } },
      gate: { node_type: { is_processed: false, is_accepted: false, reason: null } },
      open: { node_type: { is_processed: true, is_accepted: true, reason: null } },
    });
  }
  for (const { json } of batches) {
    t.match(json, { is_creation_done: false, recipes_total: 0, recipes_estimated: 6, jobs_total: 0 });
    t.match(json.job_metrics, { first: { jobs_total: 0, max_job_duration: null } });
  }
  for (const { json } of strikes) t.match(json, { job: { status: 'QUEUED' } });
  await until('all that was created has ended', async () => {
    const open = ['QUEUED', 'RUNNING', 'PENDING'].map((status) => `status=${status}`).join('&');
    const left = await client.get<{ count: number }>(`/v6/jobs/?job_type_name=quick&${open}`);
    const recipesLeft = await client.get<{ count: number }>('/v6/recipes/?is_completed=false');
    const batchesLeft = await client.get<{ count: number }>('/v6/batches/?is_creation_done=false');
    return left.count + recipesLeft.count + batchesLeft.count === 0;
  });
});

/** Some at a time, after one with a key. Resolves with the answers to those without. */
async function createAll(
  t: Test,
  url: string,
  path: string,
  body: object,
  times: number,
): Promise<readonly KeyedAnswer[]> {
  const saved = await send(url, path, body, { 'idempotency-key': newKey() });
  const answers: KeyedAnswer[] = [];
  while (answers.length < times) {
    const some = Array.from({ length: AT_A_TIME }, () => send(url, path, body));
    answers.push(...(await Promise.all(some)));
  }
  for (const answer of answers) {
    t.equal(answer.status, 201, answer.text);
    t.strictSame(formOf(answer.json), formOf(saved.json), `${path}: as the commit saves it`);
  }
  return answers;
}

// A job may be written twice in the commit that creates it: its version is then 2.
const OWN = new Set(['id', 'name', 'job_id', 'recipe_id', 'condition_id', 'object_version']);
const INSTANT = /^\d{4}-\d\d-\d\dT/;

/** An answer without what is each record's own: ids, names, versions and instants. */
function formOf(json: object): unknown {
  const text = JSON.stringify(json, (key, value: unknown) => {
    if (OWN.has(key)) return typeof value;
    return typeof value === 'string' && INSTANT.test(value) ? 'instant' : value;
  });
  return JSON.parse(text);
}
