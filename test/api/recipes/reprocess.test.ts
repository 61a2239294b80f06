import t from 'tap';
import { KernelError } from '../../../src/kernel/mod.ts';
import { savedRecipe } from '../../store/make.ts';
import { jobTypeBody, oneNodeDefinition, processingWorld } from '../../support/worlds/processing-world.ts';

const world = await processingWorld(t);
await world.post('/v6/job-types/', jobTypeBody());
const definition = oneNodeDefinition();
const type = (await world.post('/v6/recipe-types/', { title: 'Mine', definition })).json;
const fileId = await world.file({ fileName: 'in.txt' });
const started = await world.post('/v6/recipes/', {
  recipe_type_id: type.id,
  input: { files: { TEXT: [fileId] } },
});
const recipeId: number = started.json.id;
const ALL = { all: true };
const target = `/v6/recipes/${recipeId}/reprocess/`;

t.test('reprocess: POST asks the owner of the chain and answers 202', async (t) => {
  const answer = await world.post(target, { forced_nodes: { all: false, nodes: ['count'] } });
  t.equal(answer.status, 202, answer.text);
  t.match(world.sent.at(-1), {
    to: { kind: 'recipe', key: String(recipeId) },
    message: {
      type: 'reprocess',
      oldRecipeId: recipeId,
      forced: { all: false, nodes: ['count'], sub_recipes: {} },
      event: { type: 'USER' },
      batchId: null,
    },
  });
});

t.test('reprocess: the body may be the forced-nodes document itself', async (t) => {
  const answer = await world.post(target, { all: true, nodes: [], sub_recipes: {} });
  t.equal(answer.status, 202, answer.text);
  t.match(world.sent.at(-1)?.message, { forced: ALL });
});

for (const [body, name, path] of [
  [{}, 'MISSING_FIELD', 'forced_nodes'],
  [{ forced_nodes: null }, 'MISSING_FIELD', 'forced_nodes'],
  [{ forced_nodes: {} }, 'INVALID_FORCED_NODES', 'forced_nodes.all'],
  [{ forced_nodes: { all: 1 } }, 'INVALID_FORCED_NODES', 'forced_nodes.all'],
  [{ forced_nodes: { all: false, nodes: ['none'] } }, 'UNKNOWN_NODE', 'forced_nodes.nodes[0]'],
  [
    { forced_nodes: { all: false, sub_recipes: { count: ALL } } },
    'UNKNOWN_NODE',
    'forced_nodes.sub_recipes.count',
  ],
  [{ forced_nodes: { all: false } }, 'NOTHING_TO_REPROCESS', 'forced_nodes'],
  [{ forced_nodes: ALL, revision_num: 7 }, 'UNKNOWN_REFERENCE', 'revision_num'],
  [{ forced_nodes: ALL, revision_num: 0 }, 'TOO_SMALL', 'revision_num'],
] as const) {
  t.test(`reprocess: ${JSON.stringify(body)} is refused at ${path}`, async (t) => {
    const refused = await world.post(target, body);
    t.equal(refused.status, 400, refused.text);
    t.ok(
      refused.json.errors.some((error: { path: string }) => error.path === path),
      refused.text,
    );
    if (name !== 'TOO_SMALL') t.match(refused.json.errors, [{ name }]);
  });
}

t.test('reprocess: all problems of a body are listed at once', async (t) => {
  const refused = await world.post(target, { forced_nodes: { all: 1, more: 2 }, revision_num: 'x' });
  const paths = refused.json.errors.map((error: { path: string }) => error.path).sort();
  t.strictSame(paths, ['forced_nodes.all', 'forced_nodes.more', 'revision_num']);
});

t.test('reprocess: only a current recipe that is in no other can be reprocessed', async (t) => {
  t.equal((await world.post('/v6/recipes/999999/reprocess/', { forced_nodes: ALL })).status, 404);
  const { store } = world;
  const ids = { recipeTypeId: type.id, recipeTypeRevId: started.json.recipe_type_rev.id };
  const inside = await savedRecipe(store, {
    ...ids,
    ...{ rootId: recipeId, parentId: recipeId, parentNode: 'n', ancestorIds: [recipeId] },
  });
  const sub = await world.post(`/v6/recipes/${inside.id}/reprocess/`, { forced_nodes: ALL });
  t.equal(sub.status, 400);
  t.match(sub.json.errors, [{ name: 'SUB_RECIPE' }]);
  const next = await savedRecipe(store, { ...ids, chainId: recipeId, supersededRecipeId: recipeId });
  await store.apply({ type: 'supersedeRecipes', recipes: [{ recipeId, atMs: 5 }] });
  const refused = await world.post(target, { forced_nodes: ALL });
  t.equal(refused.status, 409, refused.text);
  t.match((await world.get(`/v6/recipes/${recipeId}/`)).json, {
    ...{ is_superseded: true, superseded_by_recipe: { id: next.id } },
  });
  t.match((await world.get(`/v6/recipes/${next.id}/`)).json, { superseded_recipe: { id: recipeId } });
  await t.rejects(
    store.apply({ type: 'supersedeRecipes', recipes: [{ recipeId, atMs: 6 }] }),
    'a recipe is superseded once',
  );
});

t.test('reprocess: a refusal of the owner is passed on', async (t) => {
  const made = await world.post('/v6/recipes/', {
    recipe_type_id: type.id,
    input: { files: { TEXT: [fileId] } },
  });
  const path = `/v6/recipes/${made.json.id}/reprocess/`;
  const problem = { name: 'NOTHING_TO_REPROCESS', path: 'forced_nodes', description: 'no' };
  world.answer = { problem, isConflict: false };
  t.equal((await world.post(path, { forced_nodes: ALL })).status, 400);
  world.answer = { problem, isConflict: true };
  t.equal((await world.post(path, { forced_nodes: ALL })).status, 409);
  world.failWith = new KernelError({ code: 'DEADLINE', message: 'no answer' });
  t.equal((await world.post(path, { forced_nodes: ALL })).status, 503);
  world.failWith = undefined;
  await world.patch(`/v6/recipe-types/${type.name}/`, { is_active: false });
  const refused = await world.post(path, { forced_nodes: ALL });
  t.match(refused.json.errors, [{ name: 'DEPRECATED_RECIPE_TYPE' }]);
});
