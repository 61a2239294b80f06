/** Messages between coordinators, and messages whose actor has moved. */
import t from 'tap';
import type { AnyActorDef } from '../../src/kernel/mod.ts';
import { account, accountActor, World, watch } from '../support/worlds/kernel-world.ts';

async function pair() {
  const world = new World();
  const first = await world.system({ self: 'c1' });
  const second = await world.system({ self: 'c2' });
  await world.clock.advance(6_000);
  const keyOf = (self: string) =>
    [...Array(64).keys()].find((shard) => world.cluster.ownerOf(shard) === self) as number;
  return { world, first, second, keyOf };
}

t.test('router: an ask to an actor on another coordinator is answered', async (t) => {
  const { world, first, second, keyOf } = await pair();
  const key = keyOf('c2');

  const asked = watch(first.ask(account(key), { type: 'add', n: 4 }, { deadlineMs: 1_000 }));
  await world.clock.settle();

  t.same(asked, { state: 'resolved', value: 4 });
  t.equal(second.stats().kinds.account?.live, 1);
  t.notOk(first.stats().kinds.account?.live);
});

t.test('router: a refusal by another coordinator keeps its code', async (t) => {
  const { world, first, keyOf } = await pair();
  const asked = watch(first.ask(account(keyOf('c2')), { type: 'boom' }, { deadlineMs: 1_000 }));
  await world.clock.settle();
  t.equal(asked.code, 'HANDLER_FAILED');
});

t.test('router: messages of one sender reach an actor on another coordinator in order', async (t) => {
  const world = new World();
  const seen: number[] = [];
  const actor = accountActor({
    receive(state, message) {
      if (message.type === 'add') seen.push(message.n);
      return { state: state ?? { balance: 0, version: 0 }, effects: [] };
    },
  });
  const first = await world.system({ self: 'c1', actors: [actor] });
  await world.system({ self: 'c2', actors: [actor] });
  await world.clock.advance(6_000);
  const key = [...Array(64).keys()].find((shard) => world.cluster.ownerOf(shard) === 'c2') as number;

  for (let n = 0; n < 100; n++) first.tell(account(key), { type: 'add', n });
  await world.clock.settle();

  t.same(seen, [...Array(100).keys()]);
});

t.test(
  'router: an ask that reaches a former owner is sent on to the new one before its deadline',
  async (t) => {
    const { world, first, second, keyOf } = await pair();
    const key = keyOf('c2');
    const drained = watch(second.drain()); // c1 still believes c2 to be the owner

    const asked = watch(first.ask(account(key), { type: 'add', n: 4 }, { deadlineMs: 10_000 }));
    await world.clock.advance(5_000);

    t.equal(drained.state, 'resolved');
    t.same(asked, { state: 'resolved', value: 4 });
    t.equal(world.cluster.ownerOf(key), 'c1');
  },
);

t.test('router: an ask that is returned twice is sent again once', async (t) => {
  const { world, first, second, keyOf } = await pair();
  const { network } = world;
  const key = keyOf('c2');
  const post = network.post.bind(network);
  network.post = (to, bytes) => post(to, bytes) && (to !== 'c1' || post(to, bytes));
  second.drain();
  // It finds the last work of c2; the next comes when that has given its shards up, which c1 has not seen.
  first.tell(account(key), { type: 'add', n: 1 });
  await world.clock.advance(20);

  const asked = watch(first.ask(account(key), { type: 'add', n: 4 }, { deadlineMs: 10_000 }));
  await world.clock.advance(5_000);

  t.same(asked, { state: 'resolved', value: 5 });
  t.equal(second.stats().totals.bounced, 1);
  t.equal(world.store.rows.get(String(key))?.balance, 5);
});

/** A coordinator that holds all shards and has died, and another one. */
async function afterDeath(actors?: readonly AnyActorDef[]) {
  const world = new World();
  const ghost = world.cluster.port();
  await ghost.register('ghost', { httpAddress: '', grpcAddress: '', version: '' });
  await ghost.acquire('ghost', [...Array(64).keys()]);
  return { world, system: await world.system(actors === undefined ? {} : { actors }) };
}

t.test('router: an ask sent to a dead coordinator is refused once its lease has expired', async (t) => {
  const { world, system } = await afterDeath();
  const asked = watch(system.ask(account(1), { type: 'add', n: 1 }, { deadlineMs: 60_000 }));
  await world.clock.advance(5_900);
  t.equal(asked.state, 'pending', 'it may only be slow');
  await world.clock.advance(200);
  t.same(asked, { state: 'rejected', code: 'UNAVAILABLE' }, 'whether it did anything is unknown');
});

