/** What strike actors load, on a real database. */
import t from 'tap';
import type { StrikeRow } from '../../../src/domain/strike/strike.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { liveIngests, sourcesAt } from '../../../src/store/ingest/load.ts';
import { createStrike } from '../../../src/store/strike/edit.ts';
import { findStrike } from '../../../src/store/strike/list.ts';
import {
  deferredIngests,
  dueStrikes,
  loadStrikes,
  lostMonitors,
  watchingStrikes,
} from '../../../src/store/strike/load.ts';
import { makeArrival, makeIngestEnd, makeSource, makeStart } from '../make.ts';
import { NOW, STRIKE_CONFIGURATION, storeWorld } from '../store-world.ts';

const store = await storeWorld(t);
const { sql } = store.db;
await ensureBuiltins(sql, NOW);

let strikes = 0;
async function strike() {
  return createStrike(sql, {
    title: `S${++strikes}`,
    description: 'd',
    configuration: STRIKE_CONFIGURATION,
    workspaceId: store.ids.in,
    nowMs: NOW,
  });
}
async function row(id: number): Promise<StrikeRow> {
  const found = (await loadStrikes(sql, [id])).get(id);
  if (found === undefined) throw new Error('no strike');
  return found;
}
async function arrive(strikeId: number, filePath: string, over: object = {}) {
  const arrival = await makeArrival(store, { filePath, fileName: filePath, identity: filePath, ...over });
  const template = (await row(strikeId)).ingestJob;
  await store.apply({
    type: 'recordArrivals',
    owner: { kind: 'strike', key: strikeId },
    template,
    arrivals: [arrival],
  });
  return arrival;
}
async function begin(arrival: { ingestId: number; jobId: number }) {
  const start = await makeStart(store, arrival.jobId);
  await store.apply(
    { type: 'startExecutions', starts: [start] },
    { type: 'startIngests', ingests: [{ ingestId: arrival.ingestId, atMs: NOW }] },
  );
  return start.executionId;
}

t.test('strikes: a new strike has a queued job, no monitor and no ingests', async (t) => {
  const id = await strike();
  const loaded = await row(id);
  t.match(loaded, {
    id,
    title: /^S/,
    workspaceId: store.ids.in,
    isPaused: false,
    deferredCursor: null,
    monitor: null,
    live: [],
    hasMore: false,
  });
  t.match(loaded.job, { status: 'QUEUED', exeNum: 1 });
  t.match(loaded.ingestJob, { shard: id % 64, maxTries: 10 });
  t.same(
    loaded.workspaces.map((one) => one.name),
    ['in', 'out'],
  );
  t.same([...(await loadStrikes(sql, [999_999])).keys()], []);
});

t.test('strikes: the monitor is the running execution of the strike’s job', async (t) => {
  const id = await strike();
  const start = await makeStart(store, (await row(id)).job.id);
  await store.apply({ type: 'startExecutions', starts: [start] });
  t.match(await row(id), {
    job: { status: 'RUNNING' },
    monitor: { executionId: start.executionId, exeNum: 1, nodeId: store.ids.node },
  });
});

t.test('strikes: live ingests are loaded with executions, wherever in the queue they are', async (t) => {
  const id = await strike();
  const [a, b, gone] = [
    await arrive(id, 'a'),
    await arrive(id, 'b', { newWorkspaceId: store.ids.out, newFilePath: 'n' }),
    await arrive(id, 'c'),
  ];
  await arrive(id, 'd', { status: 'DEFERRED' });
  await arrive(id, 'e', { status: 'TRANSFERRING', identity: null, mtimeMs: null });
  await store.apply({ type: 'endIngests', ingests: [makeIngestEnd(gone.ingestId)] });
  const executionId = await begin(b);
  const { live } = await row(id);
  t.same([...new Set(live.map((one) => one.id))].sort(), [a.ingestId, b.ingestId].sort());
  t.match(
    live.find((one) => one.id === b.ingestId),
    {
      status: 'INGESTING',
      executionId,
      nodeId: store.ids.node,
      newWorkspaceId: store.ids.out,
      newFilePath: 'n',
      exeNum: 1,
      identity: 'b',
    },
  );
  t.match(
    live.find((one) => one.id === a.ingestId),
    { status: 'TRANSFERRED', executionId: null, tags: ['tag'], mtimeMs: 1_700_000_000_000.25 },
  );
  t.same(
    (await liveIngests(sql, { owner: { kind: 'strike', key: id }, afterId: 0, limit: 1 })).map(
      (one) => one.id,
    ),
    [a.ingestId],
  );
  t.same(
    (await liveIngests(sql, { owner: { kind: 'strike', key: id }, afterId: a.ingestId, limit: 9 })).map(
      (one) => one.id,
    ),
    [b.ingestId],
  );
  t.same(
    (await deferredIngests(sql, { strikeId: id, afterId: 0, limit: 9 })).map((one) => one.filePath),
    ['d'],
  );
});

