/**
 * The strike's monitor: one system execution on a node that reaches the watched workspace. It is fenced by its
 * execution id, and queued again after every end, unless the strike is paused.
 *
 * The monitor of a bucket also lists it, in addition to its notifications: when the strike begins, then at an interval
 * after the end of each listing. Known objects change nothing. The pages are matched with the rules in the pool, and
 * committed one after another. The arrivals of a page and the key that the listing has reached are one commit, after
 * which the page is acknowledged; another node, and another coordinator, continue from there.
 *
 * poll: a page whose acknowledgement was lost is sent again; a wake orders a silent listing again.
 */
import { dropPage, newQueue, placeOfPage, takePage } from '../../domain/ingest/page-queue.ts';
import type { JobStatus, MonitorExecution } from '../../domain/job/job.ts';
import { SYSTEM_PRIORITIES } from '../../domain/job/system-priorities.ts';
import type { ListingPage, SeenFile } from '../../domain/node/agent-messages.ts';
import { bucketPlace, type StrikeState } from '../../domain/strike/strike.ts';
import { BUCKET_LIST_MS, STABLE_MS, sinceMsOf, transferSuffixOf } from '../../domain/strike/strike-config.ts';
import type { ErrorRef } from '../../domain/task/task-result.ts';
import { type Ctx, call, save, stay, tell, timer } from '../../kernel/mod.ts';
import { hasElapsed } from '../../lib/elapsed.ts';
import { workspaceRef } from '../ingest/ingest-effects.ts';
import { type ListingOrder, type MonitorOrder, nodeAddress } from '../node/node.messages.ts';
import type { FilesListed, OwnedResult } from '../owner.messages.ts';
import { areOthers, arrivalOf, match, record } from './arrivals.ts';
import { type RulesContext, type StrikeEffect, type StrikeOutcome, strikePorts } from './strike-effects.ts';

/** The interval of directory listings, in addition to the events. */
const LIST_EVERY_MS = 30_000;
const RETRY_MS = 2_000;

const PAGE_SIZE = 1_000;
/** limit: a listing is restarted at most once in this time, however many of its pages do not follow each other. */
const RESTART_EVERY_MS = 5_000;
/**
 * A listing without a page for this long is ordered again, because the order or a page may be lost. A repeated order
 * changes nothing.
 */
const SILENT_MS = 60_000;

/** All statuses but COMPLETED, which the job of a strike never has. */
export const RESTARTABLE: readonly JobStatus[] = ['PENDING', 'QUEUED', 'RUNNING', 'FAILED', 'CANCELED'];

/** Reads the nodes for the monitor, unless the strike has one or is paused. */
export function wantMonitor(state: StrikeState): readonly StrikeEffect[] {
  if (state.isPaused || state.monitor !== null) return [];
  const outcomes = { done: 'monitorNodesRead', failed: 'monitorNodesFailed' } as const;
  return [call(strikePorts.nodesReaching, [state.workspaceId], outcomes)];
}

/** Starts the monitor on the first suitable node, or tries again later if there is none. */
export function placeMonitor(
  state: StrikeState,
  nodeIds: readonly number[],
  ctx: Ctx,
): readonly StrikeEffect[] {
  if (state.isPaused || state.monitor !== null) return [];
  const [nodeId] = nodeIds;
  const workspace = state.workspaces.byId.get(state.workspaceId);
  if (nodeId === undefined || workspace === undefined) return [retryMonitor()];
  const effects: StrikeEffect[] = [];
  if (state.job.status !== 'QUEUED') effects.push(queueAgain(state, ctx));
  const executionId = ctx.newId('job_exe');
  const { id: jobId, exeNum } = state.job;
  effects.push(
    save({ type: 'startExecutions', starts: [{ executionId, jobId, exeNum, nodeId, atMs: ctx.nowMs }] }),
  );
  state.job.status = 'RUNNING';
  state.monitor = { executionId, exeNum, nodeId };
  return [...effects, ...orderWork(state, nodeId), ...continueListing(state, ctx)];
}

