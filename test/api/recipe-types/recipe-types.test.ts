import t from 'tap';
import { RECIPE_TYPE_ORDER } from '../../../src/api/recipe-types/routes.ts';
import { ensureDiagnostics } from '../../../src/store/diagnostic/type-records.ts';
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

async function worldWithType(t: Teardown): Promise<ProcessingWorld> {
  const world = await processingWorld(t);
  await world.post('/v6/job-types/', jobTypeBody());
  return world;
}

/** A definition with one node of the given type that takes the recipe's file. */
function around(nodeType: Record<string, unknown>, input = 'INPUT_TEXT'): Record<string, unknown> {
  const node = {
    dependencies: [],
    input: { [input]: { type: 'recipe', input: 'TEXT' } },
    node_type: nodeType,
  };
  return { input: { files: [{ name: 'TEXT', media_types: ['text/plain'] }] }, nodes: { only: node } };
}

const COUNTER = { node_type: 'job', job_type_name: 'counter', job_type_version: '1.0.0' };

t.test('recipe types: POST names the type, completes the definition, and answers with both', async (t) => {
  const world = await worldWithType(t);

  const made = await world.post('/v6/recipe-types/', {
    title: 'My Recipe_Type!',
    definition: oneNodeDefinition(),
  });

  t.equal(made.status, 201, made.text);
  t.equal(made.headers.get('location'), 'http://localhost:8080/v6/recipe-types/my-recipe-type/');
  t.match(made.json, {
    name: 'my-recipe-type',
    title: 'My Recipe_Type!',
    description: '',
    is_active: true,
    is_system: false,
    revision_num: 1,
    deprecated: null,
    sub_recipe_types: [],
    super_recipe_types: [],
  });
  t.match(made.json.definition.nodes.count, { node_type: { job_type_revision: 1 } }, 'the newest revision');
  t.match(made.json.job_types, [{ name: 'counter', version: '1.0.0', manifest: { seedVersion: '1.0.0' } }]);
  t.strictSame((await world.get('/v6/recipe-types/my-recipe-type/')).json, made.json);

  const second = await world.post('/v6/recipe-types/', {
    title: 'My Recipe Type',
    definition: { input: {}, nodes: {} },
  });
  t.equal(second.status, 201, second.text);
  t.match(second.json.name, /^my-recipe-type-[0-9a-f]{19}$/, 'a name that is taken gets a suffix');
});

t.test('recipe types: a name in the body is used, or refused', async (t) => {
  const world = await worldWithType(t);
  const body = { title: 'T', name: 'chosen', definition: oneNodeDefinition() };
  const made = await world.post('/v6/recipe-types/', body);
  t.match(made, { status: 201, json: { name: 'chosen' } });
  t.match(made.headers.get('location'), /recipe-types\/chosen\/$/);
  t.match(await world.post('/v6/recipe-types/', body), { status: 409, json: { code: 'NAME_TAKEN' } });
  t.match(await world.post('/v6/recipe-types/', { ...body, name: 'validation' }), {
    status: 400,
    json: { errors: [{ name: 'BAD_FORMAT', path: 'name' }] },
  });
  const check = async (name: string) =>
    (await world.post('/v6/recipe-types/validation/', { ...body, name })).json;
  t.match(await check('chosen'), { is_valid: true });
  t.match(await check('A b'), { is_valid: false, errors: [{ name: 'INVALID_NAME', path: 'name' }] });
});

t.test('recipe types: a type named validation cannot hide the route', async (t) => {
  const world = await worldWithType(t);
  const made = await world.post('/v6/recipe-types/', {
    title: 'Validation',
    definition: oneNodeDefinition(),
  });
  t.equal(made.status, 201, made.text);
  t.equal(made.json.name, 'recipe-type-validation');
});

