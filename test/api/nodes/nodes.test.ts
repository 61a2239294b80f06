import t from 'tap';
import { KernelError } from '../../../src/kernel/mod.ts';
import { platformWorld } from '../../support/worlds/platform-world.ts';

t.test('nodes: the list and details show all fields', async (t) => {
  const world = await platformWorld(t);
  await world.store.rows(`update node set is_active = false, deprecated = now() where hostname = 'two'`);
  const hostnames = async (query: string) => {
    const { json, status } = await world.get(`/v6/nodes/?${query}`);
    return status === 200 ? json.results.map((one: { hostname: string }) => one.hostname) : status;
  };

  t.strictSame(await hostnames('order=-hostname'), ['two', 'one']);
  t.strictSame(await hostnames('is_active=true'), ['one']);
  t.strictSame(await hostnames('is_active=f'), ['two']);
  t.strictSame(await hostnames('started=PT0S&ended=2020-01-01T00:00:00Z'), 400);
  for (const key of ['pause_reason', 'is_paused', 'is_active', 'deprecated', 'created', 'last_modified']) {
    t.equal((await hostnames(`order=${key}`)).length, 2, key);
  }
  t.equal(await hostnames('order=resources'), 400);
  t.equal(await hostnames('is_active=maybe'), 400);
  const { ids } = world.store;
  await world.store.rows(`update node set executors = '["oci", "process:default"]' where id = $1`, [
    ids.node,
  ]);
  const { json } = await world.get(`/v6/nodes/${ids.node}/`);
  t.strictSame(Object.keys(json).sort(), [
    ...['created', 'deprecated', 'executors', 'hostname', 'id', 'is_active', 'is_paused', 'last_modified'],
    ...['object_version', 'pause_reason'],
  ]);
  t.strictSame(json.executors, ['oci', 'process:default']);
  t.match(json, { id: ids.node, hostname: 'one', is_active: true, is_paused: false, pause_reason: null });
  t.equal((await world.get('/v6/nodes/99/')).status, 404);
});

t.test('nodes: PATCH asks the actor, and the row changes', async (t) => {
  const world = await platformWorld(t);
  const path = `/v6/nodes/${world.store.ids.node}/`;

  const paused = await world.patch(path, { is_paused: true, pause_reason: 'repairs' });
  t.equal(paused.status, 204, paused.text);
  t.equal(paused.text, '');
  t.match((await world.get(path)).json, { is_paused: true, pause_reason: 'repairs', deprecated: null });
  await world.patch(path, { pause_reason: null });
  t.match((await world.get(path)).json, { is_paused: true, pause_reason: null });
  await world.patch(path, { is_active: false });
  t.match((await world.get(path)).json, { is_active: false, deprecated: String });
  await world.patch(path, { is_active: true });
  t.match((await world.get(path)).json, { is_active: true, deprecated: null });
  t.strictSame(world.sent[0], {
    to: { kind: 'node', key: String(world.store.ids.node) },
    message: { type: 'edit', isPaused: true, pauseReason: 'repairs' },
  });
});

t.test('nodes: PATCH refuses unknown fields before it asks the actor', async (t) => {
  const world = await platformWorld(t);
  const path = `/v6/nodes/${world.store.ids.node}/`;
  const cases: readonly (readonly [unknown, string | undefined])[] = [
    [{}, undefined],
    [{ hostname: 'x' }, 'hostname'],
    [{ is_paused: true, created: 'x' }, 'created'],
    [{ is_paused: 'true' }, 'is_paused'],
    [{ is_active: 1 }, 'is_active'],
    [{ pause_reason: 'x'.repeat(251) }, 'pause_reason'],
    [{ pause_reason: 4 }, 'pause_reason'],
  ];
  for (const [body, field] of cases) {
    const { status, json } = await world.patch(path, body);
    t.equal(status, 400, JSON.stringify(body));
    if (field !== undefined) t.match(json.errors, [{ path: field }]);
  }
  t.equal((await world.patch('/v6/nodes/99/', { is_paused: true })).status, 404);
  t.equal(world.sent.length, 0);
  world.failWith = new KernelError({ code: 'CONFLICT', message: 'again' });
  t.equal((await world.patch(path, { is_paused: true })).status, 409);
});
