/** Polls of all actors of a kind, and messages that are handled without a turn. */
import t from 'tap';
import { account, accountActor, Latch, World, watch } from '../support/worlds/kernel-world.ts';

const everySecond = { poll: { everyMs: 1_000, message: { type: 'add', n: 1 } } } as const;

t.test('polls: each loaded actor with a row is asked, and stays loaded', async (t) => {
  const world = new World();
  world.store.put('1', 0);
  world.store.put('2', 0);
  world.store.put('3', 0);
  const system = await world.system({ actors: [accountActor({ ...everySecond, idleMs: 500 })] });
  for (const key of [1, 2, 4]) system.tell(account(key), { type: 'get' });
  await world.clock.advance(10_000);

  const balances = ['1', '2', '3', '4'].map((key) => world.store.rows.get(key)?.balance);
  t.same(balances, [10, 10, 0, undefined], 'one that is not loaded and one without a row are not');
  t.equal(system.stats().kinds.account?.live, 2);
  t.ok(
    world.store.groups.slice(-9).every((turns) => turns === 2),
    'and what they save is saved together',
  );
});

t.test('polls: an actor that has not handled the last one gets no other', async (t) => {
  const world = new World();
  world.store.put('1', 0);
  const system = await world.system({ actors: [accountActor(everySecond)] });
  system.tell(account(1), { type: 'get' });
  const latch = new Latch();
  world.store.before = () => latch.opened;
  await world.clock.advance(10_500);
  latch.open();
  await world.clock.settle();
  t.equal(world.store.rows.get('1')?.balance, 2, 'the one that was being saved, and one behind it');
  await world.clock.advance(1_000);
  t.equal(world.store.rows.get('1')?.balance, 3);
});

t.test('polls: an actor whose turn failed is asked again', async (t) => {
  const world = new World();
  world.store.put('1', 0);
  const poll = { everyMs: 1_000, message: { type: 'boom' } } as const;
  const system = await world.system({ actors: [accountActor({ poll })] });
  system.tell(account(1), { type: 'get' });
  await world.clock.advance(2_500);
  t.equal(world.logged('handler_failed').length, 2);
});

t.test('absorb: a message without effects takes no turn', async (t) => {
  const world = new World();
  world.store.put('1', 0);
  const absorbed: number[] = [];
  const actor = accountActor({
    absorb(_account, message) {
      if (message.type !== 'add' || message.n >= 100) return false;
      absorbed.push(message.n);
      return true;
    },
  });
  const system = await world.system({ actors: [actor] });
  system.tell(account(1), { type: 'add', n: 1 });
  system.tell(account(1), { type: 'add', n: 2 });
  await world.clock.settle();
  t.same(absorbed, [], 'before the actor is loaded its messages wait');
  t.equal(world.store.rows.get('1')?.balance, 3);

  const { turns } = system.stats().totals;
  system.tell(account(1), { type: 'add', n: 4 });
  t.same(absorbed, [4], 'then it is handled at once');
  await world.clock.settle();
  t.equal(system.stats().totals.turns, turns);
  t.equal(world.store.rows.get('1')?.balance, 3);

  system.tell(account(1), { type: 'add', n: 100 });
  system.tell(account(1), { type: 'add', n: 5 });
  const asked = watch(system.ask(account(1), { type: 'add', n: 6 }, { deadlineMs: 1_000 }));
  await world.clock.settle();
  t.same(absorbed, [4], 'not before an earlier message, and not when it is asked');
  t.same(asked, { state: 'resolved', value: 114 });
});

t.test('absorb: a message at which it throws gets a turn', async (t) => {
  const world = new World();
  world.store.put('1', 0);
  const actor = accountActor({
    absorb() {
      throw new Error('a bug');
    },
  });
  const system = await world.system({ actors: [actor] });
  system.tell(account(1), { type: 'get' });
  await world.clock.settle();
  system.tell(account(1), { type: 'add', n: 1 });
  await world.clock.settle();
  t.equal(world.store.rows.get('1')?.balance, 1);
  t.match(world.logged('absorbing_failed'), [{ fields: { actor: 'account/1', messageType: 'add' } }]);
});
