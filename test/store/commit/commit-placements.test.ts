/** Placements of the scheduler: what rows refuse that the scheduler did not know. */
import t from 'tap';
import { makeEnd, makeEvent, makeInput, makeJob, makeQueue, makeStart, savedJob } from '../make.ts';
import { NOW, storeWorld } from '../store-world.ts';

const world = await storeWorld(t);

t.test('placeJobs: canceled, restarted and paused jobs are skipped, and others are placed', async (t) => {
  const [good, canceled, old, paused] = await Promise.all([
    savedJob(world),
    savedJob(world),
    savedJob(world),
    savedJob(world, { jobTypeId: world.ids.type2 }),
  ]);
  await world.rows('update job_type set is_paused = true where id = $1', [world.ids.type2]);
  await world.apply({
    type: 'moveJobs',
    moves: [{ kind: 'status', jobId: canceled.id, from: ['QUEUED'], exeNum: 1, to: 'CANCELED', atMs: NOW }],
  });
  const starts = await Promise.all([good, canceled, paused].map((job) => makeStart(world, job.id)));
  const late = await makeStart(world, old.id, { exeNum: 2 });

  const [result] = await world.apply({ type: 'placeJobs', starts: [...starts, late] });

  t.same(result, { placedExecutionIds: [starts[0]?.executionId], isOutdated: true });
  t.equal(
    (await world.rows('select 1 from job_exe where job_id = any($1)', [[canceled.id, paused.id, old.id]]))
      .length,
    0,
  );
  await world.rows('update job_type set is_paused = false');
});

t.test('placeJobs: a repeat places nothing', async (t) => {
  const job = await savedJob(world);
  await world.apply({ type: 'placeJobs', starts: [await makeStart(world, job.id)] });
  const [again] = await world.apply({ type: 'placeJobs', starts: [await makeStart(world, job.id)] });
  t.same(again, { placedExecutionIds: [], isOutdated: false });
});

t.test('placeJobs: a job is not placed on a paused or deactivated node', async (t) => {
  const job = await savedJob(world);
  t.teardown(() => world.rows('update node set is_paused = false, is_active = true'));
  for (const closed of ['is_paused = true, is_active = true', 'is_paused = false, is_active = false']) {
    await world.rows(`update node set ${closed} where id = $1`, [world.ids.node]);
    const [result] = await world.apply({ type: 'placeJobs', starts: [await makeStart(world, job.id)] });
    t.same(result, { placedExecutionIds: [], isOutdated: true }, closed);
  }
  await world.rows('update node set is_paused = false, is_active = true');
  const [result] = await world.apply({ type: 'placeJobs', starts: [await makeStart(world, job.id)] });
  t.match(result, { isOutdated: false });
});

t.test('placeJobs: a job is not placed if the type’s limit is not the one of the decision', async (t) => {
  const [limited, free] = await Promise.all([
    savedJob(world, { jobTypeId: world.ids.type2 }),
    savedJob(world),
  ]);
  const startsOf = (maxScheduled: number | null) =>
    Promise.all([
      makeStart(world, limited.id, { maxScheduled }),
      makeStart(world, free.id, { maxScheduled: null }),
    ]);
  await world.rows('update job_type set max_scheduled = 1 where id = $1', [world.ids.type2]);
  t.teardown(() => world.rows('update job_type set max_scheduled = null'));

  const unlimited = await startsOf(null);
  const [first] = await world.apply({ type: 'placeJobs', starts: unlimited });
  t.same(first, { placedExecutionIds: [unlimited[1]?.executionId], isOutdated: true });
  const [other] = await world.apply({ type: 'placeJobs', starts: (await startsOf(2)).slice(0, 1) });
  t.same(other, { placedExecutionIds: [], isOutdated: true });
  const right = (await startsOf(1)).slice(0, 1);
  const [last] = await world.apply({ type: 'placeJobs', starts: right });
  t.same(last, { placedExecutionIds: [right[0]?.executionId], isOutdated: false });
});

/** One group: a turn that creates a job of type 2, and the scheduler's turn that places it. */
const createAndPlace = async (
  over: { readonly maxScheduled?: number | null; readonly exeNum?: number } = {},
) => {
  const [id, eventId] = [await world.newId('job'), await world.newId('event')];
  const job = makeJob(world, { id, eventId, jobTypeId: world.ids.type2 });
  const start = await makeStart(world, id, over);
  const results = await world.applyAll(
    [
      { type: 'createEvents', events: [makeEvent(eventId)] },
      { type: 'createJobs', jobs: [job] },
    ],
    [{ type: 'placeJobs', starts: [start] }],
  );
  const [row] = await world.rows<{ queued: Date }>(
    'select status, num_exes, node_id, queued, started from job where id = $1',
    [id],
  );
  const executions = await world.rows('select id, status, exe_num, queued from job_exe where job_id = $1', [
    id,
  ]);
  return { start, result: results.at(-1)?.[0], row, executions };
};

