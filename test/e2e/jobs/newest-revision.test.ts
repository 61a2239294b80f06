/** Jobs that are queued again with the newest revision of their job type, by themselves and in recipes. */
import t, { type Test } from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import type { Program } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, queueJob, type TypeSketch } from '../harness/work/job-types.ts';
import { clientOf, createWorld, type World } from '../harness/world.ts';

interface Job {
  readonly id: number;
  readonly status: string;
  readonly reason: string | null;
  readonly num_exes: number;
  readonly timeout: number;
  readonly job_type_rev: { readonly revision_num: number };
}
interface Accepted {
  readonly warnings: readonly { readonly name: string; readonly description: string }[];
}
interface Execution {
  readonly configuration: { readonly tasks: readonly { readonly type: string; readonly args: string }[] };
}

interface Bed {
  readonly world: World;
  readonly client: InterfaceClient;
  readonly coordinator: Program;
  restart(): Promise<InterfaceClient>;
}

async function begin(t: Test): Promise<Bed> {
  const world = await createWorld(t);
  const [http, grpc] = [await freePort(), await freePort()];
  const env = {
    DATABASE_URL: await migratedDatabase(t),
    ...{ MILLRACE_HTTP: `127.0.0.1:${http}`, MILLRACE_GRPC: `127.0.0.1:${grpc}` },
  };
  const coordinator = await world.start('coordinator', 'coordinator', env);
  const agent = await world.start('agent', 'agent', { MILLRACE_COORDINATORS: `127.0.0.1:${grpc}` });
  await until('the agent has joined', () => agent.log.includes('session_opened'));
  return {
    ...{ world, coordinator, client: clientOf(coordinator) },
    restart: async () => clientOf(await world.start('coordinator', 'coordinator', env)),
  };
}

const FAILS: TypeSketch = { name: 'mended', script: 'exit 3', maxTries: 1 };
const MENDED: TypeSketch = { ...FAILS, script: 'exit 0', timeout: 77 };

const detailsOf = (client: InterfaceClient, id: number) => client.get<Job>(`/v6/jobs/${id}/`);
const argsOf = async (client: InterfaceClient, id: number, exeNum: number) => {
  const { configuration } = await client.get<Execution>(`/v6/jobs/${id}/executions/${exeNum}/`);
  return configuration.tasks.find(({ type }) => type === 'main')?.args;
};

t.test('newest revision: a job without a recipe takes it, and only on request', async (t) => {
  const { client } = await begin(t);
  const type = await createJobType(client, FAILS);
  const id = await queueJob(client, type);
  await jobIs(client, id, ['FAILED']);
  t.strictSame(await client.post<Accepted>('/v6/jobs/requeue/', { job_ids: [id] }), { warnings: [] });
  await until('it has failed again', async () => {
    const { status, num_exes: tries } = await detailsOf(client, id);
    return status === 'FAILED' && tries === 2;
  });

  await createJobType(client, MENDED);
  const keyed = async (): Promise<Accepted> => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'once' };
    const options = { method: 'POST', headers, body: JSON.stringify({ job_ids: [id] }) };
    return (await (await fetch(new URL('/v6/jobs/requeue/', client.base), options)).json()) as Accepted;
  };
  const plain = await keyed();
  t.strictSame(await keyed(), plain, 'a repeat gets the same answer');
  t.match(plain.warnings, [
    { name: 'NEWER_REVISION', description: /mended 1\.0\.0 .* the newest, which is 2/ },
  ]);
  await until('it has failed once more', async () => (await detailsOf(client, id)).num_exes === 3);
  await jobIs(client, id, ['FAILED']);
  t.equal((await detailsOf(client, id)).job_type_rev.revision_num, 1, 'a plain requeue keeps it');

  const body = { job_ids: [id], revision: 'newest' };
  t.strictSame(await client.post<Accepted>('/v6/jobs/requeue/', body), { warnings: [] });
  await jobIs(client, id, ['COMPLETED']);
  t.match(await detailsOf(client, id), { num_exes: 4, timeout: 77, job_type_rev: { revision_num: 2 } });
  t.match(await argsOf(client, id, 1), 'exit 3', 'an earlier execution shows what it ran');
  t.match(await argsOf(client, id, 4), 'exit 0');
});

t.test('newest revision: a job that does not fit it stays as it is, and says why', async (t) => {
  const { client } = await begin(t);
  const type = await createJobType(client, FAILS);
  const id = await queueJob(client, type);
  await jobIs(client, id, ['FAILED']);
  const cause = (await detailsOf(client, id)).reason;
  await createJobType(client, { ...MENDED, json: [{ name: 'WIDTH', type: 'integer' }] });
  for (let times = 0; times < 2; times += 1) {
    await client.post('/v6/jobs/requeue/', { job_ids: [id], revision: 'newest' });
    await until('it says why', async () => (await detailsOf(client, id)).reason?.includes('WIDTH') === true);
  }
  // What is asked after a request is done after it.
  const other = await queueJob(client, type).catch(() => undefined);
  t.equal(other, undefined, 'the newest wants a value');
  const { status, num_exes: tries, reason, job_type_rev: revision } = await detailsOf(client, id);
  t.strictSame([status, tries, revision.revision_num], ['FAILED', 1, 1]);
  const told =
    'it is not queued again with the newest revision of its job type, which does not take its input: ';
  t.equal(reason, `${cause}\n${told}the required input 'WIDTH' is missing`, 'the cause, and why, once');
});

