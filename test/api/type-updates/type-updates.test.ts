/** A new revision of a type that many recipe types contain: saved at once, taken over page by page. */
import t from 'tap';
import { advanceTypeUpdates } from '../../../src/api/type-updates/updates.ts';
import type { Sql } from '../../../src/store/sql/sql.ts';
import { heardSql } from '../../store/sql/heard-sql.ts';
import {
  jobTypeBody,
  makeManifest,
  oneNodeDefinition,
  type ProcessingWorld,
  processingWorld,
} from '../../support/worlds/processing-world.ts';

const PATH = '/v6/job-types/counter/1.0.0/';
/** More than one page. */
const MANY = 45;
const NOW = Date.UTC(2026, 1, 1);

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

/** `count` recipe types `user-1`, … around the job type `counter`. */
async function worldWithUsers(t: Teardown, count: number): Promise<ProcessingWorld> {
  const world = await processingWorld(t);
  await world.post('/v6/job-types/', jobTypeBody());
  for (let n = 1; n <= count; n++) await addType(world, `User ${n}`, oneNodeDefinition());
  return world;
}

async function addType(world: ProcessingWorld, title: string, definition: unknown): Promise<void> {
  const made = await world.post('/v6/recipe-types/', { title, definition });
  if (made.status !== 201) throw new Error(made.text);
}

/** A definition whose nodes are recipes of these types. */
function around(...names: readonly string[]): Record<string, unknown> {
  const nodes = names.map((name) => [
    name,
    {
      dependencies: [],
      input: { TEXT: { type: 'recipe', input: 'TEXT' } },
      node_type: { node_type: 'recipe', recipe_type_name: name },
    },
  ]);
  return { ...oneNodeDefinition(), nodes: Object.fromEntries(nodes) };
}

/** A job type that reads what `counter` makes. */
function readerBody(): Record<string, unknown> {
  const inputs = { files: [{ name: 'TABLE' }] };
  const body = jobTypeBody({ name: 'reader', errors: [], interface: { inputs, outputs: {} } });
  return { ...body, configuration: {} };
}

/** The revision of each recipe type, by name. */
async function revisions(world: ProcessingWorld): Promise<Record<string, number>> {
  const { json } = await world.get('/v6/recipe-types/?is_system=false&page_size=1000');
  const found = json.results as { name: string; revision_num: number }[];
  return Object.fromEntries(
    found.filter(({ name }) => !name.startsWith('recipe-')).map((one) => [one.name, one.revision_num]),
  );
}

const wakes = ({ sent }: ProcessingWorld): number =>
  sent.filter(({ to }) => to.kind === 'type_update').length;

/** Does page after page until nothing is left; how many there were. */
async function workOff(world: ProcessingWorld, sql: Sql = world.store.db.sql): Promise<number> {
  for (let pages = 0; pages < 1_000; pages++) {
    if (await advanceTypeUpdates(sql, NOW)) return pages;
  }
  throw new Error('it comes to no end');
}

