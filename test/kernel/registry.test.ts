/** How many actors are loaded, and for how long. */
import t from 'tap';
import { type CallEffect, call, timer } from '../../src/kernel/mod.ts';
import {
  type AccountMessage,
  account,
  accountActor,
  Latch,
  World,
  watch,
} from '../support/worlds/kernel-world.ts';

t.test('registry: an idle actor is unloaded, and loaded again by a message', async (t) => {
  const world = new World();
  const system = await world.system({ actors: [accountActor({ idleMs: 5_000 })] });
  system.tell(account(1), { type: 'add', n: 3 });
  await world.clock.advance(4_000);
  t.equal(system.stats().kinds.account?.live, 1);
  await world.clock.advance(3_000);
  t.equal(system.stats().kinds.account?.live, 0);

  const asked = watch(system.ask(account(1), { type: 'get' }, { deadlineMs: 1_000 }));
  await world.clock.settle();

  t.equal(asked.value, 3);
  t.equal(world.store.loads.length, 2);
});

t.test('registry: messages keep an actor loaded', async (t) => {
  const world = new World();
  const system = await world.system({ actors: [accountActor({ idleMs: 5_000 })] });
  for (let n = 0; n < 10; n++) {
    system.tell(account(1), { type: 'add', n: 1 });
    await world.clock.advance(3_000);
  }
  t.equal(world.store.loads.length, 1);
});

t.test('registry: an actor without rows is unloaded at once', async (t) => {
  const world = new World();
  const system = await world.system();
  for (let key = 0; key < 50; key++) system.tell(account(key), { type: 'get' });
  await world.clock.settle();
  t.equal(system.stats().kinds.account?.live, 0);
});

t.test('registry: a pending timer keeps its actor loaded', async (t) => {
  const world = new World();
  const actor = accountActor({
    idleMs: 1_000,
    start: (state) => ({
      state: state ?? { balance: 0, version: 0 },
      effects: [timer('t', 50_000, { type: 'get' })],
    }),
  });
  const system = await world.system({ actors: [actor] });
  system.tell(account(1), { type: 'get' });
  await world.clock.advance(40_000);
  t.equal(system.stats().kinds.account?.live, 1);
  await world.clock.advance(20_000);
  t.equal(system.stats().kinds.account?.live, 0);
});

/** An account has no messages for results of calls, so this names two that are not made for it. */
const WAIT = call('wait', {}, { done: 'add', failed: 'boom' }) as CallEffect<AccountMessage>;

t.test('registry: a call under way keeps its actor loaded', async (t) => {
  const world = new World();
  const latch = new Latch();
  const actor = accountActor({
    idleMs: 1_000,
    receive: (_, message) => ({
      state: { balance: 0, version: 0 },
      effects: message.type === 'get' ? [WAIT] : [],
    }),
  });
  const ports = { account: { store: world.store, wait: () => latch.opened } };
  const system = await world.system({ actors: [actor], ports });
  system.tell(account(1), { type: 'get' });
  await world.clock.advance(20_000);
  t.equal(system.stats().kinds.account?.live, 1);
  latch.open();
  await world.clock.advance(3_000);
  t.equal(system.stats().kinds.account?.live, 0);
});

t.test('registry: at the limit the actor that is idle longest is unloaded', async (t) => {
  const world = new World();
  const system = await world.system({ actors: [accountActor({ liveMax: 3 })] });
  for (const key of [1, 2, 3, 1, 4]) {
    system.tell(account(key), { type: 'add', n: 1 });
    await world.clock.advance(10);
  }
  t.equal(system.stats().kinds.account?.live, 3);

  system.tell(account(1), { type: 'add', n: 1 });
  await world.clock.settle();
  t.equal(world.store.loads.length, 4, '1 was still there');
  system.tell(account(2), { type: 'add', n: 1 });
  await world.clock.settle();
  t.equal(world.store.loads.length, 5, '2 had gone');
});

t.test('registry: at the limit a new actor is refused if all others are busy', async (t) => {
  const world = new World();
  const latch = new Latch();
  world.store.beforeLoad = () => latch.opened;
  const system = await world.system({ actors: [accountActor({ liveMax: 2 })] });

  const asks = [1, 2, 3].map((key) =>
    watch(system.ask(account(key), { type: 'get' }, { deadlineMs: 1_000 })),
  );
  await world.clock.settle();
  latch.open();
  await world.clock.settle();

  t.same(
    asks.map((ask) => ask.code ?? ask.value),
    [null, null, 'MAILBOX_FULL'],
  );
});
