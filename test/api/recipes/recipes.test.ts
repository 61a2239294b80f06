import t from 'tap';
import { RECIPE_ORDER } from '../../../src/api/recipes/routes.ts';
import { KernelError, shardOf } from '../../../src/kernel/mod.ts';
import { makeEvent, makeInput, makeJob, makeRecipe, savedRecipe } from '../../store/make.ts';
import { NOW } from '../../store/store-world.ts';
import {
  jobTypeBody,
  oneNodeDefinition,
  type ProcessingWorld,
  processingWorld,
} from '../../support/worlds/processing-world.ts';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

async function recipeWorld(t: Teardown): Promise<{
  world: ProcessingWorld;
  body: { recipe_type_id: number; input: Record<string, unknown> };
  fileId: number;
}> {
  const world = await processingWorld(t);
  await world.post('/v6/job-types/', jobTypeBody());
  const { json } = await world.post('/v6/recipe-types/', { title: 'Mine', definition: oneNodeDefinition() });
  const fileId = await world.file({ size: 1, fileName: 'in.txt' });
  return { world, body: { recipe_type_id: json.id, input: { files: { TEXT: [fileId] } } }, fileId };
}

t.test('recipes: POST has the actor start the recipe, and answers with the details', async (t) => {
  const { world, body, fileId } = await recipeWorld(t);
  const configuration = { priority: 3, settings: { LEVEL: 'low', PASSWORD: 'mine' } };

  const made = await world.post('/v6/recipes/', { ...body, configuration });

  t.equal(made.status, 201, made.text);
  const { id } = made.json;
  t.equal(made.headers.get('location'), `http://localhost:8080/v6/recipes/${id}/`);
  const asked = world.sent.at(-1);
  t.strictSame(asked?.to, { kind: 'recipe', key: String(id) });
  t.match(asked, {
    isNew: true,
    message: { type: 'start', recipe: { id, rootId: id, shard: shardOf('recipe', String(id)) } },
  });
  t.notMatch(JSON.stringify(world.sent), /"mine"/, 'no secret is sent on');
  t.match(made.headers.get('warning'), /SECRET_IGNORED/);
  t.match(made.json, {
    recipe_type: { name: 'mine', revision_num: 1, is_active: true },
    recipe_type_rev: {
      revision_num: 1,
      recipe_type: { title: 'Mine' },
      definition: { nodes: { count: {} } },
    },
    event: { type: 'USER', description: { user: 'Anonymous' } },
    recipe: null,
    batch: null,
    is_superseded: false,
    superseded_recipe: null,
    superseded_by_recipe: null,
    input: { files: { TEXT: [fileId] }, json: {} },
    configuration: { priority: 3, settings: { LEVEL: 'low' } },
    input_file_size: 1,
    is_completed: false,
    completed: null,
    jobs_total: 0,
    details: { nodes: {}, job_types: [{ name: 'counter', version: '1.0.0' }], sub_recipe_types: [] },
    job_types: [{ name: 'counter' }],
    sub_recipe_types: [],
  });
  t.strictSame((await world.get(`/v6/recipes/${id}/`)).json, made.json);
});

t.test(
  'recipes: the state is that of the most urgent jobs, and a halted one goes on only when asked',
  async (t) => {
    const { world } = await recipeWorld(t);
    const cases: [set: string, state: string, isHalted: boolean][] = [
      ['jobs_pending = 1', 'PENDING', false],
      ['jobs_canceled = 1', 'CANCELED', true],
      ['jobs_canceled = 1, jobs_blocked = 1', 'BLOCKED', true],
      ['jobs_canceled = 1, jobs_queued = 1', 'QUEUED', false],
      ['jobs_queued = 1, jobs_running = 1', 'RUNNING', false],
      ['jobs_running = 1, jobs_failed = 1', 'FAILED', false],
      ['jobs_blocked = 1, jobs_failed = 1', 'FAILED', true],
      ['is_superseded = true, jobs_queued = 1', 'QUEUED', true],
      ['is_completed = true, completed = now(), jobs_completed = 1', 'COMPLETED', false],
    ];
    const shown: [id: number, state: string, isHalted: boolean][] = [];
    for (const [set, ...expected] of cases) {
      const { id } = await savedRecipe(world.store);
      await world.store.rows(`update recipe set ${set} where id = $1`, [id]);
      shown.push([id, ...expected]);
    }
    const list = async (query: string) =>
      (await world.get(`/v6/recipes/?order=id&${query}`)).json.results.map(
        (one: { id: number; state: string; is_halted: boolean }) => [one.id, one.state, one.is_halted],
      );
    t.strictSame(await list(''), shown);
    const having = (...states: string[]) => shown.filter(([, state]) => states.includes(state));
    t.strictSame(await list('state=FAILED'), having('FAILED'));
    t.strictSame(await list('state=CANCELED&state=QUEUED'), having('CANCELED', 'QUEUED'));
    for (const [id, state, is_halted] of shown) {
      t.match((await world.get(`/v6/recipes/${id}/`)).json, { state, is_halted });
    }
  },
);

