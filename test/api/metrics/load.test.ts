import t from 'tap';
import { loadRoutes } from '../../../src/api/load/routes.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { sampleLoad, sampleMinute } from '../../../src/store/metrics/load-samples.ts';
import { makeStart, savedJob } from '../../store/make.ts';
import { type StoreWorld, storeWorld } from '../../store/store-world.ts';
import { type Caller, makeCaller, NOW_MS } from '../../support/http.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Half past eleven, the day before the requests. */
const AT_MS = NOW_MS - DAY_MS - HOUR_MS / 2;

interface LoadWorld {
  readonly store: StoreWorld;
  readonly caller: Caller;
  /** `[time, pending, queued, running]` of each item. */
  items(query?: string): Promise<(string | number)[][]>;
}

async function loadWorld(t: { teardown(handler: () => Promise<void>): void }): Promise<LoadWorld> {
  const store = await storeWorld(t);
  const caller = makeCaller(loadRoutes, { sql: store.db.sql });
  return {
    store,
    caller,
    async items(query = '') {
      const { status, json, text } = await caller.get(`/v6/load/?${query}`);
      if (status !== 200) throw new Error(text);
      // biome-ignore lint/suspicious/noExplicitAny: an item of the answer
      return json.results.map((one: any) => [
        one.time,
        one.pending_count,
        one.queued_count,
        one.running_count,
      ]);
    },
  };
}

const iso = (ms: number) => new Date(ms).toISOString();

/** One hour without jobs, then one with: type-a has one pending, two queued, one running; type-b one queued. */
async function sampled(world: LoadWorld): Promise<void> {
  const { store } = world;
  const { sql } = store.db;
  await sampleLoad(sql, AT_MS);
  await savedJob(store, { status: 'PENDING' });
  await savedJob(store, { status: 'BLOCKED' });
  await savedJob(store);
  await savedJob(store);
  const { id } = await savedJob(store);
  await store.apply({ type: 'startExecutions', starts: [await makeStart(store, id)] });
  await savedJob(store, { jobTypeId: store.ids.type2 });
  await store.rows(`update job_type set tags = '{images}', configuration = '{"priority": 7}' where id = $1`, [
    store.ids.type2,
  ]);
  await sampleLoad(sql, AT_MS + HOUR_MS);
}

t.test('load: live jobs are counted once an hour, even by concurrent attempts', async (t) => {
  const world = await loadWorld(t);
  await sampled(world);
  const { sql } = world.store.db;
  const expected = [
    [iso(AT_MS), 0, 0, 0],
    [iso(AT_MS + HOUR_MS), 1, 3, 1],
  ];
  t.strictSame(await world.items(), expected);

  await savedJob(world.store);
  await Promise.all([1, 2, 3].map((minute) => sampleLoad(sql, AT_MS + HOUR_MS + minute * 60_000)));

  t.strictSame(await world.items(), expected);
});

t.test('load: a day is shown by the minute, from the counters of lists', async (t) => {
  const world = await loadWorld(t);
  const { sql } = world.store.db;
  await sampleMinute(sql, NOW_MS - 61 * 60_000);
  await sampled(world);
  const [first, second] = [NOW_MS - 90_000, NOW_MS - 1_000];
  await Promise.all([sampleMinute(sql, first), sampleMinute(sql, first)]);
  await savedJob(world.store);
  await sampleMinute(sql, second);
  const minutes = (query = '') => world.items(`interval=minute${query}`);

  t.strictSame(await minutes(), [
    [iso(NOW_MS - 61 * 60_000), 0, 0, 0],
    [iso(first), 1, 3, 1],
    [iso(second), 1, 4, 1],
  ]);
  t.strictSame(await minutes(`&started=${iso(second)}&job_type_id=${world.store.ids.type2}`), [
    [iso(second), 0, 1, 0],
  ]);
  t.equal((await world.items('interval=hour')).length, 2, 'hours are apart from them');
  await sampleMinute(sql, NOW_MS + DAY_MS - 60 * 60_000);
  t.equal((await minutes()).length, 2, 'minutes of more than a day ago are forgotten');
  const { status, json } = await world.caller.get('/v6/load/?interval=second');
  t.equal(status, 400);
  t.match(json.errors, [{ path: 'interval' }]);
});

