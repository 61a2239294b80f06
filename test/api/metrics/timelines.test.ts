import t from 'tap';
import { timelineRoutes } from '../../../src/api/timelines/routes.ts';
import { foldStarts } from '../../../src/store/metrics/daily-starts.ts';
import {
  makeExecutionEnd,
  makeQueue,
  makeQueueing,
  makeStart,
  savedJob,
  savedRecipe,
} from '../../store/make.ts';
import { type StoreWorld, storeWorld } from '../../store/store-world.ts';
import { type Caller, makeCaller, NOW_MS } from '../../support/http.ts';

const DAY_MS = 86_400_000;
/** Midnights, UTC: of the day of the requests, and those before. */
const TODAY = Math.floor(NOW_MS / DAY_MS) * DAY_MS;
const YESTERDAY = TODAY - DAY_MS;
const EARLIER = TODAY - 5 * DAY_MS;
const iso = (ms: number) => new Date(ms).toISOString();

async function timelineWorld(t: {
  teardown(handler: () => Promise<void>): void;
}): Promise<{ store: StoreWorld; caller: Caller; days(path: string): Promise<unknown[]> }> {
  const store = await storeWorld(t);
  const caller = makeCaller(timelineRoutes, { sql: store.db.sql });
  return {
    store,
    caller,
    async days(path) {
      const { status, json, text } = await caller.get(`/v6/timeline/${path}`);
      if (status !== 200) throw new Error(text);
      if (json.count !== json.results.length) throw new Error('the count is not that of the results');
      // biome-ignore lint/suspicious/noExplicitAny: items of the answer
      return json.results.map((item: any) => [
        item.version ?? item.revision_num,
        // biome-ignore lint/suspicious/noExplicitAny: items of the answer
        ...item.results.map((day: any) => [day.date, day.count]),
      ]);
    },
  };
}

/** A job of a type that starts at an instant; its id. */
async function startedAt(store: StoreWorld, atMs: number, jobTypeId = store.ids.type): Promise<number> {
  const { id } = await savedJob(store, { jobTypeId });
  await store.apply({ type: 'startExecutions', starts: [await makeStart(store, id, { atMs })] });
  return id;
}

/** Fails the first execution, and starts the second. */
async function startAgain(store: StoreWorld, jobId: number, atMs: number): Promise<void> {
  const first = await store.one<{ id: number }>('select id from job_exe where job_id = $1', [jobId]);
  const error = { name: 'unknown', isBuiltin: true };
  await store.apply(
    { type: 'moveJobs', moves: [makeQueue(jobId, ['RUNNING'], 1, makeQueueing({ exeNum: 2 }))] },
    { type: 'endExecutions', ends: [makeExecutionEnd(first.id, { status: 'FAILED', error })] },
  );
  await store.apply({
    type: 'startExecutions',
    starts: [await makeStart(store, jobId, { exeNum: 2, atMs })],
  });
}

t.test('job timeline: starts are counted by type and whole UTC day, folded or not', async (t) => {
  const { store, days } = await timelineWorld(t);
  const { sql } = store.db;
  await startedAt(store, EARLIER + DAY_MS - 1);
  await startedAt(store, YESTERDAY);
  await foldStarts(sql);
  await startedAt(store, YESTERDAY + 1);
  await startedAt(store, TODAY, store.ids.type2);
  await store.rows(`update job_type set version = '2.0.0' where id = $1`, [store.ids.type2]);
  const expected = [
    ['1.0.0', [iso(EARLIER), 1], [iso(YESTERDAY), 2]],
    ['2.0.0', [iso(TODAY), 1]],
  ];

  t.strictSame(await days('job-types/?started=P10D'), expected);
  await foldStarts(sql);
  t.strictSame(await days('job-types/?started=P10D'), expected);
  t.strictSame(await store.rows('select id from daily_start_delta'), []);
  await foldStarts(sql);
  t.strictSame(await days('job-types/?started=P10D'), expected, 'folding nothing changes nothing');
});

t.test('job timeline: a job that starts again moves to the day of its last start', async (t) => {
  const { store, days } = await timelineWorld(t);
  const jobId = await startedAt(store, EARLIER);
  await foldStarts(store.db.sql);

  await startAgain(store, jobId, TODAY);

  t.strictSame(await days('job-types/?started=P10D'), [['1.0.0', [iso(TODAY), 1]]]);
  const sameDay = await startedAt(store, YESTERDAY);
  await startAgain(store, sameDay, YESTERDAY + 5_000);
  await foldStarts(store.db.sql);
  t.strictSame(await days('job-types/?started=P10D'), [['1.0.0', [iso(YESTERDAY), 1], [iso(TODAY), 1]]]);
});

