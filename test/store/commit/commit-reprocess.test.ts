/** Reprocessing on real rows: counters of every recipe that holds a job, of batches, and what is loaded of a chain. */
import t from 'tap';
import { ALL_FORCED, type ForcedNodes } from '../../../src/domain/recipe/forced-nodes.ts';
import { reprocess } from '../../../src/domain/recipe/reprocess.ts';
import { startRecipe } from '../../../src/domain/recipe/start-recipe.ts';
import { TreeChanges, TreeProgress } from '../../../src/domain/recipe/tree-changes.ts';
import { settleResults } from '../../../src/domain/recipe/tree-events.ts';
import type { RecipeTypeRevision } from '../../../src/domain/recipe/type-revisions.ts';
import { assert } from '../../../src/lib/assert.ts';
import { foldBatchCounts } from '../../../src/store/batch/counts.ts';
import { RevisionCache } from '../../../src/store/catalog/revision-cache.ts';
import { loadRecipeTrees } from '../../../src/store/recipe/load.ts';
import { makeResult } from '../../support/fakes/task-reports.ts';
import { makeManifest } from '../../support/worlds/type-revisions.ts';
import { makeEvent, makeStart } from '../make.ts';
import { NOW, storeWorld } from '../store-world.ts';

const world = await storeWorld(t);
const { sql } = world.db;
const revisions = new RevisionCache(sql);
const input = { files: [], json: [] };
await world.rows('update job_type_rev set manifest = $1', [JSON.stringify(makeManifest())]);

const jobNode = (name: string, ...after: string[]) => ({
  dependencies: after.map((one) => ({ name: one, acceptance: true })),
  input: {},
  node_type: { node_type: 'job', job_type_name: name, job_type_version: '1.0.0', job_type_revision: 1 },
});

async function recipeType(name: string, nodes: object): Promise<RecipeTypeRevision> {
  const definition = JSON.stringify({ input, nodes });
  const { id } = await world.one<{ id: number }>(
    `insert into recipe_type (name, title, definition, created, last_modified)
     values ($1, $1, $2, now(), now()) returning id`,
    [name, definition],
  );
  const rev = await world.one<{ id: number }>(
    `insert into recipe_type_rev (recipe_type_id, revision_num, definition, created)
     values ($1, 1, $2, now()) returning id`,
    [id, definition],
  );
  const revision = (await revisions.recipeRevisions([rev.id])).get(rev.id);
  assert(revision !== undefined, 'no revision');
  return revision;
}

await recipeType('inner', { X: jobNode('type-b') });
const outer = await recipeType('outer', {
  A: jobNode('type-a'),
  S: {
    ...jobNode('', 'A'),
    node_type: { node_type: 'recipe', recipe_type_name: 'inner', recipe_type_revision: 1 },
  },
  Z: jobNode('type-b', 'S'),
});

const eventId = await world.newId('event');
await world.apply({ type: 'createEvents', events: [makeEvent(eventId)] });
/** Ids that decisions take without waiting. */
const pools = new Map<string, number[]>();
for (const kind of ['job', 'recipe', 'recipe_condition', 'file']) {
  const ids: number[] = [];
  for (let count = 0; count < 60; count += 1) ids.push(await world.newId(kind));
  pools.set(kind, ids);
}
const newId = (kind: string): number => pools.get(kind)?.shift() as number;

async function newBatch(): Promise<number> {
  const id = await world.newId('batch');
  const batch = {
    ...{
      id,
      shard: 1,
      title: '',
      description: '',
      eventId,
      definition: {},
      configuration: { priority: 3 },
    },
    ...{ recipeTypeId: outer.recipeTypeId, recipeTypeRevId: outer.recipeTypeRevId, recipesEstimated: 2 },
    ...{ rootBatchId: id, supersededBatchId: null, atMs: NOW },
  };
  await world.apply({ type: 'createBatches', batches: [batch] });
  return id;
}

async function started(batchId: number | null): Promise<number> {
  const recipeId = newId('recipe');
  const request = { recipeId, shard: 1, eventId, batchId, ingestId: null, configuration: null };
  const workspaces = { byName: new Map<string, number>(), byUuid: new Map<string, number>() };
  const around = { files: new Map(), workspaces, nowMs: NOW, newId };
  const made = startRecipe(outer, { ...request, input: { files: {}, json: {} } }, around);
  await world.apply(...made.changes);
  return recipeId;
}

async function turnOf<T>(chainId: number, decide: (turn: TreeChanges) => T): Promise<T> {
  const tree = (await loadRecipeTrees(sql, revisions, [chainId])).get(chainId);
  assert(tree !== undefined, `no chain ${chainId}`);
  const turn = new TreeChanges(new TreeProgress(tree), { nowMs: NOW + 1, newId });
  const value = decide(turn);
  await world.apply(...turn.toChanges());
  return value;
}

async function again(chainId: number, forced: ForcedNodes, batchId: number | null = null): Promise<number> {
  const recipeId = newId('recipe');
  const order = {
    recipeId,
    revision: outer,
    forced,
    eventId,
    batchId,
    batchMemberId: null,
    batchPriority: null,
  };
  await turnOf(chainId, (turn) => reprocess(turn, order));
  return recipeId;
}