t.test('type updates: many recipe types follow after the answer, in pages, each once', async (t) => {
  const world = await worldWithUsers(t, MANY);
  await addType(world, 'Above', around('user-1', 'user-45'));
  await addType(world, 'Top', around('above', 'user-2'));

  const edited = await world.patch(PATH, { manifest: makeManifest({ title: 'New' }) });

  t.equal(edited.status, 204, edited.text);
  const [, path = ''] = /RECIPES_BEING_UPDATED: 47 recipe types .*(\/v6\/type-updates\/\d+\/)/.exec(
    edited.headers.get('warning') ?? '',
  ) ?? ['', ''];
  t.equal((await world.get(PATH)).json.revision_num, 2, 'the type itself is saved');
  t.ok(Object.values(await revisions(world)).every((one) => one === 1));
  t.ok(wakes(world) > 0, 'its actor is notified');
  t.match((await world.get(path)).json, {
    kind: 'job',
    type: { name: 'counter', version: '1.0.0' },
    revision_num: 2,
    status: 'RUNNING',
    recipe_types_total: 47,
    recipe_types_raised: 0,
    recipe_types_unchanged: 0,
    recipe_types_behind: 0,
    recipe_types: [],
    completed: null,
  });

  // Other writes of the catalog continue meanwhile, with a page that is not begun and between two.
  await addType(world, 'Meanwhile', oneNodeDefinition());
  t.equal(await advanceTypeUpdates(world.store.db.sql, NOW), false);
  t.equal((await world.patch('/v6/recipe-types/user-40/', { title: 'Renamed' })).status, 204);
  t.equal((await world.post('/v6/job-types/', jobTypeBody({ name: 'another' }))).status, 201);
  const half = (await world.get(path)).json;
  t.match(half, { status: 'RUNNING', recipe_types_raised: 20 });
  t.equal((await world.get('/v6/type-updates/?is_completed=false')).json.count, 1);

  await workOff(world);
  t.match((await world.get(path)).json, {
    status: 'COMPLETED',
    recipe_types_total: 47,
    recipe_types_raised: 47,
    recipe_types: [],
  });
  const { meanwhile, ...others } = await revisions(world);
  t.equal(meanwhile, 1, 'what was made with the new revision stays');
  t.equal(Object.keys(others).length, 47);
  t.ok(
    Object.values(others).every((one) => one === 2),
    'each has one more revision, also those above several',
  );
  const top = (await world.get('/v6/recipe-types/top/')).json;
  t.equal(top.definition.nodes.above.node_type.recipe_type_revision, 2);
  t.match(top.sub_recipe_types.map((one: { name: string }) => one.name).sort(), ['above', 'user-2']);
  t.equal((await world.get('/v6/recipe-types/user-3/revisions/')).json.count, 2);
  t.match((await world.get('/v6/recipe-types/user-40/')).json, {
    title: 'Renamed',
    job_types: [{ name: 'counter' }],
  });
  t.equal(await workOff(world), 0, 'nothing is left');
  const listed = (await world.get('/v6/type-updates/?name=counter&order=-type__name')).json;
  t.match(listed, { count: 1, results: [{ status: 'COMPLETED', revision_num: 2 }] });
  t.equal((await world.get('/v6/type-updates/?name=other')).json.count, 0);
  t.equal((await world.get('/v6/type-updates/4711/')).status, 404);
});

t.test('type updates: each type that stays behind is named with the reason', async (t) => {
  const world = await worldWithUsers(t, 2);
  await world.post('/v6/job-types/', readerBody());
  const { input, nodes } = oneNodeDefinition() as { input: object; nodes: object };
  const read = {
    dependencies: [{ name: 'count' }],
    input: { TABLE: { type: 'dependency', node: 'count', output: 'COUNTS' } },
    node_type: { node_type: 'job', job_type_name: 'reader', job_type_version: '1.0.0' },
  };
  await addType(world, 'Reading', { input, nodes: { ...nodes, read } });
  await addType(world, 'Above', around('reading'));
  const job = makeManifest().job as { interface: object };
  const without = makeManifest({ interface: { ...job.interface, outputs: {} } });

  const edited = await world.patch(PATH, { manifest: without });

  t.equal(edited.status, 204, edited.text);
  const warning = edited.headers.get('warning') ?? '';
  t.match(warning, /RECIPE_NOT_UPDATED: the recipe type 'reading' keeps its revision: .*COUNTS/);
  t.match(warning, /RECIPE_NOT_UPDATED: the recipe type 'above' keeps its revision: it contains 'reading'/);
  t.strictSame(await revisions(world), { 'user-1': 2, 'user-2': 2, reading: 1, above: 1 });
  const { results } = (await world.get('/v6/type-updates/')).json;
  t.match(results, [{ status: 'COMPLETED', recipe_types_raised: 2, recipe_types_behind: 2 }]);
  const shown = (await world.get(`/v6/type-updates/${results[0].id}/`)).json;
  t.match(shown.recipe_types, [
    { name: 'above', title: 'Above', revision_num: 1, reason: /contains 'reading'/ },
    { name: 'reading', title: 'Reading', revision_num: 1, reason: /COUNTS/ },
  ]);
});

