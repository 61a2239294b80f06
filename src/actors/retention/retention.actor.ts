/**
 * Removes history, one actor in a cluster: prepares partitions for future logs, and removes data that is older than the
 * settings allow, or that an interrupted deletion has left, a bounded piece at a time with pauses between them. Its
 * progress is in rows.
 *
 * poll: the reconciliation wakes it.
 */
import {
  type CallEffect,
  type Ctx,
  call,
  type Done,
  defineActor,
  type Failed,
  portsOf,
  stay,
  timer,
} from '../../kernel/mod.ts';
import { oneOfCluster } from '../periodic-reconcile.ts';
import { RETENTION, type RetentionMessage } from './retention.messages.ts';
import type { RetentionPorts } from './retention.ports.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MIB = 1_048_576;
/** The pause between two pieces, so that other work gets the database. */
const PAUSE_MS = 200;

/** How long each kind of data is kept. */
export interface Kept {
  /** 0: for ever. */
  readonly logsDays: number;
  readonly historyDays: number;
  readonly changesHours: number;
  readonly changesMib: number;
}

const TASKS = [
  'extendLogs',
  'removeOldLogs',
  'removeOldWork',
  'removeEndedCredentials',
  'removeOldKeys',
  'finishDeletions',
  'removeTrials',
  'extendChanges',
  'removeOldChanges',
] as const;
type Task = (typeof TASKS)[number];

interface RetentionState {
  /** Running calls: none is made twice at once. */
  readonly running: Set<Task>;
}

/** `result` true: there may be more. Tasks without a result are done. */
type Outcome = Done<'taskDone', unknown, Task> | Failed<'taskFailed', Task>;
type Inbox = RetentionMessage | { readonly type: 'more'; readonly task: Task } | Outcome;

const ports = portsOf<RetentionPorts>();

export const retentionActor = (kept: Kept) =>
  defineActor<RetentionState, Inbox, RetentionPorts, never>({
    ...oneOfCluster(RETENTION, 30_000),
    mailboxMax: 100,
    turnMax: 10,
    async load(keys) {
      return new Map(keys.map((key) => [key, { running: new Set<Task>() }]));
    },
    receive(state, message, ctx) {
      if (state === undefined) return stay(state);
      switch (message.type) {
        case 'wake':
          return stay(state, ...TASKS.flatMap((task) => begin(state, task, kept, ctx)));
        case 'more':
          return stay(state, ...begin(state, message.task, kept, ctx));
        case 'taskDone':
          state.running.delete(message.about);
          if (message.result !== true) return stay(state);
          return stay(state, timer(message.about, PAUSE_MS, { type: 'more', task: message.about }));
        case 'taskFailed':
          // The next wake-up tries again.
          state.running.delete(message.about);
          return stay(state);
      }
    },
  });

function begin(state: RetentionState, task: Task, kept: Kept, ctx: Ctx): readonly CallEffect<Outcome>[] {
  if (state.running.has(task)) return [];
  const effect = callOf(task, kept, ctx.nowMs);
  if (effect === undefined) return [];
  state.running.add(task);
  return [effect];
}

/** Undefined if the data of the task is kept for ever. */
function callOf(task: Task, kept: Kept, nowMs: number): CallEffect<Outcome> | undefined {
  const outcomes = { done: 'taskDone', failed: 'taskFailed', about: task, evenIfReloaded: true } as const;
  switch (task) {
    case 'extendLogs':
      return call(ports.extendLogs, undefined, outcomes);
    case 'removeOldKeys':
      return call(ports.removeOldKeys, undefined, outcomes);
    case 'removeEndedCredentials':
      return call(ports.removeEndedCredentials, nowMs, outcomes);
    case 'removeOldLogs':
      if (kept.logsDays === 0) return undefined;
      return call(ports.removeOldLogs, nowMs - kept.logsDays * DAY_MS, outcomes);
    case 'removeOldWork':
      if (kept.historyDays === 0) return undefined;
      return call(ports.removeOldWork, nowMs - kept.historyDays * DAY_MS, outcomes);
    case 'finishDeletions':
      return call(ports.finishDeletions, undefined, outcomes);
    case 'removeTrials':
      return call(ports.removeTrials, nowMs, outcomes);
    case 'extendChanges':
      return call(ports.extendChanges, undefined, outcomes);
    case 'removeOldChanges': {
      const limits = { beforeMs: nowMs - kept.changesHours * HOUR_MS, bytesMax: kept.changesMib * MIB };
      return call(ports.removeOldChanges, limits, outcomes);
    }
  }
}