t.test('recipes: settings accept any scalar and keep it as text', async (t) => {
  const { world, body } = await recipeWorld(t);
  const settings = { LEVEL: 3, RATIO: 0.5, FAST: true, NAME: 'text' };

  const made = await world.post('/v6/recipes/', { ...body, configuration: { settings } });

  t.equal(made.status, 201, made.text);
  const kept = { LEVEL: '3', RATIO: '0.5', FAST: 'true', NAME: 'text' };
  t.strictSame(made.json.configuration, { settings: kept });
  for (const LEVEL of [[1], { a: 1 }, null]) {
    const refused = await world.post('/v6/recipes/', { ...body, configuration: { settings: { LEVEL } } });
    t.match(refused, {
      status: 400,
      json: { errors: [{ name: 'INVALID_SETTING', path: 'configuration.settings.LEVEL' }] },
    });
  }
});

t.test('recipes: POST refuses each wrong field, and asks no actor', async (t) => {
  const { world, body, fileId } = await recipeWorld(t);
  const gone = await world.file();
  await world.store.rows('update file set is_deleted = true where id = $1', [gone]);
  const files = (...ids: unknown[]) => ({ ...body, input: { files: { TEXT: ids } } });
  const cases: [string, Record<string, unknown>, string, string][] = [
    ['no type', { input: {} }, 'MISSING_FIELD', 'recipe_type_id'],
    ['a type that is a text', { ...body, recipe_type_id: 'x' }, 'WRONG_TYPE', 'recipe_type_id'],
    ['an unknown type', { ...body, recipe_type_id: 999_999 }, 'UNKNOWN_REFERENCE', 'recipe_type_id'],
    ['no input', { recipe_type_id: body.recipe_type_id }, 'MISSING_FIELD', 'input'],
    ['an input that is a list', { ...body, input: [] }, 'WRONG_TYPE', 'input'],
    ['a required file that is missing', { ...body, input: {} }, 'PARAM_REQUIRED', 'input.files.TEXT'],
    ['two files for one', files(fileId, fileId), 'MULTIPLE_FILES', 'input.files.TEXT'],
    ['a file of 0', files(0), 'INVALID_DATA', 'input.files.TEXT[0]'],
    ['an unknown file', files(999_999), 'UNKNOWN_FILE', 'input.files.TEXT[0]'],
    ['a deleted file', files(gone), 'DELETED_FILE', 'input.files.TEXT[0]'],
    [
      'an unknown workspace',
      { ...body, configuration: { output_workspaces: { outputs: { COUNTS: 'nowhere' } } } },
      'INVALID_WORKSPACE',
      'configuration.output_workspaces.outputs.COUNTS',
    ],
    [
      'a relative host path',
      { ...body, configuration: { mounts: { DATA: { type: 'host', host_path: 'x' } } } },
      'HOST_ABSOLUTE_PATH',
      'configuration.mounts.DATA.host_path',
    ],
  ];
  for (const [what, sent, name, path] of cases) {
    const refused = await world.post('/v6/recipes/', sent);
    t.equal(refused.status, 400, what);
    t.ok(
      refused.json.errors.some(
        (error: { name: string; path: string }) => error.name === name && error.path === path,
      ),
      `${what}: ${name} at ${path} in ${refused.text}`,
    );
  }
  await world.patch('/v6/recipe-types/mine/', { is_active: false });
  t.match((await world.post('/v6/recipes/', body)).json, { errors: [{ path: 'recipe_type_id' }] });
  t.equal(world.sent.filter((one) => one.to.kind === 'recipe').length, 0);
  t.equal((await world.get('/v6/recipes/')).json.count, 0);
  await world.patch('/v6/recipe-types/mine/', { is_active: true });
  world.failWith = new KernelError({ code: 'DEADLINE', message: 'no answer in time' });
  t.equal((await world.post('/v6/recipes/', body)).status, 503);
});

