import t from 'tap';
import type { Change } from '../../../src/domain/changes.ts';
import { RevisionCache } from '../../../src/store/catalog/revision-cache.ts';
import { dueJobs, loadJobs, runningExecutions } from '../../../src/store/job/load.ts';
import { dueRecipes, loadRecipeTrees } from '../../../src/store/recipe/load.ts';
import {
  makeEnd,
  makeEvent,
  makeInput,
  makeJob,
  makeRecipe,
  makeSource,
  makeStart,
  savedJob,
} from '../make.ts';
import { NOW, storeWorld } from '../store-world.ts';

const world = await storeWorld(t);
const { sql } = world.db;
const revisions = new RevisionCache(sql);
const LATER = NOW + 120_000;

const jobNode = (name: string, revision = 1) => ({
  dependencies: [],
  input: {},
  node_type: {
    node_type: 'job',
    job_type_name: name,
    job_type_version: '1.0.0',
    job_type_revision: revision,
  },
});
const input = { files: [], json: [] };

/** A recipe type and its revision; returns the revision's id. */
async function recipeType(name: string, nodes: object): Promise<{ typeId: number; revId: number }> {
  const definition = JSON.stringify({ input, nodes });
  const { id } = await world.one<{ id: number }>(
    `insert into recipe_type (name, title, definition, created, last_modified) values ($1, $1, $2, now(),
      now()) returning id`,
    [name, definition],
  );
  const rev = await world.one<{ id: number }>(
    `insert into recipe_type_rev (recipe_type_id, revision_num, definition, created) values ($1, 1, $2,
      now()) returning id`,
    [id, definition],
  );
  return { typeId: id, revId: rev.id };
}

const inner = await recipeType('inner', { B: jobNode('type-b') });
const outer = await recipeType('outer', {
  A: jobNode('type-a'),
  C: {
    dependencies: [{ name: 'A', acceptance: true }],
    input: {},
    node_type: { node_type: 'condition', interface: input, data_filter: { all: true, filters: [] } },
  },
  S: {
    dependencies: [{ name: 'C', acceptance: true }],
    input: {},
    node_type: { node_type: 'recipe', recipe_type_name: 'inner', recipe_type_revision: 1 },
  },
});

interface SavedTree {
  readonly root: number;
  readonly sub: number;
  readonly jobA: number;
  readonly jobB: number;
  readonly conditionId: number;
  readonly fileId: number;
}

/** A in the root, its condition C, and B in the sub-recipe S. */
async function savedTree(): Promise<SavedTree> {
  const root = await world.newId('recipe');
  const sub = await world.newId('recipe');
  const [eventId, jobA, jobB, conditionId] = [
    await world.newId('event'),
    await world.newId('job'),
    await world.newId('job'),
    await world.newId('recipe_condition'),
  ];
  const file = await makeSource(world);
  const common = { eventId, owner: { kind: 'recipe', key: root } } as const;
  const rootRecipe = { id: root, eventId, recipeTypeId: outer.typeId, recipeTypeRevId: outer.revId };
  const subRecipe = { id: sub, eventId, recipeTypeId: inner.typeId, recipeTypeRevId: inner.revId };
  const changes: Change[] = [
    { type: 'createEvents', events: [makeEvent(eventId)] },
    { type: 'createSourceFiles', files: [file] },
    {
      type: 'createRecipes',
      recipes: [
        makeRecipe(world, { ...rootRecipe, input: makeInput({ IN: [file.id] }) }),
        makeRecipe(world, {
          ...subRecipe,
          rootId: root,
          parentId: root,
          parentNode: 'S',
          ancestorIds: [root],
          input: null,
        }),
      ],
    },
    { type: 'createConditions', conditions: [{ id: conditionId, recipeId: root, nodeName: 'C', atMs: NOW }] },
    {
      type: 'createJobs',
      jobs: [
        makeJob(world, {
          ...common,
          id: jobA,
          recipeId: root,
          recipeNode: 'A',
          recipeIds: [root],
          input: makeInput({ IN: [file.id] }),
        }),
        makeJob(world, {
          ...common,
          id: jobB,
          recipeId: sub,
          recipeNode: 'B',
          recipeIds: [sub, root],
          status: 'PENDING',
        }),
      ],
    },
    {
      type: 'createRecipeNodes',
      nodes: [
        { recipeId: root, name: 'A', jobId: jobA, subRecipeId: null, conditionId: null, isOriginal: true },
        { recipeId: root, name: 'C', jobId: null, subRecipeId: null, conditionId, isOriginal: true },
        { recipeId: root, name: 'S', jobId: null, subRecipeId: sub, conditionId: null, isOriginal: true },
        { recipeId: sub, name: 'B', jobId: jobB, subRecipeId: null, conditionId: null, isOriginal: true },
      ],
    },
  ];
  await world.apply(...changes);
  return { root, sub, jobA, jobB, conditionId, fileId: file.id };
}

