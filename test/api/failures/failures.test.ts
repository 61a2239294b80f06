/** `/v6/failures/`, on a real database. */
import t from 'tap';
import { changeRoutes } from '../../../src/api/changes/routes.ts';
import { changesApp } from '../../../src/api/changes/service.ts';
import { failureRoutes } from '../../../src/api/failures/routes.ts';
import { OpenStreams } from '../../../src/auth/open-streams.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { addTick } from '../../../src/store/change/ticks.ts';
import { foldOutcomes } from '../../../src/store/job/outcomes.ts';
import { makeEnd, makeQueue, makeStart, savedJob, savedRecipe } from '../../store/make.ts';
import { NOW, storeWorld } from '../../store/store-world.ts';
import { makeCaller, NOW_MS } from '../../support/http.ts';
import { silentLog } from '../../support/silent-log.ts';

const LOST = { name: 'node-lost', isBuiltin: true } as const;
const BAD = { name: 'bad-data', isBuiltin: false } as const;
const DAYS = 'started=2026-01-01T00:00:00Z';

async function failureWorld(t: { teardown(handler: () => Promise<void>): void }) {
  const store = await storeWorld(t);
  await ensureBuiltins(store.db.sql, NOW);
  const caller = makeCaller(failureRoutes, { sql: store.db.sql });
  const fail = async (error: typeof LOST | typeof BAD, atMs = NOW + 2) => {
    const { id } = await savedJob(store);
    await store.apply({ type: 'startExecutions', starts: [await makeStart(store, id)] });
    await store.apply({ type: 'moveJobs', moves: [makeEnd(id, { to: 'FAILED', error, atMs })] });
    return id;
  };
  const groups = async (query = DAYS) => {
    const { json } = await caller.get(`/v6/failures/?${query}`);
    return json.results.map((one: { error: { name: string }; count: number }) => [one.error.name, one.count]);
  };
  const errorId = async (name: string) =>
    (await store.one<{ id: number }>('select id from error where name = $1', [name])).id;
  return { store, caller, fail, groups, errorId };
}

t.test('failures: failed jobs are counted by type and error, folded or not', async (t) => {
  const { store, caller, fail, groups } = await failureWorld(t);
  t.strictSame(await groups(), []);
  await fail(LOST);
  const again = await fail(LOST, NOW + 60_000);
  await foldOutcomes(store.db.sql, NOW_MS);
  await fail(BAD);
  t.strictSame(await groups(), [
    ['node-lost', 2],
    ['bad-data', 1],
  ]);
  const { json } = await caller.get(`/v6/failures/?${DAYS}&page_size=1`);
  t.match(json, {
    count: 2,
    results: [
      {
        job_type: { id: store.ids.type, name: 'type-a' },
        error: { name: 'node-lost', category: 'SYSTEM' },
        most_recent: new Date(NOW + 60_000).toISOString(),
        ...{ is_known: false, note: '', noted_by: null, noted: null },
      },
    ],
  });
  await store.apply({ type: 'moveJobs', moves: [makeQueue(again, ['FAILED'], 1)] });
  t.strictSame((await groups()).toSorted(), [
    ['bad-data', 1],
    ['node-lost', 1],
  ]);
  t.strictSame(await groups(`${DAYS}&job_type_id=${store.ids.type2}`), []);
  t.strictSame(await groups(''), [], 'by default those of the last day');
  t.equal((await caller.get('/v6/failures/?started=P40D')).status, 400);
});

t.test('failures: a group is marked as known for everybody, with a note', async (t) => {
  const { store, caller, fail, groups, errorId } = await failureWorld(t);
  await fail(LOST);
  await fail(LOST);
  await fail(BAD);
  const path = `/v6/failures/${store.ids.type}/${await errorId('node-lost')}/`;
  t.equal((await caller.call('PATCH', path, { is_known: true, note: 'power cut' })).status, 204);
  t.strictSame(
    await groups(),
    [
      ['bad-data', 1],
      ['node-lost', 2],
    ],
    'what is known comes last',
  );
  t.strictSame(await groups(`${DAYS}&is_known=true`), [['node-lost', 2]]);
  t.strictSame(await groups(`${DAYS}&is_known=false`), [['bad-data', 1]]);
  const [known] = (await caller.get(`/v6/failures/?${DAYS}&is_known=true`)).json.results;
  t.match(known, { is_known: true, note: 'power cut', noted_by: String, noted: NOW_ISO });
  t.equal((await caller.call('PATCH', path, { is_known: false })).status, 204);
  const [kept] = (await caller.get(`/v6/failures/?${DAYS}`)).json.results;
  t.match(kept, { is_known: false, note: 'power cut' }, 'what is not sent stays');
});

