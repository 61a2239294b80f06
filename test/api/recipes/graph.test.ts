import t from 'tap';
import { makeEnd } from '../../store/make.ts';
import { NOW } from '../../store/store-world.ts';
import { addCondition, addJob, graphWorld } from './graph-world.ts';

t.test('recipe graph: existing nodes have states, and others wait or are skipped', async (t) => {
  const { world, start } = await graphWorld(t);
  const id = await start();
  const states = async () => {
    const { json, status, text } = await world.get(`/v6/recipes/${id}/graph/`);
    t.equal(status, 200, text);
    return Object.fromEntries(
      json.nodes.map((node: { name: string; state: string }) => [node.name, node.state]),
    );
  };
  const waiting = { pack: 'WAITING', copy: 'WAITING', 'after-copy': 'WAITING', 'after-pack': 'WAITING' };
  t.strictSame(await states(), { count: 'WAITING', large: 'WAITING', ...waiting });

  const count = await addJob(world, id, 'count');
  t.strictSame(await states(), { count: 'QUEUED', large: 'WAITING', ...waiting });

  await world.store.apply({ type: 'moveJobs', moves: [makeEnd(count)] });
  const condition = await addCondition(world, id, { files: {}, json: { TOTAL: 5_644 } }, true);
  const skipped = { ...waiting, copy: 'SKIPPED', 'after-copy': 'SKIPPED' };
  t.match(await states(), { large: 'ACCEPTED', ...skipped });

  const { json } = await world.get(`/v6/recipes/${id}/graph/`);
  const nodes = new Map(json.nodes.map((node: { name: string }) => [node.name, node]));
  t.match(nodes.get('large'), {
    node_type: 'condition',
    dependencies: [{ name: 'count', acceptance: true }],
    condition: { id: condition, reason: null },
    tests: [{ meaning: 'passes when 100 < TOTAL', compared: '100 < 5644' }],
    needs_all_tests: true,
    job: null,
    recipe: null,
  });
  t.match(nodes.get('count'), {
    node_type: 'job',
    type_name: 'counter',
    type_version: '1.0.0',
    type_revision: 1,
    is_kept: false,
    job: { id: count, node: null, error: null },
    condition: null,
    tests: [],
  });
  t.match(json, { id, revision_num: 1, recipe_type: { name: 'graph' }, definition_hash: /^[0-9a-f]{32}$/ });
});

t.test('recipe graph: a condition without a value and one that refused are shown', async (t) => {
  const { world, start } = await graphWorld(t);
  const [open, refused] = [await start(), await start()];
  await addCondition(world, open, null);
  await addCondition(world, refused, { files: {}, json: { TOTAL: 7 } });
  const large = async (id: number) =>
    (await world.get(`/v6/recipes/${id}/graph/`)).json.nodes.find(
      ({ name }: { name: string }) => name === 'large',
    );
  t.match(await large(open), { state: 'PENDING', tests: [{ compared: null }] });
  t.match(await large(refused), { state: 'REFUSED', tests: [{ compared: '100 < 7' }] });
  for (const id of ['999999', '0', 'x']) {
    t.equal((await world.get(`/v6/recipes/${id}/graph/`)).status, 404, id);
    t.equal((await world.get(`/v6/recipes/${id}/chain/`)).status, 404, id);
  }
});

t.test('recipe chain: each recipe is listed with the nodes that it created and kept', async (t) => {
  const { world, start } = await graphWorld(t);
  const [first, second, third, other] = [await start(), await start(), await start(), await start()];
  for (const [id, old, seconds] of [
    [first, null, 0],
    [second, first, 1],
    [third, second, 2],
  ]) {
    await world.store.rows(
      `update recipe set superseded_recipe_id = $2, is_superseded = $4, created = to_timestamp($3) where id = $1`,
      [id, old, NOW / 1_000 + Number(seconds), id !== third],
    );
  }
  await addJob(world, first, 'count');
  await addJob(world, second, 'count', false);
  await addJob(world, second, 'pack');
  for (const id of [first, second, third]) {
    const { json, status, text } = await world.get(`/v6/recipes/${id}/chain/`);
    t.equal(status, 200, text);
    t.strictSame(
      json.results.map((one: { id: number }) => one.id),
      [third, second, first],
      'the newest first, whichever is asked for',
    );
    t.match(json.results[1], {
      ...{ revision_num: 1, superseded_recipe: { id: first }, is_superseded: true, event: { type: 'USER' } },
      ...{ made_count: 1, kept_count: 1, made_nodes: ['pack'], state: 'PENDING' },
    });
  }
  t.equal((await world.get(`/v6/recipes/${other}/chain/`)).json.results.length, 1, 'alone');
});
