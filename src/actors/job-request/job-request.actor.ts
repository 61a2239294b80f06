/**
 * One request to cancel or requeue jobs. It is executed page by page, from the highest job id downward, until it is
 * done, however long that takes. Its progress is saved in a row, and so is each job whose owner did not answer (its
 * backlog), so that it continues after any crash. The owner of each job decides what happens to it.
 *
 * poll: the reconciliation wakes every request that is not done.
 */
import type { Change } from '../../domain/changes.ts';
import {
  type BacklogPage,
  type JobRequest,
  type JobRequestPage,
  PASSED_ALL,
} from '../../domain/job/job-request.ts';
import {
  type Ctx,
  call,
  type Done,
  defineActor,
  type Effect,
  type Failed,
  type Outcome,
  portsOf,
  save,
  stay,
  stop,
  tell,
  timer,
} from '../../kernel/mod.ts';
import { answer } from '../defer-until-reload.ts';
import { keepAnswer } from '../keyed-answer.ts';
import { FROM_ITS_ROW, wakeDue } from '../periodic-reconcile.ts';
import type { JobRequestMessage } from './job-request.messages.ts';
import type { JobRequestPorts } from './job-request.ports.ts';

/** Pauses while earlier requests come first or owners do not answer: doubled each time, up to the longest. */
const ADVANCE_PAUSE_MS = 100;
const ADVANCE_PAUSE_MAX_MS = 10_000;
const BACKLOG_PAUSE_MS = 1_000;
const BACKLOG_PAUSE_MAX_MS = 30_000;

interface JobRequestState {
  readonly request: JobRequest;
  /** Whether a page is in progress. */
  readonly isBusy: boolean;
  /** Whether a pause of the walk, or of the backlog, is running, and the lengths of the last pauses. */
  readonly isAdvancePaused: boolean;
  readonly isBacklogPaused: boolean;
  readonly advancePauseMs: number;
  readonly backlogPauseMs: number;
  /** The walk over the backlog has handled all jobs from this id on; null: it begins. */
  readonly backlogBelowId: number | null;
  /** The position of the walk over all jobs; equals the row's cursor until the first walk is over. */
  readonly beforeId: number | null;
  /** The walk began when the batches that the request names had all their recipes. */
  readonly isLastRound: boolean;
  /** The walk began while earlier runs of diagnostics had recipes to create: the row's cursor has not moved. */
  readonly isAhead: boolean;
}

type Inbox =
  | JobRequestMessage
  | { readonly type: 'advanceDue' | 'backlogDue' }
  | Done<'pageDone', JobRequestPage>
  | Failed<'advanceJobRequestFailed'>
  | Done<'backlogDone', BacklogPage>
  | Failed<'workOffBacklogFailed'>;
type JobRequestEffect = Effect<Change, Inbox>;
type JobRequestOutcome = Outcome<JobRequestState, Change, Inbox>;

const { advanceJobRequest, workOffBacklog } = portsOf<JobRequestPorts>();

export const jobRequestActor = defineActor<JobRequestState, Inbox, JobRequestPorts, Change>({
  kind: 'job_request',
  mailboxMax: 100,
  idleMs: 60_000,
  turnMax: 1,
  supervise: FROM_ITS_ROW,
  reconcile: wakeDue(15_000, (ports, shards) => ports.dueJobRequests(shards)),
  async load(keys, ports) {
    const requests = await ports.loadJobRequests(keys.map(Number));
    return new Map([...requests].map(([id, request]) => [String(id), stateOf(request)]));
  },
  receive(state, message, ctx) {
    if (message.type === 'begin') return begin(state, message, ctx);
    return state === undefined ? stay(state) : receive(state, message, ctx);
  },
});

function stateOf(request: JobRequest): JobRequestState {
  const isOver = request.beforeId === PASSED_ALL;
  const isAnotherDue = isOver && needsWholeBatches(request);
  return {
    // A crash may have come between its last page and its end; then one more walk, which finds nothing, ends it.
    request: isOver && !isAnotherDue ? { ...request, hasBacklog: true } : request,
    beforeId: isAnotherDue ? null : request.beforeId,
    ...{ isBusy: false, isAdvancePaused: false, isBacklogPaused: false },
    ...{ advancePauseMs: 0, backlogPauseMs: 0, backlogBelowId: null },
    ...{ isLastRound: false, isAhead: false },
  };
}

/** A cancel also includes jobs that a batch has yet to create: the walk is repeated until all of them exist. */
function needsWholeBatches({ action, choice }: JobRequest): boolean {
  return action === 'cancel' && choice.batchIds.length > 0;
}

/** It continues from its row, which has the position that the database assigned. */
function begin(
  state: JobRequestState | undefined,
  message: Extract<JobRequestMessage, { type: 'begin' }>,
  ctx: Ctx<Inbox>,
): JobRequestOutcome {
  if (state !== undefined) return stay(state, ...answer(message, ctx, {}));
  return stay(
    undefined,
    save({ type: 'createJobRequests', requests: [message.request] }),
    ...keepAnswer(message),
    ...answer(message, ctx, {}),
    tell(ctx.self, { type: 'wake' }),
    stop(),
  );
}

function receive(
  state: JobRequestState,
  message: Exclude<Inbox, { readonly type: 'begin' }>,
  ctx: Ctx,
): JobRequestOutcome {
  switch (message.type) {
    case 'wake':
      return state.isBusy ? stay(state) : next(state);
    case 'advanceDue':
      return next({ ...state, isAdvancePaused: false });
    case 'backlogDue':
      return next({ ...state, isBacklogPaused: false });
    case 'pageDone':
      return pageDone({ ...state, isBusy: false }, message.result, ctx);
    case 'backlogDone':
      return backlogDone({ ...state, isBusy: false }, message.result, ctx);
    case 'advanceJobRequestFailed':
      return next(...pauseAdvance({ ...state, isBusy: false }));
    case 'workOffBacklogFailed':
      return next(...pauseBacklog({ ...state, isBusy: false }));
  }
}

