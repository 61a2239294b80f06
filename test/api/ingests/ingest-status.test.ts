import t from 'tap';
import { ingestStatusRoutes } from '../../../src/api/ingests/status-routes.ts';
import { foldHours } from '../../../src/store/metrics/hour-totals.ts';
import { makeArrival, makeEnd, makeIngestEnd, makeSource, makeStart, savedJob } from '../../store/make.ts';
import { type StoreWorld, storeWorld } from '../../store/store-world.ts';
import { type Caller, makeCaller, NOW_MS } from '../../support/http.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** An hour, two days before the requests. */
const AT_MS = NOW_MS - 2 * DAY_MS;
const iso = (ms: number) => new Date(ms).toISOString();
const INGEST_TIME = 'use_ingest_time=true';

// biome-ignore lint/suspicious/noExplicitAny: items of the answer
type Item = any;

interface StatusWorld {
  readonly store: StoreWorld;
  readonly caller: Caller;
  items(query?: string): Promise<Item[]>;
}

async function statusWorld(t: { teardown(handler: () => Promise<void>): void }): Promise<StatusWorld> {
  const store = await storeWorld(t);
  const caller = makeCaller(ingestStatusRoutes, { sql: store.db.sql });
  return {
    store,
    caller,
    async items(query = '') {
      const { status, json, text } = await caller.get(`/v6/ingests/status/?${query}`);
      if (status !== 200) throw new Error(text);
      return json.results;
    },
  };
}

async function newStrike(store: StoreWorld): Promise<number> {
  const id = await store.newId('strike');
  const job = await savedJob(store);
  await store.rows(
    `insert into strike (id, shard, name, title, configuration, workspace_id, job_id, created, last_modified)
     values ($1::bigint, 1, 'strike-' || $1::bigint, 'S', '{}', $2, $3, now(), now())`,
    [id, store.ids.in, job.id],
  );
  return id;
}

interface Ingested {
  readonly size?: number;
  readonly dataMs?: number;
  readonly status?: 'INGESTED' | 'DUPLICATE' | 'ERRORED';
}

/** One file of a strike, ended at an instant; its source file. */
async function ingested(
  store: StoreWorld,
  strikeId: number,
  atMs: number,
  { size = 10, dataMs, status = 'INGESTED' }: Ingested = {},
): Promise<number> {
  const ids = { jobTypeId: store.ids.type, jobTypeRevId: store.ids.rev };
  const template = { shard: 1, ...ids, priority: 1, maxTries: 9, timeoutS: 0 } as const;
  const ingestId = await store.newId('ingest');
  const arrival = await makeArrival(store, { ingestId, filePath: `f/${ingestId}`, size, atMs });
  const owner = { kind: 'strike', key: strikeId } as const;
  await store.apply({ type: 'recordArrivals', owner, template, arrivals: [arrival] });
  await store.apply({ type: 'startIngests', ingests: [{ ingestId, atMs }] });
  const source = await makeSource(store);
  await store.apply(
    { type: 'createSourceFiles', files: [source] },
    { type: 'endIngests', ingests: [{ ...makeIngestEnd(ingestId), status, sourceFileId: source.id, atMs }] },
  );
  if (dataMs !== undefined) await parsed(store, source.id, dataMs);
  return source.id;
}

/** A job says when the data of a file begin. */
async function parsed(store: StoreWorld, fileId: number, dataStartedMs: number | null): Promise<void> {
  const { id: jobId } = await savedJob(store);
  const source = {
    ...{ fileId, jobId, recipeIds: [], tags: [], metadata: {}, footprint: null },
    ...{ sensorClass: null, sensor: null, collection: null, task: null },
    ...{ dataStartedMs, dataEndedMs: dataStartedMs, atMs: NOW_MS },
  };
  await store.apply({ type: 'parseSources', sources: [source] });
}

/** `[time, files, size]` of the hours that have files. */
const hours = (item: Item): unknown[] =>
  item.values
    .filter((slot: Item) => slot.files !== 0)
    .map((slot: Item) => [slot.time, slot.files, slot.size]);

