/**
 * The scheduler: matches queued jobs to what nodes offer, in bounded passes woken by freed resources and new jobs.
 * Its memory is a cache of rows. Placements are guarded by the job's row, so stale memory can only waste a try.
 *
 * poll: every `RESYNC_MS` it reads rows again, which finds what lost wake-ups would have said.
 */
import type { Change, PlacementResult, SchedulerPatch } from '../../domain/changes.ts';
import { HEAD_MAX } from '../../domain/scheduling/class-queue.ts';
import type { Placement } from '../../domain/scheduling/plan.ts';
import {
  hungryClasses,
  newSince,
  noteEnded,
  noteHead,
  noteNode,
  noteQueued,
  releaseDue,
  repair,
  runPass,
  type SchedulerState,
  settlePlacements,
  stateOf,
  unmetChanges,
  unmetClassChanges,
} from '../../domain/scheduling/scheduler-state.ts';
import type { ClassHead, SchedulerSnapshot } from '../../domain/scheduling/snapshot.ts';
import {
  type Called,
  type CallFailed,
  type Ctx,
  call,
  defineActor,
  type Effect,
  type Outcome,
  reply,
  restartWithin,
  type Saved,
  save,
  stay,
  tell,
  timer,
} from '../../kernel/mod.ts';
import { nodeAddress } from '../node/node.messages.ts';
import { SCHEDULER, type SchedulerMessage } from './scheduler.messages.ts';
import type { SchedulerPorts } from './scheduler.ports.ts';

const RESYNC_MS = 10_000;
const HEADS_AT_ONCE = 8;

type Placed = Placement & { readonly executionId: number };
type Tag =
  | { readonly about: 'placed'; readonly placed: readonly Placed[] }
  /** `since`: by which the state knows its own question from one of an earlier life. */
  | { readonly about: 'snapshot'; readonly since: object }
  | { readonly about: 'head'; readonly classKey: string }
  | { readonly about: 'settings' };
type Inbox =
  | SchedulerMessage
  | { readonly type: 'passDue' }
  | { readonly type: 'retriesDue' }
  | { readonly type: 'resyncDue' }
  | Saved<Tag, PlacementResult>
  | Called<Tag>
  | CallFailed<Tag>;
type Result = Outcome<SchedulerState, Change>;