t.test('placeJobs: a job that the same group creates is placed', async (t) => {
  const { start, result, row, executions } = await createAndPlace();
  t.same(result, { placedExecutionIds: [start.executionId], isOutdated: false });
  t.match(row, { status: 'RUNNING', num_exes: 1, node_id: world.ids.node });
  t.match(executions, [{ id: start.executionId, status: 'RUNNING', exe_num: 1, queued: row?.queued }]);
});

t.test('placeJobs: a job that the same group creates stays queued at another execution', async (t) => {
  const { result, row, executions } = await createAndPlace({ exeNum: 2 });
  t.same(result, { placedExecutionIds: [], isOutdated: false });
  t.match(row, { status: 'QUEUED', node_id: null, started: null });
  t.same(executions, []);
});

t.test(
  'placeJobs: a waiting job that the same group queues is placed, and its row is written once',
  async (t) => {
    const { id } = await savedJob(world, { status: 'PENDING', queueing: null, input: null });
    const failed = await savedJob(world);
    await world.apply({ type: 'placeJobs', starts: [await makeStart(world, failed.id)] });
    await world.apply({ type: 'moveJobs', moves: [makeEnd(failed.id, { to: 'FAILED' })] });
    const versionsOf = () =>
      world.rows<{ object_version: number }>(
        'select object_version from job where id = any($1) order by id',
        [[id, failed.id]],
      );
    const before = await versionsOf();
    const starts = [await makeStart(world, id), await makeStart(world, failed.id, { exeNum: 2 })];

    const [newest] = await world.rows<{ id: number }>(
      `insert into job_type_rev (job_type_id, revision_num, container_image, manifest, created)
      select job_type_id, revision_num + 1, container_image, manifest, created from job_type_rev where id = $1
      returning id`,
      [world.ids.rev],
    );
    const revision = { jobTypeRevId: newest?.id ?? 0, timeoutS: 77 };
    const resources = { cpus: 3 };
    const moves = [
      { ...makeQueue(id, ['PENDING'], 0, { resources }), input: makeInput() },
      { ...makeQueue(failed.id, ['FAILED'], 1, { resources }), revision },
    ];
    const results = await world.applyAll([{ type: 'moveJobs', moves }], [{ type: 'placeJobs', starts }]);

    t.match(results.at(-1)?.[0], {
      placedExecutionIds: starts.map((start) => start.executionId),
      isOutdated: false,
    });
    const rows = await world.rows(
      `select j.status, j.num_exes, j.node_id, j.ended, x.resources, x.job_type_rev_id,
        (j.queued, j.started, j.timeout_s, j.input_file_size)
          is not distinct from (x.queued, x.started, x.timeout_s, x.input_file_size) as is_alike
      from job j join job_exe x on x.job_id = j.id and x.exe_num = j.num_exes where j.id = any($1) order by j.id`,
      [[id, failed.id]],
    );
    const written = { status: 'RUNNING', node_id: world.ids.node, ended: null };
    const running = { ...written, resources, job_type_rev_id: null, is_alike: true };
    t.match(rows, [
      { ...running, num_exes: 1 },
      { ...running, num_exes: 2 },
    ]);
    t.match(
      await world.rows('select job_type_rev_id from job_exe where job_id = $1 and exe_num = 1', [failed.id]),
      [{ job_type_rev_id: world.ids.rev }],
      'the earlier execution keeps its revision',
    );
    const after = await versionsOf();
    t.same(
      after.map((row, at) => row.object_version - (before[at]?.object_version ?? 0)),
      [1, 1],
    );
  },
);

t.test('placeJobs: a job whose queueing is refused is not placed by the same group', async (t) => {
  const { id } = await savedJob(world, { status: 'BLOCKED', queueing: null, input: null });
  const group = world.applyAll(
    [{ type: 'moveJobs', moves: [makeQueue(id, ['PENDING'], 0)] }],
    [{ type: 'placeJobs', starts: [await makeStart(world, id)] }],
  );
  await t.rejects(group, { name: 'TurnRefused' });
  t.match(await world.rows('select status from job where id = $1', [id]), [{ status: 'BLOCKED' }]);
  t.same(await world.rows('select 1 from job_exe where job_id = $1', [id]), []);
});

t.test(
  'placeJobs: a new job of a paused or otherwise limited type, or on a closed node, stays queued',
  async (t) => {
    const open = async () => {
      await world.rows('update job_type set is_paused = false, max_scheduled = null');
      await world.rows('update node set is_paused = false, is_active = true');
    };
    t.teardown(open);
    const closings = [
      'update job_type set is_paused = true where id = $1',
      'update job_type set max_scheduled = 1 where id = $1',
      'update node set is_paused = true where $1 > 0',
      'update node set is_active = false where $1 > 0',
    ];
    for (const closing of closings) {
      await open();
      await world.rows(closing, [world.ids.type2]);
      const { result, row, executions } = await createAndPlace();
      t.same(result, { placedExecutionIds: [], isOutdated: true }, closing);
      t.match(row, { status: 'QUEUED', node_id: null }, closing);
      t.same(executions, [], closing);
    }
    await open();
    await world.rows('update job_type set max_scheduled = 1 where id = $1', [world.ids.type2]);
    t.match((await createAndPlace({ maxScheduled: 1 })).row, { status: 'RUNNING' });
  },
);
