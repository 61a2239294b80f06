import fc from 'fast-check';
import t from 'tap';
import { jobTypeViewRoutes } from '../../../src/api/job-types/view-routes.ts';
import { foldOutcomes, SLOT_MS } from '../../../src/store/job/outcomes.ts';
import { EXECUTIONS_MAX } from '../../../src/store/job-type/used.ts';
import { makeEnd, makeExecutionEnd, makeQueue, makeQueueing, makeStart, savedJob } from '../../store/make.ts';
import { type StoreWorld, storeWorld } from '../../store/store-world.ts';
import { type Caller, makeCaller, NOW_MS } from '../../support/http.ts';

const HOUR_MS = 3_600_000;
/** Two hours before the requests. */
const AT = NOW_MS - 2 * HOUR_MS;

interface Views extends Caller {
  readonly store: StoreWorld;
  /** `status/` as `[status, category, count]` of a type. */
  counts(typeId: number, query?: string): Promise<(string | number | null)[][]>;
}

async function viewsWorld(t: { teardown(handler: () => Promise<void>): void }): Promise<Views> {
  const store = await storeWorld(t);
  const caller = makeCaller(jobTypeViewRoutes, { sql: store.db.sql });
  return {
    ...caller,
    store,
    async counts(typeId, query = '') {
      const { status, json, text } = await caller.get(`/v6/job-types/status/?${query}`);
      if (status !== 200) throw new Error(text);
      // biome-ignore lint/suspicious/noExplicitAny: items of the answer
      const item = json.results.find((one: any) => one.job_type.id === typeId);
      // biome-ignore lint/suspicious/noExplicitAny: items of the answer
      return item.job_counts.map((one: any) => [one.status, one.category, one.count]);
    },
  };
}

const LOST = { name: 'node-lost', isBuiltin: true, detail: '' };
const BAD_DATA = { name: 'bad-data', isBuiltin: false, detail: '' };

/** One job a status: those at rest since AT; a job of another type runs since long ago. */
async function oneOfEach({ store }: Views): Promise<void> {
  const end = async (over: Parameters<typeof makeEnd>[1], atMs = AT) => {
    const { id } = await savedJob(store, { atMs });
    await store.apply({ type: 'moveJobs', moves: [makeEnd(id, { atMs, ...over })] });
  };
  await savedJob(store, { status: 'PENDING', atMs: AT });
  await savedJob(store, { status: 'BLOCKED', atMs: AT });
  await savedJob(store, { atMs: AT });
  await end({});
  await end({ to: 'FAILED', error: LOST });
  await end({ to: 'FAILED', error: BAD_DATA });
  await end({}, AT - 5 * HOUR_MS);
  const { id } = await savedJob(store, { jobTypeId: store.ids.type2, atMs: AT - 20 * HOUR_MS });
  const start = await makeStart(store, id, { atMs: AT - 10 * HOUR_MS });
  await store.apply({ type: 'startExecutions', starts: [start] });
}

t.test('job type status: every type has its changes of three hours and all running jobs', async (t) => {
  const world = await viewsWorld(t);
  await oneOfEach(world);
  const { type, type2 } = world.store.ids;
  const all = [
    ['BLOCKED', null, 1],
    ['COMPLETED', null, 1],
    ['FAILED', 'DATA', 1],
    ['FAILED', 'SYSTEM', 1],
    ['PENDING', null, 1],
    ['QUEUED', null, 1],
  ];
  for (const isFolded of [false, true]) {
    if (isFolded) await foldOutcomes(world.store.db.sql, NOW_MS);
    t.strictSame(await world.counts(type), all, `folded: ${isFolded}`);
    t.strictSame(await world.counts(type2), [['RUNNING', null, 1]]);
    t.strictSame(await world.counts(type, 'started=PT10H'), [
      all[0],
      ['COMPLETED', null, 2],
      ...all.slice(2),
    ]);
    t.strictSame(await world.counts(type, 'started=PT1H'), []);
    t.strictSame(await world.counts(type2, 'started=PT1H'), [['RUNNING', null, 1]]);
    const ended = encodeURIComponent(new Date(AT - 4 * HOUR_MS).toISOString());
    t.strictSame(await world.counts(type, `started=PT10H&ended=${ended}`), [['COMPLETED', null, 1]]);
  }
});

t.test('job type status: it shows summaries in pages, of active or deprecated types', async (t) => {
  const world = await viewsWorld(t);
  await world.store.rows('update job_type set is_active = false where id = $1', [world.store.ids.type2]);
  const { json } = await world.get('/v6/job-types/status/?is_active=false');
  t.match(json, {
    count: 1,
    results: [
      { job_type: { name: 'type-b', version: '1.0.0', title: 'B', is_active: false }, job_counts: [] },
    ],
  });
  const first = await world.get('/v6/job-types/status/?page_size=1');
  t.equal(first.json.results.length, 1);
  t.equal(first.json.count, 2);
  t.match(first.json.next, /page=2/);
});

