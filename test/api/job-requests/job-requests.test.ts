import t from 'tap';
import { compatRoutes } from '../../../src/api/compat/compat-routes.ts';
import { jobRequestRoutes } from '../../../src/api/job-requests/routes.ts';
import { type JobChoice, type JobRequest, PASSED_ALL } from '../../../src/domain/job/job-request.ts';
import { type Address, shardOf } from '../../../src/kernel/mod.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { idStore } from '../../../src/store/ids.ts';
import { chosenJobs, type JobSpan } from '../../../src/store/job-request/choices.ts';
import { makeEnd, makeExecutionEnd, makeStart, savedJob, savedRecipe } from '../../store/make.ts';
import { NOW, storeWorld } from '../../store/store-world.ts';
import { makeCaller, NOW_MS } from '../../support/http.ts';
import { requestOf } from './make-request.ts';

const store = await storeWorld(t);
const { sql } = store.db;
await ensureBuiltins(sql, NOW);

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of any actor
const sent: { to: Address; message: any; isNew: boolean }[] = [];
const system = {
  async ask(to: Address, message: object, options: { isNew?: boolean }): Promise<never> {
    sent.push({ to, message, isNew: options.isNew === true });
    return {} as never;
  },
};
const parts = { sql, ids: idStore(sql), system };
const routes = [...jobRequestRoutes, ...compatRoutes(jobRequestRoutes as never)];
const caller = makeCaller(routes as never, parts);
const post = (path: string, body: unknown) => caller.call('POST', path, body);

const ALL = { fromId: PASSED_ALL, beforeId: null };

for (const action of ['cancel', 'requeue']) {
  t.test(`jobs: ${action} is accepted, and an actor gets the request`, async (t) => {
    sent.length = 0;
    const body = {
      ...{ started: 'PT1H', ended: '2026-01-31T11:30:00Z', status: 'FAILED', job_ids: [4, 5] },
      ...{ job_type_ids: [store.ids.type2], job_types: [{ name: 'type-a', version: '1.0.0' }] },
      ...{ job_type_names: ['x'], batch_ids: [6], recipe_ids: [7], error_categories: ['DATA'] },
      ...{ error_ids: [8], is_superseded: false },
    };
    const answer = await post(`/v6/jobs/${action}/`, body);
    t.equal(answer.status, 202, answer.text);
    t.equal(answer.text, action === 'cancel' ? '' : '{"warnings":[]}');
    t.equal(sent.length, 1);
    const [{ to, message, isNew } = { to: undefined, message: undefined, isNew: false }] = sent;
    t.ok(isNew);
    t.strictSame(to, { kind: 'job_request', key: String(message.request.id) });
    t.strictSame(message, {
      type: 'begin',
      request: {
        id: message.request.id,
        shard: shardOf('job_request', String(message.request.id)),
        action,
        choice: {
          startedMs: NOW_MS - 3_600_000,
          endedMs: NOW_MS - 1_800_000,
          status: 'FAILED',
          jobIds: [4, 5],
          jobTypeIds: [store.ids.type2, store.ids.type],
          jobTypeNames: ['x'],
          batchIds: [6],
          recipeIds: [7],
          errorCategories: ['DATA'],
          errorIds: [8],
          isSuperseded: false,
        },
        priority: null,
        revision: null,
        asker: 'Anonymous',
        atMs: NOW_MS,
      },
    });
  });

  t.test(`jobs: ${action} refuses a body without a filter, and unknown filters`, async (t) => {
    sent.length = 0;
    const refusals: [body: unknown, name: string, path: string][] = [
      [{}, 'MISSING_FILTER', ''],
      [{ url: '/jobs/' }, 'UNKNOWN_FIELD', 'url'],
      [{ status: null, job_ids: null }, 'MISSING_FILTER', ''],
      [{ job_ids: [] }, 'TOO_FEW_ITEMS', 'job_ids'],
      [{ job_ids: 4 }, 'WRONG_TYPE', 'job_ids'],
      [{ job_ids: ['4'] }, 'WRONG_TYPE', 'job_ids[0]'],
      [{ job_ids: [0] }, 'OUT_OF_RANGE', 'job_ids[0]'],
      [{ job_ids: Array.from({ length: 1_001 }, (_, at) => at + 1) }, 'TOO_MANY_ITEMS', 'job_ids'],
      [{ status: 'ENDED' }, 'NOT_ALLOWED', 'status'],
      [{ status: ['FAILED'] }, 'WRONG_TYPE', 'status'],
      [{ job_type_ids: [1.5] }, 'WRONG_TYPE', 'job_type_ids[0]'],
      [{ job_types: [{ name: 'type-a' }] }, 'MISSING_FIELD', 'job_types[0].version'],
      [{ job_types: [{ name: 'type-a', version: '9' }] }, 'UNKNOWN_REFERENCE', 'job_types[0]'],
      [{ job_type_names: [1] }, 'WRONG_TYPE', 'job_type_names[0]'],
      [{ batch_ids: {} }, 'WRONG_TYPE', 'batch_ids'],
      [{ recipe_ids: [-1] }, 'OUT_OF_RANGE', 'recipe_ids[0]'],
      [{ error_categories: ['OTHER'] }, 'NOT_ALLOWED', 'error_categories[0]'],
      [{ error_ids: [true] }, 'WRONG_TYPE', 'error_ids[0]'],
      [{ is_superseded: 'no' }, 'WRONG_TYPE', 'is_superseded'],
      [{ started: 'yesterday' }, 'NOT_A_TIME', 'started'],
      [{ ended: '2026-01-31T11:30:00' }, 'NOT_A_TIME', 'ended'],
      [{ started: '2027-01-01T00:00:00Z' }, 'REVERSED_RANGE', 'started'],
      [{ started: 'PT1H', ended: 'PT1H' }, 'EMPTY_RANGE', 'started'],
    ];
    if (action === 'requeue') {
      refusals.push([{ priority: 1 }, 'MISSING_FILTER', '']);
      refusals.push([{ job_ids: [1], priority: 0 }, 'OUT_OF_RANGE', 'priority']);
      refusals.push([{ job_ids: [1], priority: 'high' }, 'WRONG_TYPE', 'priority']);
      refusals.push([{ job_ids: [1], revision: 'newst' }, 'NOT_ALLOWED', 'revision']);
      refusals.push([{ job_ids: [1], revision: 2 }, 'WRONG_TYPE', 'revision']);
      refusals.push([{ revision: 'newest' }, 'MISSING_FILTER', '']);
    }
    for (const [body, name, path] of refusals) {
      const { status, json } = await post(`/v6/jobs/${action}/`, body);
      t.equal(status, 400, JSON.stringify(body));
      t.match(json.errors[0], { name, path }, JSON.stringify(body));
    }
    t.strictSame(sent, [], 'nothing was asked for');
  });
}