/** Orders the node to watch a directory, if the strike watches one. Repeating it changes nothing. */
export function orderWork(state: StrikeState, nodeId: number): readonly StrikeEffect[] {
  const order = orderOf(state);
  return order === null ? [] : [tell(nodeAddress(nodeId), { type: 'startMonitor', order })];
}

export function retryMonitor(): StrikeEffect {
  return timer('monitor', RETRY_MS, { type: 'monitorDue' });
}

/** The order for the node; null while there is no monitor. Repeating it changes nothing. */
function orderOf(state: StrikeState): MonitorOrder | null {
  const workspace = state.workspaces.byId.get(state.workspaceId);
  const { monitor, configuration } = state;
  if (monitor === null || workspace === undefined || configuration.monitor.type !== 'dir-watcher')
    return null;
  return {
    executionId: monitor.executionId,
    jobId: state.job.id,
    exeNum: monitor.exeNum,
    strikeId: state.id,
    workspace: workspaceRef(workspace),
    transferSuffix: transferSuffixOf(configuration.monitor),
    stableMs: configuration.monitor.stable_ms ?? STABLE_MS,
    sinceMs: sinceMsOf(configuration.monitor),
    listEveryMs: LIST_EVERY_MS,
  };
}

/** Ends the monitor: stopped on purpose (`error` null), or failed. Its job waits to be queued again, or is canceled. */
export function endMonitor(state: StrikeState, error: ErrorRef | null, ctx: Ctx): readonly StrikeEffect[] {
  const { monitor } = state;
  if (monitor === null) return [];
  state.monitor = null;
  const atMs = ctx.nowMs;
  const status = error === null ? ('CANCELED' as const) : ('FAILED' as const);
  const end = { executionId: monitor.executionId, status, error, output: null, phases: [], atMs };
  const stop = tell(nodeAddress(monitor.nodeId), { type: 'stopMonitor', executionId: monitor.executionId });
  const effects: StrikeEffect[] = [save({ type: 'endExecutions', ends: [end] }), stop];
  effects.push(...stopListing(state, monitor));
  if (state.isPaused) {
    const { id: jobId, exeNum } = state.job;
    const move = { kind: 'status', jobId, from: RESTARTABLE, exeNum, to: 'CANCELED', atMs } as const;
    state.job.status = 'CANCELED';
    effects.push(save({ type: 'moveJobs', moves: [move] }));
  } else effects.push(queueAgain(state, ctx));
  return effects;
}

export function queueAgain(state: StrikeState, ctx: Ctx): StrikeEffect {
  const { id: jobId, exeNum } = state.job;
  state.job.exeNum = exeNum + 1;
  state.job.status = 'QUEUED';
  return save({
    type: 'moveJobs',
    moves: [
      {
        kind: 'queue',
        jobId,
        from: RESTARTABLE,
        exeNum,
        queueing: {
          exeNum: exeNum + 1,
          priority: SYSTEM_PRIORITIES.strike,
          maxTries: 0,
          classKey: null,
          resources: {},
          atMs: ctx.nowMs,
        },
        input: null,
      },
    ],
  });
}

/** Handles the end of the monitor: its node is lost, or its agent cannot continue it. */
export function monitorEnded(state: StrikeState, results: readonly OwnedResult[], ctx: Ctx): StrikeOutcome {
  const effects: StrikeEffect[] = [];
  for (const { result, nodeId, spoolId } of results) {
    if (state.monitor?.executionId === result.executionId) {
      const { name, isBuiltin } = result.error ?? { name: 'unknown', isBuiltin: true };
      effects.push(...endMonitor(state, { name, isBuiltin }, ctx), retryMonitor());
    }
    const items = [{ executionId: result.executionId, spoolId, isVoid: false }];
    effects.push(tell(nodeAddress(nodeId), { type: 'resultsCommitted', items }));
  }
  return stay(state, ...effects);
}

/** Moves the monitor, because its node no longer reaches the workspace, but another does. */
export function monitorLost(state: StrikeState, executionId: number, ctx: Ctx): StrikeOutcome {
  if (state.monitor?.executionId !== executionId) return stay(state);
  ctx.count('monitors_moved');
  return stay(state, ...endMonitor(state, null, ctx), ...wantMonitor(state));
}

