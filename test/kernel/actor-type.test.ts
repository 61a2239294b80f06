/** How actors are loaded, in sets. */
import t from 'tap';
import { Unavailable } from '../../src/kernel/mod.ts';
import { account, accountActor, Latch, World, watch } from '../support/worlds/kernel-world.ts';

t.test('loading: actors that are woken together are loaded with one query', async (t) => {
  const world = new World();
  const system = await world.system();

  for (let key = 0; key < 200; key++) system.tell(account(key), { type: 'add', n: 1 });
  await world.clock.settle();

  t.equal(world.store.loads.length, 1);
  t.equal(world.store.loads[0]?.length, 200);
});

t.test('loading: the size of a set and the number of concurrent loads are bounded', async (t) => {
  const world = new World();
  const latch = new Latch();
  world.store.beforeLoad = () => latch.opened;
  const system = await world.system({ limits: { loadMax: 10, loadsMax: 2 } });

  for (let key = 0; key < 45; key++) system.tell(account(key), { type: 'add', n: 1 });
  await world.clock.settle();
  t.same(
    world.store.loads.map((keys) => keys.length),
    [10, 10],
  );

  latch.open();
  await world.clock.settle();
  t.same(
    world.store.loads.map((keys) => keys.length),
    [10, 10, 10, 10, 5],
  );
});

t.test('loading: an actor that is asked as new is not loaded', async (t) => {
  const world = new World();
  const system = await world.system();

  system.ask(account(1), { type: 'add', n: 1 }, { deadlineMs: 1_000, isNew: true });
  await world.clock.settle();

  t.equal(world.store.loads.length, 0);
  t.equal(world.store.rows.get('1')?.balance, 1);
});

t.test('loading: messages that arrive during a load are handled after it', async (t) => {
  const world = new World();
  const latch = new Latch();
  world.store.beforeLoad = () => latch.opened;
  const system = await world.system();

  system.tell(account(1), { type: 'add', n: 1 });
  await world.clock.settle();
  system.tell(account(1), { type: 'add', n: 2 });
  latch.open();
  await world.clock.settle();

  t.equal(world.store.loads.length, 1);
  t.equal(world.store.rows.get('1')?.balance, 3);
});

t.test('loading: `start` runs after every load, before the first message', async (t) => {
  const world = new World();
  const seen: string[] = [];
  const actor = accountActor({
    start(state) {
      seen.push('start');
      return { state, effects: [] };
    },
    receive(state, message) {
      seen.push(message.type);
      if (message.type === 'boom') throw new Error('boom');
      return { state: state ?? { balance: 0, version: 0 }, effects: [] };
    },
  });
  const system = await world.system({ actors: [actor] });

  system.tell(account(1), { type: 'get' });
  await world.clock.settle();
  system.tell(account(1), { type: 'boom' });
  await world.clock.advance(1_000);

  t.same(seen, ['start', 'get', 'boom', 'start']);
});

t.test('loading: failed loads are repeated, about five to twenty-five times in a minute', async (t) => {
  const world = new World();
  const system = await world.system({ limits: { loadMax: 5, loadsMax: 2 } });
  world.store.beforeLoad = () => {
    throw new Unavailable('store');
  };

  for (let key = 0; key < 20; key++) system.tell(account(key), { type: 'add', n: 1 });
  await world.clock.advance(60_000);
  const tries = world.store.loads.length;
  t.ok(tries > 5 && tries < 25, `${tries} tries in a minute`);

  world.store.beforeLoad = () => {};
  await world.clock.advance(6_000);
  t.equal(world.store.rows.size, 20);
});

t.test('loading: a row that cannot be read does not hold up other actors', async (t) => {
  const world = new World();
  const system = await world.system();
  world.store.beforeLoad = (keys) => {
    if (keys.includes('17')) throw new TypeError('an unreadable row');
  };

  for (let key = 0; key < 64; key++) system.tell(account(key), { type: 'add', n: 1 });
  const asked = watch(system.ask(account(17), { type: 'get' }, { deadlineMs: 2_000 }));
  await world.clock.advance(3_000);

  t.equal(world.store.rows.size, 63);
  t.equal(asked.state, 'rejected');
  t.ok(world.logged('actor_not_loaded').length > 0);
});
