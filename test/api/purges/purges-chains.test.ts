/** Purges of sources whose recipes were reprocessed: what is carried over is shared by the recipes of a chain. */
import t from 'tap';
import { beginFor } from '../../../src/api/purges/routes.ts';
import { reprocess } from '../../../src/domain/recipe/reprocess.ts';
import { startRecipe } from '../../../src/domain/recipe/start-recipe.ts';
import { TreeChanges, TreeProgress } from '../../../src/domain/recipe/tree-changes.ts';
import type { RecipeTypeRevision } from '../../../src/domain/recipe/type-revisions.ts';
import { assert } from '../../../src/lib/assert.ts';
import { RevisionCache } from '../../../src/store/catalog/revision-cache.ts';
import { fileInfos } from '../../../src/store/file/facts.ts';
import { findPurge } from '../../../src/store/purge/list.ts';
import { loadRecipeTrees } from '../../../src/store/recipe/load.ts';
import type { Sql } from '../../../src/store/sql/sql.ts';
import {
  makeEnd,
  makeEvent,
  makeExecutionEnd,
  makeProduct,
  makeQueue,
  makeSource,
  makeStart,
} from '../../store/make.ts';
import { NOW } from '../../store/store-world.ts';
import { askerAt } from '../../support/http.ts';
import { type PurgeWorld, purgeWorld } from '../../support/worlds/purge-world.ts';
import { makeManifest } from '../../support/worlds/type-revisions.ts';

const jobNode = (name: string, ...after: string[]) => ({
  dependencies: after.map((one) => ({ name: one, acceptance: true })),
  input: {},
  node_type: { node_type: 'job', job_type_name: name, job_type_version: '1.0.0', job_type_revision: 1 },
});
const FILE = { name: 'FILE', media_types: [], required: true, multiple: false };

async function recipeType(world: PurgeWorld, name: string, files: object[], nodes: object) {
  const definition = JSON.stringify({ input: { files, json: [] }, nodes });
  const { id } = await world.store.one<{ id: number }>(
    `insert into recipe_type (name, title, definition, created, last_modified)
     values ($1, $1, $2, now(), now()) returning id`,
    [name, definition],
  );
  const rev = await world.store.one<{ id: number }>(
    `insert into recipe_type_rev (recipe_type_id, revision_num, definition, created)
     values ($1, 1, $2, now()) returning id`,
    [id, definition],
  );
  return rev.id;
}

interface Types {
  readonly revisions: RevisionCache;
  readonly outer: RecipeTypeRevision;
}

async function makeTypes(world: PurgeWorld): Promise<Types> {
  await world.store.rows('update job_type_rev set manifest = $1', [JSON.stringify(makeManifest())]);
  await recipeType(world, 'inner', [], { X: jobNode('type-b') });
  const inner = { node_type: 'recipe', recipe_type_name: 'inner', recipe_type_revision: 1 };
  const nodes = {
    A: jobNode('type-a'),
    S: { ...jobNode('', 'A'), node_type: inner },
    Z: jobNode('type-b', 'S'),
  };
  const rev = await recipeType(world, 'outer', [FILE], nodes);
  const revisions = new RevisionCache(world.sql);
  const outer = (await revisions.recipeRevisions([rev])).get(rev);
  assert(outer !== undefined, 'no revision');
  return { revisions, outer };
}

async function idsOf(world: PurgeWorld) {
  const pools = new Map<string, number[]>();
  for (const kind of ['job', 'recipe', 'recipe_condition', 'file']) {
    const ids: number[] = [];
    for (let count = 0; count < 10; count += 1) ids.push(await world.store.newId(kind));
    pools.set(kind, ids);
  }
  return (kind: string): number => pools.get(kind)?.shift() as number;
}

interface Chain {
  readonly sourceId: number;
  readonly chainId: number;
  readonly batchIds: readonly number[];
}

/** A job that ran, whose product descends from the source. */
async function ran(world: PurgeWorld, sourceId: number, recipeId: number, jobId: number): Promise<void> {
  const { store } = world;
  const [job] = await store.rows<{ status: string }>('select status from job where id = $1', [jobId]);
  if (job?.status === 'PENDING') {
    await store.apply({ type: 'moveJobs', moves: [makeQueue(jobId, ['PENDING'], 0)] });
  }
  const start = await makeStart(store, jobId);
  await store.apply({ type: 'placeJobs', starts: [start] });
  const { executionId } = start;
  const filePath = `chain/${jobId}`;
  world.disk.set(filePath, 6);
  const product = await makeProduct(store, {
    jobId,
    executionId,
    recipeId,
    inputFileIds: [sourceId],
    filePath,
  });
  await store.apply(
    { type: 'moveJobs', moves: [makeEnd(jobId)] },
    { type: 'endExecutions', ends: [makeExecutionEnd(executionId)] },
    { type: 'createProducts', products: [product] },
  );
}