t.test('recipe types: POST refuses each wrong field, and names it', async (t) => {
  const world = await worldWithType(t);
  const definition = oneNodeDefinition();
  const title = 'T';
  const cases: [string, Record<string, unknown>, string, string][] = [
    ['no title', { definition }, 'MISSING_FIELD', 'title'],
    ['an empty title', { title: '', definition }, 'TOO_SHORT', 'title'],
    ['a long title', { title: 'x'.repeat(51), definition }, 'TOO_LONG', 'title'],
    ['a long description', { title, description: 'x'.repeat(501), definition }, 'TOO_LONG', 'description'],
    ['no definition', { title }, 'MISSING_FIELD', 'definition'],
    ['a list', { title, definition: [] }, 'WRONG_TYPE', 'definition'],
    [
      'an unknown job type',
      { title, definition: around({ ...COUNTER, job_type_name: 'none' }) },
      'JOB_TYPE_DOES_NOT_EXIST',
      'definition.nodes.only.node_type.job_type_name',
    ],
    [
      'a job type that only the system queues',
      { title, definition: around({ ...COUNTER, job_type_name: 'millrace-ingest' }) },
      'SYSTEM_JOB_TYPE',
      'definition.nodes.only.node_type.job_type_name',
    ],
    [
      'an unknown revision',
      { title, definition: around({ ...COUNTER, job_type_revision: 2 }) },
      'JOB_TYPE_DOES_NOT_EXIST',
      'definition.nodes.only.node_type.job_type_revision',
    ],
    [
      'an unknown recipe type',
      { title, definition: around({ node_type: 'recipe', recipe_type_name: 'none' }) },
      'RECIPE_TYPE_DOES_NOT_EXIST',
      'definition.nodes.only.node_type.recipe_type_name',
    ],
    [
      'a required input without a connection',
      { title, definition: around(COUNTER, 'OTHER') },
      'NODE_INTERFACE',
      'definition.nodes.only.input.INPUT_TEXT',
    ],
    [
      'an unknown member',
      { title, definition: { ...definition, colour: 1 } },
      'INVALID_DEFINITION',
      'definition.colour',
    ],
  ];
  for (const [what, body, name, path] of cases) {
    const refused = await world.post('/v6/recipe-types/', body);
    t.equal(refused.status, 400, what);
    t.ok(
      refused.json.errors.some(
        (error: { name: string; path: string }) => error.name === name && error.path === path,
      ),
      `${what}: ${name} at ${path} in ${refused.text}`,
    );
  }
  const own = await world.get('/v6/recipe-types/?keyword=T');
  t.notOk(
    own.json.results.some((one: { title: string }) => one.title === 'T'),
    'nothing was made',
  );
});

t.test('recipe types: the built-in diagnostics are job types like any other', async (t) => {
  const world = await worldWithType(t);
  await ensureDiagnostics(world.store.db.sql, undefined, NOW);
  const node_type = { ...COUNTER, job_type_name: 'millrace-hello' };
  const definition = { input: {}, nodes: { hello: { dependencies: [], input: {}, node_type } } };

  const made = await world.post('/v6/recipe-types/', { title: 'Greet', definition });

  t.equal(made.status, 201, made.text);
});

t.test('recipe types: PATCH creates a revision for a new definition, and for nothing else', async (t) => {
  const world = await worldWithType(t);
  await world.post('/v6/recipe-types/', { title: 'Mine', definition: oneNodeDefinition() });
  const path = '/v6/recipe-types/mine/';

  t.equal((await world.patch(path, { title: 'Yours', description: 'D' })).status, 204);
  t.match((await world.get(path)).json, { name: 'mine', title: 'Yours', description: 'D', revision_num: 1 });

  t.equal((await world.patch(path, { definition: { input: {}, nodes: {} } })).status, 204);
  t.match((await world.get(path)).json, { revision_num: 2, job_types: [], title: 'Yours' });

  const revisions = (await world.get(`${path}revisions/`)).json;
  t.equal(revisions.count, 2);
  t.match(revisions.results, [
    { revision_num: 2, recipe_type: { name: 'mine', title: 'Yours', revision_num: 2 } },
    { revision_num: 1 },
  ]);
  t.match((await world.get(`${path}revisions/1/`)).json, {
    revision_num: 1,
    definition: { nodes: { count: {} } },
    recipe_type: { is_active: true, is_system: false },
  });
});

t.test('recipe types: types above follow a new revision, and a recursive one is refused', async (t) => {
  const world = await worldWithType(t);
  await world.post('/v6/recipe-types/', { title: 'Inner', definition: oneNodeDefinition() });
  const sub = { node_type: 'recipe', recipe_type_name: 'inner', recipe_type_revision: '1' };
  const outer = await world.post('/v6/recipe-types/', { title: 'Outer', definition: around(sub, 'TEXT') });
  t.equal(outer.status, 201, outer.text);

  const recursive = around({ node_type: 'recipe', recipe_type_name: 'outer' }, 'TEXT');
  const refused = await world.patch('/v6/recipe-types/inner/', { definition: recursive });
  t.match(refused.json, { code: 'INVALID_DEFINITION', errors: [{ name: 'RECURSIVE_SUBRECIPES' }] });

  const counting = oneNodeDefinition().nodes as Record<string, unknown>;
  const more = { ...oneNodeDefinition(), nodes: { again: counting.count } };
  await world.patch('/v6/recipe-types/inner/', { definition: more, auto_update: false });
  t.equal((await world.get('/v6/recipe-types/outer/')).json.revision_num, 1);
  await world.patch('/v6/recipe-types/inner/', { definition: oneNodeDefinition() });
  const now = (await world.get('/v6/recipe-types/outer/')).json;
  t.match(now, { revision_num: 2, sub_recipe_types: [{ name: 'inner', revision_num: 3 }] });
  t.equal(now.definition.nodes.only.node_type.recipe_type_revision, 3);
  t.match((await world.get('/v6/recipe-types/inner/')).json.super_recipe_types, [{ name: 'outer' }]);

  const deprecated = await world.patch('/v6/recipe-types/inner/', { is_active: false });
  t.match(deprecated.headers.get('warning'), /DEPRECATED_RECIPES: .*outer/);
  t.equal((await world.get('/v6/recipe-types/outer/')).json.is_active, false);
  await world.patch('/v6/recipe-types/inner/', { is_active: true });
  t.match((await world.get('/v6/recipe-types/inner/')).json, { is_active: true, deprecated: null });
  t.equal((await world.get('/v6/recipe-types/outer/')).json.is_active, false);
});

