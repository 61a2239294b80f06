import t from 'tap';
import type { BatchMessage } from '../../../src/actors/batch/batch.messages.ts';
import { BATCH_ORDER, batchRoutes } from '../../../src/api/batches/routes.ts';
import { datasetRoutes } from '../../../src/api/datasets/routes.ts';
import { jobTypeRoutes } from '../../../src/api/job-types/routes.ts';
import { recipeTypeRoutes } from '../../../src/api/recipe-types/routes.ts';
import { KernelError } from '../../../src/kernel/mod.ts';
import { foldBatchCounts } from '../../../src/store/batch/counts.ts';
import { RevisionCache } from '../../../src/store/catalog/revision-cache.ts';
import { idStore } from '../../../src/store/ids.ts';
import { makeEnd, makeJob, makeRecipe, makeStart } from '../../store/make.ts';
import { NOW, storeWorld } from '../../store/store-world.ts';
import { makeCaller, NOW_MS } from '../../support/http.ts';
import { encryptionOf } from '../../support/worlds/encryption.ts';
import { jobTypeBody, oneNodeDefinition } from '../../support/worlds/processing-world.ts';

const store = await storeWorld(t);
const { sql } = store.db;
let failWith: Error | undefined;
const asked: { to: { kind: string; key: string }; message: BatchMessage }[] = [];

/** Saves what the actor would save, but makes no recipes. */
const system = {
  tell: () => undefined,
  async ask(to: { kind: string; key: string }, message: object): Promise<never> {
    if (failWith !== undefined) throw failWith;
    const told = message as BatchMessage;
    asked.push({ to, message: told });
    if (told.type === 'edit') {
      await store.apply({ type: 'editBatch', batchId: Number(to.key), patch: told.patch, atMs: NOW_MS + 9 });
    }
    if (told.type !== 'begin') return {} as never;
    const { supersededBatchId: batchId } = told.batch;
    const batches = batchId === null ? [] : [{ batchId, atMs: NOW }];
    await store.apply(
      { type: 'createEvents', events: [told.event] },
      { type: 'supersedeBatches', batches },
      { type: 'createBatches', batches: [told.batch] },
    );
    return {} as never;
  },
};
const parts = {
  sql,
  encryption: encryptionOf(Buffer.alloc(32, 1)),
  system,
  ids: idStore(sql),
  revisions: new RevisionCache(sql),
};
const caller = makeCaller([...jobTypeRoutes, ...recipeTypeRoutes, ...datasetRoutes, ...batchRoutes], parts);
const { get } = caller;
const post = (target: string, body: unknown) => caller.call('POST', target, body);
const patch = (target: string, body: unknown) => caller.call('PATCH', target, body);

await post('/v6/job-types/', jobTypeBody());
const type = (await post('/v6/recipe-types/', { title: 'Mine', definition: oneNodeDefinition() })).json;
const other = (await post('/v6/recipe-types/', { title: 'Other', definition: oneNodeDefinition() })).json;
const old = (await post('/v6/recipe-types/', { title: 'Old', definition: oneNodeDefinition() })).json;
await patch(`/v6/recipe-types/${old.name}/`, { is_active: false });
const fileId = await store.newId('file');
await store.rows(
  `insert into file (id, uuid, file_type, file_name, media_type, file_size, workspace_id, file_path, created,
     last_modified)
   values ($1, gen_random_uuid(), 'SOURCE', 'a.txt', 'text/plain', 1, $2, 'a.txt', now(), now())`,
  [fileId, store.ids.in],
);
const parameter = (name: string) => ({ name, media_types: ['text/plain'] });
const datasetOf = async (name: string, count: number): Promise<number> => {
  const definition = { parameters: { files: [parameter(name)], json: [] } };
  const data = Array.from({ length: count }, () => ({ files: { [name]: [fileId] }, json: {} }));
  return (await post('/v6/datasets/', { definition, ...(count === 0 ? {} : { data }) })).json.id;
};
const dataset = await datasetOf('TEXT', 3);
const named = await datasetOf('PAGES', 2);
const empty = await datasetOf('TEXT', 0);
const body = { title: 'Mine', description: null, recipe_type_id: type.id, definition: { dataset } };

