import t from 'tap';
import { PAGE } from '../../../src/store/batch/load.ts';
import { openPool, type Sql, sqlOf } from '../../../src/store/sql/sql.ts';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';
import { clientOf, createWorld } from '../harness/world.ts';

const MEMBERS = PAGE + 100;
const NO_INPUT = { files: [], json: [] };

interface Batch {
  readonly id: number;
  readonly is_creation_done: boolean;
  readonly is_superseded: boolean;
  readonly recipes_total: number;
  readonly recipes_completed: number;
  readonly jobs_total: number;
  readonly jobs_completed: number;
  readonly root_batch: { readonly id: number };
  readonly job_metrics: Record<
    string,
    { jobs_total: number; jobs_completed: number; max_job_duration: string }
  >;
}

const jobNode = (name: string, after: readonly string[] = [], revision = 1) => ({
  dependencies: after.map((one) => ({ name: one })),
  input: {},
  node_type: {
    node_type: 'job',
    job_type_name: name,
    job_type_version: '1.0.0',
    job_type_revision: revision,
  },
});

/** A recipe type of two jobs, one after the other; its id. */
async function twoJobs(client: InterfaceClient): Promise<number> {
  await createJobType(client, { name: 'first', script: 'true' });
  await createJobType(client, { name: 'second', script: 'true' });
  const input = { files: [], json: [{ name: 'N', type: 'integer', required: true }] };
  const nodes = { a: jobNode('first'), b: jobNode('second', ['a']) };
  const type = await client.post<{ id: number }>('/v6/recipe-types/', {
    title: 'Two',
    definition: { input, nodes },
  });
  return type.id;
}

async function datasetOf(client: InterfaceClient, count: number): Promise<number> {
  const parameters = { files: [], json: [{ name: 'N', type: 'integer' }] };
  const data = Array.from({ length: count }, (_, n) => ({ files: {}, json: { N: n } }));
  const definition = { parameters, global_parameters: NO_INPUT };
  return (await client.post<{ id: number }>('/v6/datasets/', { title: 'Many', definition, data })).id;
}

const batchOf = (client: InterfaceClient, id: number) => client.get<Batch>(`/v6/batches/${id}/`);

async function recipesOf(
  sql: Sql,
  batchId: number,
): Promise<{ all: number; members: number; chains: number }> {
  const rows = await sql.execute<{ all: number; members: number; chains: number }>(
    `select count(*) as all, count(distinct batch_member_id) as members, count(distinct chain_id) as chains
     from recipe where batch_id = $1 and parent_id is null`,
    [batchId],
  );
  return rows[0] ?? { all: 0, members: 0, chains: 0 };
}

/** The second page of a first batch, and half of the recipes that take the place of others, are refused. */
const BARRIER = [
  /* sql */ `
  create or replace function refuse_rest() returns trigger language plpgsql as $$ begin
    if new.batch_member_id >= (select min(id) + ${PAGE} from dataset_member)
        or mod(new.superseded_recipe_id, 2) = 0 then
      raise exception 'not now' using errcode = '40001';
    end if;
    return new;
  end $$`,
  'create trigger refuse_rest before insert on recipe for each row execute function refuse_rest()',
];

