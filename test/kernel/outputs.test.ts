/** Effects other than saves and tells: calls, timers, results of saves, late replies. */
import t from 'tap';
import {
  type AnsweredWith,
  type AnyActorDef,
  address,
  askerOf,
  call,
  cancelTimer,
  type Effect,
  type Outcome,
  type Port,
  portsOf,
  type ReplyTo,
  refuse,
  reply,
  restartWithin,
  save,
  saveForResult,
  stop,
  TurnRefused,
  timer,
} from '../../src/kernel/mod.ts';
import { Latch, World, watch } from '../support/worlds/kernel-world.ts';

type Note = AnsweredWith<string | number> & {
  readonly type: string;
  readonly [field: string]: unknown;
};

/** An actor that follows a script and records its messages. */
type Asker = ReplyTo<string | number>;

function scripted(script: (message: Note, replyTo: Asker | undefined) => Effect<unknown, unknown>[]) {
  const heard: Note[] = [];
  const actor: AnyActorDef = {
    kind: 'note',
    mailboxMax: 100,
    idleMs: 60_000,
    turnMax: 10,
    supervise: restartWithin({ timesMax: 3, windowMs: 60_000 }),
    load: async (keys) => new Map(keys.map((key) => [key, 'there'])),
    receive(state, message, ctx) {
      heard.push(message as Note);
      const effects = script(message as Note, askerOf(message as Note, ctx));
      return { state, effects } as Outcome<unknown, unknown, never>;
    },
  };
  return { actor, heard };
}

const NOTE = address<Note>('note', '1');
const ports = portsOf<{ [name: string]: (args: unknown) => Promise<unknown> }>();
const callPort = (port: string, args: unknown, about: unknown, evenIfReloaded = false) =>
  call(ports[port] as Port<unknown, unknown>, args, {
    done: 'done',
    failed: 'failed',
    about,
    evenIfReloaded,
  });

t.test(
  'outputs: the result of a call comes as the message that the call names, with its `about`',
  async (t) => {
    const world = new World();
    const { actor, heard } = scripted((message) =>
      message.type === 'go' ? [callPort('double', 21, { n: 1 })] : [],
    );
    const ports = { note: { double: async (n: number) => n * 2 } };
    const system = await world.system({ actors: [actor], ports });

    system.tell(NOTE, { type: 'go' });
    await world.clock.settle();

    t.same(heard, [{ type: 'go' }, { type: 'done', about: { n: 1 }, result: 42 }]);
  },
);

t.test(
  'outputs: a failed call comes with its code, but without the text of an unexpected error',
  async (t) => {
    const world = new World();
    const { actor, heard } = scripted((message) =>
      message.type === 'go'
        ? [callPort('coded', {}, 'a'), callPort('bug', {}, 'b'), callPort('nowhere', {}, 'c')]
        : [],
    );
    const coded = Object.assign(new Error('too slow'), { code: 'QUERY_TOO_SLOW', detail: { ms: 5 } });
    const ports = {
      note: {
        coded: () => Promise.reject(coded),
        bug: () => {
          throw new TypeError('password is hunter2');
        },
      },
    };
    const system = await world.system({ actors: [actor], ports });

    system.tell(NOTE, { type: 'go' });
    await world.clock.settle();

    const failed = heard.filter((message) => message.type === 'failed');
    t.same(failed.map(({ about }) => about).sort(), ['a', 'b', 'c']);
    t.match(failed.find(({ about }) => about === 'a')?.error, {
      code: 'QUERY_TOO_SLOW',
      message: 'too slow',
    });
    t.match(failed.find(({ about }) => about === 'b')?.error, { code: 'HANDLER_FAILED' });
    t.notOk(JSON.stringify(failed).includes('hunter2'));
    t.equal(system.stats().counters['note.bug_failed'], 1);
  },
);

t.test(
  'outputs: results of calls of an earlier state are dropped, or marked stale if requested',
  async (t) => {
    const world = new World();
    const latch = new Latch();
    const { actor, heard } = scripted((message) => {
      if (message.type === 'go') return [callPort('wait', {}, 'dropped'), callPort('wait', {}, 'kept', true)];
      if (message.type === 'boom') throw new Error('boom');
      return [];
    });
    const system = await world.system({ actors: [actor], ports: { note: { wait: () => latch.opened } } });
    system.tell(NOTE, { type: 'go' });
    await world.clock.settle();
    system.tell(NOTE, { type: 'boom' });
    await world.clock.advance(1_000);

    latch.open();
    await world.clock.settle();
    t.same(
      heard.filter(({ type }) => type === 'done'),
      [{ type: 'done', about: 'kept', result: undefined, isStale: true }],
    );
    await world.clock.advance(120_000);
    t.equal(system.stats().kinds.note?.live, 0, 'dropped results do not keep it loaded');
  },
);

t.test(
  'outputs: a result whose turn was refused is marked stale for the state that is loaded then',
  async (t) => {
    const world = new World();
    let isFirst = true;
    const { actor, heard } = scripted((message) => {
      if (message.type === 'go') return [callPort('now', {}, 'kept', true), callPort('now', {}, 'dropped')];
      if (message.type === 'done' && isFirst) return [save({ key: 'r', from: 9, balance: 1 })];
      return [];
    });
    world.store.before = () => {
      const refuse = isFirst;
      isFirst = false;
      if (refuse) throw new TurnRefused('changed meanwhile');
    };
    const system = await world.system({ actors: [actor], ports: { note: { now: async () => 1 } } });
    system.tell(NOTE, { type: 'go' });
    await world.clock.advance(1_000);
    t.same(
      heard.filter(({ type }) => type === 'done').map(({ about, isStale }) => [about, isStale]),
      [
        ['kept', undefined],
        ['dropped', undefined],
        ['kept', true],
      ],
    );
  },
);