/** A recipe of three nodes, each of another kind, and the ids of what they are. */
async function savedTree(
  world: ProcessingWorld,
): Promise<Record<'recipeId' | 'subId' | 'jobId' | 'conditionId' | 'eventId' | 'revId', number>> {
  const { store } = world;
  const definition = {
    ...oneNodeDefinition(),
    nodes: {
      ...(oneNodeDefinition().nodes as object),
      gate: {
        dependencies: [{ name: 'count' }],
        input: {},
        node_type: { node_type: 'condition', interface: {}, data_filter: { filters: [] } },
      },
      below: {
        dependencies: [{ name: 'gate', acceptance: false }],
        input: { TEXT: { type: 'recipe', input: 'TEXT' } },
        node_type: { node_type: 'recipe', recipe_type_name: 'mine' },
      },
    },
  };
  const outer = await world.post('/v6/recipe-types/', { title: 'Outer', definition });
  const rev = await store.one<{ id: number }>('select id from recipe_type_rev where recipe_type_id = $1', [
    outer.json.id,
  ]);
  const type = await store.one<{ id: number; rev: number }>(
    `select t.id, r.id as rev from job_type t join job_type_rev r on r.job_type_id = t.id
     where name = 'counter'`,
  );
  const recipeId = await store.newId('recipe');
  const subId = await store.newId('recipe');
  const jobId = await store.newId('job');
  const conditionId = await store.newId('recipe_condition');
  const eventId = await store.newId('event');
  const recipe = makeRecipe(store, {
    id: recipeId,
    eventId,
    recipeTypeId: outer.json.id,
    recipeTypeRevId: rev.id,
  });
  const sub = makeRecipe(store, {
    ...{ id: subId, eventId, rootId: recipeId, parentId: recipeId, parentNode: 'below' },
    ...{ ancestorIds: [recipeId], input: null },
  });
  const job = makeJob(store, {
    ...{ id: jobId, eventId, jobTypeId: type.id, jobTypeRevId: type.rev, recipeId, recipeNode: 'count' },
    ...{ recipeIds: [recipeId], status: 'PENDING' as const },
  });
  const nodeOf = (name: string, ids: Record<string, number>) => {
    return { recipeId, name, jobId: null, subRecipeId: null, conditionId: null, isOriginal: true, ...ids };
  };
  await store.apply(
    { type: 'createEvents', events: [makeEvent(eventId)] },
    { type: 'createRecipes', recipes: [recipe, sub] },
    { type: 'createConditions', conditions: [{ id: conditionId, recipeId, nodeName: 'gate', atMs: NOW }] },
    { type: 'createJobs', jobs: [job] },
    {
      type: 'createRecipeNodes',
      nodes: [
        nodeOf('count', { jobId }),
        nodeOf('gate', { conditionId }),
        nodeOf('below', { subRecipeId: subId }),
      ],
    },
  );
  return { recipeId, subId, jobId, conditionId, eventId, revId: rev.id };
}

t.test('recipes: details show the current state of existing nodes', async (t) => {
  const { world } = await recipeWorld(t);
  const { recipeId, subId, jobId, conditionId, eventId, revId } = await savedTree(world);

  const { json, status, text } = await world.get(`/v6/recipes/${recipeId}/`);

  t.equal(status, 200, text);
  t.match(json, { jobs_total: 1, jobs_pending: 1, sub_recipes_total: 1, sub_recipes_completed: 0 });
  t.strictSame(json.details.nodes.count, {
    dependencies: [],
    node_type: {
      node_type: 'job',
      job_type_name: 'counter',
      job_type_version: '1.0.0',
      job_type_revision: 1,
      job_id: jobId,
      status: 'PENDING',
    },
  });
  t.strictSame(json.details.nodes.gate, {
    dependencies: [{ name: 'count' }],
    node_type: {
      node_type: 'condition',
      condition_id: conditionId,
      object_version: 1,
      is_processed: false,
      is_accepted: false,
      reason: null,
    },
  });
  t.match(json.details.nodes.below, {
    dependencies: [{ name: 'gate' }],
    node_type: { node_type: 'recipe', recipe_id: subId, is_completed: false, jobs_total: 0 },
  });
  t.match(json.sub_recipe_types, [{ name: 'mine', title: 'Mine', revision_num: 1 }]);

  const below = (await world.get(`/v6/recipes/${subId}/`)).json;
  t.match(below.recipe, { id: recipeId, recipe_type: { name: 'outer' }, recipe_type_rev: { id: revId } });
  t.strictSame(below.input, { files: {}, json: {} });
  t.equal(below.input_file_size, null);
  const shown = (await world.get(`/v6/jobs/${jobId}/`)).json;
  t.match(shown.recipe, { id: recipeId, recipe_type: { title: 'Outer' }, event: { id: eventId } });
});