t.test('strikes: running ingests are loaded even if thousands wait before them', async (t) => {
  const id = await strike();
  const job = await row(id);
  const late = await arrive(id, 'late', { ingestId: 9_000_000 });
  const executionId = await begin(late);
  await store.rows(
    `insert into ingest (id, strike_id, file_name, file_path, arrival, status, workspace_id, file_size, media_type,
       created, last_modified)
     select 1000000 + n, $1, 'f' || n, 'f' || n, 'f' || n, 'TRANSFERRED', $2, 1, 'text/plain', now(), now()
     from generate_series(1, 2100) as n`,
    [id, store.ids.in],
  );
  const loaded = await row(id);
  t.equal(loaded.hasMore, true);
  t.ok(loaded.live.some((one) => one.executionId === executionId));
  t.ok(job.live.length === 0);
  await store.rows('delete from ingest where id > 1000000');
});

t.test('strikes: the position of the listing of a bucket is loaded as it was saved', async (t) => {
  const id = await strike();
  t.equal((await row(id)).listing, null);
  const mark = { place: 'http://s3/bucket', through: 'a/\u00fc "b".txt', dueMs: 1_767_225_600_123 };
  await store.apply({ type: 'markListing', strikeId: id, mark });
  t.same((await row(id)).listing, mark);
});

t.test('strikes: watching strikes are due, and paused ones while some of their work lives', async (t) => {
  const id = await strike();
  const shards = Array.from({ length: 64 }, (_, shard) => shard);
  const pause = (isPaused: boolean) =>
    store.apply({ type: 'editStrike', strikeId: id, patch: { isPaused }, atMs: NOW });
  t.ok((await dueStrikes(sql, shards)).includes(id));
  t.notOk(
    (
      await dueStrikes(
        sql,
        shards.filter((shard) => shard !== id % 64),
      )
    ).includes(id),
  );
  t.ok((await watchingStrikes(sql)).includes(id));
  await pause(true);
  t.notOk((await dueStrikes(sql, shards)).includes(id));
  t.notOk((await watchingStrikes(sql)).includes(id));
  await arrive(id, 'x');
  t.ok((await dueStrikes(sql, shards)).includes(id));
});

t.test('strikes: files at places are found while they are current', async (t) => {
  const source = await makeSource(store, { filePath: 'same' });
  const place = { workspaceId: store.ids.in, filePath: 'same' };
  await store.apply({ type: 'createSourceFiles', files: [source] });
  t.match(await sourcesAt(sql, [place, { ...place, workspaceId: store.ids.out }]), [
    { fileId: source.id, size: 5, sha256: 'a'.repeat(64) },
  ]);
  await store.apply({ type: 'supersedeFiles', files: [{ fileId: source.id, atMs: NOW }] });
  t.same(await sourcesAt(sql, [place]), []);
  t.same(await sourcesAt(sql, []), []);
});

t.test('strikes: a monitor is lost where its node lost the workspace and another reaches it', async (t) => {
  const id = await strike();
  const { shard, job_id: jobId } = await store.one<{ shard: number; job_id: number }>(
    'select shard, job_id from strike where id = $1',
    [id],
  );
  const { in: workspaceId, node, node2 } = store.ids;
  const start = await makeStart(store, jobId, { nodeId: node });
  await store.apply({ type: 'startExecutions', starts: [start] });
  const reach = async (nodeId: number, isReachable: boolean) => {
    await store.rows('update node set is_online = true, is_active = true where id = $1', [nodeId]);
    const reached = { workspaceId, isReachable, reason: null };
    await store.apply({ type: 'saveReach', nodeId, reach: [reached], atMs: NOW });
  };
  const lost = async () => (await lostMonitors(sql, [shard])).filter((one) => one.strikeId === id);
  await reach(node, true);
  await reach(node2, true);
  t.same(await lost(), []);
  const state = async () => (await findStrike(sql, id))?.state;
  t.equal(await state(), 'WATCHING');
  await reach(node, false);
  t.same(await lost(), [{ strikeId: id, executionId: start.executionId }]);
  t.same(await lostMonitors(sql, [(shard + 1) % 64]), []);
  await store.rows('update node set is_online = false where id = $1', [node]);
  t.same(await lost(), [], 'of a node that is away nobody knows: it is waited for');
  await reach(node, false);
  await reach(node2, false);
  t.same(await lost(), [], 'nobody reaches it: it stays');
  const reason = async () => (await findStrike(sql, id))?.reason;
  t.match(await reason(), /^no node reaches its workspace: .+ does not reach in; .+ does not reach in$/);
  t.equal(await state(), 'WAITING', 'although its job is RUNNING');
  await reach(node2, true);
  t.equal(await reason(), null);
  await store.rows('update strike set is_paused = true where id = $1', [id]);
  t.equal(await state(), 'PAUSED');
  t.same(await lost(), []);
});
