/**
 * Turns files from the monitor, or from a queue of notifications, into ingests: rules are matched in the pool, rows are
 * inserted as a set.
 *
 * The queue of a strike on an object store is read by this coordinator outside of the actor. The reader sends the
 * objects to the actor, which answers after the commit.
 *
 * poll: each wake repeats the order to the reader, so that a lost one is started again; listings find missed objects.
 */
import type { ArrivalResult } from '../../domain/changes.ts';
import type { ArrivalRecord, IngestState } from '../../domain/ingest/ingest.ts';
import type { IngestRule } from '../../domain/ingest/ingest-rule.ts';
import type { SeenFile } from '../../domain/node/agent-messages.ts';
import { filesSeenIn } from '../../domain/notification/s3-event.ts';
import type { StrikeState } from '../../domain/strike/strike.ts';
import type { Monitor, ObjstoreMonitor } from '../../domain/strike/strike-config.ts';
import { askerOf, type Ctx, call, type ReplyTo, refuse, reply, save, stay, tell } from '../../kernel/mod.ts';
import { admitArrivals, bareArrival, completeArrival, recordChange } from '../ingest/arrivals.ts';
import { beginArrivals, dispatch, orderBegun } from '../ingest/dispatch.ts';
import { nodeAddress } from '../node/node.messages.ts';
import type { FilesSeenByMonitor } from '../owner.messages.ts';
import { saveForResult } from '../save-for-result.ts';
import type { StrikeMessage } from './strike.messages.ts';
import {
  type BatchOrigin,
  type DeferredContext,
  type ListingOrigin,
  type RulesContext,
  type StrikeEffect,
  type StrikeOutcome,
  strikePorts,
} from './strike-effects.ts';

/** Handles a batch of the current monitor. Another monitor is stopped, because two must never report for one strike. */
export function filesSeen(state: StrikeState, message: FilesSeenByMonitor, ctx: Ctx): StrikeOutcome {
  const { executionId, nodeId, batch, files } = message;
  if (state.monitor?.executionId !== executionId) {
    ctx.count('files_of_stale_monitor');
    return stay(state, tell(nodeAddress(nodeId), { type: 'stopMonitor', executionId }));
  }
  return stay(state, match(state, { from: 'monitor', executionId, nodeId, batch }, files));
}

export function match(
  state: StrikeState,
  origin: BatchOrigin | ListingOrigin,
  files: readonly SeenFile[],
): StrikeEffect {
  const rules = state.configuration.files_to_ingest;
  const about: RulesContext = { rules, origin, files };
  const outcomes = { done: 'rulesMatched', failed: 'matchRulesFailed', evenIfReloaded: true, about } as const;
  return call(strikePorts.matchRules, { rules, paths: files.map((file) => file.path) }, outcomes);
}

/** Inserts the rows of matched files. If the rules have changed since, the present ones are matched. */
export function matched(
  state: StrikeState,
  origin: BatchOrigin,
  { rules, files }: RulesContext,
  ruleIndexes: readonly number[],
  ctx: Ctx,
): StrikeOutcome {
  // The strike was paused or watches another place now. The next monitor, or the queue, will report the files again.
  if (origin.from === 'queue') {
    if (bucketOf(state) === undefined) return stay(state, refuseNotifications(origin.replyTo));
  } else if (state.monitor?.executionId !== origin.executionId) return stay(state);
  if (areOthers(state, rules)) return stay(state, match(state, origin, files));
  const arrivals = files.map((file, index) => arrivalOf(state, file, ruleIndexes[index] ?? -1, ctx));
  return stay(state, ...record(state, arrivals, origin, ctx));
}

/** Whether the rules have changed. */
export function areOthers({ configuration }: StrikeState, rules: readonly IngestRule[]): boolean {
  const now = configuration.files_to_ingest;
  return now !== rules && JSON.stringify(now) !== JSON.stringify(rules);
}

export function record(
  state: StrikeState,
  arrivals: readonly ArrivalRecord[],
  origin: BatchOrigin | null,
  ctx: Ctx,
): readonly StrikeEffect[] {
  const begun = beginArrivals(state, arrivals, ctx);
  return [saveForResult(recordChange(state, begun), 'arrivalsRecorded', { origin, arrivals: begun })];
}

