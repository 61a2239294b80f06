/**
 * The keeper of history, one in a cluster: makes room for logs to come, and has what is older than the settings say
 * removed, a bounded piece at a time with pauses between them. How far it has come is in rows.
 *
 * poll: the sweep is what wakes it.
 */
import {
  type Called,
  type CallFailed,
  type Ctx,
  call,
  defineActor,
  type Effect,
  restartWithin,
  shardOf,
  stay,
  timer,
} from '../../kernel/mod.ts';
import { RETENTION, type RetentionMessage } from './retention.messages.ts';
import type { RetentionPorts } from './retention.ports.ts';

const DAY_MS = 86_400_000;
/** Between two pieces, so that others have the database in the meantime. */
const PAUSE_MS = 200;

/** Days that are kept; 0 = for ever. */
export interface KeptDays {
  readonly logs: number;
  readonly history: number;
}

type Task = 'extendLogs' | 'removeOldLogs' | 'removeOldWork' | 'removeEndedCredentials' | 'removeOldKeys';

interface RetentionState {
  /** Calls under way: none is made twice at once. */
  readonly running: Set<Task>;
}

type Inbox =
  | RetentionMessage
  | { readonly type: 'more'; readonly task: Task }
  | Called<Task, boolean | undefined>
  | CallFailed<Task>;

export const retentionActor = (days: KeptDays) =>
  defineActor<RetentionState, Inbox, RetentionPorts, never>({
    kind: RETENTION.kind,
    mailboxMax: 100,
    idleMs: 3_600_000,
    turnMax: 10,
    supervise: restartWithin({ timesMax: 5, windowMs: 60_000 }),
    sweep: {
      everyMs: 30_000,
      async find(shards) {
        const isOurs = shards.includes(shardOf(RETENTION.kind, RETENTION.key));
        return isOurs ? [{ key: RETENTION.key, message: { type: 'wake' } }] : [];
      },
    },
    async load(keys) {
      return new Map(keys.map((key) => [key, { running: new Set<Task>() }]));
    },
    receive(state, message, ctx) {
      if (state === undefined) return stay<RetentionState>(state);
      switch (message.type) {
        case 'wake':
          return stay(
            state,
            ...begin(state, 'extendLogs', days, ctx),
            ...begin(state, 'removeOldLogs', days, ctx),
            ...begin(state, 'removeOldWork', days, ctx),
            ...begin(state, 'removeEndedCredentials', days, ctx),
            ...begin(state, 'removeOldKeys', days, ctx),
          );
        case 'more':
          return stay(state, ...begin(state, message.task, days, ctx));
        case 'called':
          state.running.delete(message.tag);
          if (message.result !== true) return stay(state);
          return stay(state, timer(message.tag, PAUSE_MS, { type: 'more', task: message.tag }));
        case 'callFailed':
          // The next wake-up tries again.
          state.running.delete(message.tag);
          ctx.count('retention_failed');
          return stay(state);
      }
    },
  });

function begin(state: RetentionState, task: Task, days: KeptDays, ctx: Ctx): readonly Effect<never>[] {
  if (state.running.has(task)) return [];
  const effect = callOf(task, days, ctx.nowMs);
  if (effect === undefined) return [];
  state.running.add(task);
  return [effect];
}

/** Undefined: what it would remove is kept for ever. */
function callOf(task: Task, days: KeptDays, nowMs: number): Effect<never> | undefined {
  switch (task) {
    case 'extendLogs':
    case 'removeOldKeys':
      return call(task, undefined, task);
    case 'removeEndedCredentials':
      return call(task, nowMs, task);
    case 'removeOldLogs':
      return days.logs === 0 ? undefined : call(task, nowMs - days.logs * DAY_MS, task);
    case 'removeOldWork':
      return days.history === 0 ? undefined : call(task, nowMs - days.history * DAY_MS, task);
  }
}
