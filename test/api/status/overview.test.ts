/** `/v6/overview/`, on a real database: its parts are those of the lists and figures that people find behind it. */
import t from 'tap';
import { failureRoutes } from '../../../src/api/failures/routes.ts';
import { ingestRoutes } from '../../../src/api/ingests/routes.ts';
import { jobRoutes } from '../../../src/api/jobs/routes.ts';
import { nodeRoutes } from '../../../src/api/nodes/routes.ts';
import { overviewRoutes } from '../../../src/api/overview/routes.ts';
import { schedulerRoutes } from '../../../src/api/scheduler/routes.ts';
import { strikeRoutes } from '../../../src/api/strikes/routes.ts';
import { workspaceRoutes } from '../../../src/api/workspaces/routes.ts';
import type { Route } from '../../../src/http/route.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { makeEnd, makeQueueing, makeStart, savedJob } from '../../store/make.ts';
import { NOW, type StoreWorld, storeWorld } from '../../store/store-world.ts';
import { makeCaller, NOW_MS } from '../../support/http.ts';

const ROUTES: readonly Route<never>[] = [
  ...[...overviewRoutes, ...failureRoutes, ...ingestRoutes, ...jobRoutes, ...nodeRoutes],
  ...[...schedulerRoutes, ...strikeRoutes, ...workspaceRoutes],
];
const HOUR_MS = 3_600_000;
const at = (hoursAgo: number) => new Date(NOW_MS - hoursAgo * HOUR_MS).toISOString();

async function overviewWorld(t: { teardown(handler: () => Promise<void>): void }) {
  const store = await storeWorld(t);
  await ensureBuiltins(store.db.sql, NOW);
  const caller = makeCaller(ROUTES, { sql: store.db.sql } as never);
  const get = async (path: string) => (await caller.get(path)).json;
  return { store, get };
}

const arrived = (store: StoreWorld, status: string, hoursAgo: number) =>
  store.rows(
    `insert into ingest (file_name, status, workspace_id, file_path, media_type, transfer_started, created,
       last_modified)
     values ('f', $1, $2, 'f' || $3::text, '', $3::timestamptz, $3::timestamptz, $3::timestamptz)`,
    [status, store.ids.in, at(hoursAgo)],
  );

async function failed(store: StoreWorld, hoursAgo: number): Promise<void> {
  const error = { name: 'node-lost', isBuiltin: true };
  const atMs = NOW_MS - hoursAgo * HOUR_MS;
  const { id } = await savedJob(store);
  await store.apply({ type: 'startExecutions', starts: [await makeStart(store, id)] });
  await store.apply({ type: 'moveJobs', moves: [makeEnd(id, { to: 'FAILED', error, atMs })] });
  await store.rows('update job set last_modified = $2 where id = $1', [id, at(hoursAgo)]);
}

async function strike(store: StoreWorld, name: string, hoursAgo: number): Promise<void> {
  const { id } = await savedJob(store);
  await store.rows(
    `insert into strike (id, shard, name, title, configuration, workspace_id, job_id, created, last_modified)
     values ($1, 1, $2, $2, '{}', $3, $4, now(), $5::timestamptz)`,
    [await store.newId('strike'), name, store.ids.in, id, at(hoursAgo)],
  );
}

t.test('overview: of nothing', async (t) => {
  const { get } = await overviewWorld(t);
  const none = { count: 0, results: [] };
  t.match(await get('/v6/overview/'), {
    ...{ arriving_count: 0, failed_count: 0, queue_lengths: { PENDING: 0, QUEUED: 0, RUNNING: 0 } },
    ...{ queue: none, unmet_classes: [], failures: none, paused_nodes: none, strikes: none },
  });
});

t.test('overview: each part is what its list has', async (t) => {
  const { store, get } = await overviewWorld(t);
  await arrived(store, 'TRANSFERRING', 1);
  await arrived(store, 'TRANSFERRING', 25);
  await arrived(store, 'INGESTED', 2);
  await failed(store, 1);
  await failed(store, 2);
  await failed(store, 30);
  await savedJob(store, { queueing: makeQueueing({ classKey: 'class' }) });
  await savedJob(store, { status: 'PENDING' });
  for (let index = 0; index < 11; index += 1) await strike(store, `strike-${index}`, index);
  await store.rows(
    `update node set is_online = true, is_paused = true, pause_reason = 'a disk' where id = $1`,
    [store.ids.node],
  );

  const found = await get('/v6/overview/');

  t.equal(found.arriving_count, 1, 'the other changed more than a day ago');
  t.equal(found.arriving_count, (await get('/v6/ingests/?status=TRANSFERRING&started=P1D')).count);
  t.equal(found.failed_count, 2);
  t.equal(found.failed_count, (await get('/v6/jobs/?status=FAILED&started=P1D')).count);
  t.strictSame(found.queue_lengths, (await get('/v6/scheduler/queued-resources/')).queue_lengths);
  t.equal(found.queue_lengths.PENDING, 1);
  const parts = {
    queue: '/v6/queue/status/?page_size=10',
    failures: '/v6/failures/?started=P1D&is_known=false&page_size=10',
    unreached_workspaces: '/v6/workspaces/unreached/?order=name&page_size=10',
    paused_nodes: '/v6/nodes/?is_active=true&is_paused=true&order=hostname&page_size=10',
    strikes: '/v6/strikes/?order=-last_modified&page_size=10',
  };
  for (const [part, path] of Object.entries(parts)) {
    const { count, results } = await get(path);
    t.ok(count > 0, path);
    t.strictSame(found[part], { count, results }, part);
  }
  t.equal(found.strikes.count, 11);
  t.match(found.strikes.results, [{ name: 'strike-0' }, { name: 'strike-1' }]);
  t.match(found.paused_nodes.results, [{ id: store.ids.node, pause_reason: 'a disk' }]);
  t.equal(
    (await get('/v6/nodes/?is_paused=false')).results.some((one: { is_paused: boolean }) => one.is_paused),
    false,
  );
});

t.test('overview: of queued classes only those that no node could run', async (t) => {
  const { store, get } = await overviewWorld(t);
  const spec = JSON.stringify({ resources: { mem: 64 }, executor: 'process:default', workspaceIds: [] });
  await store.rows(
    `insert into scheduling_class (key, job_type_id, spec, unmet)
     values ('a', $1, $3, null), ('b', $2, $3, 'no node has that much memory')`,
    [store.ids.type, store.ids.type2, spec],
  );
  for (const classKey of ['a', 'b']) await savedJob(store, { queueing: makeQueueing({ classKey }) });
  const { results } = await get('/v6/queue/classes/');
  t.equal(results.length, 2);
  t.strictSame((await get('/v6/overview/')).unmet_classes, [results[0]]);
  t.match(results[0], { job_type: { id: store.ids.type2 }, unmet: 'no node has that much memory' });
});