t.test(
  'router: a repeatable ask sent to a dead coordinator is sent again, and its actor is loaded',
  async (t) => {
    const loaded: string[] = [];
    const actor = accountActor({
      async load(keys, ports) {
        loaded.push(...keys);
        return ports.store.load(keys);
      },
    });
    const { world, system } = await afterDeath([actor]);
    const options = { deadlineMs: 60_000, isNew: true, isRepeatable: true };
    const asked = watch(system.ask(account(1), { type: 'add', n: 1 }, options));
    await world.clock.advance(5_900);
    t.equal(asked.state, 'pending');
    await world.clock.advance(200);
    t.same(asked, { state: 'resolved', value: 1 });
    t.same(loaded, ['1'], 'it may exist already');
  },
);

t.test('router: a repeatable ask that reaches a former owner is handled once', async (t) => {
  const { world, first, second, keyOf } = await pair();
  const key = keyOf('c2');
  const options = { deadlineMs: 20_000, isRepeatable: true };
  const drained = watch(second.drain());
  const asked = watch(first.ask(account(key), { type: 'add', n: 4 }, options));
  await world.clock.advance(15_000);
  t.equal(drained.state, 'resolved');
  t.same(asked, { state: 'resolved', value: 4 });
  t.equal(world.store.rows.get(String(key))?.balance, 4);
});

t.test(
  'router: asks to a dead coordinator end at their deadline, and after the failover asks are answered',
  async (t) => {
    const world = new World();
    const ghost = world.cluster.port();
    await ghost.register('ghost', { httpAddress: '', grpcAddress: '', version: '' });
    await ghost.acquire('ghost', [...Array(64).keys()]); // and then it dies
    const system = await world.system();
    t.equal(system.stats().shardsHeld, 0);

    const early = watch(system.ask(account(1), { type: 'add', n: 1 }, { deadlineMs: 3_000 }));
    await world.clock.advance(8_000);
    t.same(early, { state: 'rejected', code: 'DEADLINE' }, 'whether it did anything is unknown');

    const late = watch(system.ask(account(1), { type: 'add', n: 1 }, { deadlineMs: 3_000 }));
    await world.clock.settle();
    t.same(late, { state: 'resolved', value: 1 });
  },
);

t.test('router: messages that wait for an owner are limited in number and time', async (t) => {
  const world = new World();
  const system = await world.system({ limits: { parkedMax: 5, drainMs: 60_000 } });
  world.store.before = () => new Promise(() => {});
  for (let key = 0; key < 64; key++) system.tell(account(key), { type: 'add', n: 1 });
  await world.clock.settle();
  // Another one comes; our cells never finish, so half of the shards are in between.
  await world.system({ self: 'c2' });
  await world.clock.advance(3_000);
  const inBetween = [...Array(64).keys()].filter((shard) => shard >= 32);

  const asks = inBetween.map((key) =>
    watch(system.ask(account(key), { type: 'get' }, { deadlineMs: 5_000 })),
  );
  await world.clock.settle();
  t.equal(asks.filter((ask) => ask.code === 'UNAVAILABLE').length, 27);
  t.equal(system.stats().mailParked, 5);
  await world.clock.advance(8_000);
  t.ok(asks.every((ask) => ask.code === 'UNAVAILABLE'));
  t.equal(system.stats().mailParked, 0);
});

t.test('router: a message that cannot be written as JSON is refused', async (t) => {
  const { world, first, keyOf } = await pair();
  const asked = watch(
    first.ask(account(keyOf('c2')), { type: 'add', n: 1n as unknown as number }, { deadlineMs: 1_000 }),
  );
  await world.clock.settle();
  t.equal(asked.code, 'UNAVAILABLE');
});

t.test('router: ownerOf returns the coordinator that hosts an actor', async (t) => {
  const { first, keyOf } = await pair();
  t.match(first.ownerOf(account(keyOf('c1'))), { id: 'c1', grpcAddress: 'a:1' });
  t.match(first.ownerOf(account(keyOf('c2'))), { id: 'c2', httpAddress: 'http://a' });
  t.same(
    first.coordinators().map(({ id }) => id),
    ['c1', 'c2'],
  );
});

t.test('router: asks beyond the limit of unanswered ones are refused at once', async (t) => {
  const world = new World();
  const system = await world.system({ limits: { asksMax: 3 } });
  world.store.beforeLoad = () => new Promise(() => {});
  const asks = [1, 2, 3, 4].map((key) =>
    watch(system.ask(account(key), { type: 'get' }, { deadlineMs: 1_000 })),
  );
  await world.clock.settle();
  t.same(
    asks.map((ask) => ask.code ?? ask.state),
    ['pending', 'pending', 'pending', 'MAILBOX_FULL'],
  );
});
