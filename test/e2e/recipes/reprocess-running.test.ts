/** Recipes and batches that are done again while their first jobs still run: what continues, what ends, what counts. */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';
import { clientOf, type World } from '../harness/world.ts';

const MEMBERS = 6;

interface RecipeDetails {
  readonly id: number;
  readonly is_completed: boolean;
  readonly is_superseded: boolean;
  readonly jobs_running: number;
  readonly jobs_completed: number;
  readonly superseded_by_recipe: { readonly id: number } | null;
  readonly details: { readonly nodes: Record<string, { readonly node_type: { readonly job_id: number } }> };
}
interface Batch {
  readonly is_creation_done: boolean;
  readonly recipes_completed: number;
  readonly jobs_completed: number;
  readonly jobs_running: number;
}
interface Product {
  readonly id: number;
  readonly job: { readonly id: number };
}

/** `a` ends at once, `b` waits for the auth filter, `c` comes after it; each makes a product. */
async function threeJobs(world: World, client: InterfaceClient) {
  const traces = join(world.seenByTasks, 'traces');
  const gate = join(world.seenByTasks, 'gate');
  mkdirSync(traces);
  chmodSync(traces, 0o1777);
  const { name: workspace } = await client.post<{ name: string }>('/v6/workspaces/', {
    title: 'Archive',
    configuration: { broker: { type: 'host', host_path: world.at.archive } },
  });
  const outputs = [{ name: 'OUT', pattern: '*.txt', mediaType: 'text/plain' }];
  const begin = `echo 1 >${traces}/$SCALE_JOB_ID.$$`;
  const end = 'echo done >"$OUTPUT_DIR/$SCALE_JOB_ID.txt"';
  const wait = `while [ ! -e ${gate} ]; do sleep 0.1; done`;
  for (const [name, script] of [
    ['quick', `${begin}; ${end}`],
    ['waits', `${begin}; ${wait}; ${end}`],
  ] as const) {
    await createJobType(client, { name, script, timeout: 600, outputs, workspace });
  }
  const node = (name: string, ...after: string[]) => ({
    dependencies: after.map((one) => ({ name: one })),
    input: {},
    node_type: { node_type: 'job', job_type_name: name, job_type_version: '1.0.0', job_type_revision: 1 },
  });
  const number = { files: [], json: [{ name: 'N', type: 'integer' }] };
  const nodes = { a: node('quick'), b: node('waits', 'a'), c: node('quick', 'b') };
  const { id } = await client.post<{ id: number }>('/v6/recipe-types/', {
    title: 'Three',
    definition: { input: number, nodes },
  });
  /** How often the command of a job began. */
  const begun = (jobId: number) => readdirSync(traces).filter((one) => one.startsWith(`${jobId}.`)).length;
  const isAlive = (jobId: number) =>
    readdirSync(traces).some(
      (one) => one.startsWith(`${jobId}.`) && existsSync(`/proc/${one.split('.')[1]}`),
    );
  return { typeId: id, begun, isAlive, open: () => writeFileSync(gate, '') };
}

const recipeOf = (client: InterfaceClient, id: number) => client.get<RecipeDetails>(`/v6/recipes/${id}/`);
const jobsOf = ({ details }: RecipeDetails) =>
  Object.fromEntries(Object.entries(details.nodes).map(([name, { node_type }]) => [name, node_type.job_id]));
const again = (client: InterfaceClient, id: number, ...nodes: string[]) =>
  client.post(`/v6/recipes/${id}/reprocess/`, { forced_nodes: { all: false, nodes } });

t.test('reprocess: running jobs are ended or carried over, and count in all their recipes', async (t) => {
  const { world, client } = await startPair(t);
  const { typeId, begun, isAlive, open } = await threeJobs(world, client);
  const made = await client.post<{ id: number }>('/v6/recipes/', {
    recipe_type_id: typeId,
    input: { json: { N: 1 } },
  });
  const atWork = (id: number) =>
    until(`recipe ${id} waits at its gate`, async () => {
      const recipe = await recipeOf(client, id);
      const isAtWork = recipe.jobs_running === 1 && begun(jobsOf(recipe).b ?? 0) === 1;
      return isAtWork ? recipe : undefined;
    });
  const first = await atWork(made.id);
  const old = jobsOf(first);

  await again(client, first.id, 'b');
  const replaced = await recipeOf(client, first.id);
  const second = await atWork(replaced.superseded_by_recipe?.id ?? 0);
  const fresh = jobsOf(second);
  t.equal(fresh.a, old.a, 'what is done is kept');
  t.not(fresh.b, old.b);
  t.match(replaced, {
    ...{ is_superseded: true, is_completed: false, completed: null },
    ...{ jobs_total: 3, jobs_completed: 1, jobs_canceled: 2, jobs_running: 0, jobs_pending: 0 },
  });
  t.match(await client.get<object>(`/v6/jobs/${old.b}/`), {
    ...{ status: 'CANCELED', is_superseded: true, num_exes: 1 },
    superseded_by_job: { id: fresh.b },
  });
  await until('the replaced task is ended', () => !isAlive(old.b ?? 0));
  await until('its execution is ended', async () => {
    const path = `/v6/jobs/${old.b}/executions/`;
    const { results } = await client.get<{ results: { status: string }[] }>(path);
    return results.length === 1 && results[0]?.status === 'CANCELED';
  });

  await again(client, second.id, 'c');
  const third = await recipeOf(client, (await recipeOf(client, second.id)).superseded_by_recipe?.id ?? 0);
  t.equal(jobsOf(third).b, fresh.b, 'what runs is carried over');
  t.match(await recipeOf(client, second.id), { is_superseded: true, jobs_running: 1, jobs_canceled: 1 });
  open();
  await until('the last one completes', async () => (await recipeOf(client, third.id)).is_completed);
  t.match(await recipeOf(client, third.id), { jobs_total: 3, jobs_completed: 3, is_superseded: false });
  t.match(await recipeOf(client, second.id), {
    ...{ is_completed: false, jobs_completed: 2, jobs_canceled: 1, jobs_running: 0 },
  });
  t.equal(begun(fresh.b ?? 0), 1, 'what was carried over ran once');

  const products = await client.get<{ results: Product[] }>('/v6/files/?file_type=PRODUCT');
  const makers = products.results.map((one) => one.job.id).sort((x, y) => x - y);
  t.strictSame(
    makers,
    Object.values(jobsOf(third)),
    'each job of the last recipe has its product, none other',
  );
  t.equal(
    readdirSync(world.at.archive, { recursive: true }).filter((one) => `${one}`.endsWith('.txt')).length,
    3,
  );
  await t.rejects(again(client, first.id, 'a'), /409/, 'the replaced one is not done again');
});