export const schedulerActor = defineActor<SchedulerState, Inbox, SchedulerPorts, Change>({
  kind: SCHEDULER.kind,
  mailboxMax: 100_000,
  idleMs: Number.POSITIVE_INFINITY,
  turnMax: 1_000,
  supervise: restartWithin({ timesMax: 5, windowMs: 60_000, backoffMs: 100, backoffMaxMs: 10_000 }),
  sweep: {
    everyMs: RESYNC_MS,
    /** Keeps the one scheduler alive wherever its shard is. */
    find: async () => [{ key: SCHEDULER.key, message: { type: 'wake' } }],
  },
  load: async (_keys, ports) => new Map([[SCHEDULER.key, stateOf(await ports.loadScheduler())]]),
  start(state) {
    if (state === undefined) return stay<SchedulerState, Change>(state);
    return stay(
      state,
      timer('resync', RESYNC_MS, { type: 'resyncDue' }),
      call('applySettings', state.settings, { about: 'settings' } satisfies Tag),
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
      for (const job of message.jobs) noteQueued(state, job.class, job, ctx.nowMs);
      return released(state, ctx);
    case 'retriesDue':
      return released(state, ctx);
    case 'ended':
      for (const item of message.items) noteEnded(state, item.executionId);
      return stay(state, ...passSoon(state));
    case 'nodeChanged':
      noteNode(state, message.node);
      return stay(state, ...passSoon(state));
    case 'edit':
      return edit(state, message.patch, ctx);
    case 'typesChanged':
    case 'resyncDue':
      return stay(state, ...resync(state));
    case 'wake':
      return stay(state);
    case 'passDue':
      return pass(state, ctx);
    case 'saved':
      return settled(state, message.tag, message.result);
    case 'called':
      return answered(state, message.tag, message.result);
    case 'callFailed':
      return unanswered(state, message.tag);
  }
}

/** What may be placed now is; the timer rings for what may be next. */
function released(state: SchedulerState, ctx: Ctx): Result {
  const dueMs = releaseDue(state, ctx.nowMs);
  const retries = dueMs === undefined ? [] : [timer('retries', dueMs - ctx.nowMs, { type: 'retriesDue' })];
  return stay(state, ...retries, ...passSoon(state));
}

/**
 * At most one pass is due at a time, behind the mail that is there: whatever that is, or arrives while a pass is being
 * committed, is worked off together. (A timer would add the millisecond that the shortest one takes.)
 */
function passSoon(state: SchedulerState): readonly Effect<Change>[] {
  if (state.isPassDue) return [];
  state.isPassDue = true;
  return [tell(SCHEDULER, { type: 'passDue' })];
}

function pass(state: SchedulerState, ctx: Ctx): Result {
  state.isPassDue = false;
  const effects: Effect<Change>[] = [];
  const { placed, isCutShort } = runPass(state, ctx.nowMs, () => ctx.newId('job_exe'));
  if (placed.length > 0) {
    const starts = placed.map((one) => ({
      executionId: one.executionId,
      jobId: one.job.jobId,
      exeNum: one.job.exeNum,
      nodeId: one.nodeId,
      atMs: ctx.nowMs,
    }));
    effects.push(save({ type: 'placeJobs', starts }, { about: 'placed', placed } satisfies Tag));
    ctx.count('scheduler_placements', placed.length);
  }
  for (const of of hungryClasses(state, HEADS_AT_ONCE)) {
    const args = { classKey: of.key, mode: state.settings.queueMode, limit: HEAD_MAX, nowMs: ctx.nowMs };
    effects.push(call('queuedHeads', args, { about: 'head', classKey: of.key } satisfies Tag));
  }
  if (state.isUnmetStale) {
    const classes = unmetClassChanges(state);
    const types = unmetChanges(state);
    if (types.length + classes.length > 0) effects.push(save({ type: 'saveUnmet', types, classes }));
  }
  if (isCutShort) effects.push(...passSoon(state));
  return stay(state, ...effects);
}

function settled(state: SchedulerState, tag: Tag, result: PlacementResult): Result {
  if (tag.about !== 'placed') return stay(state);
  const committed = new Set(result.placedExecutionIds);
  settlePlacements(state, tag.placed, committed);
  const byNode = new Map<number, Placed[]>();
  for (const one of tag.placed) {
    if (!committed.has(one.executionId)) continue;
    const list = byNode.get(one.nodeId);
    if (list === undefined) byNode.set(one.nodeId, [one]);
    else list.push(one);
  }
  // poll: a node whose launch is lost finds the execution among its rows at the agent's next hello or its own sweep.
  const launches = [...byNode].map(([nodeId, list]) =>
    tell(nodeAddress(nodeId), {
      type: 'launch',
      executions: list.map((one) => ({
        executionId: one.executionId,
        jobId: one.job.jobId,
        exeNum: one.job.exeNum,
        owner: one.job.owner,
        work: 'task',
      })),
    }),
  );
  const refused = committed.size < tag.placed.length;
  return stay(state, ...launches, ...(refused ? passSoon(state) : []));
}

function answered(state: SchedulerState, tag: Tag, result: unknown): Result {
  switch (tag.about) {
    case 'snapshot': {
      // Older than what this state was loaded from: it would undo what is known.
      if (tag.since !== state.since) return stay(state);
      repair(state, result as SchedulerSnapshot);
      if (state.isAskedAgain) return stay(state, ...resync(state), ...passSoon(state));
      const next = timer('resync', RESYNC_MS, { type: 'resyncDue' });
      return stay(state, next, ...passSoon(state));
    }
    case 'head': {
      const head = result as ClassHead | undefined;
      const queue = state.classes.get(tag.classKey);
      if (head !== undefined) noteHead(state, head);
      else if (queue !== undefined) {
        queue.isReading = false;
        queue.isWhole = true;
      }
      return stay(state, ...passSoon(state));
    }
    case 'settings':
    case 'placed':
      return stay(state);
  }
}

function unanswered(state: SchedulerState, tag: Tag): Result {
  if (tag.about === 'snapshot') {
    if (tag.since !== state.since) return stay(state);
    state.since = null;
    return stay(state, timer('resync', RESYNC_MS, { type: 'resyncDue' }));
  }
  if (tag.about === 'head') {
    const queue = state.classes.get(tag.classKey);
    if (queue !== undefined) queue.isReading = false;
  }
  return stay(state);
}

/** One question at a time: what is asked meanwhile may have changed after it was put, and is asked after it. */
function resync(state: SchedulerState): readonly Effect<Change>[] {
  state.isAskedAgain = state.since !== null;
  if (state.since !== null) return [];
  state.since = newSince();
  return [call('loadScheduler', undefined, { about: 'snapshot', since: state.since } satisfies Tag)];
}

function edit(state: SchedulerState, patch: SchedulerPatch, ctx: Ctx): Result {
  const before = state.settings;
  state.settings = {
    isPaused: patch.isPaused ?? before.isPaused,
    queueMode: patch.queueMode ?? before.queueMode,
    messageHandlerCount: patch.messageHandlerCount ?? before.messageHandlerCount,
    loggingLevel: patch.loggingLevel ?? before.loggingLevel,
  };
  if (state.since !== null) state.since.hasSettings = true;
  const effects: Effect<Change>[] = [
    save({ type: 'saveScheduler', patch, atMs: ctx.nowMs }),
    call('applySettings', state.settings, { about: 'settings' } satisfies Tag),
    ...passSoon(state),
  ];
  // A change of order: memory holds the best jobs of the old one, so the heads are read again.
  if (state.settings.queueMode !== before.queueMode) {
    state.classes.clear();
    effects.push(...resync(state));
  }
  if (state.settings.loggingLevel !== before.loggingLevel) {
    const message = { type: 'configure', loggingLevel: state.settings.loggingLevel };
    for (const nodeId of state.nodes.keys()) effects.push(tell(nodeAddress(nodeId), message));
  }
  if (ctx.replyTo !== undefined) effects.push(reply(ctx.replyTo, {}));
  return stay(state, ...effects);
}