t.test('ingest status: files are counted by the hour of their ingest, folded or not', async (t) => {
  const { store, items } = await statusWorld(t);
  const strikeId = await newStrike(store);
  await ingested(store, strikeId, AT_MS, { size: 10 });
  await ingested(store, strikeId, AT_MS + HOUR_MS - 1, { size: 5 });
  await foldHours(store.db.sql);
  await ingested(store, strikeId, AT_MS + HOUR_MS, { size: 7 });
  await ingested(store, strikeId, AT_MS, { status: 'DUPLICATE' });
  await ingested(store, strikeId, AT_MS, { status: 'ERRORED' });

  for (const when of ['half folded', 'folded']) {
    const [item] = await items(INGEST_TIME);
    t.match(item, { files: 3, size: 22, most_recent: iso(AT_MS + HOUR_MS) }, when);
    t.strictSame(hours(item), [
      [iso(AT_MS), 2, 15],
      [iso(AT_MS + HOUR_MS), 1, 7],
    ]);
    await foldHours(store.db.sql);
  }
});

t.test('ingest status: files are counted by data time once a job has reported it', async (t) => {
  const { store, items } = await statusWorld(t);
  const strikeId = await newStrike(store);
  const dataMs = AT_MS - DAY_MS + 90_000;
  const fileId = await ingested(store, strikeId, AT_MS, { size: 10 });
  await ingested(store, strikeId, AT_MS, { size: 99 });
  t.match(await items(), [{ files: 0, size: 0, most_recent: iso(AT_MS) }]);

  await parsed(store, fileId, dataMs);

  const [item] = await items();
  t.match(item, { files: 1, size: 10, most_recent: iso(AT_MS) });
  t.strictSame(hours(item), [[iso(dataMs - 90_000), 1, 10]]);
  t.match(await items(INGEST_TIME), [{ files: 2, size: 109 }], 'the other clock continues as before');
});

t.test('ingest status: a file moves to the hour of the data time that is reported later', async (t) => {
  const { store, items } = await statusWorld(t);
  const strikeId = await newStrike(store);
  const fileId = await ingested(store, strikeId, AT_MS, { dataMs: AT_MS });
  await foldHours(store.db.sql);

  await parsed(store, fileId, AT_MS + 3 * HOUR_MS);
  await parsed(store, fileId, AT_MS + 3 * HOUR_MS);

  t.strictSame(hours((await items())[0]), [[iso(AT_MS + 3 * HOUR_MS), 1, 10]]);
  await foldHours(store.db.sql);
  const [item] = await items();
  t.match(item, { files: 1, size: 10, most_recent: iso(AT_MS) });
  await parsed(store, fileId, null);
  t.match(await items(), [{ files: 0, size: 0, most_recent: iso(AT_MS) }]);
});

t.test('ingest status: most_recent is the end of the last ingest, in the range or not', async (t) => {
  const { store, items } = await statusWorld(t);
  const [strikeId, other] = [await newStrike(store), await newStrike(store)];
  const recent = async (query?: string) => (await items(query)).map((item) => item.most_recent);
  t.strictSame(await recent(), [null, null]);
  await ingested(store, strikeId, AT_MS - 40 * DAY_MS);
  await ingested(store, strikeId, AT_MS + HOUR_MS);
  await ingested(store, strikeId, AT_MS, { dataMs: AT_MS - 3 * DAY_MS });
  await ingested(store, strikeId, AT_MS + 9 * HOUR_MS, { status: 'ERRORED' });
  await ingested(store, other, AT_MS - 40 * DAY_MS);
  const expected = [iso(AT_MS + HOUR_MS), iso(AT_MS - 40 * DAY_MS)];
  for (const when of ['not folded', 'folded', 'folded and more']) {
    for (const query of [
      '',
      INGEST_TIME,
      `started=${iso(AT_MS - 9 * DAY_MS)}&ended=${iso(AT_MS - 8 * DAY_MS)}`,
    ]) {
      t.strictSame(await recent(query), expected, `${when}: ${query}`);
    }
    await foldHours(store.db.sql);
    if (when === 'folded') await ingested(store, strikeId, AT_MS - HOUR_MS);
  }
});

