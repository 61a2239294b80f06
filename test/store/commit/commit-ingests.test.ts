import t from 'tap';
import type { ArrivalResult } from '../../../src/domain/changes.ts';
import type { ArrivalRecord, IngestEnd } from '../../../src/domain/ingest/ingest.ts';
import {
  makeArrival,
  makeExecutionEnd,
  makeIngestEnd,
  makeProduct,
  makeSource,
  makeStart,
  savedJob,
} from '../make.ts';
import { NOW, storeWorld } from '../store-world.ts';

const world = await storeWorld(t);

async function newStrike(): Promise<number> {
  const job = await savedJob(world);
  const id = await world.newId('strike');
  await world.rows(
    `insert into strike (id, shard, name, title, configuration, workspace_id, job_id, created, last_modified)
     values ($1::bigint, 1, 'strike-' || $1::bigint, 'S', '{}', $2, $3, now(), now())`,
    [id, world.ids.in, job.id],
  );
  return id;
}

const strikeId = await newStrike();
const template = {
  shard: 1,

  jobTypeId: world.ids.type,
  jobTypeRevId: world.ids.rev,
  priority: 10,
  maxTries: 10,
  timeoutS: 0,
} as const;

async function record(...arrivals: ArrivalRecord[]): Promise<ArrivalResult> {
  const [result] = await world.apply({
    type: 'recordArrivals',
    owner: { kind: 'strike', key: strikeId },
    template,
    arrivals,
  });
  return result as ArrivalResult;
}

const ingestRow = (id: number) =>
  world.one<Record<string, unknown>>('select * from ingest where id = $1', [id]);
const at = async (filePath: string, over: Partial<ArrivalRecord> = {}) =>
  makeArrival(world, { filePath, ...over });

t.test('recordArrivals: a complete file gets its ingest, its queued job and its event', async (t) => {
  const arrival = await at('a/1');
  const { accepted } = await record(arrival);
  const { ingestId, jobId, eventId } = arrival;
  t.same(accepted, [{ ingestId, jobId, filePath: 'a/1', identity: 'content-1', start: null }]);
  t.match(await ingestRow(ingestId), {
    status: 'TRANSFERRED',
    job_id: jobId,
    mtime_ms: 1_700_000_000_000.25,
    transfer_started: NOW - 5,
    transfer_ended: NOW,
    data_type_tags: ['tag'],
  });
  t.match(await world.one('select * from job where id = $1', [jobId]), {
    status: 'QUEUED',
    class_key: null,
    num_exes: 1,
    priority: 10,
    owner_kind: 'strike',
    owner_key: strikeId,
    input: { json: { ingest_id: ingestId } },
  });
  t.match(await world.one('select * from event where id = $1', [eventId]), {
    type: 'STRIKE_TRANSFER',
    description: { file_name: 'a.txt', strike_id: strikeId },
  });
});

t.test('recordArrivals: a file that a node can ingest at once begins with its row', async (t) => {
  const start = { executionId: await world.newId('job_exe'), nodeId: world.ids.node };
  const arrival = await at('a/begun', { start });
  const { ingestId, jobId } = arrival;
  t.match(await record(arrival), { accepted: [{ ingestId, jobId, start }] });
  t.match(await ingestRow(ingestId), { status: 'INGESTING', ingest_started: NOW, ingest_ended: null });
  const job = { status: 'RUNNING', num_exes: 1, node_id: world.ids.node, queued: NOW, started: NOW };
  t.match(await world.one('select * from job where id = $1', [jobId]), job);
  const execution = { job_id: jobId, exe_num: 1, status: 'RUNNING', node_id: world.ids.node, started: NOW };
  t.match(await world.one('select * from job_exe where id = $1', [start.executionId]), execution);

  const again = await at('a/begun', { start: { ...start, executionId: await world.newId('job_exe') } });
  t.same(await record(again), { accepted: [] });
  t.same(await world.rows('select id from job_exe where id = $1', [again.start?.executionId]), []);
});

t.test(
  'recordArrivals: a known file changes nothing, in one batch, turn or group as in several',
  async (t) => {
    const first = await at('a/2');
    const again = await at('a/2');
    const { accepted } = await record(first, again);
    t.same(
      accepted.map((one) => one.ingestId),
      [first.ingestId],
    );
    t.same(await record(await at('a/2')), { accepted: [] });
    const [later, repeat] = [await at('a/2b'), await at('a/2b')];
    const change = { type: 'recordArrivals', owner: { kind: 'strike', key: strikeId }, template } as const;
    const results = await world.apply({ ...change, arrivals: [later] }, { ...change, arrivals: [repeat] });
    t.same(results[1], { accepted: [] });
    t.equal((await world.rows(`select 1 from ingest where file_path like 'a/2%'`)).length, 2);
    t.same(await world.rows('select 1 from job where id = any($1)', [[again.jobId, repeat.jobId]]), []);
  },
);

