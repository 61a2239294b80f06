/** The dispatcher: order and limits of messages, when their effects leave, and what happens after failures. */
import t from 'tap';
import { address, restartWithin, tell, Unavailable } from '../../src/kernel/mod.ts';
import {
  type AccountMessage,
  account,
  accountActor,
  add,
  Latch,
  World,
  watch,
} from '../support/worlds/kernel-world.ts';

t.test('dispatcher: the first message to an actor loads, changes and saves it', async (t) => {
  const world = new World();
  world.store.put('7', 100);
  const system = await world.system();

  const asked = watch(system.ask(account(7), { type: 'add', n: 5 }, { deadlineMs: 1_000 }));
  await world.clock.settle();

  t.same(asked, { state: 'resolved', value: 105 });
  t.same(world.store.rows.get('7'), { balance: 105, version: 2 });
});

t.test('dispatcher: messages of one sender are handled in their order', async (t) => {
  const world = new World();
  const seen: number[] = [];
  const actor = accountActor({
    turnMax: 3,
    receive(state, message) {
      if (message.type === 'add') seen.push(message.n);
      return { state: state ?? { balance: 0, version: 0 }, effects: [] };
    },
  });
  const system = await world.system({ actors: [actor] });

  for (let n = 0; n < 50; n++) system.tell(account(1), { type: 'add', n });
  await world.clock.settle();

  t.same(
    seen,
    Array.from({ length: 50 }, (_, n) => n),
  );
});

t.test('dispatcher: a turn handles up to turnMax messages in one commit', async (t) => {
  const world = new World();
  const turns: number[] = [];
  world.store.before = (group) => void turns.push(...group.map((turn) => turn.changes.length));
  const system = await world.system();

  for (let n = 0; n < 40; n++) system.tell(account(1), { type: 'add', n: 1 });
  await world.clock.settle();

  t.same(turns, [16, 16, 8]);
  t.equal(world.store.rows.get('1')?.balance, 40);
});

t.test('dispatcher: a full mailbox refuses asks and drops tells at once', async (t) => {
  const world = new World();
  const system = await world.system({ actors: [accountActor({ mailboxMax: 2 })] });

  const asks = [1, 2, 3].map((n) => watch(system.ask(account(1), { type: 'add', n }, { deadlineMs: 1_000 })));
  system.tell(account(1), { type: 'add', n: 4 });
  await world.clock.settle();

  t.same(
    asks.map((ask) => ask.code ?? ask.value),
    [1, 3, 'MAILBOX_FULL'],
  );
  t.equal(system.stats().totals.dropped, 1);
  t.equal(world.store.rows.get('1')?.balance, 3);
});

t.test('dispatcher: answers and messages leave after the commit and not before', async (t) => {
  const world = new World();
  const latch = new Latch();
  world.store.before = () => latch.opened;
  const told: string[] = [];
  const actor = accountActor({
    receive(state, message, ctx) {
      if (ctx.self.key === '2') {
        told.push(ctx.self.key);
        return { state: state ?? { balance: 0, version: 0 }, effects: [] };
      }
      const done = add(state, message.type === 'add' ? message.n : 0, ctx);
      return { state: done.state, effects: [...done.effects, tell(account(2), { type: 'get' })] };
    },
  });
  const system = await world.system({ actors: [actor] });

  const asked = watch(system.ask(account(1), { type: 'add', n: 1 }, { deadlineMs: 10_000 }));
  await world.clock.advance(100);
  t.equal(asked.state, 'pending');
  t.same(told, []);

  latch.open();
  await world.clock.settle();
  t.same(asked, { state: 'resolved', value: 1 });
  t.same(told, ['2']);
});

t.test('dispatcher: an actor handles no message while its commit is under way', async (t) => {
  const world = new World();
  const latch = new Latch();
  world.store.before = () => latch.opened;
  let received = 0;
  const actor = accountActor({
    receive(state, message, ctx) {
      received++;
      return add(state, message.type === 'add' ? message.n : 0, ctx);
    },
  });
  const system = await world.system({ actors: [actor] });

  system.tell(account(1), { type: 'add', n: 1 });
  await world.clock.settle();
  system.tell(account(1), { type: 'add', n: 1 });
  await world.clock.advance(50);
  t.equal(received, 1);

  latch.open();
  await world.clock.settle();
  t.equal(received, 2);
  t.equal(world.store.rows.get('1')?.balance, 2);
});

t.test(
  'dispatcher: after a refused turn the actor is loaded again and handles the message again',
  async (t) => {
    const world = new World();
    world.store.put('1', 10);
    const system = await world.system();
    const first = watch(system.ask(account(1), { type: 'get' }, { deadlineMs: 1_000 }));
    await world.clock.settle();
    world.store.put('1', 50); // without the actor, whose memory is stale now

    const asked = watch(system.ask(account(1), { type: 'add', n: 1 }, { deadlineMs: 1_000 }));
    await world.clock.settle();

    t.equal(first.value, 10);
    t.same(asked, { state: 'resolved', value: 51 });
    t.equal(system.stats().totals.refused, 1);
  },
);