t.test('batches: every member gets one recipe, though coordinators are killed meanwhile', async (t) => {
  const world = await createWorld(t);
  const url = await migratedDatabase(t);
  const pool = openPool({ url, connectionsMax: 2, statementTimeoutMs: 30_000, applicationName: 'test' });
  t.teardown(() => pool.end());
  const sql = sqlOf(pool);
  const env = { DATABASE_URL: url, MILLRACE_GRPC: `127.0.0.1:${await freePort()}` };
  let coordinator = await world.start('coordinator', 'coordinator', env);
  const client = () => clientOf(coordinator);
  const recipeTypeId = await twoJobs(client());
  const dataset = await datasetOf(client(), MEMBERS);

  /** Kills the coordinator while the batch is being made, and waits until the next one has made the rest. */
  const interrupted = async (definition: object): Promise<Batch> => {
    for (const statement of BARRIER) await sql.execute(statement);
    const made = await client().post<Batch>('/v6/batches/', { recipe_type_id: recipeTypeId, definition });
    await until('some are made', async () => (await recipesOf(sql, made.id)).all > 0);
    await coordinator.end();
    const { all } = await recipesOf(sql, made.id);
    t.comment(`killed when ${all} of ${MEMBERS} recipes were made`);
    t.ok(all > 0 && all < MEMBERS, 'killed midway');
    await sql.execute('drop trigger refuse_rest on recipe');
    coordinator = await world.start('coordinator', 'coordinator', env);
    const isDone = async () => (await batchOf(client(), made.id)).is_creation_done;
    await until(`batch ${made.id} has its recipes`, isDone, 60_000);
    return batchOf(client(), made.id);
  };

  const first = await interrupted({ dataset });
  t.same(await recipesOf(sql, first.id), { all: MEMBERS, members: MEMBERS, chains: MEMBERS });
  t.match(first, { recipes_total: MEMBERS, jobs_total: 2 * MEMBERS, recipes_estimated: MEMBERS });
  t.match(first.job_metrics, { a: { jobs_total: MEMBERS }, b: { jobs_total: MEMBERS } });

  const again = { previous_batch: { root_batch_id: first.id, forced_nodes: { all: false, nodes: ['b'] } } };
  const second = await interrupted(again);
  t.same(await recipesOf(sql, second.id), { all: MEMBERS, members: 0, chains: MEMBERS });
  t.match(second, { recipes_total: MEMBERS, jobs_total: 2 * MEMBERS, is_superseded: false });
  t.match(second, { root_batch: { id: first.id }, superseded_batch: { id: first.id } });
  t.match(await batchOf(client(), first.id), {
    is_superseded: true,
    jobs_canceled: MEMBERS,
    jobs_total: 2 * MEMBERS,
  });
  const superseded = await client().count(`/v6/recipes/?batch_id=${first.id}&is_superseded=true`);
  t.equal(superseded, MEMBERS, 'each recipe of the first batch is superseded');
  const compared = await client().get<{ metrics: { jobs_canceled: number[] } }>(
    `/v6/batches/comparison/${second.id}/`,
  );
  t.same(compared.metrics.jobs_canceled, [MEMBERS, 0]);
});

t.test(
  'batches: jobs run, metrics follow, and a second batch over the dataset supersedes the first',
  async (t) => {
    const { client } = await startPair(t);
    const recipeTypeId = await twoJobs(client);
    const dataset = await datasetOf(client, 5);
    const finished = async (id: number): Promise<Batch> => {
      const isDone = async () => {
        const batch = await batchOf(client, id);
        return batch.is_creation_done && batch.recipes_completed === 5 ? batch : undefined;
      };
      return until(`batch ${id} is complete`, isDone, 60_000);
    };
    const body = { title: 'One', recipe_type_id: recipeTypeId, configuration: { priority: 7 } };
    const made = await client.post<Batch>('/v6/batches/', { ...body, definition: { dataset } });
    const first = await finished(made.id);
    t.match(first, { jobs_total: 10, jobs_completed: 10, recipes_total: 5 });
    t.match(first.job_metrics.a, { jobs_total: 5, jobs_completed: 5, max_job_duration: /^PT\d+S$/ });
    const { results } = await client.get<{ results: { id: number; batch: object }[] }>(
      `/v6/jobs/?batch_id=${made.id}`,
    );
    t.match(results[0]?.batch, { id: made.id, title: 'One' });
    const job = await client.get<object>(`/v6/jobs/${results[0]?.id}/`);
    t.match(job, { batch: { id: made.id } });

    const definition = { dataset, forced_nodes: { all: false, nodes: ['b'] } };
    const next = await client.post<Batch>('/v6/batches/', { ...body, title: 'Two', definition });
    const second = await finished(next.id);
    t.match(second, { jobs_total: 10, jobs_completed: 10, root_batch: { id: next.id } });
    t.equal(await client.count(`/v6/recipes/?batch_id=${made.id}&is_superseded=true`), 5);
    t.equal(
      await client.count(`/v6/jobs/?batch_id=${next.id}`),
      10,
      'the first jobs were kept, and live on in it',
    );

    const beside = { dataset, supersedes: false };
    const third = await client.post<Batch>('/v6/batches/', { ...body, title: 'Three', definition: beside });
    await finished(third.id);
    t.equal(await client.count(`/v6/recipes/?batch_id=${next.id}&is_superseded=true`), 0);
    t.equal(await client.count(`/v6/jobs/?batch_id=${third.id}`), 10);
  },
);
