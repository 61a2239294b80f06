/**
 * Recipes through the whole system: three jobs, a condition that accepts and a sub-recipe of one job each, with tasks
 * that do nothing; beside as many jobs alone. Read the ratio, and the processor time a recipe.
 *
 * node bench/recipes.bench.ts [recipes, default 300]
 */
import type { InterfaceClient } from '../src/cli/demo/interface-client.ts';
import { perJob, startSystem } from './harness/system.ts';

const RECIPES = Number(process.argv[2] ?? 300);
const JOBS_EACH = 4;
const CLIENTS = 16;
const DEADLINE_MS = 300_000;

const MANIFEST = {
  seedVersion: '1.0.0',
  job: {
    ...{ name: 'bench-step', jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'Step', timeout: 60 },
    description: 'Does nothing',
    maintainer: { name: 'Bench', email: 'bench@example.com' },
    interface: { command: 'true' },
  },
};
const job = { node_type: 'job', job_type_name: 'bench-step', job_type_version: '1.0.0' };
const node = (nodeType: object, ...after: string[]) => ({
  dependencies: after.map((name) => ({ name })),
  input: {},
  node_type: nodeType,
});
const condition = {
  node_type: 'condition',
  interface: { json: [{ name: 'N', type: 'integer' }] },
  data_filter: { filters: [{ name: 'N', type: 'integer', condition: '<', values: [0] }] },
};

async function define(client: InterfaceClient): Promise<{ jobTypeId: number; recipeTypeId: number }> {
  const jobType = await client.post<{ id: number }>('/v6/job-types/', {
    container_image: 'process:noop',
    manifest: MANIFEST,
    configuration: {},
  });
  const inner = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Bench inner',
    definition: { input: {}, nodes: { only: node(job) } },
  });
  const outer = await client.post<{ id: number }>('/v6/recipe-types/', {
    title: 'Bench outer',
    definition: {
      input: { json: [{ name: 'N', type: 'integer' }] },
      nodes: {
        first: node(job),
        second: node(job, 'first'),
        check: { ...node(condition, 'first'), input: { N: { type: 'recipe', input: 'N' } } },
        third: node(job, 'check'),
        below: node({ node_type: 'recipe', recipe_type_name: inner.name }, 'second'),
      },
    },
  });
  return { jobTypeId: jobType.id, recipeTypeId: outer.id };
}

/** Posts `count` bodies from several clients, waits until as many are done; a second. */
async function rate(
  client: InterfaceClient,
  count: number,
  path: string,
  body: object,
  done: string,
): Promise<number> {
  const before = await client.count(done);
  const startedMs = performance.now();
  let next = 0;
  const post = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await client.post(path, body);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, post));
  while ((await client.count(done)) < before + count) {
    if (performance.now() - startedMs > DEADLINE_MS) throw new Error(`not done: ${done}`);
    await new Promise((wake) => setTimeout(wake, 100));
  }
  return count / ((performance.now() - startedMs) / 1_000);
}

const system = await startSystem({ agent: 'noop' });
try {
  const { client } = system;
  const { jobTypeId, recipeTypeId } = await define(client);
  const jobBody = { job_type_id: jobTypeId, input: {} };
  const recipeBody = { recipe_type_id: recipeTypeId, input: { json: { N: 1 } } };
  const jobsDone = '/v6/jobs/?status=COMPLETED';
  const recipesDone = `/v6/recipes/?is_completed=true&recipe_type_id=${recipeTypeId}`;
  await rate(client, Math.min(50, RECIPES), '/v6/recipes/', recipeBody, recipesDone);
  const before = system.spent();
  const recipes = await rate(client, RECIPES, '/v6/recipes/', recipeBody, recipesDone);
  const between = system.spent();
  const jobs = await rate(client, RECIPES * JOBS_EACH, '/v6/jobs/', jobBody, jobsDone);
  const after = system.spent();
  const line = (text: string) => process.stdout.write(`${text}\n`);
  const together = recipes * JOBS_EACH;
  line(
    `${RECIPES} recipes of ${JOBS_EACH} jobs: ${recipes.toFixed(1)} recipes/s, ${together.toFixed(1)} jobs/s`,
  );
  line(`  ${perJob(before, between, RECIPES * JOBS_EACH)}`);
  const share = (together / jobs).toFixed(2);
  line(`${RECIPES * JOBS_EACH} jobs alone: ${jobs.toFixed(1)} jobs/s; recipes have ${share} x`);
  line(`  ${perJob(between, after, RECIPES * JOBS_EACH)}`);
} finally {
  await system.stop();
}
