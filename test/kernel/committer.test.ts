/** How the turns of many actors form one transaction. */
import t from 'tap';
import { account, Latch, World, watch } from '../support/worlds/kernel-world.ts';

t.test('committer: simultaneous turns share one transaction', async (t) => {
  const world = new World();
  const system = await world.system();

  for (let key = 0; key < 100; key++) system.tell(account(key), { type: 'add', n: 1 });
  await world.clock.settle();

  t.same(world.store.groups, [100]);
});

t.test('committer: a group has at most groupMax turns', async (t) => {
  const world = new World();
  const system = await world.system({ limits: { groupMax: 30, lanes: 1 } });

  for (let key = 0; key < 100; key++) system.tell(account(key), { type: 'add', n: 1 });
  await world.clock.settle();

  t.same(world.store.groups, [30, 30, 30, 10]);
});

t.test('committer: a single turn is committed at once if no group is under way', async (t) => {
  const world = new World();
  const system = await world.system();
  const atMs = world.clock.monotonicMs();

  const asked = watch(system.ask(account(1), { type: 'add', n: 1 }, { deadlineMs: 1_000 }));
  await world.clock.settle();

  t.equal(asked.state, 'resolved');
  t.equal(world.clock.monotonicMs(), atMs, 'no time passed');
});

t.test('committer: while a group is under way the next one collects turns for groupWaitMs', async (t) => {
  const world = new World();
  const latch = new Latch();
  let isFirst = true;
  world.store.before = () => {
    if (!isFirst) return undefined;
    isFirst = false;
    return latch.opened;
  };
  const system = await world.system({ limits: { groupWaitMs: 2 } });
  system.tell(account(1), { type: 'add', n: 1 });
  await world.clock.settle();

  system.tell(account(2), { type: 'add', n: 1 });
  await world.clock.settle();
  system.tell(account(3), { type: 'add', n: 1 });
  await world.clock.settle();
  t.same(world.store.groups, [], 'both wait');
  await world.clock.advance(2);

  t.same(world.store.groups, [2], 'both were committed together, beside the first');
  latch.open();
  await world.clock.settle();
  t.same(world.store.groups, [2, 1]);
});

t.test('committer: the number of lanes limits the groups under way, and can be changed', async (t) => {
  const world = new World();
  const latch = new Latch();
  let underWay = 0;
  world.store.before = async () => {
    underWay++;
    await latch.opened;
  };
  const system = await world.system({ limits: { lanes: 1, groupMax: 1 } });
  for (let key = 0; key < 10; key++) system.tell(account(key), { type: 'add', n: 1 });
  await world.clock.advance(10);
  t.equal(underWay, 1);

  system.setLanes(3);
  await world.clock.advance(10);
  t.equal(underWay, 3);

  latch.open();
  await world.clock.advance(10);
  t.equal(world.store.groups.length, 10);
});

t.test('committer: turns that wait for a busy lane become one group when it is free', async (t) => {
  const world = new World();
  const latch = new Latch();
  world.store.before = () => latch.opened;
  const system = await world.system({ limits: { lanes: 1 } });
  system.tell(account(0), { type: 'add', n: 1 });
  await world.clock.settle();

  for (let key = 1; key <= 25; key++) {
    system.tell(account(key), { type: 'add', n: 1 });
    await world.clock.advance(1);
  }
  latch.open();
  await world.clock.settle();

  t.same(world.store.groups, [1, 25]);
});