const NOW_ISO = new Date(NOW_MS).toISOString();

t.test('failures: wrong notes, and notes about an unknown group, are refused', async (t) => {
  const { store, caller, errorId } = await failureWorld(t);
  const pathOf = (type: number, error: number) => `/v6/failures/${type}/${error}/`;
  const [type, error] = [store.ids.type, await errorId('bad-data')];
  for (const path of [pathOf(999, error), pathOf(type, 999_999), pathOf(0, error)]) {
    t.equal((await caller.call('PATCH', path, { is_known: true })).status, 404, path);
  }
  for (const body of [{}, { is_known: 'yes' }, { note: 7 }, { note: 'x'.repeat(1_001) }, { text: '' }]) {
    t.equal(
      (await caller.call('PATCH', pathOf(type, error), body)).status,
      400,
      JSON.stringify(body).slice(0, 40),
    );
  }
  t.equal((await caller.call('PATCH', pathOf(type, error), { note: 'x'.repeat(1_000) })).status, 204);
});

t.test('failures: failures of a batch count the jobs that it has now', async (t) => {
  const { store, caller, fail } = await failureWorld(t);
  const { id: batch } = await store.one<{ id: number }>(
    `with e as (insert into event (type, occurred) values ('USER', now()) returning id)
     insert into batch (shard, recipe_type_id, recipe_type_rev_id, event_id, definition, root_batch_id,
       recipes_estimated, created, last_modified)
     select 1, $1, $2, e.id, '{}', 1, 0, now(), now() from e returning id`,
    [store.ids.recipeType, store.ids.recipeRev],
  );
  const path = `/v6/batches/${batch}/failures/`;
  const jobs = [await fail(LOST), await fail(LOST), await fail(BAD)];
  await fail(BAD);
  await store.rows('update job set batch_id = $1 where id = any($2::bigint[])', [batch, jobs]);
  const counts = async () =>
    (await caller.get(path)).json.results.map((one: { error: { name: string }; count: number }) => [
      one.error.name,
      one.count,
    ]);
  t.strictSame(await counts(), [
    ['node-lost', 2],
    ['bad-data', 1],
  ]);
  t.match((await caller.get(`${path}?page=2&page_size=1`)).json, { count: 2, results: [{ count: 1 }] });
  const recipe = await savedRecipe(store);
  await store.rows('update job set live_recipe_id = $2, live_batch_id = null where id = $1', [
    jobs[2],
    recipe.id,
  ]);
  t.strictSame(
    await counts(),
    [['node-lost', 2]],
    "a job that lives on elsewhere is not the batch's any more",
  );
  t.equal((await caller.get('/v6/batches/999999/failures/')).status, 404);
});

t.test('failures: what is noted about a group is in the stream of changes, each time once', async (t) => {
  const { store, caller, fail, errorId } = await failureWorld(t);
  const { sql } = store.db;
  await fail(LOST);
  await addTick(sql);
  const streams = new OpenStreams({
    sql,
    limits: { perCaller: 1, all: 1 },
    nowMs: () => NOW,
    log: silentLog,
  });
  const { get } = makeCaller(changeRoutes, { changes: changesApp({ sql, log: silentLog, streams }) });
  const { cursor } = (await get('/v6/changes/')).json;
  const path = `/v6/failures/${store.ids.type}/${await errorId('node-lost')}/`;
  t.equal((await caller.call('PATCH', path, { is_known: true })).status, 204);
  // Two people at once: each changes what the request names.
  const [one, other] = await Promise.all([
    caller.call('PATCH', path, { note: 'power cut' }),
    caller.call('PATCH', path, { is_known: false }),
  ]);
  t.strictSame([one.status, other.status], [204, 204]);
  t.equal((await caller.call('PATCH', '/v6/failures/9999/9999/', { note: 'x' })).status, 404);
  await addTick(sql);
  const { changes } = (await get(`/v6/changes/?after=${cursor}&kind=failure_note`)).json;
  t.match(changes, [
    { what: 'created', object_version: 1, job_type_id: store.ids.type, error: 'node-lost', to: null },
    { what: 'edited', object_version: 2, id: changes[0].id },
    { what: 'edited', object_version: 3, id: changes[0].id },
  ]);
  t.equal(changes.length, 3);
  const { json } = await caller.get(`/v6/failures/?${DAYS}`);
  t.match(json.results, [{ is_known: false, note: 'power cut' }]);
});