t.test('job type views: wrong values are refused, each with its parameter', async (t) => {
  const world = await viewsWorld(t);
  for (const [query, path] of [
    ['started=yesterday', 'started'],
    ['ended=1', 'ended'],
    ['started=P40D', 'started'],
    ['started=PT1H&ended=PT2H', 'started'],
    ['is_active=maybe', 'is_active'],
    ['page=0', 'page'],
    ['page_size=1001', 'page_size'],
  ] as const) {
    const { status, json } = await world.get(`/v6/job-types/status/?${query}`);
    t.equal(status, 400, query);
    t.equal(json.errors[0].path, path);
  }
  for (const view of ['pending', 'running', 'system-failures']) {
    t.equal((await world.get(`/v6/job-types/${view}/?page=x`)).status, 400, view);
    const empty = await world.get(`/v6/job-types/${view}/`);
    t.match(empty.json, { count: 0, results: [] }, view);
  }
});

t.test('job type pending and running: counts are shown with their longest wait, longest first', async (t) => {
  const world = await viewsWorld(t);
  await oneOfEach(world);
  const { store } = world;
  await savedJob(store, { status: 'PENDING', jobTypeId: store.ids.type2, atMs: AT - 1 });
  await savedJob(store, { status: 'PENDING', jobTypeId: store.ids.type2, atMs: AT + 1 });
  const pending = await world.get('/v6/job-types/pending/');
  t.match(pending.json, {
    count: 2,
    results: [
      { job_type: { name: 'type-b' }, count: 2, longest_pending: new Date(AT - 1).toISOString() },
      { job_type: { name: 'type-a' }, count: 1, longest_pending: new Date(AT).toISOString() },
    ],
  });
  const second = await world.get('/v6/job-types/pending/?page=2&page_size=1');
  t.match(second.json, { count: 2, results: [{ job_type: { name: 'type-a' } }] });
  t.match((await world.get('/v6/job-types/running/')).json, {
    count: 1,
    results: [
      { job_type: { name: 'type-b' }, count: 1, longest_running: new Date(AT - 10 * HOUR_MS).toISOString() },
    ],
  });
});

t.test('job type system failures: FAILED jobs count by type and error until requeued', async (t) => {
  const world = await viewsWorld(t);
  await oneOfEach(world);
  const { store } = world;
  const { id } = await savedJob(store, { atMs: AT });
  const failed = makeEnd(id, { to: 'FAILED', error: LOST, atMs: AT + 5_000 });
  await store.apply({ type: 'moveJobs', moves: [failed] });
  for (const isFolded of [false, true]) {
    if (isFolded) await foldOutcomes(store.db.sql, NOW_MS);
    t.match((await world.get('/v6/job-types/system-failures/')).json, {
      count: 1,
      results: [
        {
          job_type: { name: 'type-a' },
          error: { name: 'node-lost', category: 'SYSTEM', is_builtin: true },
          count: 2,
          first_error: new Date(AT).toISOString(),
          last_error: new Date(AT + 5_000).toISOString(),
        },
      ],
    });
  }
  await store.apply({ type: 'moveJobs', moves: [makeQueue(id, ['FAILED'], 1, { atMs: AT + 9_000 })] });
  t.match((await world.get('/v6/job-types/system-failures/')).json, {
    results: [{ count: 1, last_error: new Date(AT).toISOString() }],
  });
});

t.test('job outcomes: slots older than all views are removed', async (t) => {
  const world = await viewsWorld(t);
  const { store } = world;
  for (const days of [33, 1]) {
    const atMs = NOW_MS - days * 24 * HOUR_MS;
    const { id } = await savedJob(store, { atMs, queueing: makeQueueing({ atMs }) });
    await store.apply({ type: 'moveJobs', moves: [makeEnd(id, { atMs })] });
  }
  await foldOutcomes(store.db.sql, NOW_MS);
  t.strictSame((await store.one<{ count: number }>('select count(*) as count from job_outcome')).count, 1);
});

