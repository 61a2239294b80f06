import t from 'tap';
import { Unavailable } from '../../src/kernel/mod.ts';
import { account, World } from '../support/worlds/kernel-world.ts';

/** A store whose first commit loses its connection and is completed by the server later. */
async function begin(t: { teardown(end: () => void): void }) {
  const world = new World();
  const { store } = world;
  const asked: (readonly string[] | undefined)[] = [];
  const under: { marks: string[]; error: Error | undefined } = { marks: ['7', '8'], error: undefined };
  let isLost = false;
  let end: () => Promise<unknown> = async () => undefined;
  const apply = {
    apply: async (turns: Parameters<typeof store.apply>[0]) => {
      if (isLost) return store.apply(turns);
      isLost = true;
      end = () => store.apply(turns);
      throw new Unavailable('connection reset');
    },
    underWay: async (marks?: readonly string[]) => {
      asked.push(marks);
      if (under.error !== undefined) throw under.error;
      return under.marks.filter((mark) => marks === undefined || marks.includes(mark));
    },
  };
  const system = await world.system({ apply: apply as never });
  t.teardown(() => system.stop());
  return { world, store, system, asked, under, endCommit: () => end() };
}

t.test('uncertain commits: an actor is not loaded while its commit may still be under way', async (t) => {
  const { world, store, system, asked, under, endCommit } = await begin(t);
  system.tell(account(1), { type: 'add', n: 5 });
  await world.clock.advance(1_000);
  const loads = store.loads.length;

  await world.clock.advance(60_000);
  t.equal(store.loads.length, loads, 'nothing was loaded');
  t.same(asked[0], undefined);
  t.same(asked.at(-1), ['7', '8'], 'transactions that begin later are not waited for');

  await endCommit();
  under.marks = ['9'];
  await world.clock.advance(5_000);
  t.ok(store.loads.length > loads);
  t.equal(store.rows.get('1')?.version, 2, 'the same message is handled again after what was saved');
});

t.test(
  'uncertain commits: an actor and its messages wait while open transactions cannot be read',
  async (t) => {
    const { world, store, system, under, endCommit } = await begin(t);
    under.error = new Unavailable('store');
    system.tell(account(1), { type: 'add', n: 5 });
    await world.clock.advance(60_000);
    t.equal(world.logged('transactions_not_read').length > 2, true);
    system.tell(account(1), { type: 'add', n: 1 });
    await endCommit();
    t.equal(store.rows.get('1')?.balance, 5);

    under.error = undefined;
    under.marks = [];
    await world.clock.advance(10_000);
    t.equal(store.rows.get('1')?.balance, 11);
  },
);

t.test(
  'uncertain commits: other actors continue, and messages of the waiting one move with its shard',
  async (t) => {
    const { world, store, system } = await begin(t);
    system.tell(account(1), { type: 'add', n: 5 });
    await world.clock.advance(1_000);
    system.tell(account(2), { type: 'add', n: 3 });
    await world.clock.advance(1_000);
    t.equal(store.rows.get('2')?.balance, 3);
    t.equal(store.rows.get('1'), undefined);

    const other = await world.system({ self: 'c2' });
    t.teardown(() => other.stop());
    world.cluster.cut.add('c1');
    await world.clock.advance(60_000);
    world.cluster.cut.delete('c1');
    await world.clock.advance(10_000);
    t.equal(store.rows.get('1')?.balance, 5);
  },
);
