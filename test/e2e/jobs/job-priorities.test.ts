/** The priority that a job's configuration shows is the one that it is queued with. */
import { mkdirSync } from 'node:fs';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';

interface Job {
  readonly id: number;
  readonly num_exes: number;
  readonly configuration: { readonly priority: number };
}

const jobOf = (client: InterfaceClient, id: number) => client.get<Job>(`/v6/jobs/${id}/`);

t.test('priorities: jobs of a batch, in sub-recipes too, have its priority, and no others', async (t) => {
  const { client } = await startPair(t);
  const json = [{ name: 'N', type: 'integer' }];
  await createJobType(client, { name: 'quick', script: 'true', json });
  const input = { files: [], json };
  const fromRecipe = { dependencies: [], input: { N: { type: 'recipe', input: 'N' } } };
  const node_type = { node_type: 'job', job_type_name: 'quick', job_type_version: '1.0.0' };
  const typeOf = (title: string, nodes: object) =>
    client.post<{ id: number; name: string }>('/v6/recipe-types/', { title, definition: { input, nodes } });
  const inner = await typeOf('Inner', { only: { ...fromRecipe, node_type } });
  const sub = { node_type: 'recipe', recipe_type_name: inner.name };
  const outer = await typeOf('Outer', {
    first: { ...fromRecipe, node_type },
    inner: { ...fromRecipe, dependencies: [{ name: 'first' }], node_type: sub },
  });
  const { id: dataset } = await client.post<{ id: number }>('/v6/datasets/', {
    definition: { parameters: { files: [], json } },
    data: [{ files: {}, json: { N: 1 } }],
  });
  const batch = await client.post<{ id: number }>('/v6/batches/', {
    ...{ recipe_type_id: outer.id, definition: { dataset, supersedes: false } },
    configuration: { priority: 7 },
  });
  const plain = await client.post<{ id: number }>('/v6/recipes/', {
    ...{ recipe_type_id: outer.id, input: { json: { N: 1 } } },
  });

  const jobsOf = (filter: string) =>
    until(`both jobs of ${filter} are there`, async () => {
      const { results } = await client.get<{ results: { id: number }[] }>(`/v6/jobs/?${filter}`);
      return results.length === 2 ? Promise.all(results.map(({ id }) => jobOf(client, id))) : undefined;
    });
  const ofBatch = await jobsOf(`batch_id=${batch.id}`);
  t.strictSame(
    ofBatch.map(({ configuration }) => configuration.priority),
    [7, 7],
  );
  const others = await until('the recipe without a batch has both its jobs', async () => {
    const { results } = await client.get<{ results: { id: number; batch: object | null }[] }>('/v6/jobs/');
    const own = results.filter((one) => one.batch === null);
    return own.length === 2 ? Promise.all(own.map(({ id }) => jobOf(client, id))) : undefined;
  });
  t.strictSame(
    others.map(({ configuration }) => configuration.priority),
    [100, 100],
    `jobs of the recipe ${plain.id}`,
  );
});

t.test('priorities: jobs of strikes and scans keep their priority when they are queued again', async (t) => {
  const { world, client } = await startPair(t);
  mkdirSync(world.at.archive, { recursive: true });
  await client.post('/v6/workspaces/', {
    title: 'Archive',
    configuration: { broker: { type: 'host', host_path: world.at.archive } },
  });
  const watched = { files: [{ name: 'F' }], json: [] };
  await client.post('/v6/recipe-types/', { title: 'Watched', definition: { input: watched, nodes: {} } });
  const rules = { workspace: 'archive', files_to_ingest: [{ filename_regex: '.*' }] };
  const strike = await client.post<{ id: number; job: { id: number } }>('/v6/strikes/', {
    title: 'Watch',
    configuration: {
      ...{ ...rules, recipe: { name: 'watched' } },
      monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
    },
  });
  const scan = await client.post<{ id: number; dry_run_job: { id: number } }>('/v6/scans/', {
    title: 'Look',
    configuration: { ...rules, scanner: { type: 'dir', transfer_suffix: '_tmp' } },
  });
  await client.post(`/v6/scans/${scan.id}/process/`, {});

  const queuedAgain = (id: number, times: number) =>
    until(`job ${id} was queued ${times} times`, async () => {
      const job = await jobOf(client, id);
      return job.num_exes >= times ? job : undefined;
    });
  // A strike that is paused before its job is queued queues it once, when it is resumed.
  await queuedAgain(strike.job.id, 1);
  await client.patch(`/v6/strikes/${strike.id}/`, { is_paused: true });
  await client.patch(`/v6/strikes/${strike.id}/`, { is_paused: false });
  t.equal((await queuedAgain(strike.job.id, 2)).configuration.priority, 5);
  const { dry_run_job } = await client.get<typeof scan>(`/v6/scans/${scan.id}/`);
  t.equal((await queuedAgain(dry_run_job.id, 1)).configuration.priority, 5);
});