t.test('job outcomes: counters equal a recount, whatever happened to jobs', async (t) => {
  const { store } = await viewsWorld(t);
  const step = fc.record({
    what: fc.constantFrom('end', 'fail', 'lose', 'cancel', 'queue', 'fold'),
    job: fc.nat({ max: 3 }),
    minutes: fc.nat({ max: 9 }),
    isGrouped: fc.boolean(),
  });
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
    const jobs = await Promise.all([1, 2, 3, 4].map(() => savedJob(store, { atMs: AT })));
    const exes = jobs.map(() => 1);
    const isAtRest = jobs.map(() => false);
    let atMs = AT;
    let turns: Parameters<StoreWorld['apply']>[] = [];
    const flush = async () => {
      if (turns.length > 0) await store.applyAll(...turns);
      turns = [];
    };
    for (const { what, job, minutes, isGrouped } of steps) {
      const id = jobs[job]?.id ?? 0;
      const exeNum = exes[job] ?? 1;
      atMs += minutes * 60_000;
      if (what === 'fold') {
        await flush();
        await foldOutcomes(store.db.sql, NOW_MS);
      } else if (what === 'queue') {
        if (!isAtRest[job]) continue;
        const from = ['FAILED', 'CANCELED'] as const;
        turns.push([{ type: 'moveJobs', moves: [makeQueue(id, from, exeNum, { atMs })] }]);
        exes[job] = exeNum + 1;
        isAtRest[job] = false;
      } else {
        if (isAtRest[job]) continue;
        const to = what === 'cancel' ? 'CANCELED' : 'FAILED';
        const error = what === 'fail' ? BAD_DATA : what === 'lose' ? LOST : null;
        const over = what === 'end' ? { to: 'FAILED' as const } : { to, error };
        turns.push([{ type: 'moveJobs', moves: [makeEnd(id, { exeNum, atMs, ...over } as never)] }]);
        isAtRest[job] = true;
      }
      if (!isGrouped) await flush();
    }
    await flush();
    const found = await store.rows(
      `select job_type_id, slot, status, error_id, sum(count)::int as count from (
         select job_type_id, slot, status, error_id, count from job_outcome
         union all select job_type_id, slot, status, error_id, count from job_outcome_delta) as o
       group by 1, 2, 3, 4 having sum(count) <> 0 order by 1, 2, 3, 4`,
    );
    const wanted = await store.rows(
      `select job_type_id, to_timestamp(floor(extract(epoch from last_status_change) * 1000 / ${SLOT_MS})
         * ${SLOT_MS} / 1000) as slot, status, coalesce(error_id, 0) as error_id, count(*)::int as count
       from job where status in ('FAILED', 'COMPLETED', 'CANCELED') group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
    );
    if (JSON.stringify(found) !== JSON.stringify(wanted)) {
      throw new Error(`counted ${JSON.stringify(found)}\nrecount ${JSON.stringify(wanted)}`);
    }
  });
  await t.resolves(fc.assert(property, { numRuns: 40 }));
});

t.test('job types: recent executions show used and given resources', async (t) => {
  const { store, get } = await viewsWorld(t);
  const MIB = 1024 * 1024;
  const path = async (typeId: number): Promise<string> => {
    const type = await store.one<{ name: string; version: string }>(
      'select name, version from job_type where id = $1',
      [typeId],
    );
    return `/v6/job-types/${type.name}/${type.version}/used/`;
  };
  const own = await path(store.ids.type);
  t.match((await get(own)).json, { executions: 0, oldest: null, newest: null, figures: { cpus: null } });
  const ran = async (memoryBytes: number | undefined, number: number): Promise<void> => {
    const { id } = await savedJob(store, { atMs: AT });
    await store.rows(`update job set resources = '{"cpus": 1, "mem": 64}' where id = $1`, [id]);
    const start = await makeStart(store, id, { atMs: AT });
    await store.apply({ type: 'startExecutions', starts: [start] });
    const main = {
      phase: 'main',
      startedMs: AT,
      endedMs: AT + 2_000,
      exitCode: 0,
      isTimedOut: false,
    } as const;
    const used = { source: 'cgroup', memoryBytes, processorUs: 1_000_000 } as const;
    const facts = { used: memoryBytes === undefined ? null : used, imageDigest: null, logCut: null };
    const end = makeExecutionEnd(start.executionId, { phases: [main], atMs: AT + 3_000 + number, facts });
    await store.apply({ type: 'endExecutions', ends: [end] });
  };
  for (let number = 1; number <= 20; number += 1) await ran(number * MIB, number);
  await ran(undefined, 21);
  const { status, json, text } = await get(own);
  t.equal(status, 200, text);
  t.match(json, {
    job_type: { id: store.ids.type },
    executions: 20,
    newest: new Date(AT + 3_020).toISOString(),
    oldest: new Date(AT + 3_001).toISOString(),
    figures: {
      memory_bytes: { p50: 10 * MIB, p95: 19 * MIB, max: 20 * MIB, given: 64 * MIB },
      cpus: { p50: 0.5, max: 0.5, given: 1 },
      processor_seconds: { p50: 1, given: null },
      seconds: { p50: 2, p95: 2, max: 2 },
      ...{ read_bytes: null, written_bytes: null, disk_bytes: null },
    },
  });
  await store.rows(
    `insert into job_exe (job_id, exe_num, job_type_id, node_id, status, created, queued, started, ended,
      last_modified, used, seed_started, seed_ended)
    select 1000000 + n, 1, $1, 1, 'COMPLETED', now(), now(), now(), now() + n * interval '1 second', now(),
      '{"source": "rusage", "memoryBytes": 1}', now(), now() from generate_series(1, 300) as n`,
    [store.ids.type],
  );
  t.match((await get(own)).json, {
    executions: EXECUTIONS_MAX,
    figures: { memory_bytes: { max: 1 }, cpus: null },
  });
  t.match((await get(await path(store.ids.type2))).json, { executions: 0 });
  t.equal((await get('/v6/job-types/nothing/1.0.0/used/')).status, 404);
});