t.test('type updates: large definitions are updated after the answer, however few', async (t) => {
  const world = await worldWithUsers(t, 1);
  const values = [Array.from({ length: 20_000 }, (_, index) => `value ${index}`)];
  const filters = [{ name: 'B', type: 'string', condition: 'in', values }];
  const condition = {
    dependencies: [],
    input: {},
    node_type: {
      node_type: 'condition',
      interface: { json: [{ name: 'B', type: 'string', required: false }] },
      data_filter: { filters },
    },
  };
  const { input, nodes } = oneNodeDefinition() as { input: object; nodes: object };
  await addType(world, 'Large', { input, nodes: { ...nodes, condition } });

  const edited = await world.patch(PATH, { manifest: makeManifest({ title: 'New' }) });

  t.match(edited.headers.get('warning'), /RECIPES_BEING_UPDATED: 2 recipe types/);
  t.strictSame(await revisions(world), { 'user-1': 1, large: 1 });
  await workOff(world);
  t.strictSame(await revisions(world), { 'user-1': 2, large: 2 });
});

t.test('type updates: requests are worked off in order, even a small one after a large one', async (t) => {
  const world = await worldWithUsers(t, MANY);
  await addType(world, 'Above', around('user-1'));
  await world.patch(PATH, { manifest: makeManifest({ title: 'Two' }) });
  await world.patch(PATH, { container_image: 'counter:3' });

  const small = await world.patch('/v6/recipe-types/user-1/', {
    definition: { ...oneNodeDefinition(), input: { files: [{ name: 'TEXT', media_types: [] }], json: [] } },
  });

  t.match(small.headers.get('warning'), /RECIPES_BEING_UPDATED: 1 recipe type/);
  const list = async (): Promise<{ status: string; recipe_types_raised: number }[]> =>
    (await world.get('/v6/type-updates/?order=id')).json.results;
  t.equal((await list()).length, 3);
  for (let pages = 0; !(await advanceTypeUpdates(world.store.db.sql, NOW)); pages++) {
    const shown = await list();
    const open = shown.findIndex(({ status }) => status === 'RUNNING');
    const later = open === -1 ? [] : shown.slice(open + 1);
    t.ok(
      later.every((one) => one.status === 'RUNNING' && one.recipe_types_raised === 0),
      `page ${pages}`,
    );
  }
  t.ok((await list()).every(({ status }) => status === 'COMPLETED'));
  const { 'user-1': first, 'user-2': second } = await revisions(world);
  t.equal(second, 3, 'every revision of the job type made one');
  t.equal(first, 2, 'its own edit took the newest revision already: nothing was left to raise');
  const above = (await world.get('/v6/recipe-types/above/')).json;
  t.equal(above.definition.nodes['user-1'].node_type.recipe_type_revision, first);
});

t.test('type updates: a page takes as many statements for twenty recipe types as for one', async (t) => {
  const world = await worldWithUsers(t, 41);
  const costs: number[] = [];
  const counting = heardSql(world.store.db.sql, () => {
    costs[costs.length - 1] = (costs.at(-1) ?? 0) + 1;
  });
  await world.patch(PATH, { manifest: makeManifest({ title: 'New' }) });
  do costs.push(0);
  while (!(await advanceTypeUpdates(counting, NOW)));
  const [twenty, twentyMore, one] = costs;
  t.ok(twenty);
  t.equal(twentyMore, twenty);
  t.equal(one, twenty);
  t.equal(costs.length, 5, 'three pages, one that finds nothing waiting, one that finds no request');
});