t.test('batches: POST has the actor begin a batch, and answers with the details', async (t) => {
  const forced = { all: false, nodes: ['count'] };
  const made = await post('/v6/batches/', {
    ...body,
    supersedes: false,
    definition: { dataset, forced_nodes: forced },
    configuration: { priority: 4 },
  });
  t.equal(made.status, 201, made.text);
  const { id } = made.json;
  t.equal(made.headers.get('location'), `http://localhost:8080/v6/batches/${id}/`);
  t.match(asked.at(-1), { to: { kind: 'batch', key: String(id) }, message: { type: 'begin' } });
  t.match(made.json, {
    title: 'Mine',
    description: '',
    recipe_type: { id: type.id, name: 'mine', revision_num: 1 },
    recipe_type_rev: { revision_num: 1, recipe_type: { id: type.id }, definition: { nodes: { count: {} } } },
    status: 'CREATING',
    event: { type: 'USER' },
    is_superseded: false,
    root_batch: { id, title: 'Mine' },
    superseded_batch: null,
    is_creation_done: false,
    recipes_estimated: 3,
    recipes_total: 0,
    jobs_total: 0,
    definition: { dataset, supersedes: false, forced_nodes: { ...forced, sub_recipes: {} } },
    configuration: { priority: 4 },
    job_metrics: { count: { jobs_total: 0, max_seed_duration: null } },
  });
  t.strictSame((await get(`/v6/batches/${id}/`)).json, made.json);
});

t.test('batches: forced nodes are either all or named ones', async (t) => {
  const forced = { all: true, nodes: [], sub_recipes: {} };
  const made = await post('/v6/batches/', { ...body, definition: { dataset, forced_nodes: forced } });
  t.equal(made.status, 201, made.text);
  t.strictSame(made.json.definition.forced_nodes, { all: true });
  const again = await post('/v6/batches/', { ...body, definition: made.json.definition });
  t.equal(again.status, 201, 'what is shown is taken back');
});

const refusals: readonly (readonly [change: Record<string, unknown>, name: string, path: string])[] = [
  [{ recipe_type_id: 999_999 }, 'UNKNOWN_REFERENCE', 'recipe_type_id'],
  [{ recipe_type_id: old.id }, 'DEPRECATED_RECIPE_TYPE', 'recipe_type_id'],
  [{ definition: {} }, 'NO_RECIPES', 'definition.dataset'],
  [{ definition: { dataset: 'one' } }, 'INVALID_BATCH_DEFINITION', 'definition.dataset'],
  [{ definition: { dataset, more: 1 } }, 'INVALID_BATCH_DEFINITION', 'definition.more'],
  [{ definition: { dataset, supersedes: 1 } }, 'INVALID_BATCH_DEFINITION', 'definition.supersedes'],
  [{ definition: { dataset: 999_999 } }, 'UNKNOWN_REFERENCE', 'definition.dataset'],
  [{ definition: { dataset: empty } }, 'NO_RECIPES', 'definition.dataset'],
  [{ definition: { dataset: named } }, 'MISMATCHED_PARAMS', 'definition.dataset'],
  [{ definition: { dataset, forced_nodes: {} } }, 'INVALID_BATCH_DEFINITION', 'definition.forced_nodes.all'],
  [
    { definition: { dataset, forced_nodes: { all: false, nodes: ['none'] } } },
    'UNKNOWN_NODE',
    'definition.forced_nodes.nodes[0]',
  ],
  [
    { definition: { previous_batch: {} } },
    'INVALID_BATCH_DEFINITION',
    'definition.previous_batch.root_batch_id',
  ],
  [
    { definition: { previous_batch: { root_batch_id: 999_999 } } },
    'PREV_BATCH_NOT_FOUND',
    'definition.previous_batch.root_batch_id',
  ],
  [{ configuration: { priority: 0 } }, 'INVALID_BATCH_CONFIGURATION', 'configuration.priority'],
  [{ configuration: { inputMap: [] } }, 'INVALID_BATCH_CONFIGURATION', 'configuration.inputMap'],
  [{ configuration: { input_map: 1 } }, 'INVALID_BATCH_CONFIGURATION', 'configuration.input_map'],
  [
    { configuration: { inputMap: [{ input: 'TEXT', datasetParameter: 'NONE' }] } },
    'INVALID_INPUT_MAP',
    'configuration.inputMap[0].datasetParameter',
  ],
  [
    { configuration: { inputMap: [{ input: 'NONE', datasetParameter: 'TEXT' }] } },
    'INVALID_INPUT_MAP',
    'configuration.inputMap[0].input',
  ],
];