t.test('recipes: root_recipe_id lists the whole tree below, without its root', async (t) => {
  const world = await processingWorld(t);
  const { store } = world;
  const root = await savedRecipe(store);
  const under = async (parentId: number, ancestorIds: readonly number[]) =>
    (await savedRecipe(store, { rootId: root.id, parentId, parentNode: 'n', ancestorIds })).id;
  const child = await under(root.id, [root.id]);
  const grandchild = await under(child, [child, root.id]);
  await savedRecipe(store);
  const ids = async (query: string): Promise<number[]> =>
    (await world.get(`/v6/recipes/?order=id&${query}`)).json.results.map((one: { id: number }) => one.id);

  t.strictSame(await ids(`root_recipe_id=${root.id}`), [child, grandchild]);
  t.strictSame(await ids(`root_recipe_id=${child}`), [grandchild]);
  t.strictSame(await ids(`root_recipe_id=${grandchild}`), []);
  t.strictSame(await ids(`root_recipe_id=${child}&root_recipe_id=${grandchild}`), [grandchild]);
});

t.test('recipes: the list is filtered', async (t) => {
  const world = await processingWorld(t);
  const { store } = world;
  await world.post('/v6/job-types/', jobTypeBody());
  const other = (await world.post('/v6/recipe-types/', { title: 'Other', definition: oneNodeDefinition() }))
    .json;
  const rev = await store.one<{ id: number }>('select id from recipe_type_rev where recipe_type_id = $1', [
    other.id,
  ]);
  const source = {
    startedMs: 100_000,
    endedMs: 200_000,
    sensorClass: 'SAR',
    sensor: 's1',
    collection: 'c1',
    task: 't1',
  };
  const first = await savedRecipe(store, { input: { ...makeInput(), source } });
  const types = { recipeTypeId: other.id, recipeTypeRevId: rev.id };
  const second = await savedRecipe(store, { ...types, input: null, atMs: NOW + 10_000 });
  await store.apply({
    type: 'completeRecipes',
    recipes: [{ recipeId: second.id, ancestorIds: [], atMs: NOW + 10_000 }],
  });
  const ids = async (query: string): Promise<number[]> => {
    const { status, json, text } = await world.get(`/v6/recipes/?order=id&${query}`);
    t.equal(status, 200, text);
    return json.results.map((one: { id: number }) => one.id);
  };
  const at = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
  const cases: [string, number[]][] = [
    ['', [first.id, second.id]],
    [`recipe_id=${first.id}`, [first.id]],
    [`recipe_type_id=${other.id}&recipe_type_id=999`, [second.id]],
    ['recipe_type_name=other', [second.id]],
    ['recipe_type_name=nothing', []],
    ['batch_id=5', []],
    ['is_completed=true', [second.id]],
    ['is_completed=false', [first.id]],
    ['is_superseded=true', []],
    ['source_sensor_class=SAR&source_sensor=s1&source_collection=c1&source_task=t1', [first.id]],
    ['source_sensor=s2', []],
    [`source_started=${at(100_000)}&source_ended=${at(200_000)}`, [first.id]],
    [`source_started=${at(100_001)}`, []],
    [`started=${at(NOW + 10_000)}`, [second.id]],
    [`started=${at(NOW - 1)}&ended=${at(NOW)}`, [first.id]],
  ];
  for (const [query, wanted] of cases) t.strictSame(await ids(query), wanted, query);
  const [item] = (await world.get('/v6/recipes/')).json.results;
  for (const field of ['input', 'superseded_by_recipe', 'details']) t.notOk(field in item, field);
});

t.test('recipes: every documented order works; wrong parameters and ids are reported', async (t) => {
  const world = await processingWorld(t);
  await savedRecipe(world.store);
  for (const field of [...RECIPE_ORDER, 'id']) {
    for (const order of [field, `-${field}`]) {
      t.equal((await world.get(`/v6/recipes/?order=${order}`)).json?.count, 1, order);
    }
  }
  for (const query of [
    'order=details',
    'recipe_id=x',
    'is_completed=maybe',
    'root_recipe_id=0',
    'ended=never',
  ]) {
    t.equal((await world.get(`/v6/recipes/?${query}`)).status, 400, query);
  }
  for (const id of ['999999', '0', 'x']) t.equal((await world.get(`/v6/recipes/${id}/`)).status, 404, id);
});
