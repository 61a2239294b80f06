import t from 'tap';
import { typeUpdateActor } from '../../../src/actors/type-update/type-update.actor.ts';
import { TYPE_UPDATES } from '../../../src/actors/type-update/type-update.messages.ts';
import { shardOf } from '../../../src/kernel/mod.ts';
import { handlerCtx } from '../../support/worlds/handler-ctx.ts';

type Activation = NonNullable<Parameters<typeof typeUpdateActor.receive>[0]>;
type Message = Parameters<typeof typeUpdateActor.receive>[1];

const ports = { hasTypeUpdates: async () => true, advanceTypeUpdates: async () => true };
const shard = shardOf(TYPE_UPDATES.kind, TYPE_UPDATES.key);

/** What a message has done. */
async function makeActor() {
  const activations = await typeUpdateActor.load([TYPE_UPDATES.key], ports);
  const activation = activations.get(TYPE_UPDATES.key) as Activation;
  return (message: Message): unknown[] =>
    typeUpdateActor
      .receive(activation, message, handlerCtx(TYPE_UPDATES.kind, TYPE_UPDATES.key))
      .effects.map((effect) => {
        if (effect.type === 'call') return effect.port;
        return effect.type === 'timer' ? ['pause', effect.afterMs] : effect.type;
      });
}

const wake = { type: 'wake' } as const;
const ended = (result: boolean): Message => ({ type: 'pageDone', about: undefined, result });

t.test('type updates: pages are updated one after the other, with pauses, until none is left', async (t) => {
  const tell = await makeActor();
  t.strictSame(tell(wake), ['advanceTypeUpdates']);
  t.strictSame(tell(wake), [], 'one page at a time');
  t.strictSame(tell(ended(false)), [['pause', 20]], 'others can use the catalog meanwhile');
  t.strictSame(tell({ type: 'next' }), ['advanceTypeUpdates']);
  t.strictSame(tell(ended(true)), ['stop']);
});

t.test(
  'type updates: a request that arrives during the last page does not wait for the periodic scan',
  async (t) => {
    const tell = await makeActor();
    tell(wake);
    tell(wake);
    t.strictSame(tell(ended(true)), [['pause', 20]]);
    t.strictSame(tell({ type: 'next' }), ['advanceTypeUpdates']);
    t.strictSame(tell(ended(true)), ['stop']);
  },
);

t.test('type updates: a failed page is tried again after two seconds', async (t) => {
  const tell = await makeActor();
  tell(wake);
  const error = { code: 'UNAVAILABLE', message: 'no database' } as const;
  t.strictSame(tell({ type: 'advanceTypeUpdatesFailed', about: undefined, error }), [['pause', 2_000]]);
  t.strictSame(tell(wake), [], 'the periodic scan does not shorten the pause');
  t.strictSame(tell({ type: 'next' }), ['advanceTypeUpdates']);
});

t.test(
  'type updates: the periodic scan wakes the actor on the owner of its shard while a request is open',
  async (t) => {
    const { reconcile } = typeUpdateActor;
    t.strictSame(await reconcile?.find([shard], ports, false), [{ key: TYPE_UPDATES.key, message: wake }]);
    t.strictSame(await reconcile?.find([(shard + 1) % 64], ports, false), []);
    t.strictSame(await reconcile?.find([shard], { ...ports, hasTypeUpdates: async () => false }, false), []);
  },
);