t.test('recordArrivals: other content at a known path is another ingest', async (t) => {
  await record(await at('a/3'));
  const { accepted } = await record(await at('a/3', { identity: 'content-2' }));
  t.equal(accepted.length, 1);
});

t.test('recordArrivals: the same path in another strike is another ingest', async (t) => {
  await record(await at('a/4'));
  const other = await newStrike();
  const arrival = await at('a/4');
  const [result] = await world.apply({
    type: 'recordArrivals',
    owner: { kind: 'strike', key: other },
    template,
    arrivals: [arrival],
  });
  t.match(result, { accepted: [{ ingestId: arrival.ingestId }] });
});

t.test('recordArrivals: a transferring file has one row, which grows and completes', async (t) => {
  const transferring = { status: 'TRANSFERRING', identity: null, mtimeMs: null, tags: [] } as const;
  const first = await at('b/1', { ...transferring, size: 3 });
  t.same(await record(first), { accepted: [] });
  await record(await at('b/1', { ...transferring, size: 7, atMs: NOW + 1 }));
  t.match(await ingestRow(first.ingestId), {
    status: 'TRANSFERRING',
    file_size: 7,
    bytes_transferred: 7,
    job_id: null,
  });

  const complete = await at('b/1', { size: 9, atMs: NOW + 2 });
  const { accepted } = await record(complete);

  t.match(accepted, [{ ingestId: first.ingestId, jobId: complete.jobId }]);
  t.match(await ingestRow(first.ingestId), {
    status: 'TRANSFERRED',
    arrival: 'content-1',
    file_size: 9,
    job_id: complete.jobId,
    transfer_started: NOW - 5,
    transfer_ended: NOW + 2,
  });
  t.match(await world.one('select input from job where id = $1', [complete.jobId]), {
    input: { json: { ingest_id: first.ingestId } },
  });
});

t.test('recordArrivals: a file that is transferring and complete in one batch has one row', async (t) => {
  const first = await at('b/2', { status: 'TRANSFERRING', identity: null });
  const { accepted } = await record(first, await at('b/2'));
  t.match(accepted, [{ ingestId: first.ingestId }]);
  t.match(await world.one(`select status from ingest where file_path = 'b/2'`), { status: 'TRANSFERRED' });
});

t.test('recordArrivals: two contents that complete one transfer have two rows', async (t) => {
  const first = await at('b/3', { status: 'TRANSFERRING', identity: null });
  await record(first);
  const second = await at('b/3', { identity: 'content-2' });
  const { accepted } = await record(await at('b/3'), second);
  t.same(
    accepted.map((one) => one.ingestId),
    [first.ingestId, second.ingestId],
  );
});

t.test('recordArrivals: a known file that transfers again leaves its old row alone', async (t) => {
  const old = await at('b/4');
  await record(old);
  const grows = await at('b/4', { status: 'TRANSFERRING', identity: null });
  await record(grows);
  t.match(await ingestRow(old.ingestId), { status: 'TRANSFERRED' });
  t.match(await ingestRow(grows.ingestId), { status: 'TRANSFERRING' });
});

t.test(
  'recordArrivals: a file that vanished in transfer is ERRORED, and an unknown one leaves no row',
  async (t) => {
    const first = await at('b/5', { status: 'TRANSFERRING', identity: null });
    await record(first);
    const gone = { status: 'ERRORED', identity: null, reason: 'vanished' } as const;
    await record(await at('b/5', gone), await at('b/6', gone));
    t.match(await ingestRow(first.ingestId), { status: 'ERRORED', reason: 'vanished' });
    t.same(await world.rows(`select 1 from ingest where file_path = 'b/6'`), []);
  },
);

t.test('recordArrivals: known content is not recorded as transferring or vanished', async (t) => {
  const old = await at('b/7');
  await record(old);
  const seen = { identity: null, seenIdentity: 'content-1' } as const;
  await record(await at('b/7', { ...seen, status: 'TRANSFERRING' }));
  const grows = await at('b/7', { identity: null, status: 'TRANSFERRING' });
  await record(grows);
  await record(await at('b/7', { ...seen, status: 'ERRORED', reason: 'vanished' }));
  const rows = await world.rows(`select id, status from ingest where file_path = 'b/7'`);
  t.match(rows, [{ id: old.ingestId, status: 'TRANSFERRED' }]);
});

