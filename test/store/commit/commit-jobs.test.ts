import t from 'tap';
import {
  makeEnd,
  makeEvent,
  makeExecutionEnd,
  makeInput,
  makeJob,
  makeQueue,
  makeQueueing,
  makeSource,
  makeStart,
  savedJob,
} from '../make.ts';
import { EPOCH, NOW, storeWorld } from '../store-world.ts';

const world = await storeWorld(t);

interface JobRow {
  status: string;
  num_exes: number;
  node_id: number | null;
  error: string | null;
  started: number | null;
  ended: number | null;
  queued: number | null;
  priority: number;
  last_modified: number;
  output: unknown;
}

const jobRow = (id: number) =>
  world.one<JobRow>(
    'select j.*, e.name as error from job j left join error e on e.id = error_id where j.id = $1',
    [id],
  );

t.test('jobs: a whole life of a job leaves its times and its execution', async (t) => {
  const job = await savedJob(world);
  const start = await makeStart(world, job.id);
  const [placed] = await world.apply({ type: 'placeJobs', starts: [start] });
  t.same(placed, { placedExecutionIds: [start.executionId], isOutdated: false });
  const running = await jobRow(job.id);
  t.match(running, { status: 'RUNNING', node_id: world.ids.node, started: NOW + 1, queued: NOW });

  const output = { files: { OUT: [1] }, json: { a: 'b' } };
  await world.apply(
    { type: 'moveJobs', moves: [makeEnd(job.id, { output })] },
    { type: 'endExecutions', ends: [makeExecutionEnd(start.executionId, { output })] },
  );

  t.match(await jobRow(job.id), {
    status: 'COMPLETED',
    ended: NOW + 2,
    output,
    last_modified: NOW + 2,
    error: null,
  });
  const exe = await world.one('select * from job_exe where id = $1', [start.executionId]);
  t.match(exe, {
    status: 'COMPLETED',
    queued: NOW,
    started: NOW + 1,
    ended: NOW + 2,
    seed_started: NOW + 1,
    input_file_size: 3,
    resources: { cpus: 1 },
    output,
  });
});

t.test('moveJobs: a job in another status refuses the turn and names it', async (t) => {
  const job = await savedJob(world);
  await world.apply({ type: 'moveJobs', moves: [makeEnd(job.id)] });

  const again = world.apply({ type: 'moveJobs', moves: [makeEnd(job.id)] });

  await t.rejects(again, {
    name: 'TurnRefused',
    turns: [0],
    message: new RegExp(`job ${job.id} is COMPLETED`),
  });
});

t.test('moveJobs: another execution number refuses the turn', async (t) => {
  const job = await savedJob(world);
  await t.rejects(world.apply({ type: 'moveJobs', moves: [makeEnd(job.id, { exeNum: 2 })] }), {
    name: 'TurnRefused',
    turns: [0],
  });
});

t.test('moveJobs: an unknown job refuses the turn', async (t) => {
  await t.rejects(world.apply({ type: 'moveJobs', moves: [makeEnd(999_999)] }), { name: 'TurnRefused' });
});

t.test('apply: one bad turn of many is named, and nothing of the group is saved', async (t) => {
  const jobs = await Promise.all([savedJob(world), savedJob(world), savedJob(world)]);
  const turns = jobs.map((job, at) => [
    { type: 'moveJobs' as const, moves: [makeEnd(job.id, at === 1 ? { exeNum: 9 } : {})] },
  ]);
  await t.rejects(world.applyAll(...turns), { name: 'TurnRefused', turns: [1] });
  for (const job of jobs) t.match(await jobRow(job.id), { status: 'QUEUED' });

  turns.splice(1, 1);
  await world.applyAll(...turns);
  t.match(await jobRow(jobs[0]?.id ?? 0), { status: 'COMPLETED' });
});

t.test('moveJobs: several moves of one job in one turn leave the last state', async (t) => {
  const job = await savedJob(world);
  const start = await makeStart(world, job.id, { exeNum: 2 });
  await world.apply(
    { type: 'moveJobs', moves: [makeQueue(job.id, ['QUEUED'], 1, { priority: 5, atMs: NOW })] },
    { type: 'startExecutions', starts: [start] },
    {
      type: 'moveJobs',
      moves: [makeEnd(job.id, { exeNum: 2, to: 'FAILED', error: { name: 'node-lost', isBuiltin: true } })],
    },
    {
      type: 'endExecutions',
      ends: [
        makeExecutionEnd(start.executionId, {
          status: 'FAILED',
          error: { name: 'node-lost', isBuiltin: true },
        }),
      ],
    },
  );
  t.match(await jobRow(job.id), {
    status: 'FAILED',
    num_exes: 2,
    priority: 5,
    error: 'node-lost',
    ended: NOW + 2,
  });
  const exe = await world.one('select status, exe_num from job_exe where job_id = $1', [job.id]);
  t.same(exe, { status: 'FAILED', exe_num: 2 });
});