/** A recipe of a batch, reprocessed by a second one and a third over it: A is carried over once, the sub-recipe too. */
async function makeChain(world: PurgeWorld, { revisions, outer }: Types): Promise<Chain> {
  const { store } = world;
  const newId = await idsOf(world);
  const source = await makeSource(store);
  const eventId = await store.newId('event');
  await store.apply(
    { type: 'createEvents', events: [makeEvent(eventId)] },
    { type: 'createSourceFiles', files: [source] },
  );
  const batchIds: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    const id = await store.newId('batch');
    const batch = {
      ...{ id, shard: 1, title: '', description: '', eventId, definition: {}, configuration: {} },
      ...{ recipeTypeId: outer.recipeTypeId, recipeTypeRevId: outer.recipeTypeRevId, recipesEstimated: 1 },
      ...{ rootBatchId: batchIds[0] ?? id, supersededBatchId: batchIds.at(-1) ?? null, atMs: NOW },
    };
    await store.rows('update batch set is_superseded = true, superseded = now() where root_batch_id = $1', [
      batch.rootBatchId,
    ]);
    await store.apply({ type: 'createBatches', batches: [batch] });
    batchIds.push(id);
  }
  const chainId = newId('recipe');
  const request = {
    recipeId: chainId,
    shard: 1,
    eventId,
    batchId: batchIds[0] ?? 0,
    ingestId: null,
    configuration: null,
  };
  const workspaces = { byName: new Map<string, number>(), byUuid: new Map<string, number>() };
  const around = { files: await fileInfos(store.db.sql, [source.id]), workspaces, nowMs: NOW, newId };
  const input = { files: { FILE: [source.id] }, json: {} };
  await store.apply(...startRecipe(outer, { ...request, input }, around).changes);
  const runNode = async (recipeId: number, name: string) => {
    const node = await store.one<{ job_id: number }>(
      'select job_id from recipe_node where recipe_id = $1 and name = $2',
      [recipeId, name],
    );
    await ran(world, source.id, recipeId, node.job_id);
  };
  await runNode(chainId, 'A');
  for (const [index, nodes] of [['Z'], ['S']].entries()) {
    const tree = (await loadRecipeTrees(store.db.sql, revisions, [chainId])).get(chainId);
    assert(tree !== undefined, 'no tree');
    const turn = new TreeChanges(new TreeProgress(tree), { nowMs: NOW + 1, newId });
    const recipeId = newId('recipe');
    const batchId = batchIds[index + 1] ?? 0;
    const forced = { all: false, nodes, sub_recipes: {} } as const;
    reprocess(turn, {
      recipeId,
      revision: outer,
      forced,
      eventId,
      batchId,
      batchMemberId: null,
      batchPriority: null,
    });
    await store.apply(...turn.toChanges());
    await runNode(recipeId, 'Z');
    if (index === 0) continue;
    const conditionId = newId('recipe_condition');
    await store.rows(
      `insert into recipe_condition (id, recipe_id, node_name, created) values ($1, $2, 'C', now())`,
      [conditionId, recipeId],
    );
    await store.rows(
      `insert into recipe_node (recipe_id, name, is_original, condition_id) values ($1, 'C', true, $2)`,
      [recipeId, conditionId],
    );
  }
  return { sourceId: source.id, chainId, batchIds };
}

/** Ids of all that is there, of a chain's and of others'. */
async function everything(world: PurgeWorld): Promise<Record<string, unknown[]>> {
  const tables = {
    file: 'id',
    file_ancestry: 'descendant_id',
    recipe: 'id',
    recipe_node: 'recipe_id',
    recipe_condition: 'id',
    recipe_input_file: 'recipe_id',
    job: 'id',
    job_exe: 'id',
    job_input_file: 'job_id',
    event: 'id',
    batch: 'id',
  };
  const found: Record<string, unknown[]> = {};
  for (const [table, key] of Object.entries(tables)) {
    found[table] = await world.store.rows(`select ${key} as id from ${table} order by 1`);
  }
  return found;
}

const batchCounts = (world: PurgeWorld, batchIds: readonly number[]) =>
  world.store.rows<{ batch_id: number; node: string }>(
    `select batch_id, node, sum(recipes_total)::int as recipes, sum(jobs_total)::int as jobs,
       sum(jobs_completed)::int as completed
     from (select batch_id, node, recipes_total, jobs_total, jobs_completed from batch_count union all
       select batch_id, node, recipes_total, jobs_total, jobs_completed from batch_count_delta) as part
     where batch_id = any($1::bigint[]) group by 1, 2 order by 1, 2`,
    [`{${batchIds.join(',')}}`],
  );

/** How many jobs lists by batch tell of, without looking at the jobs. */
const listedJobs = (world: PurgeWorld, batchIds: readonly number[]) =>
  world.store.rows<{ count: number }>(
    `select b.id, sum(c.count)::int as count from unnest($1::bigint[]) as b(id)
     join (select kind, facets, count from list_count union all
       select kind, facets, count from list_count_delta) as c
       on c.kind = 'job_batch' and (c.facets->>'batch_id')::bigint = b.id
     group by 1 order by 1`,
    [`{${batchIds.join(',')}}`],
  );

