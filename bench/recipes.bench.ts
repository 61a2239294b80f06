/**
 * Recipes a second through the whole system: three jobs, a condition that accepts and a sub-recipe of one job each,
 * with tasks that do nothing and have no folder.
 *
 * As many connections ask, and as many jobs run, as in bench/noop-jobs.bench.ts. With 16 connections and 1,000 recipes
 * commits were of 7 jobs, and runs of four seconds were still warming up: a job alone took 2.2 ms of processor time, a
 * recipe 5.4, where these sizes, in the same hour, say 1.2 and 3.5.
 *
 * Beside it Snakemake on the same graph (four rules a recipe, each touching its output), which keeps its state in files
 * and starts a shell for each rule.
 */
import type { InterfaceClient } from '../test/support/clients/interface-client.ts';
import { medianOf, ratioOf, runBench } from './harness/bench.ts';
import { postMany } from './harness/load/load-client.ts';
import { rate } from './harness/meter.ts';
import { startSystem } from './harness/system.ts';
import { makeJobType, untilCount } from './harness/work.ts';
import { openSnakemake } from './peers/snakemake.ts';

const JOBS_EACH = 4;
const CONNECTIONS = 64;
const OURS = 'Millrace';

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

/** Their ids. */
async function define(client: InterfaceClient): Promise<{ jobTypeId: number; recipeTypeId: number }> {
  const jobTypeId = await makeJobType(client, 'bench-step', 'process:noop', 'true');
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
  return { jobTypeId, recipeTypeId: outer.id };
}

await runBench(import.meta.filename, async (bench) => {
  const recipes = bench.parameter('recipes', 5, 2_500);
  const fewRecipes = bench.parameter('snakemake-recipes', 2, 25);
  const snakemake = await openSnakemake(bench, fewRecipes);
  const system = await startSystem(bench, { agent: 'noop' });
  try {
    const { client, meter } = system;
    const { jobTypeId, recipeTypeId } = await define(client);
    const work = (count: number, things: number, path: string, body: object, done: string) => async () => {
      const before = await client.count(done);
      const sample = await rate(count, meter, async () => {
        await postMany(client.base, path, body, count, Math.min(count, CONNECTIONS));
        await untilCount(client, done, before + count);
      });
      return { ...sample, value: (sample.value * things) / count, count: things };
    };
    const rows = await bench.compare({
      ...{ title: 'Recipes of four jobs', unit: 'recipes/s', each: 'recipe' },
      subjects: [
        {
          name: OURS,
          work: work(
            ...([recipes, recipes, '/v6/recipes/'] as const),
            { recipe_type_id: recipeTypeId, input: { json: { N: 1 } } },
            `/v6/recipes/?is_completed=true&recipe_type_id=${recipeTypeId}`,
          ),
        },
        {
          name: 'Millrace, as many jobs alone',
          work: work(
            ...([recipes * JOBS_EACH, recipes, '/v6/jobs/'] as const),
            { job_type_id: jobTypeId, input: {} },
            '/v6/jobs/?status=COMPLETED&job_type_name=bench-step&is_superseded=false',
          ),
        },
        {
          ...{ name: 'Snakemake', isPeer: true, missing: snakemake.missing, isWarmedUp: false, runs: 1 },
          remark: `${fewRecipes} a run`,
          work: snakemake.run,
        },
      ],
    });
    bench.aim({
      ...{ text: 'recipes a second', measured: medianOf(rows, OURS), wanted: 1_200 },
      ...{ bound: 'least', unit: 'recipes/s' },
    });
    bench.aim({
      ...{ text: `${OURS} / Snakemake`, measured: ratioOf(rows, OURS, 'Snakemake'), wanted: 50 },
      ...{ bound: 'least', unit: 'x' },
    });
  } finally {
    await system.stop();
  }
});
