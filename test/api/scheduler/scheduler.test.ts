import t from 'tap';
import { makeQueueing, savedJob } from '../../store/make.ts';
import { platformWorld } from '../../support/worlds/platform-world.ts';

t.test('scheduler: settings are shown, changed through its actor, and normalised', async (t) => {
  const world = await platformWorld(t);
  const defaults = {
    ...{ is_paused: false, num_message_handlers: 1, queue_mode: 'FIFO', system_logging_level: 'INFO' },
  };
  t.strictSame((await world.get('/v6/scheduler/')).json, { object_version: 1, ...defaults });

  const edit = await world.patch('/v6/scheduler/', {
    ...{ is_paused: true, num_message_handlers: 0, queue_mode: 'lifo', system_logging_level: 'warning' },
  });
  t.equal(edit.status, 204, edit.text);
  t.strictSame((await world.get('/v6/scheduler/')).json, {
    ...{
      object_version: 2,
      is_paused: true,
      num_message_handlers: 0,
      queue_mode: 'LIFO',
      system_logging_level: 'WARNING',
    },
  });
  await world.patch('/v6/scheduler/', { system_logging_level: 'chatty' });
  t.match((await world.get('/v6/scheduler/')).json, { is_paused: true, system_logging_level: 'INFO' });
  t.strictSame(world.sent[0]?.to, { kind: 'scheduler', key: 'main' });

  const refused = [
    ...[
      {},
      { state: 'READY' },
      { is_paused: 'no' },
      { num_message_handlers: -1 },
      { num_message_handlers: 65 },
    ],
    ...[
      { num_message_handlers: '2' },
      { num_message_handlers: 1.5 },
      { queue_mode: 'RANDOM' },
      { queue_mode: 3 },
    ],
    ...[{ system_logging_level: 5 }, { is_paused: true, extra: 1 }],
  ];
  for (const body of refused) {
    const { status, json } = await world.patch('/v6/scheduler/', body);
    t.equal(status, 400, JSON.stringify(body));
    if (Object.keys(body).length > 0) t.ok(json.errors.length > 0, 'names the field');
  }
  t.equal(world.sent.length, 2);
});

t.test('scheduler: queued resources are summed by state', async (t) => {
  const world = await platformWorld(t);
  t.strictSame((await world.get('/v6/scheduler/queued-resources/')).json, {
    cluster_resources: { cpus: 0, disk: 0, gpus: 0, mem: 0 },
    queue_lengths: { PENDING: 0, QUEUED: 0, RUNNING: 0 },
    total_resources: { PENDING: {}, QUEUED: {}, RUNNING: {} },
  });
  const resources = JSON.stringify({ cpus: 2.5, mem: 1000 });
  await world.store.rows(`update node set is_online = true, resources = $1 where hostname = 'one'`, [
    resources,
  ]);
  await world.store.rows(`update node set resources = $1 where hostname = 'two'`, [resources]);
  const queueing = (cpus: number) => makeQueueing({ resources: { cpus, mem: 128, gpus: 0 } });
  await savedJob(world.store, { queueing: queueing(1) });
  await savedJob(world.store, { queueing: queueing(1) });
  await savedJob(world.store, { queueing: queueing(0.5) });
  await savedJob(world.store, { status: 'PENDING' });
  await savedJob(world.store, { status: 'BLOCKED' });
  // The jobs of a scan that nobody has started wait for nothing.
  const scanJob = await savedJob(world.store, { status: 'PENDING' });
  await world.store.rows(`update job set owner_kind = 'scan' where id = $1`, [scanJob.id]);

  const { json } = await world.get('/v6/scheduler/queued-resources/');

  t.strictSame(json, {
    cluster_resources: { cpus: 2.5, disk: 0, gpus: 0, mem: 1000 },
    queue_lengths: { PENDING: 1, QUEUED: 3, RUNNING: 0 },
    total_resources: { PENDING: {}, QUEUED: { cpus: 2.5, mem: 384 }, RUNNING: {} },
  });
});

