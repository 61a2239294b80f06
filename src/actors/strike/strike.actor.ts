/**
 * A strike: watches a workspace through a monitor on a node, turns arriving files into ingests, assigns these to nodes,
 * and registers what they stored, starting the recipe of each file in the same commit.
 *
 * Requests to cancel its own job pause the strike, and requeueing it resumes it; a canceled ingest ends ERRORED and its
 * file stays where it is, a requeued one is tried again. When a workspace is deactivated, its monitor stops and ingests
 * that need it wait; when one becomes active, files that were deferred because of it are tried again.
 *
 * poll: the reconciliation wakes every strike. A wake places a monitor and assigns waiting ingests.
 */
import type { Change } from '../../domain/changes.ts';
import { type WorkspaceBook, workspaceBook } from '../../domain/ingest/ingest-owner.ts';
import { endPauses } from '../../domain/ingest/ingest-window.ts';
import { isPassedBy } from '../../domain/job/job-request.ts';
import type { WorkspaceInfo } from '../../domain/node/node.ts';
import { type StrikePatch, type StrikeState, strikeStateOf } from '../../domain/strike/strike.ts';
import {
  askerOf,
  type Ctx,
  defineActor,
  refuse,
  reply,
  restartWithin,
  save,
  stay,
  stop,
} from '../../kernel/mod.ts';
import { answer } from '../defer-until-reload.ts';
import { dispatch, orderMissing } from '../ingest/dispatch.ts';
import { changeJobs } from '../ingest/ingest-jobs.ts';
import { type IngestMessage, receiveIngestMessage } from '../ingest/ingest-messages.ts';
import { refreshWorkspaces } from '../ingest/known-workspaces.ts';
import { stampJobs } from '../job-request/stamps.ts';
import type { CancelJobs, RequeueJobs, WorkMissing } from '../owner.messages.ts';
import {
  deferredMatched,
  deferredRead,
  filesSeen,
  leaveQueue,
  matched,
  notified,
  onBatchRulesFailed,
  recorded,
  retryDeferred,
  tryDeferred,
  watchQueue,
} from './arrivals.ts';
import {
  continueListing,
  endMonitor,
  filesListed,
  forgetListing,
  monitorEnded,
  monitorLost,
  nextPage,
  onPageRulesFailed,
  onPageRulesMatched,
  orderListingAgain,
  orderWork,
  placeMonitor,
  queueAgain,
  RESTARTABLE,
  retryMonitor,
  wantMonitor,
} from './monitor.ts';
import type { StrikeMessage } from './strike.messages.ts';
import type { StrikePorts } from './strike.ports.ts';
import type { RulesContext, StrikeEffect, StrikeOutcome, StrikeReturn } from './strike-effects.ts';

type Inbox = StrikeMessage | StrikeReturn;
/** Outcomes of calls and saves, and what all owners of ingests handle. */
type StrikeCallReturn = Exclude<StrikeReturn, { type: `${string}Due` }> | IngestMessage;

export const strikeActor = defineActor<StrikeState, Inbox, StrikePorts, Change>({
  kind: 'strike',
  mailboxMax: 10_000,
  idleMs: 600_000,
  turnMax: 64,
  supervise: restartWithin({ timesMax: 5, windowMs: 60_000 }),
  reconcile: {
    everyMs: 15_000,
    async find(shards, ports) {
      const [strikeIds, lost] = await Promise.all([ports.dueStrikes(shards), ports.lostMonitors(shards)]);
      const moves = lost.map(({ strikeId, executionId }) => {
        return { key: String(strikeId), message: { type: 'monitorLost', executionId } as const };
      });
      return [...moves, ...strikeIds.map((id) => ({ key: String(id), message: { type: 'wake' } as const }))];
    },
  },
  async load(keys, ports) {
    const rows = await ports.loadStrikes(keys.map(Number));
    return new Map([...rows].map(([id, row]) => [String(id), strikeStateOf(row)]));
  },
  start(state, ctx) {
    if (state === undefined) return stay(state);
    state.workspacesReadMs = ctx.nowMs;
    return stay(state, ...continueWork(state, ctx));
  },
  receive(state, message, ctx) {
    if (state === undefined) {
      ctx.count('strike_unknown');
      if (ctx.replyTo === undefined) return stay(state);
      return stay(state, refuse(ctx.replyTo, { code: 'NOT_FOUND', message: 'no such strike' }));
    }
    return receive(state, message, ctx);
  },
});

function continueWork(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  endPauses(state.window, ctx.nowMs);
  return [
    ...wantMonitor(state),
    ...continueListing(state, ctx),
    ...nextPage(state, ctx),
    ...watchQueue(state),
    ...dispatch(state, ctx),
    ...tryDeferred(state),
    ...refreshWorkspaces(state, ctx),
  ];
}

