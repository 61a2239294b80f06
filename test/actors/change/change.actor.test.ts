import t from 'tap';
import { changesActor } from '../../../src/actors/change/change.actor.ts';
import { CHANGES } from '../../../src/actors/change/change.messages.ts';
import { shardOf } from '../../../src/kernel/mod.ts';
import { handlerCtx } from '../../support/worlds/handler-ctx.ts';

const ports = { addTick: async () => true };
const wake = { type: 'wake' } as const;
const next = { type: 'next' } as const;
const given = { type: 'tickAdded', about: undefined, result: true } as const;

async function makeGiver() {
  const state = (await changesActor.load([CHANGES.key], ports)).get(CHANGES.key);
  return (message: Parameters<typeof changesActor.receive>[1]): unknown[] =>
    changesActor.receive(state, message, handlerCtx(CHANGES.kind, CHANGES.key)).effects.map((effect) => {
      if (effect.type === 'call') return effect.port;
      return effect.type === 'timer' ? effect.afterMs : effect.type;
    });
}

t.test('changes: commits during a tick or the pause after it share the next tick', async (t) => {
  const tell = await makeGiver();
  t.strictSame(tell(wake), ['addTick']);
  t.strictSame([...tell(wake), ...tell(wake)], [], 'one at a time');
  t.strictSame(tell(given), [20]);
  t.strictSame(tell(wake), []);
  t.strictSame(tell(next), ['addTick']);
  t.strictSame(tell(given), [20]);
  t.strictSame(tell(next), [250], 'no commit was announced');
  t.strictSame(tell(next), ['addTick'], 'the poll gives a tick without an announcement');
});

t.test('changes: the poll tries a failed tick again', async (t) => {
  const tell = await makeGiver();
  tell(wake);
  const error = { code: 'UNAVAILABLE', message: 'no database' } as const;
  t.strictSame(tell({ type: 'tickFailed', about: undefined, error }), [20]);
  t.strictSame(tell(next), [250]);
  t.strictSame(tell(next), ['addTick']);
});

t.test('changes: the reconciliation wakes the actor only on the owner of its shard', async (t) => {
  const shard = shardOf(CHANGES.kind, CHANGES.key);
  const { reconcile } = changesActor;
  t.strictSame(await reconcile?.find([shard], ports, false), [{ key: CHANGES.key, message: wake }]);
  t.strictSame(await reconcile?.find([(shard + 1) % 64], ports, false), []);
});