t.test('recipe types: PATCH refuses wrong fields, and unknown names are 404', async (t) => {
  const world = await worldWithType(t);
  await world.post('/v6/recipe-types/', { title: 'Mine', definition: oneNodeDefinition() });
  for (const body of [{ title: '' }, { title: 5 }, { is_active: 'no' }, { definition: { nodes: 3 } }]) {
    const refused = await world.patch('/v6/recipe-types/mine/', body);
    t.equal(refused.status, 400, JSON.stringify(body));
    t.ok(refused.json.errors[0].path.startsWith(Object.keys(body)[0]), refused.text);
  }
  t.equal((await world.get('/v6/recipe-types/mine/')).json.revision_num, 1);
  t.equal((await world.patch('/v6/recipe-types/none/', {})).status, 404);
  const paths = ['none/', 'none/revisions/', 'mine/revisions/2/', 'mine/revisions/x/', 'none/revisions/1/'];
  for (const path of paths) t.equal((await world.get(`/v6/recipe-types/${path}`)).status, 404, path);
  await world.store.rows(`update recipe_type set is_system = true where name = 'mine'`);
  t.equal((await world.patch('/v6/recipe-types/mine/', { title: 'X' })).status, 409, 'a system type');
});

t.test('recipe types: lists are filtered, sorted and paged', async (t) => {
  const world = await worldWithType(t);
  for (const title of ['Beta', 'alpha', 'Gamma']) {
    const body = { title, description: `about ${title}`, definition: oneNodeDefinition() };
    await world.post('/v6/recipe-types/', body);
  }
  await world.patch('/v6/recipe-types/gamma/', { is_active: false });
  const titles = async (query: string): Promise<string[]> => {
    const { status, json, text } = await world.get(`/v6/recipe-types/?keyword=about&${query}`);
    t.equal(status, 200, text);
    return json.results.map((one: { title: string }) => one.title);
  };
  t.strictSame(await titles(''), ['alpha', 'Beta', 'Gamma']);
  t.strictSame(await titles('order=-title'), ['Gamma', 'Beta', 'alpha']);
  t.strictSame(await titles('is_active=true'), ['alpha', 'Beta']);
  t.strictSame(await titles('is_system=true'), []);
  t.strictSame(await titles('page=2&page_size=2'), ['Gamma']);
  const [first] = (await world.get('/v6/recipe-types/?keyword=alpha')).json.results;
  t.strictSame(await titles(`id=${first.id}&id=999999`), ['alpha']);
  const shown = async (fields: string) =>
    (await world.get(`/v6/recipe-types/?keyword=alpha&fields=${fields}`)).json.results[0];
  t.strictSame(await shown('id,name'), { id: first.id, name: first.name });
  for (const inside of ['job_types', 'sub_recipe_types'])
    t.strictSame(await shown(`name,${inside}`), { name: first.name, [inside]: first[inside] });
  t.strictSame(first.job_types, [{ name: 'counter', version: '1.0.0' }]);
  t.strictSame(first.sub_recipe_types, []);
  t.notOk('definition' in first);
  for (const field of [...RECIPE_TYPE_ORDER, 'id']) {
    t.equal((await world.get(`/v6/recipe-types/?order=-${field}`)).status, 200, field);
  }
  t.equal((await world.get('/v6/recipe-types/?order=definition')).status, 400);
});

t.test('recipe types: validation refuses a name that no type can have', async (t) => {
  const world = await processingWorld(t);
  const { status, json } = await world.post('/v6/recipe-types/validation/', {
    name: 'a\u0000b',
    definition: { input: {}, nodes: {} },
  });
  t.match({ status, json }, { status: 200, json: { is_valid: false, errors: [{ path: 'name' }], diff: {} } });
});