for (const [change, name, path] of refusals) {
  t.test(`batches: ${JSON.stringify(change)} is refused at ${path}`, async (t) => {
    const refused = await post('/v6/batches/', { ...body, ...change });
    t.equal(refused.status, 400, refused.text);
    t.match(refused.json.errors, [{ name, path }]);
    const checked = await post('/v6/batches/validation/', { ...body, ...change });
    t.equal(checked.status, 200);
    t.match(checked.json, { is_valid: false, errors: [{ name, path }] });
  });
}

t.test('batches: all problems of a body are listed at once', async (t) => {
  const refused = await post('/v6/batches/', {
    title: 'x'.repeat(51),
    definition: { dataset: 0, more: 1 },
    configuration: { priority: -1 },
  });
  t.equal(refused.status, 400);
  const paths = refused.json.errors.map((error: { path: string }) => error.path).sort();
  t.strictSame(paths, [
    ...['configuration.priority', 'definition.dataset', 'definition.more', 'recipe_type_id', 'title'],
  ]);
});

t.test('batches: validation says what the batch would create', async (t) => {
  const checked = await post('/v6/batches/validation/', body);
  t.match(checked.json, {
    is_valid: true,
    errors: [],
    warnings: [],
    recipes_estimated: 3,
    recipe_type: { id: type.id, name: 'mine', title: 'Mine' },
    effects: { recipes: 3, jobs: 3, processor_hours: null, jobs_without_figures: 3 },
  });
  await sql.execute(
    `insert into job_exe (job_id, exe_num, job_type_id, node_id, status, created, queued, started, ended,
      last_modified, used)
    select 2000000 + n, 1, job_type_id, 1, 'COMPLETED', now(), now(), now(), now(), now(),
      json_build_object('source', 'cgroup', 'processorUs', n * 3600000000::bigint)
    from recipe_type_job_type, generate_series(1, 3) as n where recipe_type_id = $1`,
    [type.id],
  );
  const known = await post('/v6/batches/validation/', body);
  t.match(known.json.effects, { recipes: 3, jobs: 3, processor_hours: 6, jobs_without_figures: 0 });
  const unknown = await post('/v6/batches/validation/', { ...body, definition: { dataset: 999_999 } });
  t.match(unknown.json.effects, { recipes: null, jobs: null, processor_hours: null });
  t.notOk('prev_batch' in checked.json);
  const mapped = await post('/v6/batches/validation/', {
    ...body,
    definition: { dataset: named },
    configuration: { inputMap: [{ input: 'TEXT', datasetParameter: 'PAGES' }] },
  });
  t.match(mapped.json, { is_valid: true, recipes_estimated: 2 });
  t.equal((await post('/v6/batches/validation/', [1])).status, 400);
});

/** A batch with one recipe whose one job took 542 s, its main task 200 ms. */
async function batchWithRecipe(): Promise<number> {
  const { id } = (await post('/v6/batches/', body)).json;
  const [recipeId, eventId, jobId] = [
    ...[await store.newId('recipe'), await store.newId('event'), await store.newId('job')],
  ] as [number, number, number];
  const rev = await store.one<{ id: number }>('select id from recipe_type_rev where recipe_type_id = $1', [
    type.id,
  ]);
  await store.apply(
    { type: 'createEvents', events: [{ id: eventId, type: 'USER', occurredMs: NOW, description: {} }] },
    {
      type: 'createRecipes',
      recipes: [
        makeRecipe(store, {
          ...{ id: recipeId, eventId, batchId: id, input: null },
          ...{ recipeTypeId: type.id, recipeTypeRevId: rev.id },
        }),
      ],
    },
    {
      type: 'createJobs',
      jobs: [
        makeJob(store, {
          ...{ id: jobId, eventId, batchId: id, batchIds: [id], recipeId, recipeNode: 'count' },
          ...{ recipeIds: [recipeId], owner: { kind: 'recipe', key: recipeId } },
        }),
      ],
    },
  );
  await store.apply({ type: 'placeJobs', starts: [{ ...(await makeStart(store, jobId)), atMs: NOW }] });
  await store.apply(
    {
      type: 'moveJobs',
      moves: [makeEnd(jobId, { atMs: NOW + 542_000, seedMs: 200, error: null, to: 'COMPLETED' } as never)],
    },
    { type: 'completeRecipes', recipes: [{ recipeId, ancestorIds: [], atMs: NOW + 542_000 }] },
    { type: 'advanceBatch', batchId: id, from: 0, to: 3, skipped: 0, isDone: true, atMs: NOW },
  );
  return id;
}

