/** What the validation of a type says that would follow is what follows when the type is then edited. */
import t from 'tap';
import {
  jobTypeBody,
  makeManifest,
  oneNodeDefinition,
  type ProcessingWorld,
  processingWorld,
} from '../../support/worlds/processing-world.ts';

const PATH = '/v6/job-types/counter/1.0.0/';

async function addType(world: ProcessingWorld, title: string, definition: unknown): Promise<void> {
  const made = await world.post('/v6/recipe-types/', { title, definition });
  if (made.status !== 201) throw new Error(made.text);
}

const subRecipe = (name: string) => ({
  dependencies: [],
  input: { TEXT: { type: 'recipe', input: 'TEXT' } },
  node_type: { node_type: 'recipe', recipe_type_name: name },
});

/** A definition whose nodes are recipes of these types. */
function around(...names: readonly string[]): Record<string, unknown> {
  return { ...oneNodeDefinition(), nodes: Object.fromEntries(names.map((name) => [name, subRecipe(name)])) };
}

/** `counter` in `user`; in `reading`, which needs its output; in `above`, around both; and in `top`, around all. */
async function nestedWorld(t: { teardown(handler: () => Promise<void>): void }): Promise<ProcessingWorld> {
  const world = await processingWorld(t);
  await world.post('/v6/job-types/', jobTypeBody());
  const inputs = { files: [{ name: 'TABLE' }] };
  const reader = jobTypeBody({ name: 'reader', errors: [], interface: { inputs, outputs: {} } });
  await world.post('/v6/job-types/', { ...reader, configuration: {} });
  await addType(world, 'User', oneNodeDefinition());
  const { input, nodes } = oneNodeDefinition() as { input: object; nodes: object };
  const read = {
    dependencies: [{ name: 'count' }],
    input: { TABLE: { type: 'dependency', node: 'count', output: 'COUNTS' } },
    node_type: { node_type: 'job', job_type_name: 'reader', job_type_version: '1.0.0' },
  };
  await addType(world, 'Reading', { input, nodes: { ...nodes, read } });
  await addType(world, 'Above', around('user', 'reading'));
  await addType(world, 'Outer', around('user'));
  await addType(world, 'Top', around('above', 'outer'));
  return world;
}

interface Following {
  readonly count: number;
  readonly raised: readonly { readonly name: string; readonly revision_num: number }[];
  readonly behind: readonly { readonly name: string; readonly reason: string }[];
  readonly is_cut: boolean;
}

/** The present revision of each recipe type of a preview, and why others stayed behind, by the last update. */
async function outcome(world: ProcessingWorld, { raised, behind }: Following) {
  const { results } = (await world.get('/v6/type-updates/?order=-id')).json;
  const { recipe_types: stayed } = (await world.get(`/v6/type-updates/${results[0].id}/`)).json;
  const shown = async ({ name }: { name: string }) => ({
    name,
    revision_num: (await world.get(`/v6/recipe-types/${name}/`)).json.revision_num,
  });
  return {
    count: results[0].recipe_types_total,
    raised: await Promise.all(raised.map(shown)),
    behind: behind.map(({ name }) => ({
      name,
      reason: stayed.find((one: { name: string }) => one.name === name)?.reason,
    })),
  };
}

async function jobTypeEffects(world: ProcessingWorld, body: object) {
  const { json } = await world.post('/v6/job-types/validation/', { ...jobTypeBody(), ...body });
  return json.effects as { readonly revision_num: number; readonly recipe_types: Following };
}