t.test('recipe types: validation describes each comparison of a condition in words', async (t) => {
  const world = await worldWithType(t);
  const integer = { type: 'integer', all_fields: true };
  const filters = [
    { ...integer, name: 'WORDS', condition: '>', values: [100] },
    { ...integer, name: 'WORDS', condition: 'between', values: [1, 5] },
  ];
  const condition = {
    ...{ dependencies: [], input: { WORDS: { type: 'recipe', input: 'WORDS' } } },
    node_type: {
      node_type: 'condition',
      interface: { json: [{ name: 'WORDS', type: 'integer' }] },
      data_filter: { filters },
    },
  };
  const definition = { input: { json: [{ name: 'WORDS', type: 'integer' }] }, nodes: { few: condition } };
  const { status, json } = await world.post('/v6/recipe-types/validation/', { definition });
  t.equal(status, 200);
  const at = 'definition.nodes.few.node_type.data_filter';
  const { effects: _, ...found } = json;
  t.strictSame(found, {
    ...{ is_valid: true, errors: [], diff: {} },
    warnings: [
      { name: 'FILTER_MEANING', description: 'passes when 100 > WORDS', path: `${at}.filters[0]` },
      { name: 'FILTER_MEANING', description: 'passes when 1 <= WORDS <= 5', path: `${at}.filters[1]` },
    ],
  });
  const made = await world.post('/v6/recipe-types/', { title: 'Few', definition });
  t.match([made.status, made.headers.get('warning')], [201, undefined], 'creating it warns of nothing');
});

t.test('recipe types: validation answers 200 with problems and the diff', async (t) => {
  const world = await worldWithType(t);
  const path = '/v6/recipe-types/validation/';
  await world.post('/v6/recipe-types/', { title: 'Mine', definition: oneNodeDefinition() });

  t.strictSame((await world.post(path, { definition: oneNodeDefinition() })).json, {
    is_valid: true,
    errors: [],
    warnings: [],
    diff: {},
    effects: {
      revision_num: 1,
      recipe_types: { count: 0, raised: [], behind: [], is_cut: false },
      one_recipe: { recipes: 1, jobs: 1, processor_hours: null, jobs_without_figures: 1 },
    },
  });
  const same = await world.post(path, { name: 'mine', definition: oneNodeDefinition() });
  t.match(same.json, {
    is_valid: true,
    diff: { can_be_reprocessed: true, reasons: [], nodes: { count: { status: 'UNCHANGED' } } },
  });
  const needs = { ...oneNodeDefinition(), input: { files: [{ name: 'TEXT' }, { name: 'MORE' }] } };
  const other = await world.post(path, { name: 'mine', definition: needs });
  t.match(other.json, {
    is_valid: true,
    warnings: [{ name: 'REPROCESS_WARNING' }],
    diff: { can_be_reprocessed: false, reasons: [{ name: 'INPUT_CHANGE' }] },
  });
  t.strictSame((await world.post(path, { name: 'none', definition: oneNodeDefinition() })).json.diff, {});
  t.match((await world.post(path, {})).json, { is_valid: false, errors: [{ path: 'definition' }], diff: {} });
  const unknown = await world.post(path, { definition: around({ ...COUNTER, job_type_version: '2.0.0' }) });
  t.match(unknown.json, { is_valid: false, errors: [{ name: 'JOB_TYPE_DOES_NOT_EXIST' }], diff: {} });
  t.equal((await world.post(path, [])).status, 400);
});

t.test('recipe types: acceptance of a node that is no condition gets a warning', async (t) => {
  const world = await worldWithType(t);
  const node = { input: { INPUT_TEXT: { type: 'recipe', input: 'TEXT' } }, node_type: COUNTER };
  const definition = {
    input: { files: [{ name: 'TEXT', media_types: ['text/plain'] }] },
    nodes: {
      first: { ...node, dependencies: [] },
      second: { ...node, dependencies: [{ name: 'first', acceptance: false }] },
    },
  };
  const path = '/v6/recipe-types/validation/';
  const place = 'definition.nodes.second.dependencies[0].acceptance';
  t.match((await world.post(path, { definition })).json, {
    is_valid: true,
    errors: [],
    warnings: [{ name: 'ACCEPTANCE_WITHOUT_EFFECT', path: place, description: /'first' is no condition/ }],
  });
  const made = await world.post('/v6/recipe-types/', { title: 'Two', definition });
  t.equal(made.status, 201, made.text);
  t.strictSame(made.json.definition.nodes.second.dependencies, [{ name: 'first', acceptance: true }]);
});
