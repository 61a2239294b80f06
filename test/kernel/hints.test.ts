/** Hints: messages that leave before the commit of their turn, and what becomes of them. */
import t from 'tap';
import { hint, type Outcome, tell } from '../../src/kernel/mod.ts';
import type { Account, AccountChange } from '../support/fakes/account-store.ts';
import { account, accountActor, add, Latch, World, watch } from '../support/worlds/kernel-world.ts';

const HINTER = '1';
const HINTED = '2';

/** Account 1 hints account 2 at each message, and account 2 adds what it is hinted. */
const hinting = () =>
  accountActor({
    receive(state, message, ctx): Outcome<Account, AccountChange> {
      const done = add(state, message.type === 'add' ? message.n : 0, ctx);
      if (ctx.self.key !== HINTER) return done;
      return { state: done.state, effects: [...done.effects, hint(account(HINTED), { type: 'add', n: 10 })] };
    },
  });

/** Account 2 is loaded. */
const begin = async () => {
  const world = new World();
  const system = await world.system({ actors: [hinting()] });
  system.tell(account(HINTED), { type: 'add', n: 1 });
  await world.clock.settle();
  return { world, system };
};

t.test(
  'hint: the turns of the sender and of the addressee are saved in one group, in this order',
  async (t) => {
    const { world, system } = await begin();
    const groups: string[][] = [];
    world.store.before = (turns) =>
      void groups.push(turns.flatMap((turn) => turn.changes.map(({ key }) => key)));

    system.tell(account(HINTER), { type: 'add', n: 1 });
    await world.clock.settle();

    t.same(groups, [[HINTER, HINTED]]);
    t.equal(world.store.rows.get(HINTED)?.balance, 11);
  },
);

t.test('hint: an addressee that is not loaded hears nothing and is not loaded', async (t) => {
  const world = new World();
  const system = await world.system({ actors: [hinting()] });
  system.tell(account(HINTER), { type: 'add', n: 1 });
  await world.clock.settle();
  t.equal(world.store.rows.get(HINTER)?.balance, 1);
  t.notOk(world.store.rows.has(HINTED));
  t.same(world.store.loads, [[HINTER]]);
});

t.test(
  'hint: an addressee that is saving handles it after its commit, with the turn that waits',
  async (t) => {
    const { world, system } = await begin();
    const latch = new Latch();
    const groups: string[][] = [];
    world.store.before = (turns) => {
      groups.push(turns.flatMap((turn) => turn.changes.map(({ key }) => key)));
      return latch.opened;
    };
    system.tell(account(HINTED), { type: 'add', n: 1 });
    await world.clock.settle();
    system.tell(account(HINTER), { type: 'add', n: 1 });
    await world.clock.settle();
    t.same(groups, [[HINTED]]);

    latch.open();
    await world.clock.settle();
    t.same(groups, [[HINTED], [HINTER, HINTED]]);
    t.equal(world.store.rows.get(HINTED)?.balance, 12);
  },
);

t.test('hint: it is acted on even if the turn that gave it is refused', async (t) => {
  const { world, system } = await begin();
  system.tell(account(HINTER), { type: 'add', n: 1 });
  await world.clock.settle();
  world.store.put(HINTER, 100);

  const asked = watch(system.ask(account(HINTER), { type: 'add', n: 1 }, { deadlineMs: 10_000 }));
  await world.clock.advance(1_000);

  t.match(asked, { state: 'resolved', value: 101 });
  t.equal(world.store.rows.get(HINTED)?.balance, 31, 'the refused turn hinted, and so did its repeat');
});

t.test('hint: a tell of the same turn comes after it, and after the commit', async (t) => {
  const world = new World();
  const heard: string[] = [];
  const latch = new Latch();
  const actor = accountActor({
    receive(state, message, ctx): Outcome<Account, AccountChange> {
      if (ctx.self.key === HINTED) {
        heard.push(message.type);
        return { state: state ?? { balance: 0, version: 0 }, effects: [] };
      }
      const done = add(state, 1, ctx);
      const both = [hint(account(HINTED), { type: 'add', n: 1 }), tell(account(HINTED), { type: 'get' })];
      return { state: done.state, effects: [...done.effects, ...both] };
    },
  });
  const system = await world.system({ actors: [actor] });
  system.tell(account(HINTED), { type: 'boom' });
  await world.clock.settle();
  world.store.before = () => latch.opened;
  system.tell(account(HINTER), { type: 'add', n: 1 });
  await world.clock.settle();
  t.same(heard, ['boom', 'add']);
  latch.open();
  await world.clock.settle();
  t.same(heard, ['boom', 'add', 'get']);
});
