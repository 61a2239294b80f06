/** What the scheduler reads, on a real database. */

import t from 'tap';
import { RETRY_PAUSE_MAX_MS } from '../../../src/domain/job/retry.ts';
import { loadScheduler, loadSettings, queuedHeads } from '../../../src/store/scheduler/load.ts';
import { makeClass } from '../../domain/scheduling/cluster.ts';
import { makeEnd, makeQueue, makeQueueing, makeStart, savedJob } from '../make.ts';
import { NOW, storeWorld } from '../store-world.ts';

const store = await storeWorld(t);
const { sql } = store.db;
const CLASS = makeClass({ jobTypeId: store.ids.type, resources: { cpus: 1 }, workspaceIds: [1, 2] });
const OTHER = makeClass({ jobTypeId: store.ids.type2, resources: { cpus: 2 } });
await store.apply({ type: 'ensureClasses', classes: [CLASS, OTHER] });

const queued = (over: Parameters<typeof makeQueueing>[0], classKey: string | null = CLASS.key) =>
  savedJob(store, { queueing: makeQueueing({ classKey, ...over }) });

t.test('scheduler: settings exist from the first migration on', async (t) => {
  t.strictSame(await loadSettings(sql), {
    isPaused: false,
    queueMode: 'FIFO',
    messageHandlerCount: 1,
    objectVersion: 1,
    loggingLevel: 'INFO',
  });
});

t.test('scheduler: an idle cluster has nothing queued or running', async (t) => {
  t.match(await loadScheduler(sql), { types: [], nodes: [], running: [], classes: [] });
  t.strictSame(await queuedHeads(sql, { classKey: 'none', mode: 'FIFO', limit: 5, nowMs: NOW }), undefined);
  t.match(await queuedHeads(sql, { classKey: CLASS.key, mode: 'FIFO', limit: 5, nowMs: NOW }), {
    class: CLASS,
    jobs: [],
    isWhole: true,
  });
});

t.test('scheduler: heads are sorted best first, in either queue mode', async (t) => {
  const jobs = [
    await queued({ priority: 200, atMs: NOW }),
    await queued({ priority: 100, atMs: NOW + 2 }),
    await queued({ priority: 100, atMs: NOW + 1 }),
    await queued({ priority: 100, atMs: NOW + 1 }),
  ].map((job) => job.id);
  const head = async (mode: 'FIFO' | 'LIFO', limit = 9) => {
    const found = await queuedHeads(sql, { classKey: CLASS.key, mode, limit, nowMs: NOW });
    return { ids: found?.jobs.map((job) => jobs.indexOf(job.jobId)), isWhole: found?.isWhole };
  };
  t.strictSame(await head('FIFO'), { ids: [2, 3, 1, 0], isWhole: true });
  t.strictSame(await head('LIFO'), { ids: [1, 3, 2, 0], isWhole: true });
  t.strictSame(await head('FIFO', 2), { ids: [2, 3], isWhole: false });
  const found = await queuedHeads(sql, { classKey: CLASS.key, mode: 'FIFO', limit: 1, nowMs: NOW });
  t.match(found?.jobs, [
    { exeNum: 1, priority: 100, queuedMs: NOW + 1, owner: { kind: 'job', key: jobs[2] } },
  ]);
});

t.test('scheduler: each class with queued jobs is listed once, and system jobs have no class', async (t) => {
  for (let times = 0; times < 3; times++) await queued({}, OTHER.key);
  await queued({}, null);
  const { classes } = await loadScheduler(sql);
  t.strictSame(classes.map((one) => one.key).sort(), [CLASS.key, OTHER.key].sort());
  t.match(
    classes.find((one) => one.key === CLASS.key),
    { resources: { cpus: 1 }, workspaceIds: [1, 2], executor: 'process:default' },
  );
});