const STATUSES = { transferring: 'TRANSFERRING', gone: 'ERRORED' } as const;

export function arrivalOf(state: StrikeState, file: SeenFile, ruleIndex: number, ctx: Ctx): ArrivalRecord {
  if (file.arrival === 'complete') return completeArrival(state, file, ruleIndex, ctx);
  const reason = file.arrival === 'gone' ? 'the file vanished while it was being transferred' : null;
  const bare = bareArrival(state.workspaceId, file, ctx);
  return { ...bare, status: STATUSES[file.arrival], identity: null, mtimeMs: null, reason };
}

/** Acknowledges a saved batch to its agent, and assigns the new ingests to nodes. */
export function recorded(
  state: StrikeState,
  origin: BatchOrigin | null,
  arrivals: readonly ArrivalRecord[],
  result: ArrivalResult,
  ctx: Ctx,
): StrikeOutcome {
  const begun = admitArrivals(state, arrivals, result);
  const effects: StrikeEffect[] = [...orderBegun(state, begun), ...dispatch(state, ctx)];
  if (origin !== null) effects.push(...acknowledge(origin, arrivals.length));
  return stay(state, ...effects);
}

function acknowledge(origin: BatchOrigin, fileCount: number): readonly StrikeEffect[] {
  switch (origin.from) {
    case 'monitor': {
      const { executionId, nodeId, batch } = origin;
      return [tell(nodeAddress(nodeId), { type: 'filesCommitted', executionId, batch })];
    }
    case 'queue':
      return [reply(origin.replyTo, { files: fileCount })];
  }
}

// ---- deferred files, matched again when the rules change ----

const DEFERRED_AT_ONCE = 500;

/** Continues with deferred ingests after the cursor. */
export function tryDeferred(state: StrikeState): readonly StrikeEffect[] {
  const { id: strikeId, deferredCursor: afterId } = state;
  if (afterId === null || state.isDeferredRunning || state.isPaused) return [];
  state.isDeferredRunning = true;
  const outcomes = { done: 'deferredRead', failed: 'deferredIngestsFailed', about: afterId } as const;
  return [call(strikePorts.deferredIngests, { strikeId, afterId, limit: DEFERRED_AT_ONCE }, outcomes)];
}

export function deferredRead(
  state: StrikeState,
  afterId: number,
  ingests: readonly IngestState[],
  ctx: Ctx,
): StrikeOutcome {
  if (state.deferredCursor !== afterId) return deferredAgain(state);
  if (ingests.length === 0) {
    state.isDeferredRunning = false;
    return stay(state, ...moveCursor(state, null, ctx));
  }
  const rules = state.configuration.files_to_ingest;
  const about: DeferredContext = { rules, ingests };
  const outcomes = { done: 'deferredMatched', failed: 'matchDeferredFailed', about } as const;
  const paths = ingests.map((one) => one.filePath);
  return stay(state, call(strikePorts.matchRules, { rules, paths }, outcomes));
}

/** Starts again from the first deferred ingest, because the rules have changed meanwhile. */
function deferredAgain(state: StrikeState): StrikeOutcome {
  state.isDeferredRunning = false;
  return stay(state, ...tryDeferred(state));
}

export function deferredMatched(
  state: StrikeState,
  { rules, ingests }: DeferredContext,
  ruleIndexes: readonly number[],
  ctx: Ctx,
): StrikeOutcome {
  if (areOthers(state, rules)) return deferredAgain(state);
  state.isDeferredRunning = false;
  const taken = ingests.flatMap((ingest, index) => {
    const ruleIndex = ruleIndexes[index] ?? -1;
    if (ruleIndex < 0) return [];
    const file = {
      path: ingest.filePath,
      arrival: 'complete',
      size: ingest.size,
      mtimeMs: ingest.mtimeMs,
    } as const;
    return [arrivalOf(state, { ...file, identity: ingest.identity, firstSeenMs: ctx.nowMs }, ruleIndex, ctx)];
  });
  const lastId = ingests[ingests.length - 1]?.id ?? null;
  const effects: StrikeEffect[] = taken.length === 0 ? [] : [...record(state, taken, null, ctx)];
  effects.push(...moveCursor(state, lastId, ctx), ...tryDeferred(state));
  return stay(state, ...effects);
}

