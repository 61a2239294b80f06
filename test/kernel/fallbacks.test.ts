/** What is worked on in the place of a message that cannot be worked off. */
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
/** A bad message is done without: 1 is added instead. */
const forgiving = (over: Parameters<typeof accountActor>[0] = {}) =>
  accountActor({
    fallbackFor: (message) =>
      isBad(message) ? { messages: [{ type: 'add', n: 1 }], about: { account: 'one' } } : undefined,
    ...over,
  });

/** The store refuses what comes to more than ten at once, for the reasons given in turn, then takes it. */
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

t.test('fallbacks: what storage refuses for good is given up after few tries, and logged', async (t) => {
  const { world, system, tries } = await begin(times(100, lasting));
  for (const n of [2, BAD, 3]) system.tell(account(1), { type: 'add', n });
  await world.clock.settle();
  t.same(world.store.rows.get('1'), { balance: 6, version: 3 });
  t.same(tries, [3, 3, 2, 2, 1], 'innocent ones go first, then it is alone');
  const [line] = world.logged('message_given_up');
  t.match(line?.fields, { actor: 'account/1', messageType: 'add', account: 'one', error: /no such value/ });
});

t.test('fallbacks: a refusal that may go away is no reason to give up', async (t) => {
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
    t.equal(system.stats().totals.dropped, 1, `${what}: its sender repeats it`);
  }
});

t.test('fallbacks: an outage is waited out, however long', async (t) => {
  const { world, system, tries } = await begin(times(20, () => new Unavailable('full disk')));
  system.tell(account(1), { type: 'add', n: BAD });
  await world.clock.advance(600_000);
  t.equal(tries.length, 21);
  t.equal(world.store.rows.get('1')?.balance, BAD);
});

t.test('fallbacks: the asker gets the failure', async (t) => {
  const { world, system } = await begin(times(100, lasting));
  const asked = watch(system.ask(account(1), { type: 'add', n: BAD }, { deadlineMs: 9_000 }));
  await world.clock.settle();
  t.same(asked, { state: 'rejected', code: 'HANDLER_FAILED' });
  t.equal(world.store.rows.get('1'), undefined);
});

t.test('fallbacks: one that is refused as well is dropped', async (t) => {
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
  t.test(`substitutes: a handler that throws ${throws} times at a message gets it twice`, async (t) => {
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
  });
}