async function complete(chainId: number, recipeId: number, node: string): Promise<void> {
  const { job_id: jobId } = await world.one<{ job_id: number }>(
    'select job_id from recipe_node where recipe_id = $1 and name = $2',
    [recipeId, node],
  );
  const start = await makeStart(world, jobId);
  await world.apply({ type: 'placeJobs', starts: [start] });
  const main = {
    phase: 'main',
    startedMs: NOW,
    endedMs: NOW + 1_500,
    exitCode: 0,
    isTimedOut: false,
  } as const;
  const result = makeResult({ id: start.executionId, jobId, exeNum: 1 }, { phases: [main] });
  await turnOf(chainId, (turn) => settleResults(turn, [result]));
}

/** Counters that are not what counting again says. */
async function miscounted(): Promise<readonly object[]> {
  const status = ['pending', 'blocked', 'queued', 'running', 'failed', 'completed', 'canceled'];
  const counted = status.map(
    (name) => `count(*) filter (where j.status = '${name.toUpperCase()}') as ${name}`,
  );
  const differ = status.map((name) => `r.jobs_${name} <> c.${name}`).join(' or ');
  return world.rows(
    `with recursive held as (
       select recipe_id as id, job_id, sub_recipe_id from recipe_node
       union select held.id, n.job_id, n.sub_recipe_id
       from held join recipe_node n on n.recipe_id = held.sub_recipe_id)
     select r.id, to_json(r) as row, to_json(c) as counted from recipe r
     cross join lateral (select count(*) as total, ${counted.join(', ')}
       from held join job j on j.id = held.job_id where held.id = r.id) as c
     cross join lateral (select count(*) as total, count(*) filter (where s.is_completed) as completed
       from held join recipe s on s.id = held.sub_recipe_id where held.id = r.id) as subs
     where r.jobs_total <> c.total or ${differ} or r.sub_recipes_total <> subs.total
       or r.sub_recipes_completed <> subs.completed`,
  );
}

t.test('reprocess: a shared job and a shared sub-recipe count in every recipe that holds them', async (t) => {
  const root = await started(null);
  await complete(root, root, 'A');
  t.strictSame(await miscounted(), []);
  const second = await again(root, { all: false, nodes: ['Z'], sub_recipes: {} });
  t.strictSame(await miscounted(), []);
  const sub = await world.one<{ id: number; n: number }>(
    'select sub_recipe_id as id, count(*) as n from recipe_node where recipe_id = any($1) and name = $2 group by 1',
    [`{${root},${second}}`, 'S'],
  );
  t.equal(sub.n, 2, 'one sub-recipe in both');
  await complete(root, sub.id, 'X');
  t.strictSame(await miscounted(), []);
  const third = await again(root, { all: false, nodes: ['S'], sub_recipes: {} });
  t.strictSame(await miscounted(), []);
  const fourth = await again(root, ALL_FORCED);
  t.strictSame(await miscounted(), []);
  const rows = await world.rows<{ id: number; next: number | null; root: number }>(
    `select id, superseded_recipe_id as next, root_id as root from recipe
     where chain_id = $1 and parent_id is null order by id`,
    [root],
  );
  t.strictSame(rows, [
    { id: root, next: null, root },
    { id: second, next: root, root: second },
    { id: third, next: second, root: third },
    { id: fourth, next: third, root: fourth },
  ]);
  const tree = (await loadRecipeTrees(sql, revisions, [root])).get(root);
  t.equal(tree?.rootId, fourth);
  t.equal(tree?.chainId, root);
  const owners = await world.rows('select distinct owner_key from job where recipe_id = any($1)', [
    `{${rows.map((row) => row.id).join(',')}}`,
  ]);
  t.strictSame(owners, [{ owner_key: root }], 'one owner for the whole chain');
});

t.test('reprocess: a batch counts the jobs that its recipes carry over, with their durations', async (t) => {
  const [first, second] = [await newBatch(), await newBatch()];
  const root = await started(first);
  await complete(root, root, 'A');
  await again(root, { all: false, nodes: ['Z'], sub_recipes: {} }, second);
  const counts = async () =>
    world.rows(
      `select batch_id, node, sum(recipes_total)::int as recipes, sum(jobs_total)::int as jobs,
         sum(jobs_completed)::int as completed, sum(jobs_canceled)::int as canceled, max(seed_ms_max)::int as seed
       from (select batch_id, node, recipes_total, jobs_total, jobs_completed, jobs_canceled, seed_ms_max
         from batch_count union all
         select batch_id, node, recipes_total, jobs_total, jobs_completed, jobs_canceled, seed_ms_max
         from batch_count_delta) as part group by 1, 2 order by 1, 2`,
    );
  const zeros = { recipes: 0, jobs: 1, completed: 0, canceled: 0, seed: null };
  const expected = [
    { batch_id: first, node: '', recipes: 2, jobs: 3, completed: 1, canceled: 1, seed: null },
    { ...zeros, batch_id: first, node: 'A', completed: 1, seed: 1_500 },
    { ...zeros, batch_id: first, node: 'Z', canceled: 1 },
    { batch_id: second, node: '', recipes: 2, jobs: 3, completed: 1, canceled: 0, seed: null },
    { ...zeros, batch_id: second, node: 'A', completed: 1, seed: 1_500 },
    { ...zeros, batch_id: second, node: 'Z' },
  ];
  t.strictSame(await counts(), expected);
  await foldBatchCounts(sql);
  t.strictSame(await counts(), expected, 'the same once folded');
  const [job] = await world.rows<{ priority: number }>(
    `select priority from job where batch_id = $1 and recipe_node = 'X' limit 1`,
    [first],
  );
  t.equal(job?.priority, 3, 'what is queued has the priority of its batch');
});