t.test('moveJobs: a job created and canceled in one turn is canceled', async (t) => {
  const [id, eventId] = [await world.newId('job'), await world.newId('event')];
  await world.apply(
    { type: 'createEvents', events: [makeEvent(eventId)] },
    { type: 'createJobs', jobs: [makeJob(world, { id, eventId })] },
    {
      type: 'moveJobs',
      moves: [
        { kind: 'status', jobId: id, from: ['QUEUED', 'RUNNING'], exeNum: 1, to: 'CANCELED', atMs: NOW + 1 },
      ],
    },
  );
  t.match(await jobRow(id), { status: 'CANCELED', ended: null });
});

t.test(
  'moveJobs: queueing again clears node, error and times; errors of manifests are found by type',
  async (t) => {
    const job = await savedJob(world);
    const start = await makeStart(world, job.id);
    await world.apply({ type: 'startExecutions', starts: [start] });
    const error = { name: 'bad-data', isBuiltin: false };
    await world.apply({ type: 'moveJobs', moves: [makeEnd(job.id, { to: 'FAILED', error })] });
    t.match(await jobRow(job.id), { error: 'bad-data', node_id: world.ids.node });

    await world.apply({ type: 'moveJobs', moves: [makeQueue(job.id, ['FAILED'], 1)] });

    t.match(await jobRow(job.id), {
      status: 'QUEUED',
      error: null,
      node_id: null,
      started: null,
      ended: null,
      num_exes: 2,
      queued: NOW + 3,
    });
  },
);

t.test('moveJobs: an unregistered error becomes the error `unknown`', async (t) => {
  const job = await savedJob(world);
  const error = { name: 'never-heard-of', isBuiltin: false };
  await world.apply({ type: 'moveJobs', moves: [makeEnd(job.id, { to: 'FAILED', error })] });
  t.match(await jobRow(job.id), { error: 'unknown' });
});

t.test('startExecutions: a job that is not queued refuses the turn', async (t) => {
  const job = await savedJob(world, { status: 'PENDING' });
  await t.rejects(world.apply({ type: 'startExecutions', starts: [await makeStart(world, job.id)] }), {
    name: 'TurnRefused',
    turns: [0],
  });
});

t.test('endExecutions: a repeat changes nothing', async (t) => {
  const job = await savedJob(world);
  const start = await makeStart(world, job.id);
  await world.apply({ type: 'startExecutions', starts: [start] });
  await world.apply({
    type: 'endExecutions',
    ends: [makeExecutionEnd(start.executionId, { status: 'CANCELED' })],
  });
  await world.apply({
    type: 'endExecutions',
    ends: [makeExecutionEnd(start.executionId, { atMs: NOW + 9 })],
  });
  t.match(await world.one('select status, ended from job_exe where id = $1', [start.executionId]), {
    status: 'CANCELED',
    ended: NOW + 2,
  });
});

t.test('createJobs: input files are linked, and a missing one refuses the turn', async (t) => {
  const file = await makeSource(world);
  await world.apply({ type: 'createSourceFiles', files: [file] });
  const job = await savedJob(world, { input: makeInput({ IN: [file.id, file.id] }) });
  t.same(await world.rows('select input, file_id from job_input_file where job_id = $1', [job.id]), [
    { input: 'IN', file_id: file.id },
  ]);
  await t.rejects(savedJob(world, { input: makeInput({ IN: [888_888] }) }), { name: 'TurnRefused' });
});

t.test('createJobs: a repeat refuses the turn', async (t) => {
  const job = await savedJob(world);
  await t.rejects(world.apply({ type: 'createJobs', jobs: [job] }), {
    name: 'TurnRefused',
    message: /job_pkey/,
  });
});

t.test('createJobs: text that PostgreSQL cannot store refuses the turn', async (t) => {
  const job = makeJob(world, {
    id: await world.newId('job'),
    eventId: await world.newId('event'),
    configuration: { a: '\u0000' },
  });
  const saved = world.apply(
    { type: 'createEvents', events: [makeEvent(job.eventId)] },
    { type: 'createJobs', jobs: [job] },
  );
  await t.rejects(saved, { name: 'TurnRefused' });
});

t.test('apply: a turn of another epoch is fenced, and nothing of the group is saved', async (t) => {
  const job = await savedJob(world);
  const good = { shard: 1, epoch: EPOCH, changes: [{ type: 'moveJobs' as const, moves: [makeEnd(job.id)] }] };
  const stale = { shard: 2, epoch: EPOCH - 1, changes: [] };
  await t.rejects(world.port.apply([good, stale]), { name: 'Fenced', shards: [2] });
  t.match(await jobRow(job.id), { status: 'QUEUED' });
});

