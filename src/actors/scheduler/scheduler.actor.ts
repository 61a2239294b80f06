/**
 * The scheduler: matches queued jobs to the offers of nodes, in bounded passes that freed resources and new jobs wake.
 * Its memory is a cache of rows. Placements are guarded by the job's row, so outdated memory can only waste a try.
 *
 * poll: every `RESYNC_MS` it reads rows again, which finds what lost wake-ups would have said.
 */
import type { Change, PlacementResult } from '../../domain/changes.ts';
import type { AssignedExecution } from '../../domain/node/node.ts';
import { HEAD_MAX } from '../../domain/scheduling/class-queue.ts';
import type { Placement } from '../../domain/scheduling/pass.ts';
import {
  classesToRead,
  forgetHints,
  maxScheduledOf,
  newSince,
  noteAnnounced,
  noteEnded,
  noteHead,
  noteHinted,
  noteNode,
  releaseDue,
  repair,
  runPass,
  type SchedulerState,
  settlePlacements,
  stateOf,
} from '../../domain/scheduling/scheduler-state.ts';
import type { ClassHead, SchedulerSnapshot } from '../../domain/scheduling/snapshot.ts';
import { unmetChanges, unmetClassChanges } from '../../domain/scheduling/unmet.ts';
import {
  address,
  type Ctx,
  call,
  type Done,
  defineActor,
  type Effect,
  type Failed,
  type Outcome,
  portsOf,
  restartWithin,
  type Saved,
  save,
  stay,
  tell,
  timer,
} from '../../kernel/mod.ts';
import { answer } from '../defer-until-reload.ts';
import { nodeAddress } from '../node/node.messages.ts';
import { saveForResult } from '../save-for-result.ts';
import { SCHEDULER, type SchedulerMessage } from './scheduler.messages.ts';
import type { SchedulerPorts } from './scheduler.ports.ts';

const RESYNC_MS = 10_000;
/** Memory is known to be outdated, and the rows could not be read. */
const RETRY_MS = 1_000;
const HEADS_AT_ONCE = 8;

type Placed = Placement & { readonly executionId: number };
type Inbox =
  | SchedulerMessage
  | { readonly type: 'passDue' }
  | { readonly type: 'retriesDue' }
  | { readonly type: 'resyncDue' }
  | Saved<'jobsPlaced', PlacementResult, readonly Placed[]>
  | Done<'snapshotRead', SchedulerSnapshot>
  | Failed<'loadSchedulerFailed'>
  /** `about`: the key of the class. */
  | Done<'headRead', ClassHead | undefined, string>
  | Failed<'queuedHeadsFailed', string>
  | Done<'settingsApplied', void>
  | Failed<'applySettingsFailed'>;
type SchedulerEffect = Effect<Change, Inbox>;
type Result = Outcome<SchedulerState, Change, Inbox>;

const { loadScheduler, queuedHeads, applySettings } = portsOf<SchedulerPorts>();

const SETTINGS_OUTCOMES = { done: 'settingsApplied', failed: 'applySettingsFailed' } as const;

/** The scheduler also sends messages to itself. */
const SELF = address<Inbox>(SCHEDULER.kind, SCHEDULER.key);

export const schedulerActor = defineActor<SchedulerState, Inbox, SchedulerPorts, Change>({
  kind: SCHEDULER.kind,
  mailboxMax: 100_000,
  idleMs: Number.POSITIVE_INFINITY,
  turnMax: 1_000,
  supervise: restartWithin({ timesMax: 5, windowMs: 60_000, backoffMs: 100, backoffMaxMs: 10_000 }),
  reconcile: {
    everyMs: RESYNC_MS,
    /** Keeps the one scheduler loaded wherever its shard is. */
    find: async () => [{ key: SCHEDULER.key, message: { type: 'wake' } }],
  },
  load: async (_keys, ports) => new Map([[SCHEDULER.key, stateOf(await ports.loadScheduler())]]),
  start(state) {
    if (state === undefined) return stay(state);
    return stay(
      state,
      timer('resync', RESYNC_MS, { type: 'resyncDue' }),
      call(applySettings, state.settings, SETTINGS_OUTCOMES),
      ...passSoon(state),
    );
  },
  receive(state, message, ctx) {
    if (state === undefined) throw new Error('the scheduler has settings: they are made with the schema');
    return receive(state, message, ctx);
  },
});

