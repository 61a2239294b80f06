/** Jobs that live on in a later recipe: where they are shown and found, and which requests mean them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { startPair } from '../harness/pair.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';

interface Job {
  readonly id: number;
  readonly status: string;
  readonly job_type: { readonly name: string };
  readonly recipe: { readonly id: number };
  readonly batch: { readonly id: number; readonly title: string } | null;
}
interface Recipe {
  readonly id: number;
  readonly superseded_by_recipe: { readonly id: number } | null;
  readonly details: {
    readonly nodes: Record<string, { readonly node_type: { job_id: number; recipe_id: number } }>;
  };
}
interface Batch {
  readonly id: number;
  readonly is_creation_done: boolean;
  readonly recipes_total: number;
}

const NUMBER = { files: [], json: [{ name: 'N', type: 'integer' }] };
const MEMBERS = 2;

const byNumber = (a = 0, b = 0) => a - b;

const nodeOf = (name: string, input: object = {}) => ({
  dependencies: [],
  input,
  node_type: { node_type: 'job', job_type_name: name, job_type_version: '1.0.0' },
});

/** `held` waits until the auth filter opens; a sub-recipe has another one; `again` ends at once. */
async function recipeTypeOf(client: InterfaceClient, gate: string): Promise<number> {
  const script = `while [ ! -e ${gate} ]; do sleep 0.1; done`;
  await createJobType(client, { name: 'waits', script, timeout: 600 });
  await createJobType(client, { name: 'quick', script: 'true' });
  const inner = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Inner',
    definition: { input: { files: [], json: [] }, nodes: { inside: nodeOf('waits') } },
  });
  const sub = {
    dependencies: [],
    input: {},
    node_type: { node_type: 'recipe', recipe_type_name: inner.name },
  };
  const nodes = { held: nodeOf('waits'), again: nodeOf('quick'), sub };
  const type = { title: 'Outer', definition: { input: NUMBER, nodes } };
  return (await client.post<{ id: number }>('/v6/recipe-types/', type)).id;
}

