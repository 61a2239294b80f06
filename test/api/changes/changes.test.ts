import t from 'tap';
import { changeRoutes } from '../../../src/api/changes/routes.ts';
import { changesApp } from '../../../src/api/changes/service.ts';
import { OpenStreams } from '../../../src/auth/open-streams.ts';
import { dropPartitions } from '../../../src/store/change/partitions.ts';
import { addTick } from '../../../src/store/change/ticks.ts';
import { makeEnd, makeEvent, makeExecutionEnd, makeJob, makeStart, savedJob } from '../../store/make.ts';
import { storeWorld } from '../../store/store-world.ts';
import { makeCaller, NOW_MS } from '../../support/http.ts';
import { silentLog } from '../../support/silent-log.ts';

const store = await storeWorld(t);
const { sql } = store.db;
await addTick(sql);
const limits = { perCaller: 1, all: 1 };
const streams = new OpenStreams({ sql, limits, nowMs: () => NOW_MS, log: silentLog });
const { get } = makeCaller(changeRoutes, { changes: changesApp({ sql, log: silentLog, streams }) });

interface ShownChange {
  readonly cursor: string;
  readonly kind: string;
  readonly id: number;
  readonly object_version: number;
  readonly what: string;
}

const changes = async (query: string): Promise<ShownChange[]> => {
  const found = await get(`/v6/changes/?${query}`);
  t.equal(found.status, 200, found.text);
  return found.json.changes;
};

/** A job that ran and ended, with its execution. */
async function ranJob(
  to: 'COMPLETED' | 'FAILED',
): Promise<{ readonly id: number; readonly executionId: number }> {
  const { id } = await savedJob(store);
  const executionId = await store.newId('job_exe');
  await store.apply({ type: 'placeJobs', starts: [await makeStart(store, id, { executionId })] });
  const error = to === 'FAILED' ? { name: 'bad-data', isBuiltin: false } : null;
  await store.apply(
    { type: 'moveJobs', moves: [makeEnd(id, { to, error })] },
    { type: 'endExecutions', ends: [makeExecutionEnd(executionId, { status: to, error })] },
  );
  await addTick(sql);
  return { id, executionId };
}

t.test('changes: the changes of a job are listed from its creation to its end', async (t) => {
  const { json: now } = await get('/v6/changes/');
  t.match(now, { changes: [], cursor: String, is_at_end: true });
  const { id, executionId } = await ranJob('FAILED');
  const { ids } = store;
  const { json: page } = await get(`/v6/changes/?after=${now.cursor}`);
  const ofKind = (kind: string) => page.changes.filter((one: ShownChange) => one.kind === kind);
  t.match(ofKind('job'), [
    { id, object_version: 1, what: 'created', from: null, to: 'QUEUED', job_type_id: ids.type },
    { id, object_version: 2, what: 'status', from: 'QUEUED', to: 'RUNNING', node_id: ids.node },
    { id, object_version: 3, what: 'status', from: 'RUNNING', to: 'FAILED', error: 'bad-data' },
  ]);
  t.match(ofKind('execution'), [
    { id: executionId, object_version: 1, what: 'created', to: 'RUNNING', job_id: id },
    { id: executionId, object_version: 2, what: 'status', to: 'FAILED', job_id: id, error: 'bad-data' },
  ]);
  t.notOk('recipe_id' in page.changes[0], 'what it does not hang on is not there');
  t.ok(page.is_at_end);
  t.same(await changes(`after=${page.cursor}`), []);
  const { json: later } = await get('/v6/changes/');
  t.equal(later.cursor, page.cursor);
});

t.test('changes: pages of any size, and each cursor, continue where they ended', async (t) => {
  const { json: now } = await get('/v6/changes/');
  await ranJob('COMPLETED');
  await store.rows('update node set is_paused = true');
  // Else nothing could be placed there.
  t.teardown(async () => {
    await store.rows('update node set is_paused = false');
    await addTick(sql);
  });
  await addTick(sql);
  const all = await changes(`after=${now.cursor}`);
  t.equal(all.length, 7);
  for (const limit of [1, 2, 3, 6, 7]) {
    const read: ShownChange[] = [];
    for (let cursor = now.cursor, isAtEnd = false; !isAtEnd; ) {
      const { json } = await get(`/v6/changes/?after=${cursor}&limit=${limit}`);
      t.ok(json.changes.length <= limit);
      read.push(...json.changes);
      cursor = json.cursor;
      isAtEnd = json.is_at_end;
    }
    t.same(read, all, `by ${limit}`);
  }
  for (const [at, one] of all.entries()) t.same(await changes(`after=${one.cursor}`), all.slice(at + 1));
});