function receive(state: SchedulerState, message: Inbox, ctx: Ctx): Result {
  switch (message.type) {
    case 'queued':
      for (const job of message.jobs) noteAnnounced(state, job.class, job, ctx.nowMs);
      return released(state, ctx);
    case 'queueing':
      for (const job of message.jobs) noteHinted(state, job.class, job, ctx.nowMs);
      return released(state, ctx);
    case 'retriesDue':
      return released(state, ctx);
    case 'ended':
      for (const item of message.items) noteEnded(state, item.executionId, item, ctx.nowMs);
      return stay(state, ...passSoon(state));
    case 'nodeChanged':
      noteNode(state, message.node);
      return stay(state, ...passSoon(state));
    case 'edit':
      return edit(state, message, ctx);
    case 'typesChanged':
      return stay(state, ...resync(state));
    case 'resyncDue':
      return stay(state, ...readRows(state, state.isRequestedAgain));
    case 'wake':
      return stay(state);
    case 'passDue':
      return pass(state, ctx);
    case 'jobsPlaced':
      return settled(state, message.about, message.result);
    case 'snapshotRead':
      // Done here and not with the timer, which never fires while others keep asking for reads.
      forgetHints(state, ctx.nowMs - RESYNC_MS);
      return snapshotRead(state, message.result, ctx);
    case 'loadSchedulerFailed':
      return snapshotFailed(state);
    case 'headRead':
      return headRead(state, message.about, message.result);
    case 'queuedHeadsFailed': {
      const queue = state.classes.get(message.about);
      if (queue !== undefined) queue.isReading = false;
      return stay(state);
    }
    case 'settingsApplied':
    case 'applySettingsFailed':
      return stay(state);
  }
}

/** Offers the jobs that may be placed now; the timer fires for the next ones. */
function released(state: SchedulerState, ctx: Ctx): Result {
  const dueMs = releaseDue(state, ctx.nowMs);
  const retries = dueMs === undefined ? [] : [timer('retries', dueMs - ctx.nowMs, { type: 'retriesDue' })];
  return stay(state, ...retries, ...passSoon(state));
}

/**
 * At most one pass is pending at a time, behind the present mail: messages that are there, or arrive during the commit
 * of a pass, are handled together. (A timer would add its minimum of a millisecond.)
 */
function passSoon(state: SchedulerState): readonly SchedulerEffect[] {
  if (state.isPassDue) return [];
  state.isPassDue = true;
  return [tell(SELF, { type: 'passDue' })];
}

function pass(state: SchedulerState, ctx: Ctx): Result {
  state.isPassDue = false;
  const effects: SchedulerEffect[] = [];
  const { placed, isCutShort } = runPass(state, ctx.nowMs, () => ctx.newId('job_exe'));
  if (placed.length > 0) {
    const starts = placed.map((one) => ({
      executionId: one.executionId,
      jobId: one.job.jobId,
      exeNum: one.job.exeNum,
      nodeId: one.nodeId,
      atMs: ctx.nowMs,
      maxScheduled: maxScheduledOf(state, one.class.jobTypeId),
    }));
    effects.push(saveForResult({ type: 'placeJobs', starts }, 'jobsPlaced', placed));
    ctx.count('scheduler_placements', placed.length);
  }
  for (const { key: classKey } of classesToRead(state, HEADS_AT_ONCE)) {
    const args = { classKey, mode: state.settings.queueMode, limit: HEAD_MAX, nowMs: ctx.nowMs };
    const outcomes = { done: 'headRead', failed: 'queuedHeadsFailed', evenIfReloaded: true } as const;
    effects.push(call(queuedHeads, args, { ...outcomes, about: classKey }));
  }
  if (state.isUnmetStale) {
    const classes = unmetClassChanges(state);
    const types = unmetChanges(state);
    if (types.length + classes.length > 0) effects.push(save({ type: 'saveUnmet', types, classes }));
  }
  if (isCutShort) effects.push(...passSoon(state));
  return stay(state, ...effects);
}

