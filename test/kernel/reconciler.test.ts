/** Sweeps of the rows, which find the work of lost messages. */
import t from 'tap';
import { shardOf } from '../../src/kernel/mod.ts';
import { type AccountDef, accountActor, World } from '../support/worlds/kernel-world.ts';

/** Its sweep finds accounts with an odd balance, which stand for a lost message. */
function swept(world: World, asked: number[][] = [], takenOver: boolean[] = []): AccountDef {
  return accountActor({
    reconcile: {
      everyMs: 10_000,
      async find(shards, _ports, isTakenOver) {
        takenOver.push(isTakenOver);
        asked.push([...shards]);
        return [...world.store.rows]
          .filter(([key, row]) => row.balance % 2 === 1 && shards.includes(shardOf('account', key)))
          .map(([key]) => ({ key, message: { type: 'add', n: 1 } as const }));
      },
    },
  });
}

t.test('reconciler: the work of a lost message is found in the rows', async (t) => {
  const world = new World();
  const system = await world.system({ actors: [swept(world)] });
  world.store.put('5', 7); // committed without a message

  await world.clock.advance(9_999);
  t.equal(world.store.rows.get('5')?.balance, 7);
  await world.clock.advance(2);
  t.equal(world.store.rows.get('5')?.balance, 8);
  t.equal(system.stats().totals.dropped, 0);
});

t.test('reconciler: shards are swept as soon as they are acquired', async (t) => {
  const world = new World();
  world.store.put('5', 7);
  const takenOver: boolean[] = [];
  await world.system({ actors: [swept(world, [], takenOver)] });
  await world.clock.settle();
  t.equal(world.store.rows.get('5')?.balance, 8);
  t.same(takenOver, [true], 'and the sweep knows it');
  await world.clock.advance(12_000);
  t.same(takenOver, [true, false]);
});

t.test('reconciler: a failed sweep is logged and repeated', async (t) => {
  const world = new World();
  let tries = 0;
  const actor = accountActor({
    reconcile: {
      everyMs: 1_000,
      find: async () => {
        tries++;
        throw new Error('store');
      },
    },
  });
  await world.system({ actors: [actor] });
  await world.clock.advance(3_500);
  t.equal(tries, 4);
  t.equal(world.logged('reconciliation_failed').length, 4);
});

t.test('reconciler: each coordinator sweeps its own shards', async (t) => {
  const world = new World();
  const first: number[][] = [];
  const second: number[][] = [];
  await world.system({ self: 'c1', actors: [swept(world, first)] });
  await world.system({ self: 'c2', actors: [swept(world, second)] });
  await world.clock.advance(30_000);

  const all = [...(first.at(-1) ?? []), ...(second.at(-1) ?? [])];
  t.equal(all.length, 64);
  t.equal(new Set(all).size, 64);
});