/** limit: consecutive failures before another node is tried. */
const FAILURES_MAX = 3;
/** The pause after a failure, multiplied by 1 to 4. */
const LIST_AGAIN_MS = 30_000;
const MATCH_AGAIN_MS = 2_000;

/** Handles a page of the current monitor's listing; another listing is stopped. */
export function filesListed(
  state: StrikeState,
  { nodeId, page }: FilesListed,
  ctx: Ctx,
): readonly StrikeEffect[] {
  const { executionId, sequence } = page;
  const { listing } = state;
  const node = nodeAddress(nodeId);
  if (state.monitor?.executionId !== executionId) {
    ctx.count('page_of_stale_listing');
    return [tell(node, { type: 'stopListing', executionId })];
  }
  const done = tell(node, { type: 'pageCommitted', executionId, sequence });
  // A repeated page of a listing that has ended.
  if (!listing.isRunning) return [done];
  listing.activeMs = ctx.nowMs;
  switch (placeOfPage(listing.queue, listing.through, page)) {
    case 'taken':
      return [];
    case 'done':
      return [done];
    case 'astray':
      ctx.count('page_astray');
      return restartListing(state, ctx);
    case 'next':
      return takePage(listing.queue, page) ? nextPage(state, ctx) : [];
  }
}

/** Handles the first waiting page, one at a time. */
export function nextPage(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  const { queue, isRunning } = state.listing;
  const [page] = queue.pages;
  if (page === undefined || !isRunning || queue.isMatching) return [];
  if (page.files.length === 0) return settle(state, page, [], ctx);
  queue.isMatching = true;
  const files = page.files.map(
    (file): SeenFile => ({ ...file, arrival: 'complete', firstSeenMs: file.mtimeMs }),
  );
  return [match(state, { from: 'listing', page }, files)];
}

/** Handles a matched page. Does nothing if the page is no longer the next one. */
export function onPageRulesMatched(
  state: StrikeState,
  page: ListingPage,
  { rules, files }: RulesContext,
  ruleIndexes: readonly number[],
  ctx: Ctx,
): readonly StrikeEffect[] {
  if (!isNext(state, page)) return [];
  state.listing.queue.isMatching = false;
  if (areOthers(state, rules)) return nextPage(state, ctx);
  const arrivals = files.map((file, index) => arrivalOf(state, file, ruleIndexes[index] ?? -1, ctx));
  return settle(state, page, record(state, arrivals, null, ctx), ctx);
}

/** Handles a page whose rules could not be matched. */
export function onPageRulesFailed(state: StrikeState, page: ListingPage): readonly StrikeEffect[] {
  if (!isNext(state, page)) return [];
  state.listing.queue.isMatching = false;
  return [timer('pages', MATCH_AGAIN_MS, { type: 'pagesDue' })];
}

function isNext({ monitor, listing }: StrikeState, page: ListingPage): boolean {
  const isCurrent = listing.isRunning && monitor?.executionId === page.executionId;
  return isCurrent && listing.through === page.after;
}

function settle(
  state: StrikeState,
  page: ListingPage,
  recorded: readonly StrikeEffect[],
  ctx: Ctx,
): readonly StrikeEffect[] {
  const { listing, monitor } = state;
  if (monitor === null) return [];
  const { executionId, sequence, through, isLast, error } = page;
  const done = tell(nodeAddress(monitor.nodeId), { type: 'pageCommitted', executionId, sequence });
  dropPage(listing.queue, page);
  if (error !== undefined) return [done, ...failed(state, error, ctx)];
  listing.failureCount = 0;
  listing.through = isLast ? '' : through;
  const rested = isLast ? [rest(state, listEveryMs(state), ctx)] : [];
  const mark = { place: listing.place, through: listing.through, dueMs: isLast ? listing.nextMs : 0 };
  const kept = save({ type: 'markListing', strikeId: state.id, mark } as const);
  return [...recorded, kept, done, ...rested, ...nextPage(state, ctx)];
}