/** Recipes that would take the place of one with an even id are refused, as if others changed the same rows. */
const BARRIER = /* sql */ `
  create function refuse_even() returns trigger language plpgsql as $$ begin
    if mod(new.superseded_recipe_id, 2) = 0 then raise exception 'not now' using errcode = '40001'; end if;
    return new;
  end $$;
  create trigger refuse_even before insert on recipe for each row execute function refuse_even()`;

t.test(
  'reprocess: a batch is reprocessed over running jobs, though its coordinator is killed midway',
  async (t) => {
    const url = await migratedDatabase(t);
    const { world, coordinator, client: before } = await startPair(t, { coordinator: { DATABASE_URL: url } });
    const database = new pg.Client({ connectionString: url });
    await database.connect();
    t.teardown(() => database.end());
    const one = async (text: string): Promise<number> => Number((await database.query(text)).rows[0].n);
    const { typeId, begun, open } = await threeJobs(world, before);
    const data = Array.from({ length: MEMBERS }, (_, n) => ({ files: {}, json: { N: n } }));
    const parameters = { files: [], json: [{ name: 'N', type: 'integer' }] };
    const dataset = await before.post<{ id: number }>('/v6/datasets/', { definition: { parameters }, data });
    const batch = (definition: object) =>
      before.post<{ id: number }>('/v6/batches/', { recipe_type_id: typeId, definition });
    const { id: firstId } = await batch({ dataset: dataset.id });
    const first = () => before.get<Batch>(`/v6/batches/${firstId}/`);
    await until('something of each kind is there', async () => {
      const { jobs_completed, jobs_running } = await first();
      return jobs_completed === MEMBERS && jobs_running > 0;
    });

    await database.query(BARRIER);
    const forced_nodes = { all: false, nodes: ['b'] };
    const { id } = await batch({ previous_batch: { root_batch_id: firstId, forced_nodes } });
    const made = () => one(`select count(*) as n from recipe where batch_id = ${id}`);
    await until('it stands in its middle', async () => (await made()) === MEMBERS / 2);
    await coordinator.end('SIGKILL');
    t.equal(await made(), MEMBERS / 2);
    await database.query('drop trigger refuse_even on recipe');

    const client = clientOf(await world.start('coordinator', 'coordinator', coordinator.options.env));
    const second = () => client.get<Batch>(`/v6/batches/${id}/`);
    await until('all are made', async () => (await second()).is_creation_done, 90_000);
    open();
    await until('all are complete', async () => (await second()).recipes_completed === MEMBERS, 90_000);
    t.match(await second(), {
      ...{ recipes_total: MEMBERS, jobs_total: 3 * MEMBERS, jobs_completed: 3 * MEMBERS, jobs_canceled: 0 },
      ...{ is_superseded: false, superseded_batch: { id: firstId } },
    });
    t.match(await client.get<Batch>(`/v6/batches/${firstId}/`), {
      ...{ is_superseded: true, recipes_completed: 0, recipes_total: MEMBERS, jobs_total: 3 * MEMBERS },
      ...{ jobs_completed: MEMBERS, jobs_canceled: 2 * MEMBERS, jobs_running: 0, jobs_queued: 0 },
    });
    t.equal(await client.count(`/v6/recipes/?batch_id=${firstId}&is_superseded=true`), MEMBERS);
    t.equal(await client.count('/v6/files/?file_type=PRODUCT'), 3 * MEMBERS, 'nothing is stored twice');
    const { results } = await client.get<{ results: { id: number; job_type: { name: string } }[] }>(
      `/v6/jobs/?status=COMPLETED&page_size=1000`,
    );
    t.equal(results.length, 3 * MEMBERS);
    t.strictSame(
      results.filter((job) => begun(job.id) !== 1),
      [],
      'what is complete ran once',
    );
  },
);
