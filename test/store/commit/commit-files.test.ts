import t from 'tap';
import type { NewJob } from '../../../src/domain/job/job.ts';
import { makeProduct, makeSource, makeStart, savedJob, savedRecipe } from '../make.ts';
import { NOW, type StoreWorld, storeWorld } from '../store-world.ts';

const world = await storeWorld(t);

async function execution(
  world: StoreWorld,
  over: Partial<NewJob> = {},
): Promise<{ jobId: number; executionId: number }> {
  const job = await savedJob(world, over);
  const { executionId } = await makeStart(world, job.id);
  await world.apply({
    type: 'startExecutions',
    starts: [{ executionId, jobId: job.id, exeNum: 1, nodeId: world.ids.node, atMs: NOW }],
  });
  return { jobId: job.id, executionId };
}

const fileRow = (id: number) => world.one<Record<string, unknown>>('select * from file where id = $1', [id]);

t.test('createSourceFiles: a source keeps its tags, with quotes and backslashes', async (t) => {
  const file = await makeSource(world);
  await world.apply({ type: 'createSourceFiles', files: [file] });
  t.match(await fileRow(file.id), {
    file_type: 'SOURCE',
    data_type_tags: ['t "1"', 'b\\2'],
    created: NOW,
    is_superseded: false,
  });
});

t.test('createSourceFiles: a name may be as long as file systems allow', async (t) => {
  const file = await makeSource(world, { fileName: 'n'.repeat(255), filePath: 'n'.repeat(255) });
  await world.apply({ type: 'createSourceFiles', files: [file] });
  t.match(await fileRow(file.id), { file_name: file.fileName });
});

t.test('createSourceFiles: a path in use refuses the turn, and is free once superseded', async (t) => {
  const first = await makeSource(world, { filePath: 'same' });
  const second = await makeSource(world, { filePath: 'same' });
  await world.apply({ type: 'createSourceFiles', files: [first] });
  await t.rejects(world.apply({ type: 'createSourceFiles', files: [second] }), {
    name: 'TurnRefused',
    message: /file_path_key/,
  });

  await world.apply(
    { type: 'supersedeFiles', files: [{ fileId: first.id, atMs: NOW + 1 }] },
    { type: 'createSourceFiles', files: [second] },
  );

  t.match(await fileRow(first.id), { is_superseded: true, superseded: NOW + 1 });
  t.match(await fileRow(second.id), { is_superseded: false });
});

t.test('createSourceFiles: a file created and superseded in one turn is history at once', async (t) => {
  const [first, second] = [
    await makeSource(world, { filePath: 'twice' }),
    await makeSource(world, { filePath: 'twice' }),
  ];
  await world.apply(
    { type: 'supersedeFiles', files: [{ fileId: first.id, atMs: NOW + 1 }] },
    { type: 'createSourceFiles', files: [first, second] },
  );
  t.match(await fileRow(first.id), { is_superseded: true });
  t.match(await fileRow(second.id), { is_superseded: false });
});

t.test('createProducts: ancestors of inputs are ancestors, and direct ones are marked', async (t) => {
  const sources = [await makeSource(world), await makeSource(world)];
  await world.apply({ type: 'createSourceFiles', files: sources });
  const [a = 0, b = 0] = sources.map((file) => file.id);
  const first = await makeProduct(world, {
    ...(await execution(world)),
    inputFileIds: [a],
    metadata: { a: 1 },
    footprint: { geometry: 'POINT (1 2)', centerPoint: 'POINT (1 2)', countries: ['FRA', 'USA'] },
  });
  await world.apply({ type: 'createProducts', products: [first] });
  const second = await makeProduct(world, { ...(await execution(world)), inputFileIds: [first.id, b, a] });
  await world.apply({ type: 'createProducts', products: [second] });

  t.match(await fileRow(first.id), {
    file_type: 'PRODUCT',
    workspace_id: world.ids.out,
    ...{
      geometry: 'POINT (1 2)',
      center_point: 'POINT (1 2)',
      countries: ['FRA', 'USA'],
      meta_data: { a: 1 },
    },
    job_output: 'OUT',
    source_started: NOW - 1,
  });
  const lines = await world.rows<{ ancestor_id: number; is_direct: boolean }>(
    'select ancestor_id, is_direct from file_ancestry where descendant_id = $1 order by ancestor_id',
    [second.id],
  );
  t.same(lines, [
    { ancestor_id: a, is_direct: true },
    { ancestor_id: b, is_direct: true },
    { ancestor_id: first.id, is_direct: true },
  ]);
  const third = await makeProduct(world, { ...(await execution(world)), inputFileIds: [second.id] });
  await world.apply({ type: 'createProducts', products: [third] });
  const direct = await world.rows(
    'select ancestor_id from file_ancestry where descendant_id = $1 and is_direct',
    [third.id],
  );
  t.same(direct, [{ ancestor_id: second.id }]);
  t.equal((await world.rows('select 1 from file_ancestry where descendant_id = $1', [third.id])).length, 4);
});

