/** When the jobs of a recipe ran, and what changed from one recipe of a chain to the next. */
import t from 'tap';
import { NOW } from '../../store/store-world.ts';
import { addJob, DEFINITION, graphWorld, jobNode } from './graph-world.ts';

/** A recipe inside another, as the node `inner`. */
async function addInside(
  world: Awaited<ReturnType<typeof graphWorld>>['world'],
  outer: number,
  inner: number,
) {
  await world.store.rows('update recipe set root_id = $1, parent_id = $1, parent_node = $3 where id = $2', [
    ...[outer, inner],
    'inner',
  ]);
  await world.store.rows('insert into recipe_node (recipe_id, name, sub_recipe_id) values ($1, $2, $3)', [
    ...[outer, 'inner', inner],
  ]);
}

t.test('time line: queued jobs are listed in order, with those of sub-recipes', async (t) => {
  const { world, start } = await graphWorld(t);
  const [outer, inner, innermost] = [await start(), await start(), await start()];
  await addInside(world, outer, inner);
  await addInside(world, inner, innermost);
  const jobs = [
    await addJob(world, outer, 'count', false),
    await addJob(world, inner, 'pack'),
    await addJob(world, innermost, 'copy'),
    await addJob(world, outer, 'after-pack'),
  ];
  for (const [index, id] of jobs.entries()) {
    await world.store.rows('update job set queued = to_timestamp($2) where id = $1', [
      id,
      NOW / 1_000 - index,
    ]);
  }
  await world.store.rows(`update job set status = 'PENDING', queued = null where id = $1`, [jobs[3]]);
  const { json, status, text } = await world.get(`/v6/recipes/${outer}/timeline/`);
  t.equal(status, 200, text);
  t.match(json, {
    count: 3,
    jobs: [
      { id: jobs[2], recipe_id: innermost, path: ['inner', 'inner', 'copy'], is_kept: false },
      {
        id: jobs[1],
        recipe_id: inner,
        path: ['inner', 'pack'],
        status: 'QUEUED',
        started: null,
        ended: null,
      },
      { id: jobs[0], recipe_id: outer, path: ['count'], is_kept: true },
    ],
  });
  t.equal((await world.get(`/v6/recipes/${inner}/timeline/`)).json.count, 2, 'of what is inside it');
  await world.store.rows('update recipe_node set is_original = false where sub_recipe_id = $1', [inner]);
  t.strictSame(
    (await world.get(`/v6/recipes/${outer}/timeline/`)).json.jobs.map(
      ({ is_kept }: { is_kept: boolean }) => is_kept,
    ),
    [true, true, true],
    'what is inside of a recipe that was taken over was taken over',
  );
  t.equal((await world.get('/v6/recipes/999999/timeline/')).status, 404);
});

t.test('difference: differing inputs, nodes of the definition and products are listed', async (t) => {
  const { world, start } = await graphWorld(t);
  const [before, after] = [await start(), await start()];
  await world.store.rows('update recipe set superseded_recipe_id = $1 where id = $2', [before, after]);
  const type = await world.get('/v6/recipe-types/graph/');
  const { copy: _, ...nodes } = DEFINITION.nodes;
  const definition = { ...DEFINITION, nodes: { ...nodes, 'after-copy': jobNode([]), more: jobNode([]) } };
  const patched = await world.patch('/v6/recipe-types/graph/', { definition });
  t.ok(patched.status < 300, patched.text);
  await world.store.rows(
    `update recipe set recipe_type_rev_id = (select id from recipe_type_rev
       where recipe_type_id = $2 and revision_num = 2), input = jsonb_set(input, '{json}', '{"NOTE": "<b>"}')
     where id = $1`,
    [after, type.json.id],
  );
  const kept = await addJob(world, before, 'count');
  await world.store.rows(
    'insert into recipe_node (recipe_id, name, is_original, job_id) values ($1, $2, false, $3)',
    [after, 'count', kept],
  );
  const [old, current, added] = [
    await addJob(world, before, 'pack'),
    await addJob(world, after, 'pack'),
    await addJob(world, after, 'more'),
  ];
  const product = (job: number, name: string, sha256: string) =>
    world.store.one<{ id: number }>(
      `insert into file (uuid, file_type, file_name, media_type, file_size, sha256, workspace_id, file_path, job_id,
         job_output, created, last_modified)
       values (gen_random_uuid(), 'PRODUCT', $2::text, 'text/csv', 7, $3, $4, $1::bigint || $2::text, $1, 'COUNTS',
         now(), now())
       returning id`,
      [job, name, sha256, world.store.ids.out],
    );
  await product(kept, 'kept.csv', 'a');
  const [one, two] = [await product(old, 'same.csv', 'b'), await product(current, 'same.csv', 'b')];
  const [three, four] = [await product(old, 'other.csv', 'c'), await product(current, 'other.csv', 'd')];
  const five = await product(added, 'new.csv', 'e');

  const { json, status, text } = await world.get(`/v6/recipes/${after}/difference/`);
  t.equal(status, 200, text);
  t.match(json, { id: after, revision_num: 2, from: { id: before, revision_num: 1 }, product_count: 3 });
  t.strictSame(json.inputs, [{ name: 'NOTE', before: null, after: '"<b>"' }]);
  t.match(json.diff.nodes, {
    ...{ count: { status: 'UNCHANGED' }, copy: { status: 'DELETED' }, more: { status: 'NEW' } },
    'after-copy': { status: 'CHANGED' },
  });
  const file = ({ id }: { id: number }) => ({ id, file_size: 7, is_deleted: false });
  const rest = { output: 'COUNTS' };
  t.strictSame(json.products, [
    { path: ['more'], ...rest, file_name: 'new.csv', before: null, after: file(five), is_same_content: null },
    {
      ...{ path: ['pack'], ...rest, file_name: 'other.csv', before: file(three), after: file(four) },
      is_same_content: false,
    },
    {
      ...{ path: ['pack'], ...rest, file_name: 'same.csv', before: file(one), after: file(two) },
      is_same_content: true,
    },
  ]);
  const itself = await world.get(`/v6/recipes/${after}/difference/?from=${after}`);
  t.match(itself.json, { inputs: [], product_count: 0, products: [] });
});

t.test('difference: a recipe without a predecessor has none', async (t) => {
  const { world, start } = await graphWorld(t);
  const id = await start();
  t.match(await world.get(`/v6/recipes/${id}/difference/`), {
    status: 400,
    json: { errors: [{ path: 'from', description: /superseded none/ }] },
  });
  t.match(await world.get(`/v6/recipes/${id}/difference/?from=999999`), {
    status: 400,
    json: { errors: [{ path: 'from', description: /no recipe 999999/ }] },
  });
  t.equal((await world.get('/v6/recipes/999999/difference/')).status, 404);
});