t.test('queue status: types are listed by priority and waiting time, paused ones last', async (t) => {
  const world = await platformWorld(t);
  t.strictSame((await world.get('/v6/queue/status/')).json, {
    count: 0,
    next: null,
    previous: null,
    results: [],
  });
  const { type, type2 } = world.store.ids;
  const queue = (
    jobTypeId: number,
    priority: number,
    atMs: number,
    classKey: string | null = `of ${jobTypeId}`,
  ) => savedJob(world.store, { jobTypeId, queueing: makeQueueing({ priority, atMs, classKey }) });
  await queue(type, 50, Date.UTC(2026, 0, 3));
  await queue(type, 10, Date.UTC(2026, 0, 4));
  await queue(type2, 20, Date.UTC(2026, 0, 1));
  await savedJob(world.store, { status: 'PENDING' });

  const { json } = await world.get('/v6/queue/status/');

  t.match(json, {
    count: 2,
    results: [
      {
        job_type: { id: type, name: 'type-a', is_paused: false, is_system: false },
        ...{ count: 2, longest_queued: '2026-01-03T00:00:00.000Z', highest_priority: 10 },
      },
      { job_type: { id: type2 }, count: 1, highest_priority: 20 },
    ],
  });
  await world.store.rows(`update job_type set is_paused = true where id = ${type}`);
  const ids = async (query: string) => {
    const page = (await world.get(`/v6/queue/status/?${query}`)).json;
    return [page.count, ...page.results.map((one: { job_type: { id: number } }) => one.job_type.id)];
  };
  t.strictSame(await ids(''), [2, type2, type]);
  t.strictSame(await ids('page=2&page_size=1'), [2, type]);
  t.strictSame(await ids('page=3&page_size=1'), [2], 'a page after the last is empty, with the count');
  t.equal((await world.get('/v6/queue/status/?page_size=1001')).status, 400);

  // Work of the system has no class.
  await world.store.rows(`update job set status = 'CANCELED' where job_type_id = ${type2}`);
  await queue(type2, 5, Date.UTC(2026, 0, 6), null);
  await queue(type2, 5, Date.UTC(2026, 0, 5), null);
  t.match((await world.get('/v6/queue/status/')).json.results[0], {
    job_type: { id: type2 },
    ...{ count: 2, longest_queued: '2026-01-05T00:00:00.000Z', highest_priority: 5 },
  });
  // What is queued no more is neither counted nor read.
  await world.store.rows(`update job set status = 'CANCELED' where status = 'QUEUED'`);
  t.strictSame(await ids(''), [0]);
});

t.test(
  'queue classes: alike jobs are grouped with the first of them; classes that fit no node come first',
  async (t) => {
    const world = await platformWorld(t);
    const { store } = world;
    t.equal((await world.get('/v6/queue/classes/')).json.count, 0);
    const spec = {
      resources: { cpus: 2, mem: 64 },
      executor: 'process:default',
      workspaceIds: [store.ids.out],
    };
    await store.rows(
      `insert into scheduling_class (key, job_type_id, spec, unmet) values ('a', $1, $3, null), ('b', $2, $3, 'mem')`,
      [store.ids.type, store.ids.type2, JSON.stringify(spec)],
    );
    const queue = (classKey: string, priority: number, atMs: number) =>
      savedJob(store, { queueing: makeQueueing({ classKey, priority, atMs }) });
    await queue('a', 50, Date.UTC(2026, 0, 3));
    const urgent = await queue('a', 10, Date.UTC(2026, 0, 5));
    const huge = await queue('b', 20, Date.UTC(2026, 0, 4));
    await savedJob(store, { status: 'PENDING' });

    const { json } = await world.get('/v6/queue/classes/');

    t.match(json, { count: 2, results: [{ first_job_id: huge.id, unmet: 'mem', count: 1 }, { count: 2 }] });
    t.match(json.results[1], {
      job_type: { id: store.ids.type },
      ...{ first_job_id: urgent.id, highest_priority: 10, longest_queued: '2026-01-03T00:00:00.000Z' },
      ...{ unmet: null, executor: 'process:default', resources: { cpus: 2, mem: 64 }, workspaces: ['out'] },
    });
    t.match((await world.get('/v6/queue/classes/?page=2&page_size=1')).json.results, [{ unmet: null }]);
  },
);
