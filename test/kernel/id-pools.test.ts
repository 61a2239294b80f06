/** Pools of identifiers for handlers, which may not wait. */
import t from 'tap';
import { type AnyActorDef, address, restartWithin, save } from '../../src/kernel/mod.ts';
import { World } from '../support/worlds/kernel-world.ts';

const hungryAddress = (key: number) =>
  address<{ readonly type: 'eat'; readonly n: number; readonly kinds?: readonly string[] }>(
    'hungry',
    `${key}`,
  );
const HUNGRY = hungryAddress(1);

/** Takes as many identifiers as a message says and saves the last. */
function hungry(taken: number[][]): AnyActorDef {
  return {
    kind: 'hungry',
    mailboxMax: 100,
    idleMs: 60_000,
    turnMax: 4,
    supervise: restartWithin({ timesMax: 3, windowMs: 60_000 }),
    load: async (keys) => new Map(keys.map((key) => [key, { sum: 0 }])),
    receive(state, message, ctx) {
      const ids: number[] = [];
      const { n, kinds = ['job'] } = message as unknown as { n: number; kinds?: string[] };
      for (const kind of kinds) for (let at = 0; at < n; at++) ids.push(ctx.newId(kind));
      taken.push(ids);
      return { state, effects: [save({ key: `${ids.at(-1)}`, from: 0, balance: ids.length })] };
    },
  };
}

t.test('id pools: a turn that exhausts a pool is repeated once there are enough identifiers', async (t) => {
  const world = new World();
  const taken: number[][] = [];
  const system = await world.system({ actors: [hungry(taken)], limits: { idBlock: 10, idBlockMax: 10_000 } });

  system.tell(HUNGRY, { type: 'eat', n: 100 });
  await world.clock.settle();

  t.equal(taken.length, 1, 'only the successful turn reached its end');
  t.equal(new Set(taken[0]).size, 100);
  t.equal(world.store.rows.size, 1);
  t.equal(system.stats().totals.failures, 0);
});

t.test('id pools: a turn that exhausts several pools is repeated until all have enough', async (t) => {
  const world = new World();
  const taken: number[][] = [];
  const system = await world.system({ actors: [hungry(taken)], limits: { idBlock: 1, idBlockMax: 1_024 } });

  system.tell(HUNGRY, { type: 'eat', n: 40, kinds: ['recipe', 'event', 'job', 'job_exe'] });
  await world.clock.settle();

  t.equal(taken[0]?.length, 160);
  t.equal(world.store.rows.size, 1);
  t.equal(system.stats().totals.failures, 0);
});

t.test('id pools: no identifier is given to two actors', async (t) => {
  const world = new World();
  const taken: number[][] = [];
  const system = await world.system({ actors: [hungry(taken)], limits: { idBlock: 8 } });

  for (let key = 0; key < 200; key++) system.tell(hungryAddress(key), { type: 'eat', n: 3 });
  await world.clock.advance(1_000);

  const saved = taken.flat();
  t.equal(new Set(saved).size, saved.length);
  t.equal(world.store.rows.size, 200);
});

t.test('id pools: turns wait while no identifiers can be reserved', async (t) => {
  const world = new World();
  let isAway = true;
  const { reserve } = world.ids;
  world.ids = { reserve: (kind, n) => (isAway ? Promise.reject(new Error('store')) : reserve(kind, n)) };
  const system = await world.system({ actors: [hungry([])] });

  system.tell(HUNGRY, { type: 'eat', n: 3 });
  await world.clock.advance(20_000);
  t.equal(world.store.rows.size, 0);

  isAway = false;
  await world.clock.advance(6_000);
  t.equal(world.store.rows.size, 1);
});

t.test('id pools: a turn that needs more than a pool can hold fails', async (t) => {
  const world = new World();
  const system = await world.system({ actors: [hungry([])], limits: { idBlock: 10, idBlockMax: 20 } });

  system.tell(HUNGRY, { type: 'eat', n: 1_000 });
  await world.clock.advance(5_000);

  t.equal(system.stats().totals.failures, 1);
});