function settled(state: SchedulerState, placed: readonly Placed[], result: PlacementResult): Result {
  const committed = new Set(result.placedExecutionIds);
  settlePlacements(state, placed, committed);
  const byNode = new Map<number, Placed[]>();
  for (const one of placed) {
    if (!committed.has(one.executionId)) continue;
    const list = byNode.get(one.nodeId);
    if (list === undefined) byNode.set(one.nodeId, [one]);
    else list.push(one);
  }
  // poll: a node whose launch is lost finds the execution in its rows at the agent's next hello or its own
  // reconciliation.
  const launches = [...byNode].map(([nodeId, list]) =>
    tell(nodeAddress(nodeId), { type: 'launch', executions: list.map(assignedExecution) }),
  );
  const refused = committed.size < placed.length;
  return stay(
    state,
    ...launches,
    ...(result.isOutdated ? resync(state) : []),
    ...(refused ? passSoon(state) : []),
  );
}

function assignedExecution({ executionId, job }: Placed): AssignedExecution {
  const { jobId, exeNum, owner } = job;
  return { executionId, jobId, exeNum, owner, work: 'task' };
}

function snapshotRead(state: SchedulerState, snapshot: SchedulerSnapshot, ctx: Ctx): Result {
  repair(state, snapshot, ctx.nowMs);
  if (state.isRequestedAgain) return stay(state, ...resync(state), ...passSoon(state));
  const next = timer('resync', RESYNC_MS, { type: 'resyncDue' });
  return stay(state, next, ...passSoon(state));
}

/** A read that others have asked for is repeated soon, any other at the next resynchronisation. */
function snapshotFailed(state: SchedulerState): Result {
  state.isRequestedAgain ||= state.since?.isRequested === true;
  state.since = null;
  return stay(state, timer('resync', state.isRequestedAgain ? RETRY_MS : RESYNC_MS, { type: 'resyncDue' }));
}

function headRead(state: SchedulerState, classKey: string, head: ClassHead | undefined): Result {
  const queue = state.classes.get(classKey);
  if (head !== undefined) noteHead(state, head);
  else if (queue !== undefined) {
    queue.isReading = false;
    queue.isWhole = true;
  }
  return stay(state, ...passSoon(state));
}

/** One read runs at a time. A request that comes meanwhile may be about later changes, so another read follows. */
function resync(state: SchedulerState): readonly SchedulerEffect[] {
  state.isRequestedAgain = state.since !== null;
  return state.since === null ? readRows(state, true) : [];
}

function readRows(state: SchedulerState, isRequested: boolean): readonly SchedulerEffect[] {
  if (state.since !== null) return [];
  state.isRequestedAgain = false;
  state.since = newSince(isRequested);
  // An answer to an earlier state is older than the rows that this one was loaded from: it would undo newer knowledge.
  return [call(loadScheduler, undefined, { done: 'snapshotRead', failed: 'loadSchedulerFailed' })];
}

function edit(state: SchedulerState, message: Extract<SchedulerMessage, { type: 'edit' }>, ctx: Ctx): Result {
  const { patch } = message;
  const before = state.settings;
  state.settings = {
    isPaused: patch.isPaused ?? before.isPaused,
    queueMode: patch.queueMode ?? before.queueMode,
    messageHandlerCount: patch.messageHandlerCount ?? before.messageHandlerCount,
    loggingLevel: patch.loggingLevel ?? before.loggingLevel,
  };
  if (state.since !== null) state.since.hasSettings = true;
  const effects: SchedulerEffect[] = [
    save({ type: 'saveScheduler', patch, atMs: ctx.nowMs }),
    call(applySettings, state.settings, SETTINGS_OUTCOMES),
    ...passSoon(state),
  ];
  // The order changed: memory holds the first jobs of the old order, so the heads are read again.
  if (state.settings.queueMode !== before.queueMode) {
    state.classes.clear();
    effects.push(...resync(state));
  }
  if (state.settings.loggingLevel !== before.loggingLevel) {
    const message = { type: 'configure', loggingLevel: state.settings.loggingLevel } as const;
    for (const nodeId of state.nodes.keys()) effects.push(tell(nodeAddress(nodeId), message));
  }
  return stay(state, ...effects, ...answer(message, ctx, {}));
}