t.test('batches: counts and metrics are the same before and after they are folded', async (t) => {
  const id = await batchWithRecipe();
  const before = (await get(`/v6/batches/${id}/`)).json;
  t.match(before, {
    ...{ status: 'COMPLETED', is_creation_done: true },
    ...{ recipes_total: 1, recipes_completed: 1, jobs_total: 1, jobs_completed: 1, jobs_queued: 0 },
    job_metrics: {
      count: { jobs_total: 1, jobs_completed: 1, min_job_duration: 'PT9M2S', avg_seed_duration: 'PT0S' },
    },
  });
  await foldBatchCounts(sql);
  const after = (await get(`/v6/batches/${id}/`)).json;
  t.strictSame({ ...after, last_modified: '' }, { ...before, last_modified: '' });
  t.equal((await store.rows('select id from batch_count_delta')).length, 0);
});

t.test('batches: the status says what a batch is at, in details, in the list and in its order', async (t) => {
  const batch = async (counts: Readonly<Record<string, number>>): Promise<number> => {
    const { id } = (await post('/v6/batches/', body)).json;
    const [names, values] = [Object.keys(counts), Object.values(counts)];
    await store.rows(`insert into batch_count (batch_id, node, ${names}) values (${id}, '', ${values})`);
    await store.rows(`update batch set is_creation_done = true where id = ${id}`);
    return id;
  };
  const half = { recipes_total: 2, recipes_completed: 1 };
  const cases: readonly (readonly [status: string, counts: Readonly<Record<string, number>>])[] = [
    ['COMPLETED', { recipes_total: 2, recipes_completed: 2 }],
    ['RUNNING', { ...half, jobs_failed: 1, jobs_queued: 1 }],
    ['RUNNING', { ...half, jobs_canceled: 1, jobs_running: 1 }],
    ['RUNNING', { ...half, jobs_failed: 1, jobs_pending: 1 }],
    ['RUNNING', { ...half, jobs_completed: 1 }],
    ['FAILED', { ...half, jobs_failed: 1, jobs_canceled: 1, jobs_blocked: 3 }],
    ['CANCELED', { ...half, jobs_canceled: 1, jobs_blocked: 3 }],
  ];
  for (const [status, counts] of cases) {
    const id = await batch(counts);
    t.equal((await get(`/v6/batches/${id}/`)).json.status, status, JSON.stringify(counts));
    t.equal((await get(`/v6/batches/?batch_id=${id}`)).json.results[0].status, status);
  }
  const { results } = (await get('/v6/batches/?order=status')).json;
  const statuses = results.map((one: { status: string }) => one.status);
  t.strictSame(statuses, [...statuses].sort());
});

t.test('batches: a batch over a previous one supersedes it', async (t) => {
  const id = await batchWithRecipe();
  const definition = { previous_batch: { root_batch_id: id } };
  const plain = await post('/v6/batches/validation/', { recipe_type_id: type.id, definition });
  t.match(plain.json, {
    ...{ is_valid: true, recipes_estimated: 1, warnings: [{ name: 'NOTHING_TO_REPROCESS' }] },
    prev_batch: {
      recipe_type_rev: { recipe_type: { id: type.id }, revision_num: 1 },
      diff: { can_be_reprocessed: true, nodes: { count: { status: 'UNCHANGED', force_reprocess: false } } },
    },
  });
  const mismatched = await post('/v6/batches/', { recipe_type_id: other.id, definition });
  t.match(mismatched.json.errors, [{ name: 'MISMATCHED_RECIPE_TYPE' }]);
  const forced = { previous_batch: { root_batch_id: id, forced_nodes: { all: true } } };
  const made = await post('/v6/batches/', { recipe_type_id: type.id, definition: forced });
  t.match(made.json, { root_batch: { id }, superseded_batch: { id }, title: '', recipes_estimated: 1 });
  t.match((await get(`/v6/batches/${id}/`)).json, { is_superseded: true, status: 'SUPERSEDED' });
  const again = await post('/v6/batches/', { recipe_type_id: type.id, definition: forced });
  t.match(again.json.errors, [{ name: 'PREV_BATCH_STILL_CREATING' }]);

  const compared = await get(`/v6/batches/comparison/${made.json.id}/`);
  t.match(compared.json, {
    batches: [{ id }, { id: made.json.id }],
    metrics: {
      jobs_total: [1, 0],
      recipes_estimated: [3, 1],
      job_metrics: { count: { jobs_total: [1, 0], max_job_duration: ['PT9M2S', null] } },
    },
  });
  t.equal((await get('/v6/batches/comparison/999999/')).status, 404);
});