t.test('load: the jobs of a scan count once somebody has started them', async (t) => {
  const world = await loadWorld(t);
  const { db, rows, one } = world.store;
  await ensureBuiltins(db.sql, AT_MS);
  const { id: jobTypeId } = await one<{ id: number }>(`select id from job_type where name = 'millrace-scan'`);
  for (const status of ['PENDING', 'QUEUED'] as const) {
    const { id } = await savedJob(world.store, { status, jobTypeId });
    await rows(`update job set owner_kind = 'scan' where id = $1`, [id]);
  }
  await savedJob(world.store, { status: 'PENDING' });
  await sampleLoad(db.sql, NOW_MS - 1);
  await sampleMinute(db.sql, NOW_MS - 1);
  const expected = [[iso(NOW_MS - 1), 1, 1, 0]];
  t.strictSame(await world.items(), expected);
  t.strictSame(await world.items('interval=minute'), expected);
});

t.test('load: filters restrict the types, and hours without jobs are zero', async (t) => {
  const world = await loadWorld(t);
  await sampled(world);
  const { ids } = world.store;
  const last = async (query: string) => (await world.items(query)).map((item) => item.slice(1));
  const none = [0, 0, 0];
  const a = [none, [1, 2, 1]];
  const b = [none, [0, 1, 0]];

  t.strictSame(await last(`job_type_id=${ids.type}`), a);
  t.strictSame(await last(`job_type_id=${ids.type2}`), b);
  t.strictSame(await last(`job_type_id=${ids.type}&job_type_id=${ids.type2}`), [none, [1, 3, 1]]);
  t.strictSame(await last('job_type_id=999999'), [none, none]);
  t.strictSame(await last('job_type_name=type-b'), b);
  t.strictSame(await last('job_type_name=type-b&job_type_name=type-a'), [none, [1, 3, 1]]);
  t.strictSame(await last('job_type_category=images&job_type_category=text'), b);
  t.strictSame(await last('job_type_category=image'), [none, none]);
  t.strictSame(await last('job_type_priority=7'), b);
  t.strictSame(await last('job_type_priority=100'), a, 'a type that sets none has the default');
  t.strictSame(await last('job_type_priority=100&job_type_name=type-b'), [none, none]);
});

t.test('load: the range includes both ends, and begins a week ago by default', async (t) => {
  const world = await loadWorld(t);
  const { sql } = world.store.db;
  const midnight = Math.floor(NOW_MS / DAY_MS) * DAY_MS - 7 * DAY_MS;
  for (const atMs of [midnight - 1, midnight, AT_MS, NOW_MS - HOUR_MS]) await sampleLoad(sql, atMs);
  const times = async (query: string) => (await world.items(query)).map(([time]) => time);

  t.strictSame(await times(''), [midnight, AT_MS, NOW_MS - HOUR_MS].map(iso));
  t.strictSame(
    await times(`started=${iso(midnight - 1)}&ended=${iso(midnight)}`),
    [midnight - 1, midnight].map(iso),
  );
  t.strictSame(await times('started=P2D'), [AT_MS, NOW_MS - HOUR_MS].map(iso));
  t.strictSame(await times('started=P2D&ended=PT2H'), [AT_MS].map(iso));
  const page = await world.caller.get('/v6/load/?page_size=1&page=2');
  t.match(page.json, { count: 3, results: [{ time: iso(AT_MS) }], previous: /page_size=1$/, next: /page=3/ });
});

t.test('load: wrong parameters are refused', async (t) => {
  const { caller } = await loadWorld(t);
  const queries = ['job_type_id=x', 'job_type_id=0', 'job_type_priority=high', 'page=0', 'page_size=1001'];
  const ranges = [
    'started=P32D',
    'started=P1D&ended=P2D',
    'started=P1D&ended=P1D',
    'started=now',
    'ended=P8D',
  ];
  for (const query of [...queries, ...ranges]) {
    const { status, json } = await caller.get(`/v6/load/?${query}`);
    t.equal(status, 400, query);
    t.equal(json.code, 'INVALID_PARAMETER', query);
  }
  t.equal((await caller.get('/v6/load/?started=P31D')).status, 200);
  t.equal((await caller.call('POST', '/v6/load/', {})).status, 405);
});
