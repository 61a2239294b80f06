/** First rows of workspaces, nodes and strikes on a real database: names, claims, and what a second writer does. */
import t from 'tap';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { ensureNode } from '../../../src/store/node/enrolment.ts';
import { createStrike } from '../../../src/store/strike/edit.ts';
import { createWorkspace, editWorkspace } from '../../../src/store/workspace/save.ts';
import { NOW, STRIKE_CONFIGURATION, storeWorld } from '../store-world.ts';

const store = await storeWorld(t);
const { sql } = store.db;
await ensureBuiltins(sql, NOW);

const CONFIGURATION = { broker: { type: 'host', host_path: '/data' } } as const;
const make = (title: string, isActive = true) =>
  createWorkspace(sql, {
    title,
    description: '',
    baseUrl: 'http://x',
    isActive,
    configuration: CONFIGURATION,
    nowMs: NOW,
  });
const workspace = (id: number) =>
  store.one<Record<string, unknown>>(
    'select name, title, base_url, is_active, deprecated, claimed_node_id, configuration from workspace where id = $1',
    [id],
  );
const edit = (id: number, fields: object) => editWorkspace(sql, id, { ...fields, nowMs: NOW + 1 });

t.test('nodes: a host name has one node, however many agents ask at once', async (t) => {
  const ids = await Promise.all(Array.from({ length: 8 }, () => ensureNode(sql, 'new-host', NOW)));
  t.equal(new Set(ids).size, 1);
  t.equal(await ensureNode(sql, 'new-host', NOW + 1), ids[0]);
  t.not(await ensureNode(sql, 'New-Host', NOW), ids[0]);
  const row = await store.one<{ shard: number }>('select shard from node where id = $1', [ids[0]]);
  t.equal(row.shard, (ids[0] ?? 0) % 64);
});

t.test('workspaces: names are made from titles, and are unique', async (t) => {
  const ids = await Promise.all(Array.from({ length: 6 }, () => make('Raw Data')));
  const names = await Promise.all(ids.map(async (id) => (await workspace(id)).name as string));
  t.equal(new Set(names).size, 6);
  t.equal(names.filter((name) => name === 'raw-data').length, 1);
  t.ok(
    names.every((name) => name.startsWith('raw-data')),
    names.join(),
  );
  t.match((await workspace(await make('日本'))).name, /^workspace/);
});

t.test('workspaces: absent fields stay, null clears, and a deactivation is dated and undone', async (t) => {
  const id = await make('Edited');
  await edit(id, { title: 'New' });
  t.match(await workspace(id), { name: 'edited', title: 'New', base_url: 'http://x', deprecated: null });
  await edit(id, { baseUrl: null });
  t.match(await workspace(id), { base_url: null, title: 'New' });
  await edit(id, { isActive: false });
  t.match(await workspace(id), { is_active: false, deprecated: NOW + 1 });
  await edit(id, { title: 'Still' });
  t.match(await workspace(id), { is_active: false, deprecated: NOW + 1 });
  await edit(id, { isActive: true });
  t.match(await workspace(id), { is_active: true, deprecated: null });
  t.match(await workspace(await make('Off', false)), { is_active: false, deprecated: NOW });
});

t.test('workspaces: a directory must be claimed again if it moves, and only then', async (t) => {
  const id = await make('Claimed');
  const claim = () => store.apply({ type: 'claimWorkspaces', nodeId: store.ids.node, workspaceIds: [id] });
  t.match(await claim(), [{ claimed: [id] }]);
  t.match(await claim(), [{ claimed: [] }], 'once');
  await edit(id, { title: 'Other', configuration: CONFIGURATION });
  t.equal((await workspace(id)).claimed_node_id, store.ids.node);
  await edit(id, { configuration: { broker: { type: 'host', host_path: '/elsewhere' } } });
  t.equal((await workspace(id)).claimed_node_id, null);
});

t.test('workspaces: an unknown workspace is not edited', async (t) => {
  await t.rejects(edit(999_999, { title: 'x' }), { code: 'NOT_FOUND' });
});

t.test('strikes: a strike is created with its job and its event, or not at all', async (t) => {
  const create = (workspaceId: number) =>
    createStrike(sql, {
      title: 'Watch',
      description: '',
      configuration: STRIKE_CONFIGURATION,
      workspaceId,
      nowMs: NOW,
    });
  const count = async () =>
    (await store.one<{ n: number }>(`select count(*) as n from job where owner_kind = 'strike'`)).n;
  const before = await count();
  await t.rejects(create(999_999));
  t.equal(await count(), before);
  const [a, b] = await Promise.all([create(store.ids.in), create(store.ids.in)]);
  t.not(a, b);
  t.equal(await count(), before + 2);
  const job = await store.one<Record<string, unknown>>(
    `select job.status, job.shard, job.owner_key, job.num_exes, job.class_key, event.type from strike
     join job on job.id = strike.job_id join event on event.id = job.event_id where strike.id = $1`,
    [a],
  );
  t.match(job, {
    status: 'QUEUED',
    shard: a % 64,
    owner_key: a,
    num_exes: 1,
    class_key: null,
    type: 'STRIKE_CREATED',
  });
});