t.test('effects: recipe types follow a job type as its validation said', async (t) => {
  const world = await nestedWorld(t);
  const job = makeManifest().job as { interface: object };
  const changes = [
    { manifest: makeManifest({ title: 'New' }) },
    { container_image: 'counter:9' },
    { manifest: makeManifest({ interface: { ...job.interface, outputs: {} } }) },
  ];
  for (const [at, change] of changes.entries()) {
    const before = (await world.get(PATH)).json.revision_num;
    const { revision_num, recipe_types } = await jobTypeEffects(world, change);
    t.equal((await world.get(PATH)).json.revision_num, before, 'nothing was changed');

    t.equal((await world.patch(PATH, change)).status, 204);
    t.equal((await world.get(PATH)).json.revision_num, revision_num);
    const { is_cut: isCut, ...said } = recipe_types;
    t.strictSame(said, await outcome(world, recipe_types), JSON.stringify(change));
    t.notOk(isCut);
    const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name).sort();
    const all = ['above', 'outer', 'reading', 'top', 'user'];
    // Without its output what reads it cannot follow. What is around that follows `user`, which is inside as well.
    const behind = at === 2 ? ['reading'] : [];
    const raised = all.filter((name) => !behind.includes(name));
    t.strictSame(names(said.behind), behind);
    t.strictSame(names(said.raised), raised);
  }
});

t.test('effects: an unchanged or new job type, and one that nothing shall follow, have none', async (t) => {
  const world = await nestedWorld(t);
  const none = { count: 0, raised: [], behind: [], is_cut: false };
  t.strictSame(await jobTypeEffects(world, {}), { revision_num: 1, recipe_types: none }, 'as it is');
  const manifest = makeManifest({ title: 'New' });
  t.strictSame(await jobTypeEffects(world, { manifest, auto_update: false }), {
    revision_num: 2,
    recipe_types: none,
  });
  t.strictSame(await jobTypeEffects(world, { manifest: makeManifest({ name: 'fresh' }) }), {
    revision_num: 1,
    recipe_types: none,
  });
  t.equal(await jobTypeEffects(world, { manifest: makeManifest({ timeout: -1 }) }), null, 'of what is wrong');
});

t.test('effects: recipe types follow a recipe type as its validation said', async (t) => {
  const world = await nestedWorld(t);
  const wider = {
    ...oneNodeDefinition(),
    input: { files: [{ name: 'TEXT' }, { name: 'MORE', required: true }] },
  };
  for (const definition of [{ ...oneNodeDefinition(), input: { files: [{ name: 'TEXT' }] } }, wider]) {
    const { json } = await world.post('/v6/recipe-types/validation/', { name: 'user', definition });
    t.equal(json.effects.one_recipe.jobs, 1);
    t.equal((await world.patch('/v6/recipe-types/user/', { definition })).status, 204);
    t.equal((await world.get('/v6/recipe-types/user/')).json.revision_num, json.effects.revision_num);
    const { is_cut: _, ...said } = json.effects.recipe_types as Following;
    t.strictSame(said, await outcome(world, json.effects.recipe_types));
    t.equal(said.behind.length, definition === wider ? 3 : 0, 'what gives it no MORE stays behind');
  }
});

t.test('effects: the jobs of one recipe are counted, with those of sub-recipes', async (t) => {
  const world = await nestedWorld(t);
  const oneRecipe = async (definition: unknown) =>
    (await world.post('/v6/recipe-types/validation/', { definition })).json.effects.one_recipe;
  t.strictSame(await oneRecipe(around('above', 'outer')), {
    // above, user, reading; outer, user
    recipes: 6,
    jobs: 4,
    processor_hours: null,
    jobs_without_figures: 4,
  });
  t.strictSame((await world.post('/v6/recipe-types/validation/', { definition: {} })).json.effects, null);
});

t.test('effects: the first of many recipe types are examined, and all are counted', async (t) => {
  const world = await processingWorld(t);
  await world.post('/v6/job-types/', jobTypeBody());
  for (let n = 1; n <= 25; n++) await addType(world, `User ${n}`, oneNodeDefinition());
  const { recipe_types: many } = await jobTypeEffects(world, { manifest: makeManifest({ title: 'New' }) });
  t.match(many, { count: 25, behind: [], is_cut: true });
  t.equal(many.raised.length, 20);
});