t.test('jobs: requeue takes a priority', async (t) => {
  sent.length = 0;
  t.equal((await post('/v6/jobs/requeue/', { job_ids: [1], priority: 3 })).status, 202);
  t.equal(sent[0]?.message.request.priority, 3);
});

t.test('jobs: requeue says which job types have a newer revision, and uses it on request', async (t) => {
  await store.rows(`
    with types as (
      insert into job_type (name, version, title, container_image, revision_num, created, last_modified)
      select 'behind-' || to_char(i, 'FM00'), '1.0.0', 'B', 'x', 1 + (i < 23)::int, now(), now()
      from generate_series(1, 24) i returning id, name, revision_num
    ), revisions as (
      insert into job_type_rev (job_type_id, revision_num, container_image, manifest, created)
      select id, num, 'x', '{}', now() from types, generate_series(1, 2) num where num <= revision_num
      returning id, job_type_id, revision_num
    )
    select count(*) from revisions`);
  for (const { id, rev } of await store.rows<{ id: number; rev: number }>(
    `select t.id, r.id as rev from job_type t join job_type_rev r on r.job_type_id = t.id and r.revision_num = 1
     where t.name like 'behind-%'`,
  )) {
    await savedJob(store, { jobTypeId: id, jobTypeRevId: rev });
  }
  const names = (count: number) =>
    Array.from({ length: count }, (_, at) => `behind-${String(at + 1).padStart(2, '0')}`);
  const warned = async (body: object, prefix = '') => {
    const { status, json, text } = await post(`${prefix}/v6/jobs/requeue/`, body);
    t.equal(status, 202, text);
    return json?.warnings as { name: string; description: string; path: string }[];
  };

  const two = await warned({ job_type_names: ['behind-01', 'behind-02', 'behind-24'] });
  t.match(two, [
    {
      name: 'NEWER_REVISION',
      path: '',
      description: /behind-01 1\.0\.0 .* which is 2: "revision": "newest" takes/,
    },
    { name: 'NEWER_REVISION', description: /behind-02 1\.0\.0/ },
  ]);
  t.equal(two.length, 2, 'not of one that has no newer one');
  const all = await warned({ job_type_names: names(24) });
  t.equal(all.length, 21);
  t.match(all[19], { name: 'NEWER_REVISION', description: /behind-20/ });
  t.match(all[20], {
    name: 'MORE_NEWER_REVISIONS',
    description: /^2 more job types have newer revisions$/,
  });
  t.match((await warned({ job_type_names: names(21) }))[20], { description: /^1 more job type has/ });
  t.strictSame(await warned({ job_type_names: names(24), status: 'FAILED' }), [], 'of none that is meant');
  t.strictSame(await warned({ job_type_names: names(24), revision: 'newest' }), []);
  t.equal(sent.at(-1)?.message.request.revision, 'newest');
  const old = await post('/api/v6/jobs/requeue/', { job_type_names: names(24) });
  t.strictSame([old.status, old.text], [202, ''], 'under /api/ the answer stays as it is');

  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = sql.transaction(async (tx) => {
    await tx.execute('lock table job_type_rev in access exclusive mode');
    locked.resolve();
    await held.promise;
  });
  await locked.promise;
  const late = await warned({ job_type_names: names(24) });
  held.resolve();
  await holding;
  t.match(late, [{ name: 'REVISIONS_NOT_COMPARED', description: /could not be found out within 2 s/ }]);
});

