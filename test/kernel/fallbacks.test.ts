/** Fallbacks: messages that are handled in place of one that cannot be saved. */
import t from 'tap';
import { TurnRefused, Unavailable } from '../../src/kernel/mod.ts';
import {
  type AccountMessage,
  account,
  accountActor,
  add,
  World,
  watch,
} from '../support/worlds/kernel-world.ts';

const BAD = 13;
const isBad = (message: AccountMessage) => message.type === 'add' && message.n === BAD;
/** The fallback for a bad message adds 1 instead. */
const forgiving = (over: Parameters<typeof accountActor>[0] = {}) =>
  accountActor({
    fallbackFor: (message) =>
      isBad(message) ? { messages: [{ type: 'add', n: 1 }], about: { account: 'one' } } : undefined,
    ...over,
  });

/** A store that refuses balances above ten for one of the reasons after the other, and accepts them afterwards. */
const begin = async (reasons: readonly Error[], over = {}) => {
  const world = new World();
  let at = 0;
  const tries: number[] = [];
  world.store.before = (turns) => {
    const sums = turns.flatMap((turn) => turn.changes).map((change) => change.balance);
    if (!sums.some((sum) => sum > 10)) return;
    tries.push(sums.length);
    const reason = reasons[at++];
    if (reason !== undefined) throw reason;
  };
  const system = await world.system({ actors: [forgiving(over)] });
  return { world, system, tries };
};
const lasting = (why = 'no such value') => new TurnRefused(why, [], { isLasting: true });
const times = (n: number, one: () => Error) => Array.from({ length: n }, one);

t.test(
  'fallbacks: a message whose save is refused for a lasting reason is replaced by its fallback and logged',
  async (t) => {
    const { world, system, tries } = await begin(times(100, lasting));
    for (const n of [2, BAD, 3]) system.tell(account(1), { type: 'add', n });
    await world.clock.settle();
    t.same(world.store.rows.get('1'), { balance: 6, version: 3 });
    t.same(tries, [3, 3, 2, 2, 1], 'the other messages are saved, and then it is tried alone');
    const [line] = world.logged('message_given_up');
    t.match(line?.fields, { actor: 'account/1', messageType: 'add', account: 'one', error: /no such value/ });
  },
);

t.test('fallbacks: a message is not replaced for refusals that may be transient', async (t) => {
  for (const [what, reasons] of [
    ['deadlocks', times(100, () => new TurnRefused('deadlock'))],
    ['one reason after the other', [lasting('a'), lasting('b'), lasting('c')]],
    ['deadlocks and a value', [new TurnRefused('deadlock'), lasting(), lasting()]],
  ] as const) {
    const { world, system } = await begin(reasons);
    system.tell(account(1), { type: 'add', n: BAD });
    await world.clock.advance(60_000);
    t.equal(world.store.rows.get('1'), undefined, what);
    t.same(world.logged('message_given_up'), [], what);
    t.equal(system.stats().totals.dropped, 1, `${what}: it is left to its sender to repeat it`);
  }
});

t.test('fallbacks: a message is not replaced during an outage, however long it lasts', async (t) => {
  const { world, system, tries } = await begin(times(20, () => new Unavailable('full disk')));
  system.tell(account(1), { type: 'add', n: BAD });
  await world.clock.advance(600_000);
  t.equal(tries.length, 21);
  t.equal(world.store.rows.get('1')?.balance, BAD);
});

t.test('fallbacks: an ask is refused instead of being replaced', async (t) => {
  const { world, system } = await begin(times(100, lasting));
  const asked = watch(system.ask(account(1), { type: 'add', n: BAD }, { deadlineMs: 9_000 }));
  await world.clock.settle();
  t.same(asked, { state: 'rejected', code: 'HANDLER_FAILED' });
  t.equal(world.store.rows.get('1'), undefined);
});

t.test('fallbacks: a fallback that is refused as well is dropped', async (t) => {
  const over = {
    fallbackFor: (message: AccountMessage) =>
      isBad(message) ? { messages: [{ type: 'add', n: 99 } as const], about: {} } : undefined,
  };
  const { world, system, tries } = await begin(times(100, lasting), over);
  system.tell(account(1), { type: 'add', n: BAD });
  await world.clock.advance(60_000);
  t.equal(tries.length, 6);
  t.equal(system.stats().totals.dropped, 1);
});

for (const throws of [1, 2]) {
  t.test(
    `fallbacks: a message whose handler throws is handled a second time (throws: ${throws})`,
    async (t) => {
      const world = new World();
      let thrown = 0;
      const receive: NonNullable<Parameters<typeof accountActor>[0]>['receive'] = (state, message, ctx) => {
        if (isBad(message) && thrown++ < throws) throw new Error('bug');
        return add(state, message.type === 'add' ? message.n : 0, ctx);
      };
      const system = await world.system({ actors: [forgiving({ receive })] });
      for (const n of [2, BAD, 3]) system.tell(account(1), { type: 'add', n });
      await world.clock.advance(5_000);
      t.equal(world.store.rows.get('1')?.balance, throws === 1 ? 18 : 6);
      t.equal(world.logged('message_given_up').length, throws - 1);
      t.equal(world.logged('handler_failed').length, throws);
    },
  );
}