function receive(state: StrikeState, message: Inbox, ctx: Ctx): StrikeOutcome {
  switch (message.type) {
    case 'filesSeen':
      return filesSeen(state, message, ctx);
    case 'filesListed':
      return stay(state, ...filesListed(state, message, ctx));
    case 'notified':
      return notified(state, message, ctx);
    case 'taskEnded':
      return monitorEnded(state, message.results, ctx);
    case 'monitorLost':
      return monitorLost(state, message.executionId, ctx);
    case 'workMissing':
      return workMissing(state, message, ctx);
    case 'cancelJobs':
      return cancelJobs(state, message, ctx);
    case 'requeueJobs':
      return requeueJobs(state, message, ctx);
    case 'edit':
      return edit(state, message, ctx);
    case 'reload':
      return reload(state, message, ctx);
    case 'wake':
      // The reconciliation does not wake strikes at rest, so the row differs from this state, which is dropped.
      if (isAtRest(state)) return stay(state, stop());
      return stay(state, ...continueWork(state, ctx));
    case 'monitorDue':
      return stay(state, ...wantMonitor(state));
    case 'listingDue':
      return stay(state, ...continueListing(state, ctx));
    case 'pagesDue':
      return stay(state, ...nextPage(state, ctx));
    default:
      return receiveReturn(state, message, ctx);
  }
}

/**
 * A failed call is repeated by its sender: the agent repeats its batches and reports until they are acknowledged;
 * other calls are repeated later, or at the next wake.
 */
function receiveReturn(state: StrikeState, message: StrikeCallReturn, ctx: Ctx): StrikeOutcome {
  switch (message.type) {
    case 'arrivalsRecorded': {
      const { origin, arrivals } = message.about;
      return recorded(state, origin, arrivals, message.result, ctx);
    }
    case 'rulesMatched':
      return rulesMatched(state, message.about, message.result, ctx);
    case 'matchRulesFailed':
      return stay(state, ...onMatchRulesFailed(state, message.about));
    case 'monitorNodesRead':
      return stay(state, ...placeMonitor(state, message.result, ctx));
    case 'monitorNodesFailed':
      return stay(state, retryMonitor());
    case 'workspacesRead':
      return stay(state, ...workspacesRead(state, message.result, ctx));
    case 'deferredRead':
      return deferredRead(state, message.about, message.result, ctx);
    case 'deferredMatched':
      return deferredMatched(state, message.about, message.result, ctx);
    case 'deferredIngestsFailed':
    case 'matchDeferredFailed':
      state.isDeferredRunning = false;
      return stay(state);
    case 'queueWatched':
    case 'watchQueueFailed':
      return stay(state);
    default:
      return stay(state, ...receiveIngestMessage(state, message, ctx));
  }
}

function rulesMatched(
  state: StrikeState,
  context: RulesContext,
  indexes: readonly number[],
  ctx: Ctx,
): StrikeOutcome {
  const { origin } = context;
  if (origin.from !== 'listing') return matched(state, origin, context, indexes, ctx);
  return stay(state, ...onPageRulesMatched(state, origin.page, context, indexes, ctx));
}

function onMatchRulesFailed(state: StrikeState, { origin }: RulesContext): readonly StrikeEffect[] {
  return origin.from === 'listing' ? onPageRulesFailed(state, origin.page) : onBatchRulesFailed(origin);
}

/** Orders work again that the agent does not have after a reconnect. */
function workMissing(state: StrikeState, message: WorkMissing, ctx: Ctx): StrikeOutcome {
  const isMonitor = message.executionIds.some((id) => id === state.monitor?.executionId);
  const own = isMonitor ? [...orderWork(state, message.nodeId), ...orderListingAgain(state, ctx)] : [];
  return stay(state, ...own, ...orderMissing(state, message));
}

function edit(
  state: StrikeState,
  message: Extract<StrikeMessage, { type: 'edit' }>,
  ctx: Ctx,
): StrikeOutcome {
  const { type: _, ...fields } = message;
  const before = { configuration: state.configuration, workspaceId: state.workspaceId };
  const { configuration } = fields;
  // Deferred files are matched with the new rules, from the first.
  const patch: StrikePatch = configuration !== undefined ? { ...fields, deferredCursor: 0 } : fields;
  if (configuration !== undefined) {
    state.configuration = configuration;
    state.deferredCursor = 0;
  }
  if (fields.workspaceId !== undefined) state.workspaceId = fields.workspaceId;
  if (fields.isPaused !== undefined) state.isPaused = fields.isPaused;
  const isOtherWatch =
    before.workspaceId !== state.workspaceId ||
    JSON.stringify(before.configuration.monitor) !== JSON.stringify(state.configuration.monitor);
  const effects: StrikeEffect[] = [save({ type: 'editStrike', strikeId: state.id, patch, atMs: ctx.nowMs })];
  // The listing begins again, because after a pause it has to find what arrived meanwhile.
  if (state.isPaused || isOtherWatch) effects.push(...endMonitor(state, null, ctx), ...forgetListing(state));
  if (isOtherWatch) effects.push(...leaveQueue(state, before.configuration.monitor));
  return stay(state, ...effects, ...answer(message, ctx, {}), ...continueWork(state, ctx));
}

