import t from 'tap';
import { makeEnd, makeExecutionEnd, makeQueueing, makeStart, savedJob } from '../../store/make.ts';
import { NOW } from '../../store/store-world.ts';
import { type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts';

const HOUR_MS = 3_600_000;

/** A job that ran on a node; `endMs` undefined: it still does. */
async function ran(world: PlatformWorld, nodeId: number, endMs?: number, error?: string): Promise<number> {
  const { store } = world;
  const job = await savedJob(store, { queueing: makeQueueing({ resources: { cpus: 1, mem: 100 } }) });
  const start = await makeStart(store, job.id, { nodeId, atMs: (endMs ?? world.nowMs) - 1_000 });
  await store.apply({ type: 'placeJobs', starts: [start] });
  if (endMs === undefined) return start.executionId;
  const failed = error === undefined ? null : { name: error, isBuiltin: error !== 'bad-data', detail: '' };
  const status = failed === null ? 'COMPLETED' : 'FAILED';
  await store.apply(
    { type: 'moveJobs', moves: [makeEnd(job.id, { to: status, error: failed, atMs: endMs })] },
    {
      type: 'endExecutions',
      ends: [makeExecutionEnd(start.executionId, { status, error: failed, atMs: endMs })],
    },
  );
  return start.executionId;
}

t.test('status: a fresh installation shows the whole document, without nodes', async (t) => {
  const world = await platformWorld(t);
  await world.store.rows('delete from node');

  const { status, json, text } = await world.get('/v6/status/');
  const short = (await world.get('/v6/status/?fields=scheduler__state,nodes')).json;
  t.strictSame(short, { scheduler: { state: json.scheduler.state }, nodes: json.nodes });

  t.equal(status, 200, text);
  t.match(json, {
    timestamp: new Date(NOW).toISOString(),
    scheduler: {
      hostname: 'coordinator.test',
      cluster_manager: { framework_id: 'test', master_hostname: 'coordinator.test', master_port: 8080 },
      state: { name: 'READY', title: 'Ready' },
      warnings: [],
      metrics: { jobs_launched_per_sec: 0, jobs_finished_per_sec: 0, new_offers_per_sec: 0 },
    },
    system: {
      database_update: { is_completed: true, completed: String },
      services: [{ name: 'coordinator' }, { name: 'agent', actual_count: 0, desired_count: 0 }],
    },
    secrets_store: { status: 'Ok', sealed: false, message: '' },
    ...{ num_offers: 0, nodes: [] },
    resources: { cpus: { total: 0 }, mem: { total: 0 }, disk: { total: 0 }, gpus: { total: 0 } },
  });
  const { dependencies } = json;
  t.strictSame(Object.keys(dependencies).sort(), [
    ...['database', 'idam', 'image_catalog', 'logs', 'msg_queue', 'nodes', 'search_index'],
  ]);
  for (const [name, one] of Object.entries<{ OK: boolean; detail: { msg: string } }>(dependencies)) {
    t.equal(one.OK, name !== 'nodes', name);
    t.ok(one.detail.msg, name);
  }
  t.match(dependencies.nodes, { errors: [{ NODES_OFFLINE: String }], warnings: [] });
  t.match(dependencies.msg_queue.detail, { queue_depth: 3, num_message_handlers: 1, type: 'memory' });
  t.match(dependencies.idam.detail, { msg: 'not used' });
  t.ok(json.job_types.some((type: { name: string }) => type.name === 'millrace-strike'));
});

t.test('status: job types are read only for answers that show them', async (t) => {
  const world = await platformWorld(t);
  const { type } = world.store.ids;
  const [{ name }] = (await world.store.rows('select name from job_type where id = $1', [type])) as [
    { name: string },
  ];
  const knowsType = () => JSON.stringify(world.statusRows).includes(`"${name}"`);
  const short = (await world.get('/v6/status/?fields=scheduler,nodes')).json;
  t.strictSame(Object.keys(short), ['scheduler', 'nodes']);
  t.ok(world.statusRows.length > 0);
  t.notOk(knowsType(), 'not read');
  const whole = (await world.get('/v6/status/?fields=job_types__name')).json;
  t.ok(
    whole.job_types.some((one: { name: string }) => one.name === name),
    'shown at once, although the rest was read before',
  );
  t.ok(knowsType());
});

t.test('status: nodes have their state, resources, and executions of three hours by category', async (t) => {
  const world = await platformWorld(t);
  const { node, node2, type } = world.store.ids;
  const resources = JSON.stringify({ cpus: 4, mem: 1000, disk: 10, fpgas: 1 });
  await world.store.rows('update node set is_online = true, agent_id = $1, resources = $2 where id = $3', [
    ...['agent-1', resources, node],
  ]);
  world.nowMs = NOW + 4 * HOUR_MS;
  await ran(world, node);
  await ran(world, node);
  await ran(world, node, world.nowMs - 1_000);
  await ran(world, node, world.nowMs - 2 * HOUR_MS);
  await ran(world, node, world.nowMs - HOUR_MS, 'bad-data');
  await ran(world, node, world.nowMs - HOUR_MS, 'node-lost');
  await ran(world, node, world.nowMs - 3.5 * HOUR_MS, 'node-lost');

  const { json } = await world.get('/v6/status/');

  const one = json.nodes.find((found: { id: number }) => found.id === node);
  const nothing = { total: 0, by_job_type: [] };
  t.strictSame(one.job_executions, {
    running: { total: 2, by_job_type: [{ job_type_id: type, count: 2 }] },
    completed: { total: 2, by_job_type: [{ job_type_id: type, count: 2 }] },
    failed: {
      total: 2,
      data: { total: 1, by_job_type: [{ job_type_id: type, count: 1 }] },
      algorithm: nothing,
      system: { total: 1, by_job_type: [{ job_type_id: type, count: 1 }] },
    },
  });
  t.match(one, { hostname: 'one', agent_id: 'agent-1', state: { name: 'READY' }, num_offers: 1 });
  t.match(one, { errors: [], warnings: [], node_tasks: [], system_tasks: [] });
  t.strictSame(one.resources.cpus, { offered: 2, total: 4, running: 2, free: 0, unavailable: 0 });
  t.strictSame(one.resources.gpus, { offered: 0, total: 0, running: 0, free: 0, unavailable: 0 });
  t.strictSame(one.resources.fpgas.offered, 1);
  t.strictSame(json.resources.mem, { offered: 800, total: 1000, running: 200, free: 0, unavailable: 0 });
  t.equal(json.num_offers, 1);
  const two = json.nodes.find((found: { id: number }) => found.id === node2);
  t.match(two, { state: { name: 'OFFLINE' }, num_offers: 0, resources: { cpus: { total: 0 } } });
  t.match(json.dependencies.nodes, {
    ...{ OK: false, errors: [{ NODES_ERRORED: String }], warnings: [{ NODES_OFFLINE: String }] },
  });
  t.match(json.scheduler.metrics, { jobs_launched_per_sec: 0.3, jobs_finished_per_sec: 0.1 });
});

t.test('status: running, offered, free and unavailable amounts add up to the whole node', async (t) => {
  const world = await platformWorld(t);
  const { node, node2 } = world.store.ids;
  const given = { cpus: 4, mem: 1_000, disk: 10, fpgas: 1 };
  const host = {
    resources: { cpus: 8, mem: 1_500, disk: 100, gpus: 2 },
    tasks: [{ type: 'cleanup', count: 3 }],
  };
  const saved = (nodeId: number, patch: object) =>
    world.store.apply({ type: 'saveNode', nodeId, patch: { isOnline: true, ...patch }, atMs: NOW });
  await saved(node, { resources: given, host });
  await saved(node2, { resources: { cpus: 2, mem: 100 }, isOnline: false });
  const read = async () => {
    world.nowMs += 3_000;
    const { json } = await world.get('/v6/status/');
    const nodeOf = (id: number) => json.nodes.find((found: { id: number }) => found.id === id);
    return { json, one: nodeOf(node), two: nodeOf(node2) };
  };
  await ran(world, node);

  const ready = await read();
  t.match(ready.one.resources, {
    cpus: { offered: 3, total: 8, running: 1, free: 0, unavailable: 4 },
    mem: { offered: 900, total: 1_500, running: 100, free: 0, unavailable: 500 },
    disk: { offered: 10, total: 100, running: 0, free: 0, unavailable: 90 },
    gpus: { offered: 0, total: 2, running: 0, free: 0, unavailable: 2 },
    fpgas: { offered: 1, total: 1, running: 0, free: 0, unavailable: 0 },
  });
  t.match(ready.one.node_tasks, [{ type: 'cleanup', title: 'Node Cleanup', description: String, count: 3 }]);
  t.match(ready.two.resources.cpus, { offered: 0, total: 2, running: 0, free: 0, unavailable: 2 }, 'offline');
  t.match(ready.json.resources.cpus, { offered: 3, total: 10, running: 1, free: 0, unavailable: 6 });
  t.match([ready.one.num_offers, ready.two.num_offers, ready.json.num_offers], [1, 0, 1]);

  await saved(node, { isPaused: true });
  const paused = await read();
  t.match(paused.one.resources.cpus, { offered: 0, total: 8, running: 1, free: 3, unavailable: 4 });
  t.equal(paused.one.num_offers, 0);

  await saved(node, { isPaused: false, resources: { cpus: 1, mem: 1_000 } });
  const full = await read();
  t.match(full.one.resources.cpus, { offered: 0, total: 8, running: 1, free: 0, unavailable: 7 });
  t.equal(full.one.num_offers, 0, 'an offer of which nothing is left is none');

  await saved(node, { isOnline: false, resources: given });
  const offline = await read();
  t.match(offline.one.resources.cpus, { offered: 0, total: 8, running: 1, free: 0, unavailable: 7 });
  t.strictSame(offline.one.node_tasks, [], 'nobody says what it does now');
});

t.test('status: system jobs on a node are listed by kind', async (t) => {
  const world = await platformWorld(t);
  const { node } = world.store.ids;
  const toType = (executionId: number, name: string) =>
    world.store.rows(
      'update job_exe set job_type_id = (select id from job_type where name = $2) where id = $1',
      [...[executionId, name]],
    );
  await toType(await ran(world, node), 'millrace-strike');
  for (let count = 0; count < 2; count++) await toType(await ran(world, node), 'millrace-ingest');
  await toType(await ran(world, node, NOW), 'millrace-ingest');
  await ran(world, node);

  const { json } = await world.get('/v6/status/');
  const one = json.nodes.find((found: { id: number }) => found.id === node);
  const tasks = one.system_tasks as { type: string; title: string; count: number }[];
  t.strictSame(Object.fromEntries(tasks.map(({ type, count }) => [type, count])), {
    'millrace-strike': 1,
    'millrace-ingest': 2,
  });
  t.ok(tasks.every(({ title }) => title !== ''));
  t.equal(one.job_executions.running.total, 4);
});

t.test('status: addresses and regions are shown if they are set', async (t) => {
  const world = await platformWorld(t);
  const details = async () => {
    world.nowMs += 3_000;
    const { logs, msg_queue: queue } = (await world.get('/v6/status/')).json.dependencies;
    return { address: logs.detail.logging_address, region: queue.detail.region_name };
  };
  const [{ address }] = (await world.store.rows<{ address: string | null }>(
    `select host(inet_server_addr()) || ':' || inet_server_port() as address`,
  )) as [{ address: string | null }];
  t.strictSame(await details(), { address: address ?? '', region: '' });

  for (const [name, region] of [
    ['a', 'eu-central-1'],
    ['b', 'us-west-2'],
    ['c', 'eu-central-1'],
  ]) {
    const job = await savedJob(world.store, {});
    const monitor = { type: 'objstore', queue_name: name, queue_type: 'sqs', region_name: region };
    await world.store.rows(
      `insert into strike (shard, name, title, configuration, workspace_id, job_id, created, last_modified)
       values (1, $1, $1, $2, $3, $4, now(), now())`,
      [name, JSON.stringify({ monitor }), world.store.ids.in, job.id],
    );
  }
  t.equal((await details()).region, 'eu-central-1, us-west-2');
  await world.store.rows(`update strike set deleted = now() where name = 'b'`);
  t.equal((await details()).region, 'eu-central-1', 'without those of hidden strikes');
});

t.test('status: errors, warnings, pauses and lacking resources are shown', async (t) => {
  const world = await platformWorld(t);
  const { node, node2 } = world.store.ids;
  const condition = {
    name: 'BAD_DAEMON',
    title: 'Bad',
    description: 'D',
    startedMs: 0,
    lastUpdatedMs: 1_000,
  };
  await world.store.apply({
    ...{ type: 'saveNode', nodeId: node, atMs: NOW },
    patch: { isOnline: true, errors: [condition], warnings: [{ ...condition, name: 'SLOW' }] },
  });
  await world.store.apply({
    type: 'saveNode',
    nodeId: node2,
    patch: { isOnline: true, isPaused: true },
    atMs: NOW,
  });
  const lacks = (unmet: string | null) =>
    world.store.apply({ type: 'saveUnmet', types: [{ jobTypeId: world.store.ids.type, unmet }] });
  await lacks('gpus,mem');

  const { json } = await world.get('/v6/status/');

  const nodeOf = (id: number) => json.nodes.find((found: { id: number }) => found.id === id);
  t.match(nodeOf(node), {
    state: { name: 'DEGRADED' },
    errors: [
      {
        ...{ name: 'BAD_DAEMON', started: '1970-01-01T00:00:00.000Z' },
        last_updated: '1970-01-01T00:00:01.000Z',
      },
    ],
    warnings: [{ name: 'SLOW' }],
  });
  t.match(nodeOf(node2).state, { name: 'PAUSED' });
  t.match(json.dependencies.nodes.warnings, [{ NODES_DEGRADED: String }]);
  t.match(json.scheduler.warnings, [
    { name: 'INVALID_RESOURCEStype-a', title: 'Invalid Resources for A', description: /: GPUs, memory\.$/ },
  ]);

  await world.store.rows('update scheduler_settings set is_paused = true');
  await world.store.rows(`update node set errors = '[]'`);
  world.nowMs += 5_000;
  const later = (await world.get('/v6/status/')).json;
  t.match(later.scheduler.state, { name: 'PAUSED' });
  t.match(later.nodes[0].state, { name: 'SCHEDULER_STOPPED' });
  t.equal(later.scheduler.warnings[0].started, json.scheduler.warnings[0].started, 'since when is kept');
  t.not(later.scheduler.warnings[0].last_updated, json.scheduler.warnings[0].last_updated);

  // What another coordinator, or this one after a restart, knows is the row.
  const { since } = await world.store.one<{ since: number }>(
    'select unmet_since as since from job_type where unmet_resources is not null',
  );
  const toldMs = Date.parse(later.scheduler.warnings[0].started);
  t.ok(Math.abs(toldMs - since) <= 1, 'but for what is left of a millisecond');
  await lacks('mem');
  world.nowMs += 5_000;
  const changed = (await world.get('/v6/status/')).json.scheduler.warnings[0];
  t.match(changed, { description: /of: mem/, started: later.scheduler.warnings[0].started });
  await lacks(null);
  await lacks('mem');
  world.nowMs += 5_000;
  const again = (await world.get('/v6/status/')).json.scheduler.warnings[0];
  t.ok(again.started > changed.started, 'one that had ended starts again');
});

t.test('status: it is 503 without a scheduler, or once the last reading is stale', async (t) => {
  const world = await platformWorld(t);
  const { owner } = world;
  world.owner = undefined;
  const offline = await world.get('/v6/status/');
  t.match(offline, { status: 503, json: { code: 'OWNER_UNAVAILABLE' } });
  t.ok(offline.headers.get('retry-after'));

  world.owner = owner;
  const first = await world.get('/v6/status/');
  t.equal(first.status, 200);
  await world.store.rows('alter table job_exe rename to job_exe_gone');
  world.nowMs += 1_000;
  t.equal(
    (await world.get('/v6/status/')).json.timestamp,
    first.json.timestamp,
    'it is fresh: nothing is read',
  );
  world.nowMs += 11_000;
  t.equal(
    (await world.get('/v6/status/')).json.timestamp,
    first.json.timestamp,
    'it cannot be read: the last one',
  );
  world.nowMs += 1;
  t.not((await world.get('/v6/status/')).status, 200, 'too old to be handed out');
});
