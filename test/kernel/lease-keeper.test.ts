/** Several coordinators share the shards: shares, failover, fencing, stopping without leases, handing over. */
import t from 'tap';
import { SHARD_COUNT, shardOf } from '../../src/kernel/mod.ts';
import { account, Latch, World, watch } from '../support/worlds/kernel-world.ts';

const HEARTBEAT_MS = 2_000;
const TTL_MS = 6_000;

function owners(world: World): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let shard = 0; shard < SHARD_COUNT; shard++) {
    const owner = world.cluster.ownerOf(shard) ?? 'nobody';
    counts[owner] = (counts[owner] ?? 0) + 1;
  }
  return counts;
}

t.test('lease keeper: a lone coordinator holds every shard as soon as it has started', async (t) => {
  const world = new World();
  const system = await world.system();
  t.same(owners(world), { c1: SHARD_COUNT });
  t.equal(system.stats().shardsHeld, SHARD_COUNT);
  t.ok(system.stats().isRunning);
});

t.test(
  'lease keeper: a second coordinator gets half of the shards, and no message is lost or repeated',
  async (t) => {
    const world = new World();
    const first = await world.system({ self: 'c1' });
    const second = await world.system({ self: 'c2' });

    for (let round = 0; round < 40; round++) {
      for (let key = 0; key < 64; key++) first.tell(account(key), { type: 'add', n: 1 });
      await world.clock.advance(200);
    }

    t.same(owners(world), { c1: 32, c2: 32 });
    const balances = new Set([...world.store.rows.values()].map((row) => row.balance));
    t.same([...balances], [40], 'each message was handled exactly once');
    t.ok((second.stats().kinds.account?.live ?? 0) > 0);
  },
);

t.test(
  'lease keeper: shards are shared evenly when a third coordinator joins and when one leaves',
  async (t) => {
    const world = new World();
    await world.system({ self: 'c1' });
    const second = await world.system({ self: 'c2' });
    await world.system({ self: 'c3' });
    await world.clock.advance(4 * HEARTBEAT_MS);
    t.same(Object.values(owners(world)).sort(), [20, 22, 22]);

    const drained = watch(second.drain());
    await world.clock.advance(3 * HEARTBEAT_MS);
    t.equal(drained.state, 'resolved');
    await second.stop();
    t.same(owners(world), { c1: 32, c3: 32 });
  },
);

t.test('lease keeper: the shards of a dead coordinator go to the others at higher epochs', async (t) => {
  const world = new World();
  const first = await world.system({ self: 'c1' });
  const second = await world.system({ self: 'c2' });
  await world.clock.advance(3 * HEARTBEAT_MS);
  for (let key = 0; key < 64; key++) first.tell(account(key), { type: 'add', n: 1 });
  await world.clock.advance(100);
  const lost = [...Array(64).keys()].filter((shard) => world.cluster.ownerOf(shard) === 'c2');
  const before = lost.map((shard) => world.cluster.epochOf(shard));

  await second.stop(); // abruptly, without releasing a shard
  await world.clock.advance(TTL_MS + 2 * HEARTBEAT_MS);

  t.same(owners(world), { c1: 64 });
  t.ok(lost.every((shard, at) => world.cluster.epochOf(shard) > (before[at] ?? 0)));
  const asks = lost.map((shard) =>
    watch(first.ask(account(shard), { type: 'add', n: 1 }, { deadlineMs: 1_000 })),
  );
  await world.clock.settle();
  t.ok(
    asks.every((ask) => ask.value === 2),
    'they continue from the rows of the other',
  );
});