/** Throws at each nth statement; transactions roll back. */
function failing(sql: Sql, tick: () => void): Sql {
  return {
    async execute(statement, params) {
      tick();
      return sql.execute<never>(statement, params);
    },
    transaction: (work, kind) => sql.transaction((inside) => work(failing(inside, tick)), kind),
  };
}

for (const isInterrupted of [false, true]) {
  const how = isInterrupted ? 'interrupted and resumed' : 'at once';
  t.test(`purges: a chain that was reprocessed twice is removed whole, ${how}`, async (t) => {
    const world = await purgeWorld(t);
    const types = await makeTypes(world);
    const kept = await makeChain(world, types);
    const before = await everything(world);
    const gone = await makeChain(world, types);
    const shared = await world.store.rows(
      `select n.job_id from recipe_node n join recipe r on r.id = n.recipe_id
       where r.chain_id = $1 and n.job_id is not null group by 1 having count(*) > 1`,
      [gone.chainId],
    );
    t.ok(shared.length > 0, 'jobs are carried over');
    const counted = await batchCounts(world, [...kept.batchIds, ...gone.batchIds]);
    t.ok(counted.length > 0);
    const all = await world.store.rows(
      `select b.id, count(*)::int as count from batch b join job j on j.batch_id = b.id or j.live_batch_id = b.id
       group by 1 order by 1`,
    );
    t.strictSame(await listedJobs(world, [...kept.batchIds, ...gone.batchIds]), all);
    const listed = await listedJobs(world, kept.batchIds);
    const eventIds = await world.store.rows<{ id: number }>('select id from event');
    const id = await beginFor(
      world.parts,
      { file_id: gone.sourceId, delete_source_bytes: false },
      askerAt(NOW),
    );
    let kills = 0;
    if (isInterrupted) {
      const real = world.sql;
      let untilKill = 17;
      world.sql = failing(real, () => {
        untilKill -= 1;
        if (untilKill > 0) return;
        kills += 1;
        untilKill = 17 + kills * 3;
        throw new Error('killed');
      });
      for (let isDone = false; !isDone; ) {
        if (kills > 100) throw new Error('never done');
        isDone = await world.advance(id).then(
          (one) => one.isDone,
          (error) => {
            if (!/killed/.test(String(error))) throw error;
            return false;
          },
        );
      }
      world.sql = real;
      t.ok(kills > 3, `${kills} kills`);
    } else t.ok((await world.advance(id)).isDone);
    const left = await everything(world);
    // Batches stay, with their events.
    const { event: events, batch: batches, ...rows } = left;
    const { event: _events, batch: _batches, ...rowsBefore } = before;
    t.strictSame(rows, rowsBefore, 'nothing else than what was there before it');
    t.equal(batches?.length, 6);
    t.equal(events?.length, eventIds.length, 'events of batches stay');
    t.strictSame(
      await batchCounts(world, [...kept.batchIds, ...gone.batchIds]),
      counted.map((row) => {
        const isGone = row.node === '' && gone.batchIds.includes(row.batch_id);
        return isGone ? { ...row, recipes: 0, jobs: 0, completed: 0 } : row;
      }),
      'batches count what is left; metrics of their nodes stay',
    );
    t.strictSame(await listedJobs(world, kept.batchIds), listed);
    t.ok((await listedJobs(world, gone.batchIds)).every(({ count }) => count === 0));
    t.match(await findPurge(world.sql, id), {
      status: 'COMPLETED',
      removed: { source_files: 1, product_files: 3 },
    });
    t.equal([...world.disk.keys()].length, 3, 'bytes of the other stay');
  });
}

/** Jobs of a chain's superseded roots that the current root, or a recipe below it, holds. */
const CARRIED = /* sql */ `
  update job j set live_recipe_id = holder.id, live_batch_id = root.batch_id
  from recipe root
  join recipe holder on holder.chain_id = root.chain_id and not holder.is_superseded
  join recipe_node n on n.recipe_id = holder.id
  where root.parent_id is null and not root.is_superseded and root.superseded_recipe_id is not null
    and j.id = n.job_id and exists (select from recipe own where own.id = j.recipe_id and own.root_id <> root.id)`;

t.test('live recipes: the live recipe of a job follows from its recipes', async (t) => {
  const world = await purgeWorld(t);
  await makeChain(world, await makeTypes(world));
  const noted = () =>
    world.store.rows<{ live_recipe_id: number | null }>(
      'select id, live_recipe_id, live_batch_id from job where not is_superseded order by id',
    );
  const wanted = await noted();
  t.ok(wanted.filter((row) => row.live_recipe_id !== null).length > 0);
  await world.store.rows('update job set live_recipe_id = null, live_batch_id = null');
  await world.store.rows(CARRIED);
  t.strictSame(await noted(), wanted);
});