t.test('carried jobs: they are shown and changed in the newest recipe, and found in both', async (t) => {
  const url = await migratedDatabase(t);
  const { world, client } = await startPair(t, { coordinator: { DATABASE_URL: url } });
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  t.teardown(() => database.end());
  const gate = join(world.seenByTasks, 'gate');
  const typeId = await recipeTypeOf(client, gate);
  const dataset = await client.post<{ id: number }>('/v6/datasets/', {
    definition: { parameters: NUMBER },
    data: Array.from({ length: MEMBERS }, (_, n) => ({ files: {}, json: { N: n } })),
  });
  const batchOf = async (title: string, definition: object): Promise<number> => {
    const body = { title, recipe_type_id: typeId, definition };
    const { id } = await client.post<Batch>('/v6/batches/', body);
    const isMade = async () => (await client.get<Batch>(`/v6/batches/${id}/`)).is_creation_done;
    await until(`batch ${id} is made`, isMade);
    return id;
  };
  const recipeOf = (id: number) => client.get<Recipe>(`/v6/recipes/${id}/`);
  const jobOf = (id: number) => client.get<Job>(`/v6/jobs/${id}/`);
  const jobsBy = async (query: string) => {
    const jobs = await listed<Job>(client, `/v6/jobs/?${query}`);
    t.equal(await client.count(`/v6/jobs/?${query}`), jobs.length, query);
    return jobs.map(({ id }) => id).sort(byNumber);
  };
  /** Resolves when the request is done with all that it means. */
  const asked = async (action: 'cancel' | 'requeue', choice: object) => {
    await client.post(`/v6/jobs/${action}/`, choice);
    await until('it is done', async () => {
      const { rows } = await database.query('select from job_request where not is_done');
      return rows.length === 0;
    });
  };
  const statusOf = async (ids: readonly number[]) =>
    [...new Set((await Promise.all(ids.map(jobOf))).map(({ status }) => status))].join();
  const isAll = (ids: readonly number[], status: string) =>
    until(`all are ${status}`, async () => (await statusOf(ids)) === status);

  const first = await batchOf('First', { dataset: dataset.id });
  const old = await jobsBy(`batch_id=${first}`);
  t.equal(old.length, 3 * MEMBERS);
  const names = new Map((await listed<Job>(client, `/v6/jobs/?batch_id=${first}`)).map((j) => [j.id, j]));
  const carried = old.filter((id) => names.get(id)?.job_type.name === 'waits');
  await isAll(carried, 'RUNNING');
  const second = await batchOf('Second', {
    previous_batch: { root_batch_id: first, forced_nodes: { all: false, nodes: ['again'] } },
  });
  const tops = await listed<Recipe>(client, `/v6/recipes/?batch_id=${first}&recipe_type_id=${typeId}`);
  const before = await recipeOf(tops[0]?.id ?? 0);
  const after = await recipeOf(before.superseded_by_recipe?.id ?? 0);
  const { held, sub, again } = after.details.nodes;
  const [heldId, subId, freshId] = [
    held?.node_type.job_id,
    sub?.node_type.recipe_id,
    again?.node_type.job_id,
  ];
  const [insideId] = await jobsBy(`recipe_id=${subId}`);

  t.match(await jobOf(heldId ?? 0), { recipe: { id: after.id }, batch: { id: second, title: 'Second' } });
  t.match(await jobOf(insideId ?? 0), { recipe: { id: subId }, batch: { id: second } });
  const replacedId = before.details.nodes.again?.node_type.job_id ?? 0;
  t.match(await jobOf(replacedId), { recipe: { id: before.id }, batch: { id: first } });
  const [record] = await listed<Job>(client, `/v6/jobs/?job_id=${heldId}`);
  t.match(record, { recipe: { id: after.id }, batch: { id: second } }, 'lists show the same');

  t.same(await jobsBy(`recipe_id=${before.id}`), [heldId, replacedId].sort(byNumber));
  t.same(await jobsBy(`recipe_id=${after.id}`), [heldId, freshId].sort(byNumber));
  t.same(await jobsBy(`batch_id=${first}`), old, 'the first batch has its jobs as before');
  const now = await jobsBy(`batch_id=${second}`);
  t.same(
    now.filter((id) => old.includes(id)),
    carried,
    'the second has those that it carried over',
  );
  t.equal(now.length, 3 * MEMBERS);
  const both = [...new Set([...old, ...now])].sort(byNumber);
  t.same(await jobsBy(`batch_id=${first}&batch_id=${second}`), both, 'each once');
  t.same(await jobsBy(`batch_id=${second}&job_type_name=waits`), carried);
  const pages: number[] = [];
  for (let page = 1; page <= now.length; page += 1) {
    const query = `batch_id=${second}&order=-job_type__name&order=id&page_size=1&page=${page}`;
    const { results } = await client.get<{ results: Job[] }>(`/v6/jobs/?${query}`);
    pages.push(...results.map(({ id }) => id));
  }
  t.same(pages, [...carried, ...now.filter((id) => !carried.includes(id))], 'pages follow the order');

  await asked('cancel', { batch_ids: [first] });
  await asked('cancel', { recipe_ids: [before.id] });
  t.equal(await statusOf(carried), 'RUNNING', 'canceling what is superseded leaves what lives on alone');
  await asked('cancel', { recipe_ids: [after.id] });
  await isAll([heldId ?? 0], 'CANCELED');
  t.equal(await statusOf(carried.filter((id) => id !== heldId)), 'RUNNING');
  await asked('cancel', { batch_ids: [second] });
  await isAll(carried, 'CANCELED');
  await asked('requeue', { batch_ids: [first] });
  await asked('requeue', { recipe_ids: [before.id] });
  t.equal(await statusOf(carried), 'CANCELED');
  await asked('requeue', { recipe_ids: [subId] });
  await isAll([insideId ?? 0], 'RUNNING');
  await asked('requeue', { batch_ids: [second] });
  await isAll(carried, 'RUNNING');

  await client.post(`/v6/recipes/${after.id}/reprocess/`, { forced_nodes: { all: false, nodes: ['again'] } });
  const last = (await recipeOf(after.id)).superseded_by_recipe?.id;
  t.match(await jobOf(heldId ?? 0), { recipe: { id: last }, batch: null }, 'one of no batch');
  t.notOk((await jobsBy(`recipe_id=${after.id}`)).includes(heldId ?? 0), 'no more in the one between');
  t.ok((await jobsBy(`recipe_id=${before.id}`)).includes(heldId ?? 0));
  t.ok((await jobsBy(`batch_id=${first}`)).includes(heldId ?? 0));
  t.equal((await jobsBy(`batch_id=${second}`)).length, 3 * MEMBERS - 2);
  writeFileSync(gate, '');
  await isAll(carried, 'COMPLETED');
});