t.test(
  'dispatcher: a message refused three times is answered CONFLICT, and its neighbours are handled',
  async (t) => {
    const world = new World();
    const actor = accountActor({
      receive(state, message, ctx) {
        const done = add(state, message.type === 'add' ? message.n : 0, ctx);
        if (message.type !== 'add' || message.n !== 13) return done;
        const stale = done.effects.map((effect) =>
          effect.type === 'save' ? { ...effect, change: { ...effect.change, from: 999 } } : effect,
        );
        return { state: done.state, effects: stale };
      },
    });
    const system = await world.system({ actors: [actor] });

    const asks = [1, 13, 2].map((n) =>
      watch(system.ask(account(1), { type: 'add', n }, { deadlineMs: 5_000 })),
    );
    await world.clock.settle();

    t.same(
      asks.map((ask) => ask.code ?? ask.value),
      [1, 'CONFLICT', 3],
    );
    t.equal(world.store.rows.get('1')?.balance, 3);
  },
);

for (const namesCulprits of [true, false]) {
  t.test(
    `dispatcher: a refused turn does not hold up its group (store names it: ${namesCulprits})`,
    async (t) => {
      const world = new World();
      world.store.namesCulprits = namesCulprits;
      const system = await world.system();
      for (let key = 0; key < 20; key++) system.tell(account(key), { type: 'get' });
      for (let key = 0; key < 20; key++) world.store.put(String(key), 0);
      for (let key = 0; key < 20; key++) system.tell(account(key), { type: 'add', n: 1 });
      await world.clock.settle();
      world.store.put('5', 1_000);

      for (let key = 0; key < 20; key++) system.tell(account(key), { type: 'add', n: 1 });
      await world.clock.settle();

      const balances = [...world.store.rows.values()].map((row) => row.balance);
      t.same(balances.filter((balance) => balance === 2).length, 19);
      t.equal(world.store.rows.get('5')?.balance, 1_001);
    },
  );
}

t.test('dispatcher: during an outage of the store messages are kept, and then handled once', async (t) => {
  const world = new World();
  const system = await world.system();
  let isAway = true;
  world.store.before = () => {
    if (isAway) throw new Unavailable('store');
  };
  world.store.beforeLoad = () => {
    if (isAway) throw new Unavailable('store');
  };

  const impatient = watch(system.ask(account(1), { type: 'add', n: 1_000 }, { deadlineMs: 500 }));
  for (let n = 0; n < 10; n++) system.tell(account(n % 3), { type: 'add', n: 1 });
  await world.clock.advance(30_000);
  t.same(impatient, { state: 'rejected', code: 'UNAVAILABLE' });
  t.equal(world.store.rows.size, 0);

  isAway = false;
  await world.clock.advance(10_000);
  t.same(
    [0, 1, 2].map((key) => world.store.rows.get(String(key))?.balance),
    [4, 3, 3],
  );
});

t.test('dispatcher: a change is not saved twice if the answer to its commit is lost', async (t) => {
  const world = new World();
  const actor = accountActor({
    // Like real actors it does not repeat what the rows have already.
    receive(state, message, ctx) {
      const done = state !== undefined && message.type === 'add' && state.balance >= message.n;
      if (done) return { state, effects: [] };
      return add(state, message.type === 'add' ? message.n : 0, ctx);
    },
  });
  let lost = 0;
  world.store.after = () => {
    if (lost++ === 0) throw new Unavailable('connection reset');
  };
  const system = await world.system({ actors: [actor] });

  system.tell(account(1), { type: 'add', n: 5 });
  await world.clock.advance(5_000);

  t.same(world.store.rows.get('1'), { balance: 5, version: 1 });
  t.equal(system.stats().totals.unavailable, 1);
});

t.test('dispatcher: an unexpected error of a commit fails one message, not its group', async (t) => {
  const world = new World();
  world.store.before = (group) => {
    if (group.some((turn) => turn.changes.some((change) => change.key === '3'))) throw new TypeError('bug');
  };
  const system = await world.system();

  const poisoned = watch(system.ask(account(3), { type: 'add', n: 1 }, { deadlineMs: 60_000 }));
  for (let key = 0; key < 6; key++) system.tell(account(key), { type: 'add', n: 1 });
  await world.clock.advance(5_000);

  t.same([...world.store.rows.keys()].sort(), ['0', '1', '2', '4', '5']);
  t.same(poisoned, { state: 'rejected', code: 'HANDLER_FAILED' });
});