t.test('createProducts: an earlier product of the same uuid is superseded', async (t) => {
  const uuid = '30000000-0000-4000-8000-000000000001';
  const old = await makeProduct(world, { ...(await execution(world)), uuid });
  await world.apply({ type: 'createProducts', products: [old] });
  const newer = await makeProduct(world, { ...(await execution(world)), uuid });
  await world.apply({ type: 'createProducts', products: [newer] });
  t.match(await fileRow(old.id), { is_superseded: true, is_published: false, superseded: NOW + 2 });
  t.match(await fileRow(newer.id), { is_superseded: false, is_published: true });
});

/** A recipe with a sub-recipe at its node S, and what makes products at nodes of either. */
async function twoDeep(world: StoreWorld) {
  const top = await savedRecipe(world);
  const own = { rootId: top.id, parentId: top.id, parentNode: 'S', ancestorIds: [top.id] };
  const sub = await savedRecipe(world, own);
  const at = (recipeId: number, recipeNode: string): Partial<NewJob> => {
    return { owner: { kind: 'recipe', key: top.id }, recipeId, recipeNode };
  };
  return { top, sub, at };
}

t.test('createProducts: nodes of one recipe keep their products of the same uuid', async (t) => {
  const uuid = '30000000-0000-4000-8000-000000000002';
  const { top, sub, at } = await twoDeep(world);
  const product = async (recipeId: number, node: string) =>
    makeProduct(world, { ...(await execution(world, at(recipeId, node))), uuid });
  const [a, b, inside] = [await product(top.id, 'A'), await product(top.id, 'B'), await product(sub.id, 'A')];
  await world.apply({ type: 'createProducts', products: [a] });
  await world.applyAll(
    [{ type: 'createProducts', products: [b] }],
    [{ type: 'createProducts', products: [inside] }],
  );
  const current = async () => {
    const rows = await world.rows<{ id: number; is_published: boolean }>(
      'select id, is_published from file where uuid = $1 and not is_superseded order by id',
      [uuid],
    );
    t.ok(rows.every((row) => row.is_published));
    return rows.map((row) => row.id);
  };
  t.same(await current(), [a.id, b.id, inside.id]);

  const next = await savedRecipe(world, { rootId: top.id, parentId: top.id, parentNode: 'S' });
  const again = await product(next.id, 'A');
  await world.apply({ type: 'createProducts', products: [again] });
  t.same(await current(), [a.id, b.id, again.id], 'a node takes the place of its own');

  const other = await twoDeep(world);
  const [first, second] = [
    await makeProduct(world, { ...(await execution(world, other.at(other.top.id, 'A'))), uuid }),
    await makeProduct(world, { ...(await execution(world)), uuid }),
  ];
  await world.apply({ type: 'createProducts', products: [first] });
  t.same(await current(), [first.id], 'another recipe takes the place of all');
  const third = await product(top.id, 'B');
  await world.applyAll(
    [{ type: 'createProducts', products: [second] }],
    [{ type: 'createProducts', products: [third] }],
  );
  t.same(await current(), [third.id], 'of one commit the last of different owners stays');
});

t.test('createProducts: products are published if their type is, and recorded in any case', async (t) => {
  const publish = (isPublished: boolean) =>
    world.rows('update job_type set is_published = $1 where id = $2', [isPublished, world.ids.type]);
  await publish(false);
  const hidden = await makeProduct(world, await execution(world));
  await world.apply({ type: 'createProducts', products: [hidden] });
  await publish(true);
  const shown = await makeProduct(world, await execution(world));
  await world.apply({ type: 'createProducts', products: [shown] });
  t.match(await fileRow(hidden.id), { is_published: false, is_superseded: false, is_deleted: false });
  t.match(await fileRow(shown.id), { is_published: true });
});

t.test('createProducts: an unknown workspace refuses its turn only', async (t) => {
  const good = await makeProduct(world, await execution(world));
  const bad = await makeProduct(world, {
    ...(await execution(world)),
    workspaceUuid: '90000000-0000-4000-8000-000000000000',
  });
  const applied = world.applyAll(
    [{ type: 'createProducts', products: [good] }],
    [{ type: 'createProducts', products: [bad] }],
  );
  await t.rejects(applied, { name: 'TurnRefused', turns: [1] });
  t.same(await world.rows('select 1 from file where id = $1', [good.id]), []);
});

t.test('createProducts: a repeat refuses its turn', async (t) => {
  const product = await makeProduct(world, await execution(world));
  await world.apply({ type: 'createProducts', products: [product] });
  await t.rejects(world.apply({ type: 'createProducts', products: [product] }), { name: 'TurnRefused' });
});