function failed(
  state: StrikeState,
  { name, isBuiltin }: NonNullable<ListingPage['error']>,
  ctx: Ctx,
): readonly StrikeEffect[] {
  ctx.count('listing_failed');
  const { listing } = state;
  listing.failureCount += 1;
  if (listing.failureCount <= FAILURES_MAX) return [rest(state, LIST_AGAIN_MS * listing.failureCount, ctx)];
  listing.failureCount = 0;
  return [...endMonitor(state, { name, isBuiltin }, ctx), retryMonitor()];
}

/** Sets the timer of the next listing, in milliseconds from now. */
function rest(state: StrikeState, afterMs: number, ctx: Ctx): StrikeEffect {
  state.listing.isRunning = false;
  state.listing.nextMs = ctx.nowMs + afterMs;
  return timer('listing', afterMs, { type: 'listingDue' });
}

/** The pause from the end of one listing to the start of the next. */
function listEveryMs({ configuration: { monitor } }: StrikeState): number {
  return (monitor.type === 'objstore' ? monitor.list_every_ms : undefined) ?? BUCKET_LIST_MS;
}

/** Begins a listing when one is due, or continues an interrupted one. */
export function continueListing(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  const { listing } = state;
  const workspace = state.workspaces.byId.get(state.workspaceId);
  if (state.monitor === null || workspace === undefined) return [];
  if (listing.isRunning)
    return hasElapsed(listing.activeMs, SILENT_MS, ctx.nowMs) ? orderListing(state, ctx) : [];
  const place = bucketPlace(workspace);
  if (listing.place !== place) Object.assign(listing, { place, through: '', nextMs: 0 });
  const waitMs = listing.nextMs - ctx.nowMs;
  // A time beyond the interval was set by a wrong clock, and is ignored.
  if (waitMs > 0 && waitMs <= listEveryMs(state)) return [];
  const effects = orderListing(state, ctx);
  listing.isRunning = effects.length > 0;
  return effects;
}

/** Orders the listing again after the agent has reconnected without it. It continues where it was. */
export function orderListingAgain(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  return state.listing.isRunning ? orderListing(state, ctx) : [];
}

/** Restarts a listing whose pages do not follow each other, because some were lost. */
function restartListing(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  const { listing, monitor } = state;
  if (monitor === null || !hasElapsed(listing.restartedMs, RESTART_EVERY_MS, ctx.nowMs)) return [];
  listing.restartedMs = ctx.nowMs;
  return [orderStop(monitor), ...orderListing(state, ctx)];
}

function orderListing(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  const workspace = state.workspaces.byId.get(state.workspaceId);
  const { monitor, configuration, listing } = state;
  if (monitor === null || workspace === undefined || configuration.monitor.type !== 'objstore') return [];
  listing.queue = newQueue(listing.through);
  listing.activeMs = ctx.nowMs;
  const order: ListingOrder = {
    executionId: monitor.executionId,
    jobId: state.job.id,
    exeNum: monitor.exeNum,
    owner: { kind: 'strike', key: state.id },
    workspace: workspaceRef(workspace),
    ...{ recursive: true, prefix: '', after: listing.through, transferSuffix: '', pageSize: PAGE_SIZE },
    pathsOnly: false,
  };
  return [tell(nodeAddress(monitor.nodeId), { type: 'startListing', order })];
}

/** Stops the listing of a monitor that has ended. The next monitor continues it at once. */
function stopListing(state: StrikeState, monitor: MonitorExecution): readonly StrikeEffect[] {
  const { listing } = state;
  if (!listing.isRunning) return [];
  Object.assign(listing, { isRunning: false, queue: newQueue(listing.through), nextMs: 0 });
  return [orderStop(monitor)];
}

function orderStop({ executionId, nodeId }: MonitorExecution): StrikeEffect {
  return tell(nodeAddress(nodeId), { type: 'stopListing', executionId });
}

/** Drops the state of the listing, so that the next one begins at once, at the start. */
export function forgetListing(state: StrikeState): readonly StrikeEffect[] {
  const { listing } = state;
  if (listing.place === '') return [];
  Object.assign(listing, { place: '', through: '', nextMs: 0 });
  return [save({ type: 'markListing', strikeId: state.id, mark: null })];
}
