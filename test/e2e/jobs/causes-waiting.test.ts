/** Why jobs and ingests wait or were canceled: what is in the way, or who it was. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType, queueJob } from '../harness/work/job-types.ts';

interface Reasoned {
  readonly id: number;
  readonly status: string;
  readonly reason: string | null;
}
interface Job extends Reasoned {
  readonly job_type: { readonly name: string };
}

async function jobsOf(client: InterfaceClient, query: string): Promise<ReadonlyMap<string, Job>> {
  const { results } = await client.get<{ results: Job[] }>(`/v6/jobs/?${query}`);
  return new Map(results.map((job) => [job.job_type.name, job]));
}

const node = (type: object, dependencies: readonly string[]) => ({
  dependencies: dependencies.map((name) => ({ name })),
  input: {},
  node_type: type,
});
const job = (name: string) => ({ node_type: 'job', job_type_name: name, job_type_version: '1.0.0' });

t.test(
  'waiting: a blocked job names the job that did not complete, a canceled one who canceled it',
  async (t) => {
    const { client } = await startPair(t);
    for (const name of ['fails', 'next', 'last', 'inner']) {
      await createJobType(client, { name, script: 'exit 7', maxTries: 1 });
    }
    const make = (title: string, nodes: object) =>
      client.post<{ id: number; name: string }>('/v6/recipe-types/', {
        title,
        definition: { input: { files: [], json: [] }, nodes },
      });
    const inside = await make('Inside', { inner: node(job('inner'), []) });
    const outside = await make('Outside', {
      first: node(job('fails'), []),
      second: node(job('next'), ['first']),
      third: node(job('last'), ['second', 'first']),
      inside: node({ node_type: 'recipe', recipe_type_name: inside.name }, ['first']),
    });
    const { id } = await client.post<{ id: number }>('/v6/recipes/', {
      recipe_type_id: outside.id,
      input: { files: {}, json: {} },
    });
    const blocked = await until('what comes after it is blocked', async () => {
      const names = ['fails', 'next', 'last', 'inner'].map((name) => `job_type_name=${name}`);
      const all = await jobsOf(client, names.join('&'));
      return ['next', 'last', 'inner'].every((name) => all.get(name)?.status === 'BLOCKED') && all;
    });
    const failed = blocked.get('fails');
    const before = 'it waits for what did not complete: ';
    t.equal(blocked.get('next')?.reason, `${before}node 'first' (job ${failed?.id}, FAILED)`);
    t.equal(
      blocked.get('last')?.reason,
      `${before}node 'first' (job ${failed?.id}, FAILED)`,
      'not what is between',
    );
    t.equal(blocked.get('inner')?.reason, `${before}a node before its recipe, in the one that contains it`);
    const sorted = await client.get<{ results: Job[] }>(`/v6/jobs/?recipe_id=${id}&order=reason`);
    t.equal(sorted.results.length, 3, 'they can be sorted by it');

    await client.post('/v6/jobs/cancel/', { job_ids: [failed?.id] });
    const canceled = await until('it is canceled', async () => {
      const found = await jobsOf(client, `recipe_id=${id}`);
      return found.get('fails')?.status === 'CANCELED' && found;
    });
    t.equal(canceled.get('fails')?.reason, 'canceled by Anonymous');
    t.equal(canceled.get('next')?.reason, `${before}node 'first' (job ${failed?.id}, CANCELED)`);
    await client.post('/v6/jobs/requeue/', { job_ids: [failed?.id] });
    await until('it has failed again', async () => {
      const found = (await jobsOf(client, `recipe_id=${id}`)).get('fails');
      return found?.status === 'FAILED' && found.reason?.startsWith('exit code 7') === true;
    });

    await client.post(`/v6/recipes/${id}/reprocess/`, { forced_nodes: { all: true } });
    const superseded = await until('what was left of it is canceled', async () => {
      const found = (await client.get<Reasoned>(`/v6/jobs/${blocked.get('next')?.id}/`)) as Reasoned;
      return found.status === 'CANCELED' && found;
    });
    t.equal(superseded.reason, 'its recipe was reprocessed before it was done');
  },
);

t.test('waiting: an ingest and a job say which workspace they wait for', async (t) => {
  const { client, world } = await startPair(t);
  const target = join(world.folder, 'target');
  const missing = join(world.folder, 'later');
  mkdirSync(target);
  const workspace = (title: string, path: string) =>
    client.post<{ id: number; name: string }>('/v6/workspaces/', {
      title,
      configuration: { broker: { type: 'host', host_path: path } },
    });
  const arrivals = await workspace('Arrivals', world.at.arrivals);
  const moved = await workspace('Target', target);
  const later = await workspace('Later', missing);
  await createJobType(client, { name: 'reads', script: 'true', inputs: [{ name: 'FILE' }] });
  const recipe = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Reads',
    definition: {
      input: { files: [{ name: 'FILE', required: true }] },
      nodes: { one: { ...node(job('reads'), []), input: { FILE: { type: 'recipe', input: 'FILE' } } } },
    },
  });
  const rules = [
    { filename_regex: 'now', new_workspace: moved.name },
    { filename_regex: 'later', new_workspace: later.name },
  ];
  await client.post('/v6/strikes/', {
    title: 'Watch',
    configuration: {
      workspace: arrivals.name,
      monitor: { type: 'dir-watcher', transfer_suffix: '_tmp', stable_ms: 100 },
      files_to_ingest: rules,
      recipe: { name: recipe.name },
    },
  });
  await client.patch('/v6/job-types/reads/1.0.0/', { is_paused: true });
  for (const name of ['now.txt', 'later.txt']) writeFileSync(join(world.at.arrivals, name), name);
  const ingest = async (name: string) =>
    (await client.get<{ results: Reasoned[] }>(`/v6/ingests/?file_name=${name}`)).results[0];
  await until('one is ingested', async () => (await ingest('now.txt'))?.status === 'INGESTED');
  const waits = 'it waits until a node reaches its workspaces: ';
  const told = await until('the other says what it waits for', async () => {
    const found = await ingest('later.txt');
    return found?.reason?.includes('ENOENT') ? found : undefined;
  });
  const gone = `cannot open its directory '${missing}': there is no such file or directory (ENOENT)`;
  t.strictSame([told.status, told.reason], ['TRANSFERRED', `${waits}host-1 does not reach later: ${gone}`]);
  const details = await client.get<Reasoned>(`/v6/ingests/${told.id}/`);
  t.equal(details.reason, told.reason, 'details have it as well');
  await client.patch(`/v6/workspaces/${later.id}/`, { is_active: false });
  t.equal((await ingest('later.txt'))?.reason, 'the workspace later is not active');
  await client.patch(`/v6/workspaces/${later.id}/`, { is_active: true });
  mkdirSync(missing);
  await until('it is ingested', async () => (await ingest('later.txt'))?.status === 'INGESTED');
  t.equal((await ingest('later.txt'))?.reason, null);

  await client.patch(`/v6/workspaces/${moved.id}/`, { is_active: false });
  await client.patch('/v6/job-types/reads/1.0.0/', { is_paused: false });
  await until('its job says which workspace is not active', async () => {
    const { results } = await client.get<{ results: Job[] }>('/v6/jobs/?job_type_name=reads&status=QUEUED');
    return results.some(({ reason }) => reason?.endsWith('the workspace target is not active') === true);
  });
});

t.test(
  'waiting: a job with a value too large for its program fails, and the reason names the size',
  async (t) => {
    const { client } = await startPair(t);
    const json = [{ name: 'TEXT', type: 'string' }];
    const type = await createJobType(client, { name: 'long', script: 'true', json, maxTries: 1 });
    const body = { job_type_id: type, input: { files: {}, json: { TEXT: 'x'.repeat(140_000) } } };
    const { id } = await client.post<{ id: number }>('/v6/jobs/', body);
    interface Failed extends Reasoned {
      readonly error: { readonly name: string; readonly category: string } | null;
      readonly num_exes: number;
    }
    const failed = await until('it has failed', async () => {
      const found = await client.get<Failed>(`/v6/jobs/${id}/`);
      return found.status === 'FAILED' && found;
    });
    t.match(failed, { error: { name: 'invalid-input', category: 'DATA' }, num_exes: 1 });
    t.match(failed.reason, /^the variable TEXT has 14\d{4} bytes; at most 131072 are possible$/);
    t.ok(await queueJob(client, await createJobType(client, { name: 'goes-on', script: 'true' })));
  },
);