t.test('loadRecipeTrees: a loaded tree equals the saved one', async (t) => {
  const saved = await savedTree();
  const other = await savedTree();
  const trees = await loadRecipeTrees(sql, revisions, [saved.root, other.root, 999_999]);
  t.same([...trees.keys()].sort(), [saved.root, other.root].sort());
  const tree = trees.get(saved.root);
  t.match(tree, { rootId: saved.root, shard: 1 });
  t.same([...(tree?.recipes.keys() ?? [])], [saved.root, saved.sub]);
  t.match(tree?.recipes.get(saved.sub), {
    recipeIds: [saved.sub, saved.root],
    parentNode: 'S',
    input: null,
    source: null,
  });
  t.match(tree?.recipes.get(saved.root), {
    input: { files: { IN: [saved.fileId] } },
    source: { startedMs: NOW - 1 },
  });
  const nodes = tree?.recipes.get(saved.root)?.nodes;
  t.match(nodes?.get('A'), { kind: 'job', jobId: saved.jobA });
  t.match(nodes?.get('C'), {
    kind: 'condition',
    conditionId: saved.conditionId,
    isProcessed: false,
    data: null,
  });
  t.match(nodes?.get('S'), { kind: 'recipe', recipeId: saved.sub });
  t.same([...(tree?.jobs.keys() ?? [])].sort(), [saved.jobA, saved.jobB].sort());
  t.match(tree?.jobs.get(saved.jobA), { status: 'QUEUED', exeNum: 1, source: { startedMs: NOW - 1 } });
  t.match(tree?.jobs.get(saved.jobB), { status: 'PENDING', exeNum: 0, source: null, input: null });
  t.same([...(tree?.files.keys() ?? [])], [saved.fileId]);
  t.equal(tree?.workspaces.byName.get('in'), world.ids.in);
  t.equal(tree?.recipes.get(saved.root)?.revision.jobs.get('A')?.jobTypeName, 'type-a');
  t.equal(tree?.recipes.get(saved.root)?.revision.subRecipes.get('S')?.jobs.get('B')?.jobTypeName, 'type-b');
});

t.test('revisions: the object is the same until the type or one of its job types changes', async (t) => {
  const first = (await revisions.recipeRevisions([outer.revId])).get(outer.revId);
  const second = (await revisions.recipeRevisions([outer.revId])).get(outer.revId);
  t.ok(first !== undefined && first === second);
  await world.rows(`update job_type set configuration = '{"priority": 3}',
    last_modified = now() + interval '1 s'
    where name = 'type-b'`);
  const third = (await revisions.recipeRevisions([outer.revId])).get(outer.revId);
  t.not(third, first);
  t.same(third?.subRecipes.get('S')?.jobs.get('B')?.configuration, { priority: 3 });
});

t.test('revisions: the newest revision of an active type is read, or the named one', async (t) => {
  t.equal((await revisions.currentRecipeRevision('outer', null))?.recipeTypeRevId, outer.revId);
  t.equal((await revisions.currentRecipeRevision('outer', 1))?.recipeTypeRevId, outer.revId);
  t.equal(await revisions.currentRecipeRevision('outer', 2), undefined);
  t.equal(await revisions.currentRecipeRevision('nothing', null), undefined);
  await world.rows(`update recipe_type set is_active = false where name = 'inner'`);
  t.equal(await revisions.currentRecipeRevision('inner', null), undefined);
});