/** Deferred ingests are matched again from the first one. */
export function retryDeferred(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  return [...moveCursor(state, 0, ctx), ...tryDeferred(state)];
}

function moveCursor(state: StrikeState, cursor: number | null, ctx: Ctx): readonly StrikeEffect[] {
  state.deferredCursor = cursor;
  return [
    save({ type: 'editStrike', strikeId: state.id, patch: { deferredCursor: cursor }, atMs: ctx.nowMs }),
  ];
}

const QUEUE_OUTCOMES = { done: 'queueWatched', failed: 'watchQueueFailed' } as const;

/** Starts reading the queue; nothing for a strike without a queue. */
export function watchQueue({ id: strikeId, configuration, isPaused }: StrikeState): readonly StrikeEffect[] {
  const { monitor } = configuration;
  if (monitor.type !== 'objstore') return [];
  const args = { strikeId, monitor: isPaused ? null : monitor, formerly: null };
  return [call(strikePorts.watchQueue, args, QUEUE_OUTCOMES)];
}

/** Stops reading a queue for good, because the strike now watches another queue, or a directory. */
export function leaveQueue(
  { id: strikeId, configuration, isPaused }: StrikeState,
  before: Monitor,
): readonly StrikeEffect[] {
  const { monitor: now } = configuration;
  if (before.type !== 'objstore') return [];
  const monitor = now.type === 'objstore' && !isPaused ? now : null;
  const formerly = now.type === 'objstore' && isSameQueue(now, before) ? null : before;
  return [call(strikePorts.watchQueue, { strikeId, monitor, formerly }, QUEUE_OUTCOMES)];
}

function isSameQueue(one: ObjstoreMonitor, other: ObjstoreMonitor): boolean {
  return one.queue_name === other.queue_name && (one.queue_type ?? 'nats') === (other.queue_type ?? 'nats');
}

type Notified = Extract<StrikeMessage, { type: 'notified' }>;

/** Records objects from a queue. Those of other buckets are ignored, because several stores may send to one queue. */
export function notified(state: StrikeState, message: Notified, ctx: Ctx): StrikeOutcome {
  const { objects } = message;
  const replyTo = askerOf(message, ctx);
  // The message is always an ask. If it is not, it is dropped, and a listing finds the objects.
  if (replyTo === undefined) return stay(state);
  const bucket = bucketOf(state);
  if (bucket === undefined) return stay(state, refuseNotifications(replyTo));
  const { files, foreignCount } = filesSeenIn(objects, bucket, ctx.nowMs);
  if (foreignCount > 0) ctx.count('objects_of_other_buckets', foreignCount);
  if (files.length === 0) return stay(state, reply(replyTo, { files: 0 }));
  return stay(state, match(state, { from: 'queue', replyTo }, files));
}

/**
 * The bucket that is watched now; undefined if the strike is paused, is not on an object store, or its workspace is not
 * active.
 */
function bucketOf(state: StrikeState): string | undefined {
  if (state.isPaused || state.configuration.monitor.type !== 'objstore') return undefined;
  const workspace = state.workspaces.byId.get(state.workspaceId);
  const { broker } = (workspace?.configuration ?? {}) as {
    readonly broker?: { readonly bucket_name?: string };
  };
  return broker?.bucket_name;
}

function refuseNotifications(replyTo: ReplyTo): StrikeEffect {
  return refuse(replyTo, { code: 'STATE_CONFLICT', message: 'the strike takes no notifications now' });
}

/**
 * Handles rules that could not be matched: the ask is refused and repeated by its sender; monitors repeat their
 * batches.
 */
export function onBatchRulesFailed(origin: BatchOrigin): readonly StrikeEffect[] {
  if (origin.from !== 'queue') return [];
  return [refuse(origin.replyTo, { code: 'UNAVAILABLE', message: 'the rules could not be tried' })];
}