t.test('recordArrivals: a deferred file keeps its row until a rule takes it', async (t) => {
  const deferred = await at('c/1', { status: 'DEFERRED', reason: 'no rule takes this file' });
  t.same(await record(deferred), { accepted: [] });
  t.match(await ingestRow(deferred.ingestId), { status: 'DEFERRED', job_id: null });
  await record(await at('c/1', { status: 'DEFERRED', reason: 'again' }));
  t.match(await ingestRow(deferred.ingestId), { reason: 'no rule takes this file' });

  const taken = await at('c/1', { newWorkspaceId: world.ids.out, newFilePath: 'n/c', tags: ['x', 'y'] });
  const { accepted } = await record(taken);

  t.match(accepted, [{ ingestId: deferred.ingestId, jobId: taken.jobId }]);
  t.match(await ingestRow(deferred.ingestId), {
    status: 'TRANSFERRED',
    reason: null,
    new_file_path: 'n/c',
    new_workspace_id: world.ids.out,
    data_type_tags: ['x', 'y'],
  });
  t.same(await record(await at('c/1')), { accepted: [] });
});

async function ingesting(path: string, over: Partial<ArrivalRecord> = {}): Promise<number> {
  const { accepted } = await record(await at(path, over));
  const ingestId = accepted[0]?.ingestId ?? 0;
  await world.apply({ type: 'startIngests', ingests: [{ ingestId, atMs: NOW + 1 }] });
  return ingestId;
}

t.test('startIngests: TRANSFERRED and ERRORED ingests begin, and others refuse the turn', async (t) => {
  const ingestId = await ingesting('d/1');
  t.match(await ingestRow(ingestId), { status: 'INGESTING', ingest_started: NOW + 1 });
  const start = { type: 'startIngests', ingests: [{ ingestId, atMs: NOW + 2 }] } as const;
  await t.rejects(world.apply(start), { name: 'TurnRefused', turns: [0] });
  await world.apply({ type: 'endIngests', ingests: [makeIngestEnd(ingestId)] });
  t.match(await ingestRow(ingestId), { status: 'ERRORED', reason: 'because', ingest_ended: NOW + 4 });
  await world.apply(start);
  t.match(await ingestRow(ingestId), { status: 'INGESTING', ingest_ended: null });
});

t.test('recordArrivals: a product in its place gets no ingest, and another file there does', async (t) => {
  const job = await savedJob(world);
  const start = await makeStart(world, job.id);
  await world.apply({ type: 'placeJobs', starts: [start] });
  const place = `jobs/type/1.0.0/2026/11/22/job_exe_${start.executionId}`;
  const seen = async (name: string, over: Partial<ArrivalRecord> = {}) => {
    const path = `${place}/${name}`;
    const arrival = await at(path, { workspaceId: world.ids.out, size: 6, identity: path, ...over });
    return (await record(arrival)).accepted.length === 1;
  };
  t.notOk(await seen('early.txt'), 'the execution runs: its files are there before their rows');
  const ingests = async (name: string) =>
    (await world.rows('select status from ingest where file_path = $1', [`${place}/${name}`])).length;
  await seen('grows.txt', { status: 'TRANSFERRING', identity: null, mtimeMs: null, seenIdentity: 'grows' });
  t.equal(await ingests('grows.txt'), 0, 'a monitor on a busy host saw it for a while before it was sure');
  const { executionId } = start;
  const product = async (name: string) =>
    makeProduct(world, { jobId: job.id, executionId, filePath: `${place}/${name}` });
  await world.apply(
    { type: 'endExecutions', ends: [makeExecutionEnd(executionId)] },
    { type: 'createProducts', products: [await product('a.txt'), await product('b.txt')] },
  );
  t.notOk(await seen('a.txt'));
  await world.rows(`update file set is_superseded = true where file_path = $1`, [`${place}/b.txt`]);
  t.notOk(await seen('b.txt'), 'one that is superseded lies there still');
  t.ok(await seen('a.txt', { size: 7, identity: 'larger' }), 'other content');
  t.ok(await seen('none.txt'), 'no product has this path');
  await seen('new.txt', { status: 'TRANSFERRING', identity: null, mtimeMs: null, seenIdentity: 'new' });
  t.equal(await ingests('new.txt'), 1, 'a file that somebody is writing there');
  t.ok(
    await seen('a.txt', { workspaceId: world.ids.in, identity: 'elsewhere' }),
    'a copy in another workspace',
  );
});