t.test('job timeline: all filters must match, each with any of its values', async (t) => {
  const { store, caller, days } = await timelineWorld(t);
  await startedAt(store, YESTERDAY);
  await startedAt(store, YESTERDAY, store.ids.type2);
  await store.rows(`update job_type set version = '2.0.0', revision_num = 4 where id = $1`, [
    store.ids.type2,
  ]);
  const versions = async (query: string) =>
    (await days(`job-types/?started=P10D&${query}`)).map((item) => (item as unknown[])[0]);

  t.strictSame(await versions(`id=${store.ids.type2}`), ['2.0.0']);
  t.strictSame(await versions(`id=${store.ids.type}&id=${store.ids.type2}`), ['1.0.0', '2.0.0']);
  t.strictSame(await versions('name=type-a'), ['1.0.0']);
  t.strictSame(await versions(`id=${store.ids.type2}&name=type-a`), []);
  t.strictSame(await versions('version=2.0.0&version=3.0.0'), ['2.0.0']);
  t.strictSame(await versions('name=type-a&version=2.0.0'), []);
  const { json } = await caller.get('/v6/timeline/job-types/?started=P10D&name=type-b');
  t.strictSame(json, {
    count: 1,
    results: [
      {
        job_type_id: store.ids.type2,
        name: 'type-b',
        version: '2.0.0',
        title: 'B',
        revision_num: 4,
        results: [{ date: iso(YESTERDAY), count: 1 }],
      },
    ],
  });
});

t.test('recipe timeline: recipes are counted by revision and the day they were created', async (t) => {
  const { store, caller, days } = await timelineWorld(t);
  const { ids } = store;
  const revision = await store.one<{ id: number }>(
    `insert into recipe_type_rev (recipe_type_id, revision_num, definition, created)
     select id, 2, definition, now() from recipe_type where id = $1 returning id`,
    [ids.recipeType],
  );
  await savedRecipe(store, { atMs: YESTERDAY });
  await savedRecipe(store, { atMs: YESTERDAY + DAY_MS - 1 });
  await foldStarts(store.db.sql);
  await savedRecipe(store, { atMs: TODAY, recipeTypeRevId: revision.id });

  t.strictSame(await days('recipe-types/?started=P10D'), [
    [1, [iso(YESTERDAY), 2]],
    [2, [iso(TODAY), 1]],
  ]);
  t.strictSame(await days('recipe-types/?started=P10D&rev=2&rev=3'), [[2, [iso(TODAY), 1]]]);
  t.strictSame(await days(`recipe-types/?started=P10D&id=${ids.recipeType}&rev=1`), [
    [1, [iso(YESTERDAY), 2]],
  ]);
  t.strictSame(await days('recipe-types/?started=P10D&name=recipe-b'), []);
  t.strictSame(await days(`recipe-types/?started=P10D&name=recipe-a&id=${ids.recipeType + 1}`), []);
  const { json } = await caller.get('/v6/timeline/recipe-types/?started=P10D&rev=2');
  t.match(json.results, [{ recipe_type_id: ids.recipeType, name: 'recipe-a', title: 'RA', revision_num: 2 }]);
  t.strictSame(await days('job-types/?started=P10D'), [], 'recipes are no jobs');
});

t.test('timelines: the days of both ends are shown whole', async (t) => {
  const { store, days } = await timelineWorld(t);
  for (const atMs of [EARLIER - 1, EARLIER, YESTERDAY, TODAY + DAY_MS - 1, TODAY + DAY_MS]) {
    await startedAt(store, atMs);
  }
  const shown = async (query: string) =>
    ((await days(`job-types/?${query}`))[0] as unknown[]).slice(1).length;

  t.equal(await shown(`started=${iso(EARLIER + 3_600_000)}`), 3, 'to the end of today');
  t.equal(await shown(`started=${iso(EARLIER - 1)}&ended=${iso(YESTERDAY + 1)}`), 3);
  t.equal(await shown('started=PT1H'), 1, 'an hour ago is today');
});

t.test('timelines: wrong parameters are refused', async (t) => {
  const { caller } = await timelineWorld(t);
  const queries = ['', 'ended=P1D', 'started=', 'started=x', 'started=P1D&ended=P2D', 'started=P1D&id=x'];
  for (const path of ['job-types', 'recipe-types']) {
    for (const query of [...queries, 'started=P1D&id=0']) {
      const { status, json } = await caller.get(`/v6/timeline/${path}/?${query}`);
      t.equal(status, 400, `${path} ${query}`);
      t.equal(json.code, 'INVALID_PARAMETER');
    }
    t.equal((await caller.call('POST', `/v6/timeline/${path}/`, {})).status, 405);
  }
  t.equal((await caller.get('/v6/timeline/recipe-types/?started=P1D&rev=x')).status, 400);
  t.equal((await caller.get('/v6/timeline/recipe-types/?started=P1D&rev=0')).status, 400);
});
