/** What scan actors load, on a real database, and what follows what they save. */
import t from 'tap';
import type { ScanRow } from '../../../src/domain/scan/scan.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { ingestsOfJobs, liveIngests } from '../../../src/store/ingest/load.ts';
import { assignedTo } from '../../../src/store/node/load.ts';
import { createScan } from '../../../src/store/scan/edit.ts';
import { dueScans, liveIngestJobs, loadScans, runningScans } from '../../../src/store/scan/load.ts';
import { makeArrival, makeIngestEnd, makeStart } from '../make.ts';
import { NOW, SCAN_CONFIGURATION, storeWorld } from '../store-world.ts';

const store = await storeWorld(t);
const { sql } = store.db;
await ensureBuiltins(sql, NOW);

let scans = 0;
function newScan(): Promise<number> {
  const fields = { title: `S${++scans}`, description: 'd', workspaceId: store.ids.in, nowMs: NOW };
  return createScan(sql, { ...fields, configuration: SCAN_CONFIGURATION });
}
async function row(id: number): Promise<ScanRow> {
  const found = (await loadScans(sql, [id])).get(id);
  if (found === undefined) throw new Error('no scan');
  return found;
}
const edit = (scanId: number, patch: object) => store.apply({ type: 'editScan', scanId, patch, atMs: NOW });
async function arrive(key: number, filePath: string, over: object = {}) {
  const arrival = await makeArrival(store, { filePath, fileName: filePath, identity: filePath, ...over });
  const template = (await row(key)).ingestJob;
  const owner = { kind: 'scan', key } as const;
  const [result] = await store.apply({ type: 'recordArrivals', owner, template, arrivals: [arrival] });
  return { arrival, accepted: (result as { accepted: unknown[] }).accepted };
}
const queue = async (scan: ScanRow) => {
  const { id: jobId, status, exeNum } = scan.jobs.ingest;
  const queueing = { exeNum: exeNum + 1, priority: 5, maxTries: 0, classKey: null, resources: {}, atMs: NOW };
  await store.apply({
    type: 'moveJobs',
    moves: [{ kind: 'queue', jobId, from: [status], exeNum, queueing, input: null }],
  });
};

t.test('scans: a new scan has two waiting jobs, and nothing under way', async (t) => {
  const id = await newScan();
  const loaded = await row(id);
  t.match(loaded, {
    id,
    workspaceId: store.ids.in,
    run: null,
    cursor: '',
    counts: null,
    cancelThrough: null,
  });
  t.match(loaded, { listing: null, reason: null, live: [], hasMore: false, ingestJob: { shard: id % 64 } });
  const waiting = { status: 'PENDING', exeNum: 0 };
  t.match(loaded.jobs, { ingest: waiting, dry_run: waiting });
  t.same(await dueScans(sql, [id % 64]), []);
  t.same([...(await loadScans(sql, [999_999])).keys()], []);
});

t.test('scans: a patch keeps absent fields, and clears those that are null', async (t) => {
  const id = await newScan();
  const counts = { mode: 'ingest', matched: 3, unmatched: 1, by_rule: [3] } as const;
  await edit(id, { run: 'ingest', cursor: 'a/b', counts, reason: 'waits', cancelThrough: 9 });
  await edit(id, {
    title: 'T',
    description: 'D',
    configuration: { workspace: 'out' },
    workspaceId: store.ids.out,
  });
  t.match(await row(id), { run: 'ingest', cursor: 'a/b', counts, reason: 'waits', cancelThrough: 9 });
  t.match(await row(id), { configuration: { workspace: 'out' }, workspaceId: store.ids.out });
  t.ok((await dueScans(sql, [id % 64])).includes(id));
  t.ok((await runningScans(sql)).includes(id));
  await store.applyAll(
    [{ type: 'editScan', scanId: id, patch: { cursor: 'c' }, atMs: NOW }],
    [{ type: 'editScan', scanId: id, patch: { run: null, reason: null, cancelThrough: null }, atMs: NOW }],
  );
  t.match(await row(id), { run: null, cursor: 'c', counts, reason: null, cancelThrough: null });
  t.notOk((await dueScans(sql, [id % 64])).includes(id));
  t.match(await store.one('select title, description from scan where id = $1', [id]), {
    title: 'T',
    description: 'D',
  });
});

