/**
 * The notification queue of a strike on an object store. This coordinator reads it outside of the actor, and asks the
 * actor to record what was read; the actor answers after the commit.
 *
 * poll: each wake repeats what is to be read, so that a lost reader is started again; listings find what was missed.
 */
import type { StrikeState } from '../../domain/strike/strike.ts';
import type { Monitor, ObjstoreMonitor } from '../../domain/strike/strike-config.ts';
import { call, type ReplyTo, refuse } from '../../kernel/mod.ts';
import { type BatchOrigin, type StrikeEffect, strikePorts } from './strike-effects.ts';

const OUTCOMES = { done: 'queueWatched', failed: 'watchQueueFailed' } as const;

/** Starts reading the queue; nothing for a strike without a queue. */
export function watchQueue({ id: strikeId, configuration, isPaused }: StrikeState): readonly StrikeEffect[] {
  const { monitor } = configuration;
  if (monitor.type !== 'objstore') return [];
  const args = { strikeId, monitor: isPaused ? null : monitor, formerly: null };
  return [call(strikePorts.watchQueue, args, OUTCOMES)];
}

/** The strike now watches another queue, or a directory. */
export function leaveQueue(
  { id: strikeId, configuration, isPaused }: StrikeState,
  before: Monitor,
): readonly StrikeEffect[] {
  const { monitor: now } = configuration;
  if (before.type !== 'objstore') return [];
  const monitor = now.type === 'objstore' && !isPaused ? now : null;
  const formerly = now.type === 'objstore' && isSameQueue(now, before) ? null : before;
  return [call(strikePorts.watchQueue, { strikeId, monitor, formerly }, OUTCOMES)];
}

function isSameQueue(one: ObjstoreMonitor, other: ObjstoreMonitor): boolean {
  return one.queue_name === other.queue_name && (one.queue_type ?? 'nats') === (other.queue_type ?? 'nats');
}

/**
 * The bucket whose objects are wanted now; undefined if the strike is paused, is not on an object store, or its
 * workspace is not active.
 */
export function bucketOf(state: StrikeState): string | undefined {
  if (state.isPaused || state.configuration.monitor.type !== 'objstore') return undefined;
  const workspace = state.workspaces.byId.get(state.workspaceId);
  const { broker } = (workspace?.configuration ?? {}) as {
    readonly broker?: { readonly bucket_name?: string };
  };
  return broker?.bucket_name;
}

export function notWanted(replyTo: ReplyTo): StrikeEffect {
  return refuse(replyTo, { code: 'STATE_CONFLICT', message: 'the strike takes no notifications now' });
}

/** The rules could not be matched: a waiting asker asks again, and monitors repeat their batches. */
export function onBatchRulesFailed(origin: BatchOrigin): readonly StrikeEffect[] {
  if (origin.from !== 'queue') return [];
  return [refuse(origin.replyTo, { code: 'UNAVAILABLE', message: 'the rules could not be tried' })];
}
