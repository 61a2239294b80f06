/**
 * The queue of notifications that a strike of an object store has read. Reading is done by this coordinator outside of
 * the actor, which is asked to record what was read, and answers after the commit.
 *
 * poll: each wake says again what is to be read, so a reader that was lost begins anew; listings find what was missed.
 */
import type { Monitor, ObjstoreMonitor } from '../../domain/strike/strike-config.ts';
import type { StrikeState } from '../../domain/strike/strike-state.ts';
import { call, type ReplyTo, refuse } from '../../kernel/mod.ts';
import { type BatchOrigin, type StrikeEffect, strikePorts } from './strike-effects.ts';

const OUTCOMES = { done: 'queueWatched', failed: 'watchQueueFailed' } as const;

/** Says what is to be read now; nothing for a strike that has no queue. */
export function watchQueue({ id: strikeId, configuration, isPaused }: StrikeState): readonly StrikeEffect[] {
  const { monitor } = configuration;
  if (monitor.type !== 'objstore') return [];
  const args = { strikeId, monitor: isPaused ? null : monitor, formerly: null };
  return [call(strikePorts.watchQueue, args, OUTCOMES)];
}

/** The strike watches otherwise than before: another queue, or a directory. */
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

/** The bucket whose objects are wanted now, or undefined: paused, no object store, or its workspace is not active. */
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

/** The rules could not be tried: whoever waits for an answer asks again. Monitors repeat by themselves. */
export function onBatchRulesFailed(origin: BatchOrigin): readonly StrikeEffect[] {
  if (origin.from !== 'queue') return [];
  return [refuse(origin.replyTo, { code: 'UNAVAILABLE', message: 'the rules could not be tried' })];
}