t.test('scans: the listing is the execution of the running job, with its node', async (t) => {
  const id = await newScan();
  await queue(await row(id));
  await edit(id, { run: 'ingest' });
  const { jobs } = await row(id);
  t.match(jobs.ingest, { status: 'QUEUED', exeNum: 1 });
  const start = await makeStart(store, jobs.ingest.id);
  await store.apply({ type: 'startExecutions', starts: [start] });
  const { executionId, nodeId } = start;
  t.match((await row(id)).listing, { executionId, exeNum: 1, nodeId });
  const assigned = (await assignedTo(sql, [nodeId]))
    .get(nodeId)
    ?.find((one) => one.executionId === executionId);
  t.match(assigned, { work: 'listing', owner: { kind: 'scan', key: id } });
  await edit(id, { run: 'dry_run' });
  t.equal((await row(id)).listing, null);
});

t.test('scans: a file is known by its path and identity, in its own scan only', async (t) => {
  const id = await newScan();
  const { arrival, accepted } = await arrive(id, 'x/a');
  t.match(accepted, [{ ingestId: arrival.ingestId }]);
  t.same((await arrive(id, 'x/a')).accepted, []);
  t.equal((await arrive(id, 'x/a', { identity: 'other' })).accepted.length, 1);
  t.equal((await arrive(await newScan(), 'x/a')).accepted.length, 1);
});

t.test(
  'scans: ingests that failed or were deferred are tried again in their rows; others never',
  async (t) => {
    const id = await newScan();
    const { arrival } = await arrive(id, 'a');
    const { ingestId } = arrival;
    await store.apply({
      type: 'endIngests',
      ingests: [makeIngestEnd(ingestId, { status: 'ERRORED', sourceFileId: null })],
    });
    const again = await arrive(id, 'a');
    t.match(again.accepted, [{ ingestId, jobId: again.arrival.jobId }]);
    const after = await store.one('select status, job_id, ingest_ended, reason from ingest where id = $1', [
      ingestId,
    ]);
    t.match(after, { status: 'TRANSFERRED', job_id: again.arrival.jobId, ingest_ended: null, reason: null });
    const deferred = await arrive(id, 'd', { status: 'DEFERRED', reason: 'not now' });
    t.same(deferred.accepted, []);
    t.match((await arrive(id, 'd')).accepted, [{ ingestId: deferred.arrival.ingestId }]);
  },
);

t.test('scans: live ingests are loaded for their scan only, with all its jobs', async (t) => {
  const [id, other] = [await newScan(), await newScan()];
  const first = (await arrive(id, 'a')).arrival;
  const second = (await arrive(id, 'b')).arrival;
  const foreign = (await arrive(other, 'a')).arrival;
  await arrive(id, 'c', { status: 'DEFERRED', reason: 'not now' });
  const owner = { kind: 'scan', key: id } as const;
  const ids = async (afterId: number, limit: number) =>
    (await liveIngests(sql, { owner, afterId, limit })).map((one) => one.id);
  t.same(await ids(0, 9), [first.ingestId, second.ingestId]);
  t.same(await ids(first.ingestId, 9), [second.ingestId]);
  t.same(await ids(0, 1), [first.ingestId]);
  t.same(await liveIngestJobs(sql, id), {
    jobIds: [first.jobId, second.jobId],
    lastIngestId: second.ingestId,
  });
  t.same(await liveIngestJobs(sql, 999_999), { jobIds: [], lastIngestId: 0 });
  const found = await ingestsOfJobs(sql, { owner, jobIds: [second.jobId, foreign.jobId] });
  t.match(found, [{ id: second.ingestId, jobStatus: 'QUEUED' }]);
  t.equal(found.length, 1);
  t.equal((await row(id)).live.length, 2);
  t.ok((await dueScans(sql, [id % 64])).includes(id));
});