t.test(
  'changes: a page examines 20,000 changes, and says that it is not at the end after more',
  async (t) => {
    const { json: now } = await get('/v6/changes/');
    for (let made = 0; made < 20_000; made += 1_000) {
      const eventId = await store.newId('event');
      const jobs = [];
      for (let index = 0; index < 1_000; index += 1)
        jobs.push(makeJob(store, { id: await store.newId('job'), eventId }));
      await store.apply({ type: 'createEvents', events: [makeEvent(eventId)] }, { type: 'createJobs', jobs });
    }
    await addTick(sql);
    const query = `kind=execution&after=${now.cursor}`;
    const { json: full } = await get(`/v6/changes/?${query}`);
    t.match(full, { changes: [], is_at_end: true }, '20,000 changes of other kinds');
    await ranJob('COMPLETED');
    const { json: first } = await get(`/v6/changes/?${query}`);
    t.match(first, { changes: [], is_at_end: false }, 'more than 20,000');
    const { json: second } = await get(`/v6/changes/?kind=execution&after=${first.cursor}`);
    t.match(second, { changes: [{ what: 'created' }, { what: 'status' }], is_at_end: true });
  },
);

t.test('changes: filters choose by kind, what, id, status and what a change hangs on', async (t) => {
  const { json: now } = await get('/v6/changes/');
  const after = `after=${now.cursor}`;
  const one = await ranJob('COMPLETED');
  const other = await ranJob('FAILED');
  await store.rows(
    `update job set recipe_id = 71, batch_id = 72, live_recipe_id = 71, live_batch_id = 72,
    owner_kind = 'strike', owner_key = 73 where id = $1`,
    [one.id],
  );
  await store.rows(`update job set owner_kind = 'scan', owner_key = 74 where id = $1`, [other.id]);
  await store.rows(`update job set reason = 'because' where id = any($1::bigint[])`, [[one.id, other.id]]);
  await store.rows(`update recipe_type set title = 'Told'`);
  await addTick(sql);
  const idsOf = async (query: string) =>
    (await changes(`${after}&${query}`)).map(({ kind, id }) => `${kind} ${id}`);
  const [job, exe] = [`job ${one.id}`, `execution ${one.executionId}`];
  t.same(await idsOf(`kind=execution&id=${one.executionId}`), [exe, exe]);
  t.same(await idsOf('what=created&kind=job'), [job, `job ${other.id}`]);
  t.same(await idsOf('what=status&status=COMPLETED'), [job, exe]);
  t.same(await idsOf('what=status&status=COMPLETED&status=FAILED&kind=job'), [job, `job ${other.id}`]);
  t.same(new Set(await idsOf(`job_id=${one.id}`)), new Set([job, exe]));
  t.same(new Set(await idsOf('recipe_id=71')), new Set([job]));
  t.same(new Set(await idsOf('batch_id=72')), new Set([job]));
  t.same(await idsOf('strike_id=73'), [job, job]);
  t.same(await idsOf('scan_id=74'), [`job ${other.id}`]);
  t.same(await idsOf('node_id=999'), []);
  t.equal((await idsOf(`node_id=${store.ids.node}`)).length, 11);
  t.equal((await idsOf('job_type_name=type-a')).length, 13);
  t.same(await idsOf('job_type_name=type-b'), []);
  t.same(await idsOf('recipe_type_name=recipe-a'), [`recipe_type ${store.ids.recipeType}`]);
});

t.test('changes: all problems of a query are listed at once', async (t) => {
  const refused = await get('/v6/changes/?limit=0&kind=jobs&what=died&id=x');
  t.equal(refused.status, 400);
  t.same(refused.json.errors.map((one: { path: string }) => one.path).sort(), [
    'id',
    'kind',
    'limit',
    'what',
  ]);
  for (const after of ['x', '1', '-1', '000000000000-1-1', 'zzzzzzzzzzzz-1-1-1', '000000000000-1-1-1-1']) {
    const { status, json } = await get(`/v6/changes/?after=${after}`);
    t.equal(status, 400, after);
    t.match(json.errors, [{ name: 'INVALID_CURSOR', path: 'after' }]);
  }
});

t.test('changes: a cursor of an empty stream is valid, and gone once its position was deleted', async (t) => {
  await store.rows(`update change_stream set epoch = ''`);
  const { json: first } = await get('/v6/changes/');
  t.equal((await get(`/v6/changes/?after=${first.cursor}`)).status, 200, 'what the service gave it takes');
  await store.rows(`update change_stream set epoch = '0123456789ab'`);
  t.match(await get(`/v6/changes/?after=${first.cursor}`), { status: 410, json: { code: 'CHANGES_GONE' } });
});

t.test(
  'changes: cursors of deleted changes, and of another history, are refused with the reason',
  async (t) => {
    const { json: now } = await get('/v6/changes/');
    await ranJob('COMPLETED');
    const old = (await changes('after=0')).at(0)?.cursor ?? '';
    t.not(old, '');
    await store.rows('update change_stream set floor = tick');
    await store.rows('delete from change_tick');
    await dropPartitions(sql);
    for (const cursor of [old, now.cursor]) {
      const gone = await get(`/v6/changes/?after=${cursor}`);
      t.match(gone, {
        status: 410,
        json: { code: 'CHANGES_GONE', detail: /no longer kept: read the lists again/ },
      });
    }
    t.same(await changes('after=0'), [], 'the oldest that is kept');
    const { json: last } = await get('/v6/changes/');
    t.same(await changes(`after=${last.cursor}`), []);
    await store.rows(`update change_stream set identity = 'before the restore'`);
    await addTick(sql);
    const other = await get(`/v6/changes/?after=${last.cursor}`);
    t.match(other, { status: 410, json: { code: 'CHANGES_GONE', detail: /another history/ } });
  },
);