/** The backlog comes first, because other requests wait for its jobs. */
function next(state: JobRequestState, ...effects: readonly JobRequestEffect[]): JobRequestOutcome {
  const { request } = state;
  if (request.isDone) return stay(state, ...effects, stop());
  if (state.isBusy) return stay(state, ...effects);
  if (request.hasBacklog && !state.isBacklogPaused) {
    const args = { request, belowId: state.backlogBelowId };
    const outcomes = { done: 'backlogDone', failed: 'workOffBacklogFailed', evenIfReloaded: true } as const;
    const work = call(workOffBacklog, args, outcomes);
    return stay({ ...state, isBusy: true }, ...effects, work);
  }
  if (state.beforeId !== PASSED_ALL && !state.isAdvancePaused) {
    const args = { ...request, beforeId: state.beforeId };
    const outcomes = { done: 'pageDone', failed: 'advanceJobRequestFailed', evenIfReloaded: true } as const;
    const advance = call(advanceJobRequest, args, outcomes);
    return stay({ ...state, isBusy: true }, ...effects, advance);
  }
  return stay(state, ...effects);
}

function pauseAdvance(state: JobRequestState): [JobRequestState, JobRequestEffect] {
  const advancePauseMs = Math.min(Math.max(ADVANCE_PAUSE_MS, 2 * state.advancePauseMs), ADVANCE_PAUSE_MAX_MS);
  const due = timer('advance', advancePauseMs, { type: 'advanceDue' });
  return [{ ...state, isAdvancePaused: true, advancePauseMs }, due];
}

function pauseBacklog(state: JobRequestState): [JobRequestState, JobRequestEffect] {
  const backlogPauseMs = Math.min(Math.max(BACKLOG_PAUSE_MS, 2 * state.backlogPauseMs), BACKLOG_PAUSE_MAX_MS);
  const due = timer('backlog', backlogPauseMs, { type: 'backlogDue' });
  return [{ ...state, isBacklogPaused: true, backlogPauseMs, backlogBelowId: null }, due];
}

/**
 * In repeated walks for batches the row's cursor does not move: other requests need not wait for jobs that did not
 * exist before. In walks for runs of diagnostics it has not moved yet: later requests wait until the earlier runs have
 * created their jobs.
 */
function pageDone(state: JobRequestState, page: JobRequestPage, ctx: Ctx): JobRequestOutcome {
  const { request } = state;
  const isLastRound = state.beforeId === null ? page.hasWholeBatches : state.isLastRound;
  const isAhead = state.beforeId === null ? !page.hasWholeRuns : state.isAhead;
  const isAnotherDue =
    page.beforeId === PASSED_ALL && (isAhead || (needsWholeBatches(request) && !isLastRound));
  const staysAt = isAhead || request.beforeId === PASSED_ALL;
  const beforeId = staysAt ? request.beforeId : page.beforeId;
  const hasBacklog = request.hasBacklog || page.added.length > 0;
  const at: JobRequestState = {
    ...state,
    request: { ...request, beforeId, hasBacklog },
    beforeId: isAnotherDue ? null : page.beforeId,
    isLastRound,
    isAhead,
  };
  const hasMoved = beforeId !== request.beforeId || page.added.length > 0;
  const [saved, effects] = settle(at, { added: page.added, settled: [], hasMoved }, ctx);
  if (!page.isStalled && !isAnotherDue) return next({ ...saved, advancePauseMs: 0 }, ...effects);
  const [paused, due] = pauseAdvance(saved);
  return next(paused, ...effects, due);
}

/** Only a walk of one page, all of whose jobs are settled, shows that nothing is left. */
function backlogDone(state: JobRequestState, page: BacklogPage, ctx: Ctx): JobRequestOutcome {
  const isWhole = state.backlogBelowId === null && page.nextBelowId === null;
  const hasBacklog = !(isWhole && page.openCount === 0);
  const hasMoved = page.settled.length > 0;
  const at: JobRequestState = {
    ...state,
    request: { ...state.request, hasBacklog },
    backlogBelowId: page.nextBelowId,
    backlogPauseMs: hasMoved ? 0 : state.backlogPauseMs,
  };
  const [saved, effects] = settle(at, { added: [], settled: page.settled, hasMoved }, ctx);
  if (page.nextBelowId !== null || page.openCount === 0) return next(saved, ...effects);
  const [paused, due] = pauseBacklog(saved);
  return next(paused, ...effects, due);
}

interface Progress {
  readonly added: JobRequestPage['added'];
  readonly settled: readonly number[];
  readonly hasMoved: boolean;
}

/** Saves the result of a page; the request is done when no walk and no backlog is left. */
function settle(
  state: JobRequestState,
  { added, settled, hasMoved }: Progress,
  ctx: Ctx,
): [JobRequestState, readonly JobRequestEffect[]] {
  const isDone = state.beforeId === PASSED_ALL && !state.request.hasBacklog;
  if (!isDone && !hasMoved) return [state, []];
  const request = { ...state.request, isDone };
  const { id: requestId, beforeId } = request;
  const change = {
    type: 'advanceJobRequest',
    requestId,
    beforeId,
    isDone,
    added,
    settled,
    atMs: ctx.nowMs,
  } as const;
  return [{ ...state, request }, [save(change)]];
}
