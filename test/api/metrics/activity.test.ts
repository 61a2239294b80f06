/** `/v6/activity/` and `/v6/nodes/use/`, on a real database. */
import t from 'tap';
import { activityRoutes } from '../../../src/api/activity/routes.ts';
import { sampleActivity } from '../../../src/store/metrics/activity.ts';
import { makeQueueing, makeStart, savedJob, savedRecipe } from '../../store/make.ts';
import { type StoreWorld, storeWorld } from '../../store/store-world.ts';
import { makeCaller, NOW_MS } from '../../support/http.ts';

const MINUTE_MS = 60_000;
/** The minute that is measured begins two minutes before the requests. */
const BEGUN_MS = NOW_MS - 2 * MINUTE_MS;
const at = (ms: number) => new Date(ms).toISOString();

/** A file that arrived at a time, and the recipe that it started. */
async function arrived(store: StoreWorld, arrivedMs: number, over: { supersededRecipeId?: number } = {}) {
  const { id: ingestId } = await store.one<{ id: number }>(
    `insert into ingest (file_name, status, workspace_id, file_path, media_type, transfer_started, ingest_ended,
       created, last_modified)
     values ('f', 'INGESTED', $1, 'f' || $2::text, '', $2::text::timestamptz, $3::text::timestamptz, now(),
       $3::text::timestamptz)
     returning id`,
    [store.ids.in, at(arrivedMs), at(BEGUN_MS + 1_000)],
  );
  const recipe = await savedRecipe(store, { ingestId, ...over });
  await store.rows(
    'update recipe set completed = $2, last_modified = $2, is_completed = true where id = $1',
    [recipe.id, at(BEGUN_MS + 30_000)],
  );
  return recipe.id;
}

const made = (store: StoreWorld, recipeId: number, createdMs: number) =>
  store.rows(
    `insert into file (id, uuid, file_name, file_type, media_type, file_size, workspace_id, file_path, recipe_id,
       created, last_modified)
     select n, gen_random_uuid(), 'p', 'PRODUCT', '', 1, $1, 'p' || n, $2, $3, $3
     from nextval(pg_get_serial_sequence('file', 'id')) as n`,
    [store.ids.out, recipeId, at(createdMs)],
  );

t.test('activity: a complete minute is measured once, with the lag of its products', async (t) => {
  const store = await storeWorld(t);
  const caller = makeCaller(activityRoutes, { sql: store.db.sql });
  const first = await arrived(store, BEGUN_MS - 10_000);
  const second = await arrived(store, BEGUN_MS - 60_000);
  const reprocessed = await arrived(store, BEGUN_MS - 86_400_000, { supersededRecipeId: first });
  await made(store, first, BEGUN_MS + 10_000);
  await made(store, second, BEGUN_MS + 40_000);
  await made(store, reprocessed, BEGUN_MS + 50_000);
  await made(store, second, BEGUN_MS - 1);

  const sampledMs = BEGUN_MS + MINUTE_MS + 7_000;
  await Promise.all([sampleActivity(store.db.sql, sampledMs), sampleActivity(store.db.sql, sampledMs + 1)]);

  const { json } = await caller.get('/v6/activity/');
  t.strictSame(json.results, [
    {
      time: at(BEGUN_MS),
      ...{ ingested_count: 3, recipe_count: 3, product_count: 3 },
      ...{ lag_count: 2, lag_p50_ms: 20_000, lag_p95_ms: 100_000, lag_max_ms: 100_000 },
    },
  ]);
  t.equal((await caller.get('/v6/activity/?started=PT1M')).json.count, 0);
  await sampleActivity(store.db.sql, sampledMs + MINUTE_MS);
  t.match((await caller.get('/v6/activity/?started=PT2M&page_size=1')).json, {
    count: 2,
    results: [{ time: at(BEGUN_MS) }],
  });
  t.match((await caller.get('/v6/activity/?page=2&page_size=1')).json.results, [
    { product_count: 0, lag_count: 0, lag_p50_ms: null, lag_max_ms: null },
  ]);
  await sampleActivity(store.db.sql, sampledMs + 86_400_000 - 30_000);
  t.equal((await caller.get('/v6/activity/?started=P32D')).status, 400);
  const { count } = await store.one<{ count: number }>('select count(*)::int as count from activity_minute');
  t.equal(count, 2, 'minutes of more than a day ago are removed');
});

t.test('node use: resources of nodes and their executions are shown in total and by node', async (t) => {
  const store = await storeWorld(t);
  const caller = makeCaller(activityRoutes, { sql: store.db.sql });
  await store.rows(
    `update node set is_online = true, resources = '{"cpus": 4, "mem": 1000.5}' where id = $1`,
    [store.ids.node],
  );
  await store.rows(`update node set is_online = true, resources = '{"cpus": 2}' where id = $1`, [
    store.ids.node2,
  ]);
  for (const cpus of [1, 0.5]) {
    const { id } = await savedJob(store, { queueing: makeQueueing({ resources: { cpus, mem: 100 } }) });
    await store.apply({ type: 'startExecutions', starts: [await makeStart(store, id)] });
  }
  await sampleActivity(store.db.sql, BEGUN_MS + MINUTE_MS);
  const use = async (query = '') => (await caller.get(`/v6/nodes/use/?${query}`)).json.results;
  t.strictSame(await use(), [
    {
      ...{ time: at(BEGUN_MS), node_count: 2, running_count: 2 },
      ...{ capacity: { cpus: 6, mem: 1_000.5 }, used: { cpus: 1.5, mem: 200 } },
    },
  ]);
  t.match(await use(`node_id=${store.ids.node2}`), [
    { node_count: 1, running_count: 0, capacity: { cpus: 2 }, used: {} },
  ]);
  t.match(await use('node_id=999'), [{ node_count: 0, running_count: 0 }]);

  const ahead = await savedJob(store, { queueing: makeQueueing({ resources: { cpus: 3 } }) });
  await store.apply({ type: 'startExecutions', starts: [await makeStart(store, ahead.id)] });
  await sampleActivity(store.db.sql, BEGUN_MS + 2 * MINUTE_MS);
  const minutes = await use(`node_id=${store.ids.node}`);
  t.match(minutes.at(-1), { running_count: 3, used: { cpus: 4, mem: 200 } }, 'what waits there uses nothing');
});