t.test('endIngests: an ingested file is linked and says where it went', async (t) => {
  const ingestId = await ingesting('d/2', { newWorkspaceId: world.ids.out, newFilePath: 'n/2' });
  const file = await makeSource(world);
  await world.apply(
    { type: 'createSourceFiles', files: [file] },
    {
      type: 'endIngests',
      ingests: [
        makeIngestEnd(ingestId, {
          status: 'INGESTED',
          sourceFileId: file.id,
          finalPath: 'n/9/2',
          bytesTransferred: 11,
          reason: null,
        }),
      ],
    },
  );
  t.match(await ingestRow(ingestId), {
    status: 'INGESTED',
    source_file_id: file.id,
    new_file_path: 'n/9/2',
    bytes_transferred: 11,
    reason: null,
  });
});

t.test('endIngests: a file that stays has no new path', async (t) => {
  const ingestId = await ingesting('d/3');
  await world.apply({
    type: 'endIngests',
    ingests: [makeIngestEnd(ingestId, { status: 'DUPLICATE', finalPath: 'd/3' })],
  });
  t.match(await ingestRow(ingestId), { new_file_path: null, status: 'DUPLICATE' });
});

t.test('endIngests: a failed try waits again, and an ended ingest refuses the turn', async (t) => {
  const ingestId = await ingesting('d/4');
  const end = (over: Partial<IngestEnd>) => ({
    type: 'endIngests' as const,
    ingests: [makeIngestEnd(ingestId, over)],
  });
  await world.apply(end({ status: 'TRANSFERRED' }));
  t.match(await ingestRow(ingestId), { status: 'TRANSFERRED', ingest_started: null, ingest_ended: null });
  await world.apply(end({ status: 'INGESTED' }));
  await t.rejects(world.apply(end({})), { name: 'TurnRefused', turns: [0] });
});

t.test('endIngests: several steps of one ingest in one turn apply in their order', async (t) => {
  const ingestId = await ingesting('d/5');
  await world.apply(
    { type: 'endIngests', ingests: [makeIngestEnd(ingestId, { status: 'TRANSFERRED' })] },
    { type: 'startIngests', ingests: [{ ingestId, atMs: NOW + 9 }] },
  );
  t.match(await ingestRow(ingestId), { status: 'INGESTING', ingest_started: NOW + 9 });
});

t.test('progressIngests: bytes only grow', async (t) => {
  const ingestId = await ingesting('d/6');
  const progress = (bytesTransferred: number) =>
    world.apply({ type: 'progressIngests', ingests: [{ ingestId, bytesTransferred }] });
  await progress(50);
  await progress(20);
  t.match(await ingestRow(ingestId), { bytes_transferred: 50 });
});

t.test('ingests: times keep their order where clocks of their writers differ', async (t) => {
  const arrival = await at('order/1', { firstSeenMs: NOW + 60_000 });
  await record(arrival);
  const { ingestId } = arrival;
  t.match(await ingestRow(ingestId), { transfer_started: NOW, transfer_ended: NOW });
  await world.apply({ type: 'startIngests', ingests: [{ ingestId, atMs: NOW - 10_000 }] });
  t.match(await ingestRow(ingestId), { transfer_ended: NOW, ingest_started: NOW });
  const source = await makeSource(world);
  await world.apply(
    { type: 'createSourceFiles', files: [source] },
    {
      type: 'endIngests',
      ingests: [makeIngestEnd(ingestId, { status: 'INGESTED', sourceFileId: source.id, atMs: NOW - 20_000 })],
    },
  );
  t.match(await ingestRow(ingestId), { status: 'INGESTED', ingest_started: NOW, ingest_ended: NOW });
});

t.test('ingests: a file that completed before it was first seen counts as seen then', async (t) => {
  const seen = await at('order/2', {
    status: 'TRANSFERRING',
    identity: null,
    mtimeMs: null,
    firstSeenMs: NOW,
  });
  await record(seen);
  const complete = await at('order/2', { atMs: NOW - 1_000, firstSeenMs: NOW - 1_000 });
  await record(complete);
  t.match(await ingestRow(seen.ingestId), {
    status: 'TRANSFERRED',
    transfer_started: NOW - 1_000,
    transfer_ended: NOW - 1_000,
  });
});
