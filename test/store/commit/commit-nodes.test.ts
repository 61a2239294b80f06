import t from 'tap';
import { savedJob } from '../make.ts';
import { NOW, storeWorld } from '../store-world.ts';

const world = await storeWorld(t);
const { node, node2 } = world.ids;

const nodeRow = (id: number) => world.one<Record<string, unknown>>('select * from node where id = $1', [id]);

t.test('saveNode: a patch changes the fields that it names, and patches of one turn add up', async (t) => {
  const condition = { name: 'disk', title: 'Disk', description: 'full', startedMs: 1, lastUpdatedMs: 2 };
  await world.apply(
    {
      type: 'saveNode',
      nodeId: node,
      patch: { isOnline: true, resources: { cpus: 4 }, lastSeenMs: NOW },
      atMs: NOW,
    },
    { type: 'saveNode', nodeId: node, patch: { isPaused: true, pauseReason: 'why "not"' }, atMs: NOW + 1 },
    { type: 'saveNode', nodeId: node2, patch: { errors: [condition], labels: { a: 'b' } }, atMs: NOW },
  );
  t.match(await nodeRow(node), {
    is_online: true,
    is_paused: true,
    pause_reason: 'why "not"',
    resources: { cpus: 4 },
    last_seen: NOW,
    last_modified: NOW + 1,
    is_active: true,
  });
  t.match(await nodeRow(node2), { errors: [condition], labels: { a: 'b' }, is_online: false });

  await world.apply({
    type: 'saveNode',
    nodeId: node,
    patch: { pauseReason: null, isPaused: false },
    atMs: NOW,
  });
  t.match(await nodeRow(node), { pause_reason: null, is_paused: false, is_online: true });
});

t.test('saveNode: a deactivated node is deprecated until it is active again', async (t) => {
  await world.apply({ type: 'saveNode', nodeId: node2, patch: { isActive: false }, atMs: NOW + 5 });
  t.match(await nodeRow(node2), { is_active: false, deprecated: NOW + 5 });
  await world.apply({ type: 'saveNode', nodeId: node2, patch: { isOnline: true }, atMs: NOW + 6 });
  t.match(await nodeRow(node2), { deprecated: NOW + 5 });
  await world.apply({ type: 'saveNode', nodeId: node2, patch: { isActive: true }, atMs: NOW + 7 });
  t.match(await nodeRow(node2), { is_active: true, deprecated: null });
});

t.test('saveReach: the last report about each workspace counts', async (t) => {
  const reach = (isReachable: boolean, reason: string | null) =>
    ({
      type: 'saveReach',
      nodeId: node,
      atMs: NOW,
      reach: [{ workspaceId: world.ids.in, isReachable, reason }],
    }) as const;
  await world.apply(reach(false, 'no such directory'), reach(true, null));
  t.match(await world.one('select * from node_workspace where node_id = $1', [node]), {
    is_reachable: true,
    reason: null,
  });
  await world.apply(reach(false, 'gone'));
  t.match(await world.one('select * from node_workspace where node_id = $1', [node]), {
    is_reachable: false,
    reason: 'gone',
  });
});

t.test('claimWorkspaces: the first node gets the claim until it releases it', async (t) => {
  const workspaceIds = [world.ids.in, world.ids.out];
  t.same(await world.apply({ type: 'claimWorkspaces', nodeId: node, workspaceIds: [world.ids.in] }), [
    { claimed: [world.ids.in] },
  ]);
  t.same(await world.apply({ type: 'claimWorkspaces', nodeId: node2, workspaceIds }), [
    { claimed: [world.ids.out] },
  ]);
  await world.apply({ type: 'releaseClaims', nodeId: node2, workspaceIds });
  const rows = await world.rows('select claimed_node_id from workspace order by id');
  t.same(rows, [{ claimed_node_id: node }, { claimed_node_id: null }]);
});

t.test('editStrike: a patch changes the fields that it names, and can clear a cursor', async (t) => {
  const job = await savedJob(world);
  const strikeId = await world.newId('strike');
  await world.rows(
    `insert into strike (id, shard, name, title, configuration, workspace_id, job_id, created, last_modified)
     values ($1, 1, 'edited', 'Old', '{"a":1}', $2, $3, now(), now())`,
    [strikeId, world.ids.in, job.id],
  );
  const edit = (patch: object) => world.apply({ type: 'editStrike', strikeId, patch, atMs: NOW });
  const row = () => world.one<Record<string, unknown>>('select * from strike where id = $1', [strikeId]);
  await edit({ title: 'New', isPaused: true, deferredCursor: 5 });
  t.match(await row(), {
    title: 'New',
    is_paused: true,
    deferred_cursor: 5,
    configuration: { a: 1 },
    last_modified: NOW,
  });
  await edit({ isPaused: false });
  t.match(await row(), { title: 'New', is_paused: false, deferred_cursor: 5 });
  await edit({ deferredCursor: null, workspaceId: world.ids.out });
  t.match(await row(), { deferred_cursor: null, workspace_id: world.ids.out });

  const { last_modified: edited } = await row();
  const mark = { place: 'http://s3/bucket', through: 'a/\u00fc "b".txt', dueMs: 1_767_225_600_123 };
  await world.apply({ type: 'markListing', strikeId, mark: null }, { type: 'markListing', strikeId, mark });
  t.match(await row(), { listing: mark, title: 'New', last_modified: edited }, 'a mark is no edit');
  await world.apply({ type: 'markListing', strikeId, mark: null });
  t.match(await row(), { listing: null });
});

t.test('saveScheduler: a patch changes the fields that it names', async (t) => {
  await world.apply({ type: 'saveScheduler', patch: { isPaused: true, queueMode: 'LIFO' }, atMs: NOW });
  const settings = () => world.one<Record<string, unknown>>('select * from scheduler_settings');
  t.match(await settings(), {
    is_paused: true,
    queue_mode: 'LIFO',
    system_logging_level: 'INFO',
    last_modified: NOW,
  });
  await world.apply({
    type: 'saveScheduler',
    patch: { messageHandlerCount: 0, loggingLevel: 'DEBUG' },
    atMs: NOW,
  });
  t.match(await settings(), { is_paused: true, num_message_handlers: 0, system_logging_level: 'DEBUG' });
});

t.test('saveScheduler: a value that the table refuses refuses the turn', async (t) => {
  const bad = world.apply({ type: 'saveScheduler', patch: { loggingLevel: 'LOUD' }, atMs: NOW });
  await t.rejects(bad, { name: 'TurnRefused' });
});

t.test('saveUnmet: what no node has is set and cleared without an edit of the type', async (t) => {
  const before = await world.one<{ last_modified: number }>(
    'select last_modified from job_type where id = $1',
    [world.ids.type],
  );
  await world.apply({
    type: 'saveUnmet',
    types: [{ jobTypeId: world.ids.type, unmet: 'gpus,'.repeat(100) }],
  });
  const row = await world.one<{ unmet_resources: string; last_modified: number }>(
    'select * from job_type where id = $1',
    [world.ids.type],
  );
  t.equal(row.unmet_resources.length, 250);
  t.equal(row.last_modified, before.last_modified);
  await world.apply({ type: 'saveUnmet', types: [{ jobTypeId: world.ids.type, unmet: null }] });
  t.match(await world.one('select unmet_resources from job_type where id = $1', [world.ids.type]), {
    unmet_resources: null,
  });
});