function isAtRest({ isPaused, window }: StrikeState): boolean {
  return isPaused && window.live.size === 0 && !window.hasMore;
}

/** Drops the state. The next message loads the actor again. */
function reload(
  state: StrikeState,
  message: Extract<StrikeMessage, { type: 'reload' }>,
  ctx: Ctx,
): StrikeOutcome {
  const asker = askerOf(message, ctx);
  return stay(state, ...(asker === undefined ? [] : [reply(asker, {})]), stop());
}

function workspacesRead(
  state: StrikeState,
  workspaces: readonly WorkspaceInfo[],
  ctx: Ctx,
): readonly StrikeEffect[] {
  const before = state.workspaces;
  state.isAskingWorkspaces = false;
  state.workspacesReadMs = ctx.nowMs;
  state.workspaces = workspaceBook(workspaces);
  const effects: StrikeEffect[] = [];
  if (configurationOf(before, state.workspaceId) !== configurationOf(state.workspaces, state.workspaceId))
    effects.push(...endMonitor(state, null, ctx), ...wantMonitor(state));
  const isBack = [...namedBy(state)].some(
    (name) => !before.byName.has(name) && state.workspaces.byName.has(name),
  );
  if (isBack) effects.push(...retryDeferred(state, ctx));
  return [...effects, ...dispatch(state, ctx)];
}

/** As text; undefined while the workspace is not active. */
function configurationOf(book: WorkspaceBook, id: number): string | undefined {
  const workspace = book.byId.get(id);
  return workspace === undefined ? undefined : JSON.stringify(workspace.configuration);
}

/** Workspaces that rules move files to. */
function namedBy(state: StrikeState): ReadonlySet<string> {
  return new Set(state.configuration.files_to_ingest.flatMap((rule) => rule.new_workspace ?? []));
}

function cancelJobs(state: StrikeState, message: CancelJobs, ctx: Ctx): StrikeOutcome {
  const isOwn = isOwnMeant(state, message) && state.job.status !== 'CANCELED';
  const rest = changeJobs(state, message, { all: [state.job.id], done: isOwn ? [state.job.id] : [] }, ctx);
  return stay(
    state,
    ...(isOwn ? [...pause(state, ctx), ...stampJobs([state.job], message.position)] : []),
    ...rest,
  );
}

function requeueJobs(state: StrikeState, message: RequeueJobs, ctx: Ctx): StrikeOutcome {
  const isStopped = state.isPaused || state.job.status === 'CANCELED';
  const isOwn = isOwnMeant(state, message) && isStopped;
  const rest = changeJobs(state, message, { all: [state.job.id], done: isOwn ? [state.job.id] : [] }, ctx);
  return stay(
    state,
    ...(isOwn ? [...resume(state, ctx), ...stampJobs([state.job], message.position)] : []),
    ...rest,
  );
}

function isOwnMeant({ job }: StrikeState, { jobIds, position }: CancelJobs | RequeueJobs): boolean {
  return jobIds.includes(job.id) && !isPassedBy(job, position);
}

function pause(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  const atMs = ctx.nowMs;
  state.isPaused = true;
  const effects: StrikeEffect[] = [
    save({ type: 'editStrike', strikeId: state.id, patch: { isPaused: true }, atMs }),
    ...endMonitor(state, null, ctx),
    ...forgetListing(state),
    ...watchQueue(state),
  ];
  const { id: jobId, exeNum, status } = state.job;
  if (status !== 'CANCELED') {
    const move = { kind: 'status', jobId, from: RESTARTABLE, exeNum, to: 'CANCELED', atMs } as const;
    state.job.status = 'CANCELED';
    effects.push(save({ type: 'moveJobs', moves: [move] }));
  }
  return effects;
}

function resume(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  state.isPaused = false;
  return [
    save({ type: 'editStrike', strikeId: state.id, patch: { isPaused: false }, atMs: ctx.nowMs }),
    queueAgain(state, ctx),
    ...wantMonitor(state),
    ...watchQueue(state),
    ...dispatch(state, ctx),
    ...tryDeferred(state),
  ];
}