t.test(
  'newest revision: jobs of recipes take it, waiting ones too, and the recipe keeps its revision',
  async (t) => {
    const { world, client } = await begin(t);
    await createJobType(client, FAILS);
    await createJobType(client, { name: 'after', script: 'exit 3', maxTries: 1 });
    const workspace = await client.post<{ name: string }>('/v6/workspaces/', {
      title: 'Archive',
      configuration: { broker: { type: 'host', host_path: world.at.archive } },
    });
    await createJobType(client, {
      ...{ name: 'taken', script: 'exit 3', maxTries: 1, workspace: workspace.name },
      outputs: [{ name: 'OUT', pattern: '*.txt', required: true }],
    });
    await createJobType(client, { name: 'takes', script: 'exit 0', inputs: [{ name: 'IN' }] });
    const node = (name: string, dependencies: readonly string[], input: object = {}) => ({
      dependencies: dependencies.map((one) => ({ name: one })),
      input,
      node_type: { node_type: 'job', job_type_name: name, job_type_version: '1.0.0' },
    });
    const { id: recipeTypeId } = await client.post<{ id: number }>('/v6/recipe-types/', {
      title: 'Mended',
      definition: {
        input: { files: [], json: [] },
        nodes: {
          mended: node('mended', []),
          after: node('after', ['mended']),
          taken: node('taken', []),
          takes: node('takes', ['taken'], { IN: { type: 'dependency', node: 'taken', output: 'OUT' } }),
        },
      },
    });
    const { id: recipeId } = await client.post<{ id: number }>('/v6/recipes/', {
      recipe_type_id: recipeTypeId,
      input: { files: {}, json: {} },
    });
    const jobs = async () => {
      const { results } = await client.get<{ results: (Job & { job_type: { name: string } })[] }>(
        `/v6/jobs/?recipe_id=${recipeId}`,
      );
      return new Map(results.map((job) => [job.job_type.name, job]));
    };
    await until('the first have failed', async () => {
      const found = await jobs();
      return found.get('mended')?.status === 'FAILED' && found.get('taken')?.status === 'FAILED';
    });
    await client.post('/v6/jobs/cancel/', { recipe_ids: [recipeId] });
    await until('all are canceled', async () => {
      return [...(await jobs()).values()].every(({ status }) => status === 'CANCELED');
    });
    await createJobType(client, MENDED);
    await createJobType(client, { name: 'after', script: 'exit 0', maxTries: 1 });
    await createJobType(client, { name: 'taken', script: 'exit 0', maxTries: 1 });

    await client.post('/v6/jobs/requeue/', { recipe_ids: [recipeId], revision: 'newest' });

    const done = await until('what fits is done', async () => {
      const found = await jobs();
      const isTold = found.get('taken')?.reason?.includes('OUT') === true;
      return found.get('after')?.status === 'COMPLETED' && isTold ? found : undefined;
    });
    const told = ['mended', 'after', 'taken'].map((name) => {
      const job = done.get(name);
      return [name, job?.status, job?.job_type_rev.revision_num];
    });
    t.strictSame(told, [
      ['mended', 'COMPLETED', 2],
      ['after', 'COMPLETED', 2],
      ['taken', 'CANCELED', 1],
    ]);
    t.match(done.get('taken')?.reason, /does not give what other nodes of its recipe take from it: .*OUT/);
    const recipe = await client.get<{
      recipe_type_rev: {
        definition: { nodes: Record<string, { node_type: { job_type_revision: number } }> };
      };
      details: { nodes: Record<string, { node_type: { job_type_revision: number } }> };
    }>(`/v6/recipes/${recipeId}/`);
    t.equal(recipe.recipe_type_rev.definition.nodes.mended?.node_type.job_type_revision, 1, 'its definition');
    t.equal(recipe.details.nodes.mended?.node_type.job_type_revision, 2, 'what its node runs');
  },
);

t.test('newest revision: an answered request is carried out once, despite a kill', async (t) => {
  const { client, coordinator, restart } = await begin(t);
  const type = await createJobType(client, FAILS);
  const ids = await Promise.all(Array.from({ length: 20 }, () => queueJob(client, type)));
  for (const id of ids) await jobIs(client, id, ['FAILED']);
  await createJobType(client, MENDED);
  const body = { job_type_ids: [type], status: 'FAILED', revision: 'newest' };
  await client.post('/v6/jobs/requeue/', body);
  await coordinator.end('SIGKILL');
  const again = await restart();
  for (const id of ids) await jobIs(again, id, ['COMPLETED']);
  for (const id of ids) {
    t.match(await detailsOf(again, id), { num_exes: 2, job_type_rev: { revision_num: 2 } });
  }
});
