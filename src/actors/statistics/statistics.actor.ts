/**
 * Statistics, one actor in a cluster: counts live jobs once an hour and once a minute, and adds up starts and outcomes.
 * It decides when; the statements that it calls are idempotent and keep their state in rows.
 *
 * poll: the reconciliation wakes it.
 */
import {
  type CallEffect,
  call,
  type Done,
  defineActor,
  type Failed,
  portsOf,
  stay,
} from '../../kernel/mod.ts';
import { oneOfCluster } from '../periodic-reconcile.ts';
import { STATISTICS, type StatisticsMessage } from './statistics.messages.ts';
import type { StatisticsPorts } from './statistics.ports.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const TASKS = [
  'sampleLoad',
  'sampleMinute',
  'foldStarts',
  'foldOutcomes',
  'foldHours',
  'foldListCounts',
] as const;
type Task = (typeof TASKS)[number];

interface Run {
  readonly task: Task;
  /** The hour and the minute in which the call began. */
  readonly hour: number;
  readonly minute: number;
}

interface StatisticsState {
  /** Running calls: none is made twice at once. */
  readonly running: Set<Task>;
  /** The hour that this state counted last. */
  sampledHour: number | undefined;
  sampledMinute: number | undefined;
}

type Outcome = Done<'taskDone', void, Run> | Failed<'taskFailed', Run>;
type Inbox = StatisticsMessage | Outcome;

const ports = portsOf<StatisticsPorts>();

export const statisticsActor = defineActor<StatisticsState, Inbox, StatisticsPorts, never>({
  ...oneOfCluster(STATISTICS, 10_000),
  mailboxMax: 100,
  turnMax: 10,
  async load(keys) {
    return new Map(
      keys.map((key) => [
        key,
        { running: new Set<Task>(), sampledHour: undefined, sampledMinute: undefined },
      ]),
    );
  },
  receive(state, message, ctx) {
    if (state === undefined) return stay(state);
    if (message.type === 'taskDone') {
      const { task, hour, minute } = message.about;
      state.running.delete(task);
      if (task === 'sampleLoad') state.sampledHour = hour;
      if (task === 'sampleMinute') state.sampledMinute = minute;
      return stay(state);
    }
    if (message.type === 'taskFailed') {
      // The next wake-up tries again.
      state.running.delete(message.about.task);
      return stay(state);
    }
    const hour = Math.floor(ctx.nowMs / HOUR_MS);
    const minute = Math.floor(ctx.nowMs / MINUTE_MS);
    const outcomesOf = (task: Task) =>
      ({
        done: 'taskDone',
        failed: 'taskFailed',
        about: { task, hour, minute },
        evenIfReloaded: true,
      }) as const;
    const calls: Readonly<Record<Task, () => CallEffect<Outcome>>> = {
      sampleLoad: () => call(ports.sampleLoad, ctx.nowMs, outcomesOf('sampleLoad')),
      sampleMinute: () => call(ports.sampleMinute, ctx.nowMs, outcomesOf('sampleMinute')),
      foldStarts: () => call(ports.foldStarts, undefined, outcomesOf('foldStarts')),
      foldOutcomes: () => call(ports.foldOutcomes, ctx.nowMs, outcomesOf('foldOutcomes')),
      foldHours: () => call(ports.foldHours, undefined, outcomesOf('foldHours')),
      foldListCounts: () => call(ports.foldListCounts, undefined, outcomesOf('foldListCounts')),
    };
    const isDone = { sampleLoad: state.sampledHour === hour, sampleMinute: state.sampledMinute === minute };
    const due = TASKS.filter((task) => !(task in isDone) || !isDone[task as keyof typeof isDone]);
    const begun = due.filter((task) => !state.running.has(task));
    for (const task of begun) state.running.add(task);
    return stay(state, ...begun.map((task) => calls[task]()));
  },
});