t.test('job requests: each filter selects its jobs, highest id first', async (t) => {
  const recipe = await savedRecipe(store);
  const plain = await savedJob(store);
  const inRecipe = await savedJob(store, { recipeId: recipe.id, recipeNode: 'A', recipeIds: [recipe.id] });
  const failed = await savedJob(store, { jobTypeId: store.ids.type2 });
  const start = await makeStart(store, failed.id);
  await store.apply({ type: 'placeJobs', starts: [start] });
  const error = { name: 'bad-data', isBuiltin: false };
  await store.apply(
    { type: 'moveJobs', moves: [makeEnd(failed.id, { to: 'FAILED', error })] },
    { type: 'endExecutions', ends: [makeExecutionEnd(start.executionId, { status: 'FAILED', error })] },
  );
  const row = await store.one<{ error_id: number; last_modified: number }>(
    'select error_id, last_modified from job where id = $1',
    [failed.id],
  );
  const ids = async (choice: Partial<JobChoice>, over: Partial<JobRequest> = {}, span = ALL as JobSpan) =>
    (await chosenJobs(sql, requestOf(choice, over), span, 100)).map((job) => job.id);

  t.strictSame(await ids({ jobIds: [plain.id, failed.id, 999_999] }), [failed.id, plain.id]);
  t.strictSame(await ids({ status: 'FAILED' }), [failed.id]);
  t.strictSame(await ids({ jobTypeIds: [store.ids.type2] }), [failed.id]);
  t.strictSame(await ids({ jobTypeNames: ['type-b'] }), [failed.id]);
  t.strictSame(await ids({ jobTypeNames: ['type'] }), []);
  t.strictSame(await ids({ recipeIds: [recipe.id] }), [inRecipe.id]);
  t.strictSame(await ids({ errorCategories: ['DATA'] }), []);
  t.strictSame(await ids({ errorCategories: ['SYSTEM'] }), [failed.id]);
  t.strictSame(await ids({ errorIds: [row.error_id] }), [failed.id]);
  t.strictSame(await ids({ batchIds: [1] }), []);
  t.strictSame(await ids({ isSuperseded: true }), []);
  t.strictSame(await ids({ startedMs: NOW + 1e9 }), []);
  t.strictSame(await ids({ status: 'FAILED', endedMs: row.last_modified }), [failed.id]);
  t.strictSame(await ids({ status: 'FAILED', endedMs: row.last_modified - 1 }), []);
  const both = { jobIds: [plain.id, failed.id] };
  t.strictSame(await ids(both, {}, { ...ALL, beforeId: failed.id }), [plain.id]);
  t.strictSame(await ids(both, {}, { ...ALL, fromId: failed.id }), [failed.id]);
  // Clocks of coordinators differ: when the job changed by one of them says nothing about the order.
  t.strictSame(await ids(both, { action: 'requeue', atMs: row.last_modified - 3_600_000 }), [
    failed.id,
    plain.id,
  ]);
  await store.rows('update job set request_position = 40 where id = $1', [failed.id]);
  for (const action of ['cancel', 'requeue'] as const) {
    t.strictSame(await ids(both, { action, position: 41 }), [failed.id, plain.id]);
    t.strictSame(await ids(both, { action, position: 40 }), [plain.id], 'it has changed that job');
    t.strictSame(await ids(both, { action, position: 39 }), [plain.id], 'a later one has');
  }
  await store.rows('update job set is_superseded = true where id = $1', [failed.id]);
  t.strictSame(await ids({ jobIds: [failed.id] }, { action: 'requeue' }), []);
  t.strictSame(await ids({ jobIds: [failed.id], isSuperseded: true }), [failed.id]);
});

t.test('job requests: a job of a system type is chosen only by its id or type', async (t) => {
  const { id: jobTypeId } = await store.one<{ id: number }>(
    `select id from job_type where name = 'millrace-strike'`,
  );
  const job = await savedJob(store, { jobTypeId, owner: { kind: 'strike', key: 9 } });
  const has = async (choice: Partial<JobChoice>) =>
    (await chosenJobs(sql, requestOf(choice), ALL, 100)).some((one) => one.id === job.id);
  t.notOk(await has({ status: 'QUEUED' }));
  t.ok(await has({ jobIds: [job.id] }));
  t.ok(await has({ jobTypeIds: [jobTypeId] }));
  t.ok(await has({ jobTypeNames: ['millrace-strike'] }));
});
