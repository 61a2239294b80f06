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
  foldOutcomes: nothing,
  foldHours: nothing,
  foldListCounts: nothing,
};
type State = NonNullable<Parameters<typeof statisticsActor.receive>[0]>;
type Message = Parameters<typeof statisticsActor.receive>[1];

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
const sampled = (hour: number) =>
  ({ type: 'taskDone', about: { task: 'sampleLoad', hour, minute: 0 }, result: undefined }) as const;
const sampledMinute = (minute: number) =>
  ({ type: 'taskDone', about: { task: 'sampleMinute', hour: 0, minute }, result: undefined }) as const;
const counted = {
  type: 'taskDone',
  about: { task: 'foldOutcomes', hour: 0, minute: 0 },
  result: undefined,
} as const;
const added = {
  type: 'taskDone',
  about: { task: 'foldHours', hour: 0, minute: 0 },
  result: undefined,
} as const;
const folded = {
  type: 'taskDone',
  about: { task: 'foldStarts', hour: 0, minute: 0 },
  result: undefined,
} as const;

t.test(
  'statistics: samples are taken once an hour and once a minute, and counters are folded at each wake-up',
  async (t) => {
    const tell = await makeKeeper();
    t.strictSame(tell(wake, 5), [
      'sampleLoad',
      'sampleMinute',
      'foldStarts',
      'foldOutcomes',
      'foldHours',
      'foldListCounts',
    ]);
    tell(sampled(0));
    tell(sampledMinute(0));
    tell(folded);
    tell(counted);
    tell(added);
    t.strictSame(tell(wake, 59_999), ['foldStarts', 'foldOutcomes', 'foldHours']);
    t.strictSame(tell(wake, 60_000), ['sampleMinute']);
    tell(sampledMinute(59));
    t.strictSame(tell(wake, HOUR_MS - 1), []);
    tell(folded);
    t.strictSame(tell(wake, HOUR_MS), ['sampleLoad', 'sampleMinute', 'foldStarts']);
  },
);

t.test('statistics: a task is not called again while it runs', async (t) => {
  const tell = await makeKeeper();
  tell(wake);
  t.strictSame(tell(wake), []);
  tell(folded);
  t.strictSame(tell(wake), ['foldStarts']);
});

t.test('statistics: a failed sample is tried again at the next wake-up', async (t) => {
  const tell = await makeKeeper();
  tell(wake);
  const error = { code: 'UNAVAILABLE', message: 'no database' } as const;
  tell({ type: 'taskFailed', about: { task: 'sampleLoad', hour: 0, minute: 0 }, error });
  t.strictSame(tell(wake), ['sampleLoad']);
});

t.test('statistics: the periodic scan wakes the actor only on the owner of its shard', async (t) => {
  const shard = shardOf(STATISTICS.kind, STATISTICS.key);
  t.strictSame(await statisticsActor.reconcile?.find([shard], ports, false), [
    { key: STATISTICS.key, message: wake },
  ]);
  t.strictSame(await statisticsActor.reconcile?.find([(shard + 1) % 64], ports, false), []);
});