t.test(
  'dispatcher: a message whose handler throws is lost, and the actor continues from its rows',
  async (t) => {
    const world = new World();
    const system = await world.system();

    const before = watch(system.ask(account(1), { type: 'add', n: 1 }, { deadlineMs: 9_000 }));
    const boom = watch(system.ask(account(1), { type: 'boom', secret: 'x' }, { deadlineMs: 9_000 }));
    const after = watch(system.ask(account(1), { type: 'add', n: 1 }, { deadlineMs: 9_000 }));
    await world.clock.advance(1_000);

    t.same([before.value, boom.code, after.value], [1, 'HANDLER_FAILED', 2]);
    const [line] = world.logged('handler_failed');
    t.match(line?.fields, { actor: 'account/1', messageType: 'boom' });
    t.notOk('secret' in (line?.fields ?? {}), 'no payload in the log');
  },
);

t.test('dispatcher: an actor that fails repeatedly is suspended, counted as such, and resumes', async (t) => {
  const world = new World();
  const supervise = restartWithin({ timesMax: 2, windowMs: 60_000, backoffMs: 10, backoffMaxMs: 5_000 });
  const system = await world.system({ actors: [accountActor({ supervise })] });

  for (let n = 0; n < 3; n++) system.tell(account(1), { type: 'boom' });
  await world.clock.advance(1_000);
  t.equal(system.stats().kinds.account?.suspended, 1);
  const asked = watch(system.ask(account(1), { type: 'get' }, { deadlineMs: 60_000 }));
  await world.clock.settle();
  t.equal(asked.code, 'HANDLER_FAILED', 'asks are refused meanwhile');

  await world.clock.advance(5_000);
  t.equal(system.stats().kinds.account?.suspended, 0);
  const again = watch(system.ask(account(1), { type: 'get' }, { deadlineMs: 1_000 }));
  await world.clock.settle();
  t.equal(again.state, 'resolved');
});

t.test('dispatcher: messages to an unknown kind of actor are refused and counted', async (t) => {
  const world = new World();
  const system = await world.system();

  const asked = watch(
    system.ask(address<AccountMessage>('ghost', '1'), { type: 'get' }, { deadlineMs: 1_000 }),
  );
  system.tell(address<AccountMessage>('ghost', '1'), { type: 'get' });
  await world.clock.settle();

  t.equal(asked.code, 'HANDLER_FAILED');
  t.equal(system.stats().totals.deadLetters, 2);
});

t.test('dispatcher: an ask without an answer is rejected at its deadline', async (t) => {
  const world = new World();
  const silent = accountActor({
    receive: (state) => ({ state: state ?? { balance: 0, version: 0 }, effects: [] }),
  });
  const system = await world.system({ actors: [silent] });

  const asked = watch(system.ask(account(1), { type: 'get' }, { deadlineMs: 750 }));
  await world.clock.advance(749);
  t.equal(asked.state, 'pending');
  await world.clock.advance(1);
  t.same(asked, { state: 'rejected', code: 'DEADLINE' });
});

t.test('dispatcher: an ask is not handled after its deadline', async (t) => {
  const world = new World();
  const latch = new Latch();
  world.store.beforeLoad = () => latch.opened;
  const system = await world.system();

  const asked = watch(system.ask(account(1), { type: 'add', n: 1 }, { deadlineMs: 100 }));
  await world.clock.advance(200);
  latch.open();
  await world.clock.settle();

  t.equal(asked.code, 'DEADLINE');
  t.equal(world.store.rows.size, 0);
});

t.test('dispatcher: a turn without changes commits nothing', async (t) => {
  const world = new World();
  const system = await world.system();

  const asked = watch(system.ask(account(1), { type: 'get' }, { deadlineMs: 1_000 }));
  await world.clock.settle();

  t.same(asked, { state: 'resolved', value: null });
  t.equal(system.stats().totals.commits, 0);
});

t.test(
  'dispatcher: effects leave once, even if a turn that only saves is committed beside theirs',
  async (t) => {
    // Cause: arrays of a turn that had changes and no outputs were used again while its commit was pending.
    const world = new World();
    const told: string[] = [];
    const actor = accountActor({
      receive(state, message, ctx) {
        const kept = state ?? { balance: 0, version: 0 };
        if (ctx.self.key === '3') {
          told.push('3');
          return { state: kept, effects: [] };
        }
        if (ctx.self.key === '2') return { state: kept, effects: [tell(account(3), { type: 'get' })] };
        const done = add(state, message.type === 'add' ? message.n : 0, ctx);
        return { state: done.state, effects: done.effects.filter((effect) => effect.type === 'save') };
      },
    });
    const system = await world.system({ actors: [actor] });

    system.tell(account(1), { type: 'add', n: 1 });
    system.tell(account(2), { type: 'get' });
    await world.clock.settle();

    t.equal(world.store.rows.get('1')?.balance, 1);
    t.same(told, ['3'], 'told once');
  },
);