t.test('batches: counters follow a purge of a recipe’s input', async (t) => {
  const { world, client } = await startPair(t);
  const { name: workspace } = await client.post<{ name: string }>('/v6/workspaces/', {
    title: 'Archive',
    configuration: { broker: { type: 'host', host_path: world.at.archive } },
  });
  for (const name of ['a', 'b']) writeFileSync(join(world.at.archive, `${name}.txt`), name);
  const scan = await client.post<{ id: number }>('/v6/scans/', {
    title: 'Archive',
    configuration: {
      workspace,
      scanner: { type: 'dir' },
      files_to_ingest: [{ filename_regex: '.*', data_types: [] }],
    },
  });
  await client.post(`/v6/scans/${scan.id}/process/`, { ingest: true });
  const files = await until('both files', async () => {
    const found = await listed<{ id: number }>(client, '/v6/files/');
    return found.length === 2 && found;
  });
  await createJobType(client, { name: 'takes', inputs: [{ name: 'IN' }], script: 'true' });
  const FILE = { name: 'FILE', required: true, multiple: false, media_types: [] };
  const takes = nodeOf('takes', { IN: { type: 'recipe', input: 'FILE' } });
  const input = { files: [FILE], json: [] };
  const inner = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Inner',
    definition: { input, nodes: { takes } },
  });
  const sub = {
    dependencies: [],
    input: { FILE: { type: 'recipe', input: 'FILE' } },
    node_type: { node_type: 'recipe', recipe_type_name: inner.name },
  };
  const type = await client.post<{ id: number }>('/v6/recipe-types/', {
    title: 'Outer',
    definition: { input, nodes: { takes, sub } },
  });
  const dataset = await client.post<{ id: number }>('/v6/datasets/', {
    definition: { parameters: { files: [FILE], json: [] } },
    data: files.map(({ id }) => ({ files: { FILE: [id] }, json: {} })),
  });
  const { id } = await client.post<Batch>('/v6/batches/', {
    recipe_type_id: type.id,
    definition: { dataset: dataset.id },
  });
  const batch = () => client.get<Batch & { recipes_completed: number }>(`/v6/batches/${id}/`);
  await until('all are complete', async () => (await batch()).recipes_completed === 4);
  t.match(await batch(), { recipes_total: 4, jobs_total: 4, jobs_completed: 4 });
  await client.post('/v6/files/purge-source/', { file_id: files[0]?.id });
  await until('it is purged', async () => {
    const [purge] = await listed<{ status: string }>(client, '/v6/purges/');
    return purge?.status === 'COMPLETED';
  });
  t.equal(await client.count(`/v6/recipes/?batch_id=${id}`), 2);
  t.match(await batch(), { recipes_total: 2, recipes_completed: 2, jobs_total: 2, jobs_completed: 2 });
  t.equal(await client.count(`/v6/jobs/?batch_id=${id}`), 2);
});
