import t from 'tap';
import { purgeActor } from '../../../src/actors/purge/purge.actor.ts';
import { handlerCtx } from '../../support/worlds/handler-ctx.ts';

type State = NonNullable<Parameters<typeof purgeActor.receive>[0]>;
type Message = Parameters<typeof purgeActor.receive>[1];

const ports = {
  duePurges: async () => [7, 9],
  advancePurge: async () => ({ isDone: true, pauseMs: 0 }),
};

/** What a message has done. */
async function makePurge() {
  const states = await purgeActor.load(['7'], ports);
  const state = states.get('7') as State;
  return (message: Message): unknown[] =>
    purgeActor.receive(state, message, handlerCtx('purge', '7')).effects.map((effect) => {
      if (effect.type === 'call') return [effect.port, effect.args];
      return effect.type === 'timer' ? ['pause', effect.afterMs] : effect.type;
    });
}

const wake = { type: 'wake' } as const;
const ended = (isDone: boolean, pauseMs = 0): Message => ({
  type: 'purgeAdvanced',
  about: undefined,
  result: { isDone, pauseMs },
});

t.test('purge: pieces are purged one after the other until all are done', async (t) => {
  const tell = await makePurge();
  t.strictSame(tell(wake), [['advancePurge', 7]]);
  t.strictSame(tell(wake), [], 'one piece at a time');
  t.strictSame(tell(ended(false)), [['advancePurge', 7]]);
  t.strictSame(tell(ended(true)), ['stop']);
});

t.test('purge: it pauses as long as a piece asks for, and two seconds after a failure', async (t) => {
  const tell = await makePurge();
  tell(wake);
  t.strictSame(tell(ended(false, 500)), [['pause', 500]]);
  t.strictSame(tell(wake), [], 'the periodic scan does not shorten the pause');
  t.strictSame(tell({ type: 'next' }), [['advancePurge', 7]]);
  const error = { code: 'UNAVAILABLE', message: 'no database' } as const;
  t.strictSame(tell({ type: 'advancePurgeFailed', about: undefined, error }), [['pause', 2_000]]);
  t.strictSame(tell({ type: 'next' }), [['advancePurge', 7]]);
});

t.test('purge: the periodic scan wakes unfinished purges', async (t) => {
  t.strictSame(await purgeActor.reconcile?.find([7, 9], ports, false), [
    { key: '7', message: wake },
    { key: '9', message: wake },
  ]);
});