t.test('outputs: an actor with too many calls under way fails', async (t) => {
  const world = new World();
  const { actor } = scripted(() => [callPort('never', {}, 1)]);
  const ports = { note: { never: () => new Promise(() => {}) } };
  const system = await world.system({ actors: [actor], ports, limits: { callsMax: 5 } });

  for (let n = 0; n < 9; n++) {
    system.tell(NOTE, { type: 'go' });
    await world.clock.settle();
  }

  t.ok(system.stats().totals.failures > 0);
});

t.test('outputs: the result of a save comes before other messages', async (t) => {
  const world = new World();
  const { actor, heard } = scripted((message) =>
    message.type === 'go'
      ? [
          saveForResult({ key: 'r', from: 0, balance: 7 }, 'saved', 'first'),
          save({ key: 'r', from: 1, balance: 8 }),
        ]
      : [],
  );
  const system = await world.system({ actors: [{ ...actor, turnMax: 1 }] });

  system.tell(NOTE, { type: 'go' });
  system.tell(NOTE, { type: 'next' });
  await world.clock.settle();

  t.same(heard, [{ type: 'go' }, { type: 'saved', about: 'first', result: 'saved r 7' }, { type: 'next' }]);
});

t.test('outputs: a timer fires once, and can be moved and canceled', async (t) => {
  const world = new World();
  const { actor, heard } = scripted((message) => {
    if (message.type === 'set') return [timer('t', Number(message.afterMs), { type: 'ring' })];
    return message.type === 'cancel' ? [cancelTimer('t')] : [];
  });
  const system = await world.system({ actors: [actor] });
  const rings = () => heard.filter((message) => message.type === 'ring').length;

  system.tell(NOTE, { type: 'set', afterMs: 1_000 });
  await world.clock.advance(900);
  system.tell(NOTE, { type: 'set', afterMs: 1_000 });
  await world.clock.advance(900);
  t.equal(rings(), 0);
  await world.clock.advance(5_000);
  t.equal(rings(), 1);

  system.tell(NOTE, { type: 'set', afterMs: 1_000 });
  system.tell(NOTE, { type: 'cancel' });
  await world.clock.advance(5_000);
  t.equal(rings(), 1);
});

t.test('outputs: an actor may answer an ask in a later turn', async (t) => {
  const world = new World();
  const kept: Asker[] = [];
  const { actor } = scripted((message, replyTo) => {
    if (replyTo !== undefined) kept.push(replyTo);
    return message.type === 'now' ? kept.splice(0).map((to) => reply(to, 'at last')) : [];
  });
  const system = await world.system({ actors: [actor] });

  const asked = watch(system.ask(NOTE, { type: 'later' }, { deadlineMs: 5_000 }));
  await world.clock.advance(1_000);
  t.equal(asked.state, 'pending');
  system.tell(NOTE, { type: 'now' });
  await world.clock.settle();

  t.same(asked, { state: 'resolved', value: 'at last' });
});

t.test('outputs: an actor may refuse an ask with a code of its own', async (t) => {
  const world = new World();
  const { actor } = scripted((_, replyTo) =>
    replyTo === undefined
      ? []
      : [refuse(replyTo, { code: 'STATE_CONFLICT', message: 'no', detail: { id: 3 } })],
  );
  const system = await world.system({ actors: [actor] });

  const error = await Promise.all([
    system.ask(NOTE, { type: 'try' }, { deadlineMs: 1_000 }).catch((error: unknown) => error),
    world.clock.settle(),
  ]);

  t.match(error[0], { name: 'KernelError', code: 'STATE_CONFLICT', message: 'no', detail: { id: 3 } });
});

t.test('outputs: a second answer is dropped and counted', async (t) => {
  const world = new World();
  const { actor } = scripted((_, replyTo) =>
    replyTo === undefined ? [] : [reply(replyTo, 1), reply(replyTo, 2)],
  );
  const system = await world.system({ actors: [actor] });

  const asked = watch(system.ask(NOTE, { type: 'try' }, { deadlineMs: 1_000 }));
  await world.clock.settle();

  t.equal(asked.value, 1);
  t.equal(system.stats().totals.deadLetters, 1);
});

t.test('outputs: stop unloads the actor, and a further message loads it again', async (t) => {
  const world = new World();
  const { actor, heard } = scripted((message) => (message.type === 'end' ? [stop()] : []));
  const system = await world.system({ actors: [{ ...actor, turnMax: 1 }] });

  system.tell(NOTE, { type: 'end' });
  await world.clock.settle();
  t.equal(system.stats().kinds.note?.live, 0);

  system.tell(NOTE, { type: 'end' });
  system.tell(NOTE, { type: 'more' });
  await world.clock.settle();
  t.same(
    heard.map(({ type }) => type),
    ['end', 'end', 'more'],
  );
  t.equal(system.stats().totals.loads, 3);
});