t.test('revisions: a job node without a revision takes the newest', async (t) => {
  const { revId } = await recipeType('newest', { A: jobNode('type-a', 0), B: jobNode('type-a', 1) });
  await world.rows(
    `insert into job_type_rev (job_type_id, revision_num, container_image, manifest, created)
     values ($1, 2, 'image:a2', '{}', now())`,
    [world.ids.type],
  );
  await world.rows('update job_type set revision_num = 2 where id = $1', [world.ids.type]);
  const revision = (await revisions.recipeRevisions([revId])).get(revId);
  t.equal(revision?.jobs.get('A')?.containerImage, 'image:a2');
  t.equal(revision?.jobs.get('B')?.containerImage, 'image:a');
});

t.test('revisions: unknown revisions are missing from the result', async (t) => {
  t.same(await revisions.recipeRevisions([999_999]), new Map());
  t.same(await revisions.jobRevisions([999_999]), new Map());
  t.same(await revisions.jobRevisions([]), new Map());
});

t.test(
  'loadJobs: jobs without a recipe are loaded with revision and files, and jobs of recipes are not',
  async (t) => {
    const file = await makeSource(world);
    await world.apply({ type: 'createSourceFiles', files: [file] });
    const job = await savedJob(world, { input: makeInput({ IN: [file.id] }) });
    const { jobA } = await savedTree();
    const jobs = await loadJobs(sql, revisions, [job.id, jobA]);
    t.same([...jobs.keys()], [job.id]);
    const loaded = jobs.get(job.id);
    t.match(loaded?.job, { status: 'QUEUED', exeNum: 1, recipeIds: [] });
    t.equal(loaded?.revision.jobTypeName, 'type-a');
    t.same([...(loaded?.files.keys() ?? [])], [file.id]);
  },
);

t.test('due: trees with a missing end, a ready condition or a stray execution, and no others', async (t) => {
  const [idle, ripe, stray, fine] = [
    await savedTree(),
    await savedTree(),
    await savedTree(),
    await savedTree(),
  ];
  const cancel = (jobId: number): Change => ({
    type: 'moveJobs',
    moves: [
      {
        kind: 'status',
        jobId,
        from: ['QUEUED', 'PENDING', 'RUNNING'],
        exeNum: null,
        to: 'CANCELED',
        atMs: NOW,
      },
    ],
  });
  const processed = { isAccepted: true, data: { files: {}, json: {} }, reason: null, atMs: NOW };
  await world.apply(
    { type: 'moveJobs', moves: [makeEnd(idle.jobA)] },
    { type: 'processConditions', outcomes: [{ conditionId: idle.conditionId, ...processed }] },
  );
  await world.apply({ type: 'moveJobs', moves: [makeEnd(ripe.jobA)] }, cancel(ripe.jobB));
  await world.apply({ type: 'startExecutions', starts: [await makeStart(world, stray.jobA)] });
  await world.apply(cancel(stray.jobA));
  const mine = new Set([idle, ripe, stray, fine].map((tree) => tree.root));
  const due = async (shards: number[], nowMs: number, isTakenOver = false) =>
    (await dueRecipes(sql, shards, nowMs, isTakenOver)).filter((id) => mine.has(id)).sort((a, b) => a - b);

  t.same(await due([1], LATER), [idle.root, ripe.root, stray.root]);
  t.same(await due([1], NOW + 5_000), [stray.root]);
  t.same(
    await due([1], NOW, true),
    [idle.root, ripe.root, stray.root],
    'taken over: none is at work on them',
  );
  const past = NOW - 3_600_000;
  t.same(
    await due([1], past),
    [idle.root, ripe.root, stray.root],
    'the clock stepped back: how quiet is unknown',
  );
  t.same(await due([1], past, true), [idle.root, ripe.root, stray.root]);
  t.same(await due([2, 3], LATER), []);
});

t.test('due: a job whose execution still runs without it is due, and running jobs are listed', async (t) => {
  const [stray, fine] = [await savedJob(world), await savedJob(world)];
  const starts = [await makeStart(world, stray.id), await makeStart(world, fine.id)];
  await world.apply({ type: 'startExecutions', starts });
  t.same(await dueJobs(sql, [1]), []);
  await world.apply({
    type: 'moveJobs',
    moves: [{ kind: 'status', jobId: stray.id, from: ['RUNNING'], exeNum: 1, to: 'CANCELED', atMs: NOW }],
  });
  t.same(await dueJobs(sql, [1]), [stray.id]);
  t.same(await runningExecutions(sql, [stray.id]), [
    { jobId: stray.id, executionId: starts[0]?.executionId, exeNum: 1, nodeId: world.ids.node },
  ]);
});
