/**
 * Statistics, one actor in a cluster: counts live jobs once an hour and once a minute, and adds up what commits count,
 * one kind of counter after the other, so that the database has time for jobs. It decides when; the statements that it
 * calls are idempotent and keep their state in rows.
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

const SAMPLES = ['sampleLoad', 'sampleMinute'] as const;
const FOLDS = ['foldStarts', 'foldBatchCounts', 'foldOutcomes', 'foldHours', 'foldListCounts'] as const;
type Fold = (typeof FOLDS)[number];
type Task = (typeof SAMPLES)[number] | Fold;

interface Run {
  readonly task: Task;
  /** The hour and the minute in which the call began. */
  readonly hour: number;
  readonly minute: number;
}

interface StatisticsState {
  /** Running calls: none is made twice at once. */
  readonly running: Set<Task>;
  /** Folds that follow the one that is running. */
  foldsAhead: readonly Fold[];
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
    return new Map(keys.map((key) => [key, initialState()]));
  },
  receive(state, message, { nowMs }) {
    if (state === undefined) return stay(state);
    if (message.type === 'wake') return stay(state, ...begin(state, dueTasks(state, nowMs), nowMs));
    const { task, hour, minute } = message.about;
    state.running.delete(task);
    // The next wake-up tries again what has failed.
    if (message.type === 'taskDone') {
      if (task === 'sampleLoad') state.sampledHour = hour;
      if (task === 'sampleMinute') state.sampledMinute = minute;
    }
    return stay(state, ...(isFold(task) ? begin(state, nextFold(state), nowMs) : []));
  },
});

function initialState(): StatisticsState {
  return { running: new Set(), foldsAhead: [], sampledHour: undefined, sampledMinute: undefined };
}

function dueTasks(state: StatisticsState, nowMs: number): readonly Task[] {
  const due: Task[] = [];
  if (state.sampledHour !== hourOf(nowMs)) due.push('sampleLoad');
  if (state.sampledMinute !== minuteOf(nowMs)) due.push('sampleMinute');
  const idle = due.filter((task) => !state.running.has(task));
  if ([...state.running].some(isFold)) return idle;
  state.foldsAhead = FOLDS;
  return [...idle, ...nextFold(state)];
}

function nextFold(state: StatisticsState): readonly Fold[] {
  const [next, ...ahead] = state.foldsAhead;
  state.foldsAhead = ahead;
  return next === undefined ? [] : [next];
}

function isFold(task: Task): task is Fold {
  return (FOLDS as readonly Task[]).includes(task);
}

function begin(state: StatisticsState, tasks: readonly Task[], nowMs: number): CallEffect<Outcome>[] {
  return tasks.map((task) => {
    state.running.add(task);
    const about = { task, hour: hourOf(nowMs), minute: minuteOf(nowMs) };
    const outcomes = { done: 'taskDone', failed: 'taskFailed', about, evenIfReloaded: true } as const;
    switch (task) {
      case 'sampleLoad':
      case 'sampleMinute':
      case 'foldOutcomes':
        return call(ports[task], nowMs, outcomes);
      default:
        return call(ports[task], undefined, outcomes);
    }
  });
}

const hourOf = (ms: number) => Math.floor(ms / HOUR_MS);
const minuteOf = (ms: number) => Math.floor(ms / MINUTE_MS);
