/**
 * The keeper of statistics, one in a cluster: has live jobs counted once an hour, and starts and outcomes added up.
 * It decides when; the statements that it calls are idempotent and keep their own truth in rows.
 *
 * poll: the sweep is what wakes it.
 */
import {
  type Called,
  type CallFailed,
  call,
  defineActor,
  type Effect,
  restartWithin,
  shardOf,
  stay,
} from '../../kernel/mod.ts';
import { STATISTICS, type StatisticsMessage } from './statistics.messages.ts';
import type { StatisticsPorts } from './statistics.ports.ts';

const HOUR_MS = 3_600_000;

type Task = 'sampleLoad' | 'foldStarts' | 'foldOutcomes' | 'foldHours' | 'foldListCounts';

interface Tag {
  readonly task: Task;
  readonly hour: number;
}

interface StatisticsState {
  /** Calls under way: none is made twice at once. */
  readonly running: Set<Task>;
  /** Number of the hour that was counted last, by this state. */
  sampledHour: number | undefined;
}

type Inbox = StatisticsMessage | Called<Tag> | CallFailed<Tag>;

export const statisticsActor = defineActor<StatisticsState, Inbox, StatisticsPorts, never>({
  kind: STATISTICS.kind,
  mailboxMax: 100,
  idleMs: 3_600_000,
  turnMax: 10,
  supervise: restartWithin({ timesMax: 5, windowMs: 60_000 }),
  sweep: {
    everyMs: 10_000,
    async find(shards) {
      const isOurs = shards.includes(shardOf(STATISTICS.kind, STATISTICS.key));
      return isOurs ? [{ key: STATISTICS.key, message: { type: 'wake' } }] : [];
    },
  },
  async load(keys) {
    return new Map(keys.map((key) => [key, { running: new Set<Task>(), sampledHour: undefined }]));
  },
  receive(state, message, ctx) {
    if (state === undefined) return stay<StatisticsState>(state);
    if (message.type === 'called') {
      state.running.delete(message.tag.task);
      if (message.tag.task === 'sampleLoad') state.sampledHour = message.tag.hour;
      return stay(state);
    }
    if (message.type === 'callFailed') {
      // The next wake-up tries again.
      state.running.delete(message.tag.task);
      ctx.count('failed');
      return stay(state);
    }
    const hour = Math.floor(ctx.nowMs / HOUR_MS);
    const effects: Effect<never>[] = [];
    const start = (task: Task, args: unknown) => {
      if (state.running.has(task)) return;
      state.running.add(task);
      effects.push(call(task, args, { task, hour } satisfies Tag));
    };
    if (state.sampledHour !== hour) start('sampleLoad', ctx.nowMs);
    start('foldStarts', undefined);
    start('foldOutcomes', ctx.nowMs);
    start('foldHours', undefined);
    start('foldListCounts', undefined);
    return stay(state, ...effects);
  },
});