t.test('apply: a turn of a shard that does not exist is fenced', async (t) => {
  await t.rejects(world.port.apply([{ shard: 999, epoch: EPOCH, changes: [] }]), {
    name: 'Fenced',
    shards: [999],
  });
});

t.test('jobs: times keep their order where clocks of their writers differ', async (t) => {
  const { id } = await savedJob(world, { queueing: makeQueueing({ atMs: NOW - 60_000 }) });
  t.match(await jobRow(id), { queued: NOW }, 'not queued before it was created');
  const start = await makeStart(world, id, { atMs: NOW - 5_000 });
  await world.apply({ type: 'placeJobs', starts: [start] });
  t.match(await jobRow(id), { status: 'RUNNING', queued: NOW, started: NOW });
  const phase = (name: 'pre' | 'main' | 'post', startedMs: number, endedMs: number | null) =>
    ({ phase: name, startedMs, endedMs, exitCode: null, isTimedOut: false }) as const;
  const phases = [
    phase('pre', 1_000, 2_000),
    phase('main', NOW + 9_000, NOW + 3_000),
    phase('post', NOW, null),
  ];
  const end = makeExecutionEnd(start.executionId, { phases, atMs: NOW - 7_000 });
  await world.apply(
    { type: 'moveJobs', moves: [makeEnd(id, { atMs: NOW - 7_000 })] },
    { type: 'endExecutions', ends: [end] },
  );
  t.match(await jobRow(id), { started: NOW, ended: NOW, last_modified: NOW });
  const row = await world.one('select * from job_exe where id = $1', [start.executionId]);
  t.match(row, { queued: NOW, started: NOW, ended: NOW, seed_started: NOW, seed_ended: NOW });
  t.match(row, {
    task_results: {
      phases: [
        { phase: 'pre', startedMs: NOW, endedMs: NOW },
        { phase: 'main', startedMs: NOW, endedMs: NOW },
        { phase: 'post', startedMs: NOW, endedMs: null },
      ],
    },
  });
});

t.test('jobs: phases lie between the start and the end of their execution, in their order', async (t) => {
  const { id } = await savedJob(world);
  const start = await makeStart(world, id, { atMs: NOW + 10 });
  await world.apply({ type: 'placeJobs', starts: [start] });
  const phase = (name: 'pull' | 'pre' | 'main', startedMs: number, endedMs: number) =>
    ({ phase: name, startedMs, endedMs, exitCode: 0, isTimedOut: false }) as const;
  const phases = [
    phase('pull', NOW + 4, NOW + 30),
    phase('pre', NOW + 20, NOW + 40),
    phase('main', NOW + 50, NOW + 999),
  ];
  await world.apply({
    type: 'endExecutions',
    ends: [makeExecutionEnd(start.executionId, { phases, atMs: NOW + 100 })],
  });
  const row = await world.one('select * from job_exe where id = $1', [start.executionId]);
  t.match(row, {
    ...{ seed_started: NOW + 50, seed_ended: NOW + 100, ended: NOW + 100 },
    task_results: {
      phases: [
        { phase: 'pull', startedMs: NOW + 10, endedMs: NOW + 30, exitCode: 0, isTimedOut: false },
        { phase: 'pre', startedMs: NOW + 30, endedMs: NOW + 40 },
        { phase: 'main', startedMs: NOW + 50, endedMs: NOW + 100 },
      ],
    },
  });
});

t.test('jobs: a job that is queued again is not queued before its last end', async (t) => {
  const { id } = await savedJob(world);
  const start = await makeStart(world, id, { atMs: NOW + 50 });
  await world.apply({ type: 'placeJobs', starts: [start] });
  await world.apply({ type: 'moveJobs', moves: [makeQueue(id, ['RUNNING'], 1, { atMs: NOW + 20 })] });
  t.match(await jobRow(id), { status: 'QUEUED', queued: NOW + 50, started: null, ended: null });
  // All of it in one group.
  const again = await makeStart(world, id, { exeNum: 2, atMs: NOW + 30 });
  await world.apply(
    { type: 'placeJobs', starts: [again] },
    { type: 'moveJobs', moves: [makeEnd(id, { exeNum: 2, atMs: NOW + 40 })] },
  );
  t.match(await jobRow(id), { queued: NOW + 50, started: NOW + 50, ended: NOW + 50 });
});

t.test(
  'jobs: an execution that begins and ends while its job is queued again keeps its own times',
  async (t) => {
    const { id } = await savedJob(world);
    const start = await makeStart(world, id);
    await world.apply(
      { type: 'startExecutions', starts: [start] },
      { type: 'moveJobs', moves: [makeEnd(id, { to: 'FAILED' }), makeQueue(id, ['FAILED'], 1)] },
    );
    t.match(await world.one('select queued, started from job_exe where id = $1', [start.executionId]), {
      queued: NOW,
      started: NOW + 1,
    });
    t.match(await jobRow(id), { status: 'QUEUED', num_exes: 2, queued: NOW + 3 });
  },
);