t.test('batches: PATCH changes what it names', async (t) => {
  const { id, last_modified: before } = (await post('/v6/batches/', body)).json;
  t.equal((await patch(`/v6/batches/${id}/`, { title: 'New', configuration: { priority: 9 } })).status, 204);
  const { json } = await get(`/v6/batches/${id}/`);
  t.match(json, { title: 'New', description: '', configuration: { priority: 9 } });
  t.not(json.last_modified, before);
  for (const [wrong, path] of [
    [{ title: 1 }, 'title'],
    [{ title: 'x'.repeat(51) }, 'title'],
    [{ description: [] }, 'description'],
    [{ configuration: { priority: 0 } }, 'configuration.priority'],
    [{ configuration: { more: 0 } }, 'configuration.more'],
  ] as const) {
    const refused = await patch(`/v6/batches/${id}/`, wrong);
    t.equal(refused.status, 400, refused.text);
    t.match(refused.json.errors, [{ path }]);
  }
  t.equal((await patch('/v6/batches/999999/', { title: 'x' })).status, 404);
  t.equal((await get('/v6/batches/999999/')).status, 404);
});

t.test('batches: the list is filtered and sorted', async (t) => {
  const ids = async (query: string) =>
    (await get(`/v6/batches/?${query}`)).json.results.map((one: { id: number }) => one.id);
  const all = await ids('');
  const rows = await store.rows<{ id: number; root: number; old: boolean; done: boolean }>(
    'select id, root_batch_id as root, is_superseded as old, is_creation_done as done from batch order by id',
  );
  t.strictSame(
    all,
    rows.map((row) => row.id),
  );
  const superseded = rows.filter((row) => row.old).map((row) => row.id);
  t.strictSame(await ids('is_superseded=true'), superseded);
  t.strictSame(
    await ids('is_creation_done=true'),
    rows.filter((row) => row.done).map((row) => row.id),
  );
  t.strictSame(
    await ids(`root_batch_id=${superseded[0]}`),
    rows.filter((row) => row.root === superseded[0]).map((row) => row.id),
  );
  t.strictSame(await ids(`recipe_type_id=${type.id}&recipe_type_id=${other.id}`), all);
  t.strictSame(await ids(`recipe_type_id=${other.id}`), []);
  await store.rows(`update batch set description = 'Found 50%' where id = $1`, [all[1]]);
  t.strictSame(await ids('keyword=fOUND'), [all[1]]);
  t.strictSame(await ids('keyword=0%25&keyword=nothing'), [all[1]]);
  t.strictSame(await ids('started=2020-01-01T00:00:00Z&ended=2020-01-02T00:00:00Z'), []);
  for (const field of BATCH_ORDER) {
    t.equal((await get(`/v6/batches/?order=-${field}`)).status, 200, field);
  }
  const { json } = await get('/v6/batches/?page_size=1');
  for (const name of ['definition', 'configuration', 'job_metrics']) t.notOk(name in json.results[0], name);
  for (const query of ['recipe_type_id=x', 'is_superseded=maybe', 'order=none', 'root_batch_id=0']) {
    t.equal((await get(`/v6/batches/?${query}`)).status, 400, query);
  }
});

t.test('batches: a call whose owner does not answer is 503', async (t) => {
  failWith = new KernelError({ code: 'UNAVAILABLE', message: 'gone' });
  t.teardown(() => {
    failWith = undefined;
  });
  t.equal((await post('/v6/batches/', body)).status, 503);
});