t.test('lease keeper: a former owner that wakes up cannot overwrite rows of its successor', async (t) => {
  const world = new World();
  const first = await world.system({ self: 'c1' });
  const second = await world.system({ self: 'c2' });
  await world.clock.advance(3 * HEARTBEAT_MS);
  const key = [...Array(64).keys()].find((shard) => world.cluster.ownerOf(shard) === 'c1') as number;

  // A turn of c1 has been decided, and its commit hangs while c1 can't renew: as if the process had stopped.
  const latch = new Latch();
  world.store.before = (group) => (group.some(({ shard }) => shard === key) ? latch.opened : undefined);
  const late = watch(first.ask(account(key), { type: 'add', n: 1_000 }, { deadlineMs: 60_000 }));
  await world.clock.settle();
  world.cluster.cut.add('c1');
  await world.clock.advance(TTL_MS + 2 * HEARTBEAT_MS);
  t.equal(world.cluster.ownerOf(key), 'c2');
  world.store.before = () => {};
  const fresh = watch(second.ask(account(key), { type: 'add', n: 1 }, { deadlineMs: 5_000 }));
  await world.clock.settle();
  t.equal(fresh.value, 1);

  latch.open();
  await world.clock.advance(100);
  t.same(world.store.rows.get(String(key)), { balance: 1, version: 1 }, 'fenced');
  t.equal(first.stats().totals.fenced, 1);

  world.cluster.cut.delete('c1');
  await world.clock.advance(3 * HEARTBEAT_MS);
  t.same(late, { state: 'resolved', value: 1_001 }, 'it was sent again to the new owner');
});

t.test(
  'lease keeper: a coordinator that cannot renew its leases stops by its own clock and keeps its messages',
  async (t) => {
    const world = new World();
    const system = await world.system();
    world.cluster.cut.add('c1');
    await world.clock.advance(TTL_MS);
    t.notOk(system.stats().isRunning);

    const impatient = watch(system.ask(account(1), { type: 'get' }, { deadlineMs: 1_000 }));
    system.tell(account(1), { type: 'add', n: 7 });
    await world.clock.advance(5_000);
    t.equal(impatient.code, 'UNAVAILABLE');
    t.equal(world.store.rows.size, 0, 'nothing runs without a lease');

    world.cluster.cut.delete('c1');
    await world.clock.advance(HEARTBEAT_MS);
    t.equal(world.store.rows.get('1')?.balance, 7);
    t.same(world.cluster.epochOf(1), 1, 'no other had taken it');
  },
);

t.test(
  'lease keeper: after a pause longer than its leases a coordinator does not run before they are renewed',
  async (t) => {
    const world = new World();
    const system = await world.system();
    const asked = watch(system.ask(account(1), { type: 'get' }, { deadlineMs: 60_000 }));
    world.cluster.cut.add('c1');
    await world.clock.pause(10 * TTL_MS);
    t.notOk(system.stats().isRunning);
    t.equal(asked.state, 'rejected');
  },
);

t.test('lease keeper: drain finishes turns under way before it releases the shards', async (t) => {
  const world = new World();
  const system = await world.system();
  const latch = new Latch();
  world.store.before = () => latch.opened;
  const asked = watch(system.ask(account(1), { type: 'add', n: 1 }, { deadlineMs: 60_000 }));
  await world.clock.settle();

  const drained = watch(system.drain());
  await world.clock.advance(500);
  t.equal(world.cluster.ownerOf(shardOf('account', '1')), 'c1');
  t.equal(drained.state, 'pending');
  latch.open();
  await world.clock.advance(500);

  t.same(asked, { state: 'resolved', value: 1 });
  t.equal(drained.state, 'resolved');
  t.same(owners(world), { nobody: SHARD_COUNT });
});

t.test('lease keeper: drain refuses new messages, and does not wait for ever', async (t) => {
  const world = new World();
  const system = await world.system();
  world.store.before = () => new Promise(() => {});
  system.tell(account(1), { type: 'add', n: 1 });
  await world.clock.settle();

  const drained = watch(system.drain());
  await world.clock.settle();
  const refused = watch(system.ask(account(2), { type: 'get' }, { deadlineMs: 1_000 }));
  await world.clock.advance(6_000);

  t.equal(refused.code, 'STOPPING');
  t.equal(drained.state, 'resolved');
});

t.test('lease keeper: stop refuses pending asks and leaves no timer', async (t) => {
  const world = new World();
  const system = await world.system();
  world.store.before = () => new Promise(() => {});
  const asked = watch(system.ask(account(1), { type: 'add', n: 1 }, { deadlineMs: 60_000 }));
  await world.clock.settle();

  await system.stop();
  await world.clock.settle();

  t.same(asked, { state: 'rejected', code: 'STOPPING' });
  t.equal(world.clock.timerCount, 0);
});
