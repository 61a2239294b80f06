import t from 'tap';
import { NOW } from '../../store/store-world.ts';
import { addCondition, addJob, DEFINITION, graphWorld, jobNode } from '../recipes/graph-world.ts';

t.test('recipe grid: it shows the nodes of the recipes that changed last', async (t) => {
  const { world, start } = await graphWorld(t);
  const ids = [await start(), await start(), await start()];
  for (const [index, id] of ids.entries()) {
    await world.store.rows(
      'update recipe set created = to_timestamp($2), last_modified = to_timestamp($2) where id = $1',
      [id, NOW / 1_000 + index],
    );
  }
  const [oldest, , newest] = ids as [number, number, number];
  const job = await addJob(world, newest, 'count');
  const condition = await addCondition(world, newest, { files: {}, json: { TOTAL: 7 } });
  const gone = await addJob(world, oldest, 'of-an-earlier-revision');

  const { json, status, text } = await world.get('/v6/recipe-types/graph/grid/');
  t.equal(status, 200, text);
  t.strictSame(
    json.recipes.map(({ id }: { id: number }) => id),
    [...ids].reverse(),
  );
  t.match(json.nodes, [
    { name: 'count', node_type: 'job', states: ['QUEUED', null, null], ids: [job, null, null] },
    { name: 'large', node_type: 'condition', states: ['REFUSED', null, null], ids: [condition, null, null] },
    { name: 'copy', states: [null, null, null] },
    ...[{ name: 'pack' }, { name: 'after-copy' }, { name: 'after-pack' }],
    { name: 'of-an-earlier-revision', states: [null, null, 'QUEUED'], ids: [null, null, gone] },
  ]);
  const two = (await world.get('/v6/recipe-types/graph/grid/?recipes=2')).json;
  t.equal(two.recipes.length, 2);
  t.equal(two.nodes.length, 6, 'nodes that none of them has are left out');
  t.equal((await world.get('/v6/recipe-types/nothing/grid/')).status, 404);
  for (const recipes of ['0', '51', 'x']) {
    t.equal((await world.get(`/v6/recipe-types/graph/grid/?recipes=${recipes}`)).status, 400, recipes);
  }
});

t.test('recipe types: two revisions are compared node by node', async (t) => {
  const { world } = await graphWorld(t);
  const { copy: _, 'after-copy': __, ...nodes } = DEFINITION.nodes;
  const definition = { ...DEFINITION, nodes: { ...nodes, more: jobNode([]) } };
  t.equal((await world.patch('/v6/recipe-types/graph/', { definition })).status, 204);
  const path = '/v6/recipe-types/graph/revisions';
  const { json, status, text } = await world.get(`${path}/2/difference/?from=1`);
  t.equal(status, 200, text);
  t.match(json.diff, {
    can_be_reprocessed: true,
    nodes: { count: { status: 'UNCHANGED' }, more: { status: 'NEW' }, copy: { status: 'DELETED' } },
  });
  t.match((await world.get(`${path}/1/difference/?from=2`)).json.diff.nodes, {
    more: { status: 'DELETED' },
    copy: { status: 'NEW' },
  });
  t.match(await world.get(`${path}/2/difference/?from=3`), {
    status: 404,
    json: { detail: /no revision 3/ },
  });
  t.match(await world.get(`${path}/4/difference/?from=1`), {
    status: 404,
    json: { detail: /no revision 4/ },
  });
  t.equal((await world.get(`${path}/2/difference/`)).status, 400, 'from is required');
});

t.test(
  'recipe types: the nodes of a revision are listed in a runnable order, with conditions in words',
  async (t) => {
    const { world } = await graphWorld(t);
    const { json, status, text } = await world.get('/v6/recipe-types/graph/revisions/1/graph/');
    t.equal(status, 200, text);
    t.match(json, { revision_num: 1, nodes: [{ name: 'count', type_name: 'counter' }, { name: 'large' }] });
    t.match(json.nodes[1], {
      tests: [{ meaning: 'passes when 100 < TOTAL', compared: null }],
      type_name: null,
    });
    t.equal(json.nodes.length, 6);
    t.equal((await world.get('/v6/recipe-types/graph/revisions/2/graph/')).status, 404);
    t.equal((await world.get('/v6/recipe-types/nothing/revisions/1/graph/')).status, 404);
  },
);
