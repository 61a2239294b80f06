import t from 'tap';
import { statisticsActor } from '../../../src/actors/statistics/statistics.actor.ts';
import { STATISTICS } from '../../../src/actors/statistics/statistics.messages.ts';
import { shardOf } from '../../../src/kernel/mod.ts';
import { handlerCtx } from '../../support/worlds/handler-ctx.ts';

const HOUR_MS = 3_600_000;
const nothing = async () => undefined;
const ports = {
  sampleLoad: nothing,
  sampleMinute: nothing,
  foldStarts: nothing,
  foldBatchCounts: nothing,
  foldOutcomes: nothing,
  foldHours: nothing,
  foldListCounts: nothing,
};
type State = NonNullable<Parameters<typeof statisticsActor.receive>[0]>;
type Message = Parameters<typeof statisticsActor.receive>[1];
type Task = Extract<Message, { type: 'taskDone' }>['about']['task'];

/** What a message at an instant calls. */
async function makeKeeper() {
  const states = await statisticsActor.load([STATISTICS.key], ports);
  const state = states.get(STATISTICS.key) as State;
  return (message: Message, nowMs = 0): string[] => {
    const { effects } = statisticsActor.receive(
      state,
      message,
      handlerCtx(STATISTICS.kind, STATISTICS.key, { nowMs }),
    );
    return effects.map((effect) => (effect.type === 'call' ? effect.port : effect.type));
  };
}

const wake = { type: 'wake' } as const;
const done = (task: Task, at: { hour?: number; minute?: number } = {}) =>
  ({ type: 'taskDone', about: { task, hour: 0, minute: 0, ...at }, result: undefined }) as const;
const failed = (task: Task) =>
  ({
    type: 'taskFailed',
    about: { task, hour: 0, minute: 0 },
    error: { code: 'UNAVAILABLE', message: 'no database' },
  }) as const;
const FOLDS = ['foldStarts', 'foldBatchCounts', 'foldOutcomes', 'foldHours', 'foldListCounts'] as const;

t.test('statistics: samples are taken once an hour and once a minute', async (t) => {
  const tell = await makeKeeper();
  t.strictSame(tell(wake, 5), ['sampleLoad', 'sampleMinute', 'foldStarts']);
  tell(done('sampleLoad'));
  tell(done('sampleMinute'));
  t.strictSame(tell(wake, 59_999), []);
  t.strictSame(tell(wake, 60_000), ['sampleMinute']);
  tell(done('sampleMinute', { minute: 59 }));
  t.strictSame(tell(wake, HOUR_MS - 1), []);
  t.strictSame(tell(wake, HOUR_MS), ['sampleLoad', 'sampleMinute']);
});

t.test('statistics: counters are folded at each wake-up, one kind after the other', async (t) => {
  const tell = await makeKeeper();
  tell(wake);
  for (const [at, fold] of FOLDS.entries()) {
    t.strictSame(tell(wake), [], 'what is running is not called again');
    const next = FOLDS[at + 1];
    t.strictSame(tell(fold === 'foldOutcomes' ? failed(fold) : done(fold)), next === undefined ? [] : [next]);
  }
  t.strictSame(tell(wake), ['foldStarts']);
});

t.test('statistics: a failed sample is tried again at the next wake-up', async (t) => {
  const tell = await makeKeeper();
  tell(wake);
  tell(failed('sampleLoad'));
  t.strictSame(tell(wake), ['sampleLoad']);
});

t.test('statistics: the periodic scan wakes the actor only on the owner of its shard', async (t) => {
  const shard = shardOf(STATISTICS.kind, STATISTICS.key);
  t.strictSame(await statisticsActor.reconcile?.find([shard], ports, false), [
    { key: STATISTICS.key, message: wake },
  ]);
  t.strictSame(await statisticsActor.reconcile?.find([(shard + 1) % 64], ports, false), []);
});
