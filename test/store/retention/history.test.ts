import t from 'tap';
import {
  removeOldJobs,
  removeOldRecipes,
  removeOldRecords,
  removeOldTries,
} from '../../../src/store/retention/history.ts';
import type { PurgeWorld } from '../../support/worlds/purge-world.ts';
import { makeFamily, purgeWorld } from '../../support/worlds/purge-world.ts';
import {
  makeEnd,
  makeEvent,
  makeExecutionEnd,
  makeQueue,
  makeStart,
  savedJob,
  savedRecipe,
} from '../make.ts';
import { NOW } from '../store-world.ts';

const LATER = NOW + 86_400_000;

/** All there is to remove, however many calls it takes. */
async function removeAll({ store: { db } }: PurgeWorld, beforeMs: number): Promise<void> {
  for (const remove of [removeOldRecipes, removeOldJobs, removeOldTries]) {
    let calls = 0;
    while (await remove(db.sql, beforeMs)) {
      calls += 1;
      if (calls > 20) throw new Error('the cursor does not move');
    }
  }
  await removeOldRecords(db.sql, beforeMs);
}

t.test('history: files are kept with their jobs and recipes, whatever their age', async (t) => {
  const world = await purgeWorld(t);
  const family = await makeFamily(world, 'kept');
  const before = await world.traces(family);
  await removeAll(world, LATER);
  t.strictSame(await world.traces(family), { ...before, jobs: 2 }, 'only the job of the ingest went');
  const [ingest] = await world.store.rows<{ job_id: number | null; status: string }>(
    'select job_id, status from ingest',
  );
  t.strictSame(ingest, { job_id: null, status: 'INGESTED' });
});

t.test('history: old recipes and jobs without products are removed; young and live ones stay', async (t) => {
  const world = await purgeWorld(t);
  const { store } = world;
  const ended = async (status: 'COMPLETED' | 'FAILED') => {
    const job = await savedJob(store);
    await store.apply({ type: 'moveJobs', moves: [makeEnd(job.id, { to: status })] });
    return job.id;
  };
  const old = [await ended('COMPLETED'), await ended('FAILED')];
  const live = (await savedJob(store)).id;
  const young = await ended('COMPLETED');
  await store.rows(`update job set last_modified = to_timestamp($2::float8 / 1000) where id = $1`, [
    young,
    LATER,
  ]);
  const recipe = await savedRecipe(store);
  const busy = await savedRecipe(store);
  await savedJob(store, {
    owner: { kind: 'recipe', key: busy.id },
    recipeId: busy.id,
    recipeNode: 'A',
    recipeIds: [busy.id],
  });
  await store.rows(`update recipe set last_modified = to_timestamp($1::float8 / 1000)`, [NOW]);
  await removeAll(world, LATER - 1_000);
  const ids = (await store.rows<{ id: number }>('select id from job order by id')).map(({ id }) => id);
  t.notOk(old.some((id) => ids.includes(id)));
  t.ok(ids.includes(live) && ids.includes(young));
  t.strictSame(await store.rows('select id from recipe'), [{ id: busy.id }]);
  t.strictSame(
    await store.rows('select id from event where id = $1', [recipe.eventId]),
    [],
    'its event went',
  );
  const [failures] = await store.rows<{ count: number }>(
    `select coalesce(sum(count), 0) as count from job_outcome_delta where status = 'FAILED'`,
  );
  t.equal(failures?.count, 0, 'a failed job that went is not counted as failed any more');
});

t.test('history: many recipes of the same time are removed, and those of batches stay', async (t) => {
  const world = await purgeWorld(t);
  const { store } = world;
  for (let count = 0; count < 120; count += 1) await savedRecipe(store);
  const eventId = await store.newId('event');
  const { recipeType, recipeRev } = store.ids;
  const ids = [await store.newId('batch'), await store.newId('batch')];
  const batches = ids.map((id, index) => ({
    ...{ id, shard: 1, title: '', description: '', eventId, definition: {}, configuration: {} },
    ...{ recipeTypeId: recipeType, recipeTypeRevId: recipeRev, recipesEstimated: 1, atMs: NOW },
    ...{ rootBatchId: ids[0] as number, supersededBatchId: index === 0 ? null : (ids[0] as number) },
  }));
  await store.apply({ type: 'createEvents', events: [makeEvent(eventId)] });
  for (const batch of batches) {
    await store.rows('update batch set is_superseded = true, superseded = now()');
    await store.apply({ type: 'createBatches', batches: [batch] });
  }
  const old = await savedRecipe(store);
  const next = await savedRecipe(store, { batchId: ids[1] as number });
  // As a batch over what no batch had made: the living recipe is the batch's, the superseded one is nobody's.
  await store.rows('update recipe set chain_id = $2, superseded_recipe_id = $2 where id = $1', [
    next.id,
    old.id,
  ]);
  await store.rows('update recipe set is_superseded = true, superseded = now() where id = $1', [old.id]);
  const counts = () =>
    store.rows(`select batch_id, node, recipes_total, jobs_total from batch_count
      union all select batch_id, node, recipes_total, jobs_total from batch_count_delta order by 1, 2`);
  const before = await counts();
  t.ok(before.length > 0);
  await removeAll(world, LATER);
  t.strictSame(await store.rows('select id from recipe order by id'), [{ id: old.id }, { id: next.id }]);
  t.equal((await store.rows('select id from batch')).length, 2);
  t.strictSame(await counts(), before, 'what batches counted stays');
});

t.test('history: the last try of a job stays', async (t) => {
  const world = await purgeWorld(t);
  const { store } = world;
  const job = await savedJob(store);
  const tries: number[] = [];
  for (const exeNum of [1, 2]) {
    const start = await makeStart(store, job.id, { exeNum });
    tries.push(start.executionId);
    await store.apply({ type: 'placeJobs', starts: [start] });
    await store.apply(
      { type: 'endExecutions', ends: [makeExecutionEnd(start.executionId, { status: 'FAILED' })] },
      {
        type: 'moveJobs',
        moves: [exeNum === 1 ? makeQueue(job.id, ['RUNNING'], 1) : makeEnd(job.id, { exeNum: 2 })],
      },
    );
  }
  await store.rows(`update job set last_modified = to_timestamp($1::float8 / 1000)`, [LATER]);
  await removeAll(world, LATER - 1_000);
  const left = await store.rows<{ id: number }>('select id from job_exe where job_id = $1', [job.id]);
  t.strictSame(left, [{ id: tries[1] }]);
});

t.test('history: old samples of the load and finished requests are removed', async (t) => {
  const { store } = await purgeWorld(t);
  await store.rows(
    `insert into load_hour (hour, measured) values ('2001-01-01', now()), ('2099-01-01', now())`,
  );
  await store.rows(
    `insert into load_sample (hour, job_type_id, pending_count, queued_count, running_count)
    values ('2001-01-01', $1, 1, 1, 1), ('2099-01-01', $1, 1, 1, 1)`,
    [store.ids.type],
  );
  await store.rows(`insert into job_request (shard, action, choice, is_done, created, last_modified) values
    (1, 'cancel', '{}', true, '2001-01-01', '2001-01-01'), (1, 'cancel', '{}', false, '2001-01-01', '2001-01-01')`);
  await removeOldRecords(store.db.sql, NOW);
  t.equal((await store.rows('select 1 from load_hour')).length, 1);
  t.equal((await store.rows('select 1 from load_sample')).length, 1);
  t.strictSame(await store.rows('select is_done from job_request'), [{ is_done: false }]);
});