t.test('scheduler: running jobs hold the resources of their placement; system jobs hold none', async (t) => {
  const [job, system] = [await queued({ resources: { cpus: 3 } }), await queued({}, null)];
  const starts = [await makeStart(store, job.id), await makeStart(store, system.id)];
  await store.apply({ type: 'placeJobs', starts });
  const { running } = await loadScheduler(sql);
  t.strictSame(running, [
    {
      executionId: starts[0]?.executionId,
      nodeId: store.ids.node,
      jobTypeId: store.ids.type,
      resources: { cpus: 3 },
      startedMs: NOW + 1,
    },
  ]);
});

t.test('scheduler: online nodes are loaded, ready if nothing prevents it', async (t) => {
  const { node, node2 } = store.ids;
  const patch = (nodeId: number, patch: object) =>
    store.apply({ type: 'saveNode', nodeId, patch, atMs: NOW });
  await patch(node, { isOnline: true, resources: { cpus: 4 }, executors: ['docker'], takesWorkAhead: true });
  await store.apply({
    ...{ type: 'saveReach', nodeId: node, atMs: NOW },
    reach: [
      { workspaceId: store.ids.in, isReachable: true, reason: null },
      { workspaceId: store.ids.out, isReachable: false, reason: 'no' },
    ],
  });
  await patch(node2, { isOnline: true, isPaused: true });
  const nodes = (await loadScheduler(sql)).nodes;
  t.match(
    nodes.find((one) => one.nodeId === node),
    { isReady: true, total: { cpus: 4 }, executors: ['docker'], takesWorkAhead: true },
  );
  t.strictSame(nodes.find((one) => one.nodeId === node)?.workspaceIds, [store.ids.in]);
  t.match(
    nodes.find((one) => one.nodeId === node2),
    { isReady: false, workspaceIds: [] },
  );
  await patch(node2, { isOnline: false });
  t.same(
    (await loadScheduler(sql)).nodes.map((one) => one.nodeId),
    [node],
  );
});

t.test('scheduler: only job types with a limit are loaded', async (t) => {
  await store.rows('update job_type set max_scheduled = 3 where id = $1', [store.ids.type]);
  await store.apply({ type: 'saveUnmet', types: [{ jobTypeId: store.ids.type2, unmet: 'gpus' }] });
  const { types } = await loadScheduler(sql);
  t.match(
    [...types].sort((a, b) => a.jobTypeId - b.jobTypeId),
    [
      { jobTypeId: store.ids.type, maxScheduled: 3, isPaused: false, unmet: null },
      { jobTypeId: store.ids.type2, maxScheduled: null, unmet: 'gpus' },
    ],
  );
});

t.test('scheduler: heads leave out jobs that pause before their next try', async (t) => {
  const jobClass = makeClass({ jobTypeId: store.ids.type, resources: { cpus: 7 } });
  await store.apply({ type: 'ensureClasses', classes: [jobClass] });
  const job = await queued({}, jobClass.key);
  const heads = async (nowMs: number) => {
    const found = await queuedHeads(sql, { classKey: jobClass.key, mode: 'FIFO', limit: 5, nowMs });
    return found?.jobs.map((one) => [one.jobId, one.exeNum]);
  };
  const again = makeQueue(job.id, ['QUEUED'], 1, { classKey: jobClass.key, notBeforeMs: NOW + 5_000 });
  await store.apply({ type: 'moveJobs', moves: [again] });
  t.strictSame(await heads(NOW + 4_999), []);
  t.strictSame(await heads(NOW + 5_000), [[job.id, 2]]);
  t.strictSame(await heads(NOW + 5_000 - RETRY_PAUSE_MAX_MS), []);
  t.strictSame(await heads(NOW - 3_600_000), [[job.id, 2]], 'the clock stepped back: no pause is so long');

  await store.apply({ type: 'moveJobs', moves: [makeEnd(job.id, { exeNum: 2, to: 'FAILED' })] });
  await store.apply({
    type: 'moveJobs',
    moves: [makeQueue(job.id, ['FAILED'], 2, { classKey: jobClass.key })],
  });
  t.strictSame(await heads(NOW), [[job.id, 3]], 'queued by a person it waits for nothing');
});
