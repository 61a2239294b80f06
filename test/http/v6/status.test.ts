import t from 'tap';
import { makeEnd, makeExecutionEnd, makeQueueing, makeStart, savedJob } from '../../store/make.ts';
import { NOW } from '../../store/store-world.ts';
import { type PlatformWorld, platformWorld } from '../../support/platform-world.ts';

const HOUR_MS = 3_600_000;

/** A job that ran on a node; `endMs` undefined: it still does. */
async function ran(world: PlatformWorld, nodeId: number, endMs?: number, error?: string): Promise<void> {
  const { store } = world;
  const job = await savedJob(store, { queueing: makeQueueing({ resources: { cpus: 1, mem: 100 } }) });
  const start = await makeStart(store, job.id, { nodeId, atMs: (endMs ?? world.nowMs) - 1_000 });
  await store.apply({ type: 'placeJobs', starts: [start] });
  if (endMs === undefined) return;
  const failed = error === undefined ? null : { name: error, isBuiltin: error !== 'bad-data', detail: '' };
  const status = failed === null ? 'COMPLETED' : 'FAILED';
  await store.apply(
    { type: 'moveJobs', moves: [makeEnd(job.id, { to: status, error: failed, atMs: endMs })] },
    {
      type: 'endExecutions',
      ends: [makeExecutionEnd(start.executionId, { status, error: failed, atMs: endMs })],
    },
  );
}

t.test('status: a fresh installation has the whole document, and no nodes', async (t) => {
  const world = await platformWorld(t);
  await world.store.rows('delete from node');

  const { status, json, text } = await world.get('/v6/status/');

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

t.test('status: conditions, pauses and lacking resources are told', async (t) => {
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
  await world.store.rows(`update job_type set unmet_resources = 'gpus,mem' where name = 'type-a'`);

  const { json } = await world.get('/v6/status/');

  const of = (id: number) => json.nodes.find((found: { id: number }) => found.id === id);
  t.match(of(node), {
    state: { name: 'DEGRADED' },
    errors: [
      {
        ...{ name: 'BAD_DAEMON', started: '1970-01-01T00:00:00.000Z' },
        last_updated: '1970-01-01T00:00:01.000Z',
      },
    ],
    warnings: [{ name: 'SLOW' }],
  });
  t.match(of(node2).state, { name: 'PAUSED' });
  t.match(json.dependencies.nodes.warnings, [{ NODES_DEGRADED: String }]);
  t.match(json.scheduler.warnings, [
    { name: 'INVALID_RESOURCEStype-a', title: 'Invalid Resources for A', description: /gpus,mem/ },
  ]);

  await world.store.rows('update scheduler_settings set is_paused = true');
  await world.store.rows(`update node set errors = '[]'`);
  world.nowMs += 5_000;
  const later = (await world.get('/v6/status/')).json;
  t.match(later.scheduler.state, { name: 'PAUSED' });
  t.match(later.nodes[0].state, { name: 'SCHEDULER_STOPPED' });
  t.equal(later.scheduler.warnings[0].started, json.scheduler.warnings[0].started, 'since when is kept');
  t.not(later.scheduler.warnings[0].last_updated, json.scheduler.warnings[0].last_updated);
});

t.test('status: 503 while nobody runs the scheduler, or once the last reading is stale', async (t) => {
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