t.test('ingest status: every strike is listed with its job', async (t) => {
  const { store, caller, items } = await statusWorld(t);
  const strikes = [await newStrike(store), await newStrike(store), await newStrike(store)];
  await ingested(store, strikes[1] ?? 0, AT_MS);
  const { job_id: jobId } = await store.one<{ job_id: number }>('select job_id from strike where id = $1', [
    strikes[0],
  ]);
  await store.apply({ type: 'startExecutions', starts: [await makeStart(store, jobId)] });
  const error = { name: 'unknown', isBuiltin: true };
  await store.apply({ type: 'moveJobs', moves: [makeEnd(jobId, { to: 'FAILED', error })] });

  const all = await items(INGEST_TIME);
  t.strictSame(
    all.map((item) => [item.strike.id, item.files]),
    [
      [strikes[0], 0],
      [strikes[1], 1],
      [strikes[2], 0],
    ],
  );
  t.match(all[0].strike, {
    name: `strike-${strikes[0]}`,
    title: 'S',
    description: '',
    is_paused: false,
    job: {
      id: jobId,
      status: 'FAILED',
      priority: 100,
      num_exes: 1,
      event: { id: Number },
      error: { name: 'unknown' },
      job_type: { name: 'type-a' },
    },
  });
  t.equal(all[1].strike.job.error, null);
  const second = await caller.get(`/v6/ingests/status/?page=2&page_size=1&${INGEST_TIME}`);
  t.match(second.json, { count: 3, results: [{ strike: { id: strikes[1] }, files: 1 }], next: /page=3/ });
  t.match((await caller.get('/v6/ingests/status/?page=9')).json, { count: 3, results: [] });
});

t.test('ingest status: every hour of the range has an entry, with both ends whole', async (t) => {
  const { store, items } = await statusWorld(t);
  const strikeId = await newStrike(store);
  for (const at of [AT_MS - 1, AT_MS, AT_MS + 5 * HOUR_MS, AT_MS + 6 * HOUR_MS]) {
    await ingested(store, strikeId, at);
  }
  const range = (fromMs: number, toMs: number) => `${INGEST_TIME}&started=${iso(fromMs)}&ended=${iso(toMs)}`;

  const [item] = await items(range(AT_MS + 1, AT_MS + 5 * HOUR_MS + 1));
  t.equal(item.values.length, 6);
  t.equal(item.files, 2);
  t.strictSame(
    item.values.map((slot: Item) => slot.time),
    [0, 1, 2, 3, 4, 5].map((at) => iso(AT_MS + at * HOUR_MS)),
  );
  t.strictSame(
    item.values.map((slot: Item) => slot.files),
    [1, 0, 0, 0, 0, 1],
  );
  const [month] = await items('started=2015-01-01T00:00:00Z&ended=2015-01-02T05:00:00Z');
  t.equal(month.values.length, 30);
  const [week] = await items();
  t.equal(week.values.length, 7 * 24 + 13, 'from midnight a week ago to noon');
  t.equal(week.values[0].time, iso(Math.floor(NOW_MS / DAY_MS) * DAY_MS - 7 * DAY_MS));
});

t.test('ingest status: wrong parameters are refused', async (t) => {
  const { caller } = await statusWorld(t);
  const queries = ['started=x', 'ended=x', 'use_ingest_time=maybe', 'use_ingest_time=', 'page=0'];
  const ranges = ['started=P32D', 'started=P1D&ended=P2D', 'started=P1D&ended=P1D', 'ended=P8D'];
  for (const query of [...queries, ...ranges, 'page_size=1001']) {
    const { status, json } = await caller.get(`/v6/ingests/status/?${query}`);
    t.equal(status, 400, query);
    t.equal(json.code, 'INVALID_PARAMETER', query);
  }
  t.equal((await caller.get('/v6/ingests/status/?started=P31D')).status, 200);
  t.equal((await caller.call('POST', '/v6/ingests/status/', {})).status, 405);
});
