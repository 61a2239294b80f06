/**
 * The listing of a run: one system execution on a node that reaches the workspace, fenced by its execution id. A
 * restarted listing continues from the cursor.
 */

import { newQueue } from '../../domain/ingest/page-queue.ts';
import type { JobStatus } from '../../domain/job/job.ts';
import { SYSTEM_PRIORITIES } from '../../domain/job/system-priorities.ts';
import type { ScanPatch } from '../../domain/scan/scan.ts';
import type { ScanState } from '../../domain/scan/scan-state.ts';
import type { ErrorRef } from '../../domain/task/task-result.ts';
import { type Ctx, call, save, tell, timer } from '../../kernel/mod.ts';
import { hasElapsed } from '../../lib/elapsed.ts';
import { workspaceRef } from '../ingest/ingest-effects.ts';
import { type ListingOrder, nodeAddress } from '../node/node.messages.ts';
import type { OwnedResult } from '../owner.messages.ts';
import { explain, type ScanEffect, saveScan, scanPorts } from './scan-effects.ts';

/** limit: files of one page, which is one commit. */
const PAGE_SIZE = 1_000;
const RETRY_MS = 2_000;
const RETRY_MAX_MS = 60_000;
/** limit: consecutive listings that fail without a single page, which ends the run. */
const FAILURES_MAX = 5;
/** limit: a listing is restarted at most once in this time, however many of its pages do not follow each other. */
const RESTART_EVERY_MS = 5_000;

const LIVE: readonly JobStatus[] = ['QUEUED', 'RUNNING'];
const ANY: readonly JobStatus[] = ['PENDING', 'QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELED'];

/** Reads the nodes for a run without a listing. */
export function wantListing(state: ScanState): readonly ScanEffect[] {
  if (state.run === null || state.listing !== null) return [];
  const outcomes = { done: 'listingNodesRead', failed: 'listingNodesFailed' } as const;
  return [call(scanPorts.nodesReaching, [state.workspaceId], outcomes)];
}

export function retryListing(afterMs = RETRY_MS): ScanEffect {
  return timer('listing', afterMs, { type: 'listingDue' });
}

/** Begins the listing on one of the suitable nodes, or tries again later if there is none. */
export function placeListing(state: ScanState, nodeIds: readonly number[], ctx: Ctx): readonly ScanEffect[] {
  const { run } = state;
  if (run === null || state.listing !== null) return [];
  const workspace = state.workspaces.byId.get(state.workspaceId);
  state.roundRobin += 1;
  const nodeId = nodeIds[state.roundRobin % Math.max(1, nodeIds.length)];
  if (nodeId === undefined || workspace === undefined) {
    const name = `the workspace '${state.configuration.workspace}'`;
    const reason =
      workspace === undefined ? `${name} is not active` : `no node that takes work reaches ${name}`;
    return [...explain(state, reason, ctx), retryListing()];
  }
  const job = state.jobs[run.mode];
  const effects: ScanEffect[] = [];
  if (job.status !== 'QUEUED') effects.push(queueJob(state, ctx));
  const executionId = ctx.newId('job_exe');
  const start = { executionId, jobId: job.id, exeNum: job.exeNum, nodeId, atMs: ctx.nowMs };
  effects.push(save({ type: 'startExecutions', starts: [start] }));
  job.status = 'RUNNING';
  state.listing = { executionId, exeNum: job.exeNum, nodeId };
  // The reason of an earlier failure is kept until a page comes.
  if (state.failures === 0) effects.push(...explain(state, null, ctx));
  return [...effects, ...orderListing(state)];
}

/** Orders the node to list from the cursor on. Repeating it changes nothing. */
export function orderListing(state: ScanState): readonly ScanEffect[] {
  const { run, listing, configuration } = state;
  const workspace = state.workspaces.byId.get(state.workspaceId);
  if (run === null || listing === null || workspace === undefined) return [];
  state.queue = newQueue(run.cursor);
  const order: ListingOrder = {
    executionId: listing.executionId,
    jobId: state.jobs[run.mode].id,
    exeNum: listing.exeNum,
    owner: state.owner,
    workspace: workspaceRef(workspace),
    recursive: configuration.recursive,
    prefix: '',
    after: run.cursor,
    transferSuffix: configuration.scanner.transfer_suffix ?? '',
    pageSize: PAGE_SIZE,
    // A dry run counts files by the rules, which look at nothing but paths.
    pathsOnly: run.mode === 'dry_run',
  };
  return [tell(nodeAddress(listing.nodeId), { type: 'startListing', order })];
}

/** Restarts a listing whose pages do not follow each other, because some were lost. */
export function restartListing(state: ScanState, ctx: Ctx): readonly ScanEffect[] {
  const { listing } = state;
  if (listing === null || !hasElapsed(state.restartedMs, RESTART_EVERY_MS, ctx.nowMs)) return [];
  state.restartedMs = ctx.nowMs;
  const { executionId, nodeId } = listing;
  return [tell(nodeAddress(nodeId), { type: 'stopListing', executionId }), ...orderListing(state)];
}

/** Queues the job of the run for its next execution. */
export function queueJob(state: ScanState, ctx: Ctx): ScanEffect {
  const job = state.jobs[state.run?.mode ?? 'dry_run'];
  const { id: jobId, exeNum } = job;
  job.exeNum = exeNum + 1;
  job.status = 'QUEUED';
  const queueing = {
    ...{ exeNum: exeNum + 1, priority: SYSTEM_PRIORITIES.scan, maxTries: 0, classKey: null },
    ...{ resources: {}, atMs: ctx.nowMs },
  };
  return save({
    type: 'moveJobs',
    moves: [{ kind: 'queue', jobId, from: ANY, exeNum, queueing, input: null }],
  });
}

/** Ends the execution of the listing. The caller decides about the job and the run. */
export function endListing(
  state: ScanState,
  status: 'COMPLETED' | 'FAILED' | 'CANCELED',
  error: ErrorRef | null,
  ctx: Ctx,
): readonly ScanEffect[] {
  const { listing, run } = state;
  state.listing = null;
  state.queue = newQueue(run?.cursor ?? '');
  if (listing === null) return [];
  const { executionId, nodeId } = listing;
  const end = { executionId, status, error, output: null, phases: [], atMs: ctx.nowMs };
  return [
    save({ type: 'endExecutions', ends: [end] }),
    tell(nodeAddress(nodeId), { type: 'stopListing', executionId }),
  ];
}

/** Ends the run and its job. `reason`: why it failed. */
export function endRun(
  state: ScanState,
  to: 'COMPLETED' | 'FAILED' | 'CANCELED',
  { error, reason }: { readonly error: ErrorRef | null; readonly reason: string | null },
  ctx: Ctx,
): readonly ScanEffect[] {
  const { run } = state;
  if (run === null) return [];
  const effects = [...endListing(state, to, error, ctx)];
  const job = state.jobs[run.mode];
  const { id: jobId, exeNum } = job;
  const atMs = ctx.nowMs;
  const move =
    to === 'CANCELED'
      ? ({ kind: 'status', jobId, from: LIVE, exeNum, to, atMs } as const)
      : ({ kind: 'end', jobId, from: LIVE, exeNum, to, error, output: null, atMs } as const);
  job.status = to;
  state.run = null;
  state.counts = run.counts;
  state.reason = reason;
  state.failures = 0;
  const patch: ScanPatch = { run: null, reason };
  if (to !== 'COMPLETED')
    return [...effects, save({ type: 'moveJobs', moves: [move] }), saveScan(state, patch, ctx)];
  const counts = { ...run.counts, ended: new Date(atMs).toISOString() };
  state.counts = counts;
  state.completed = counts;
  return [...effects, save({ type: 'moveJobs', moves: [move] }), saveScan(state, { ...patch, counts }, ctx)];
}

/** Handles the failure of a listing on its agent: it is tried again later, a limited number of times. */
export function listingFailed(
  state: ScanState,
  error: ErrorRef,
  detail: string,
  ctx: Ctx,
): readonly ScanEffect[] {
  state.failures += 1;
  if (state.failures >= FAILURES_MAX) return endRun(state, 'FAILED', { error, reason: detail }, ctx);
  const afterMs = Math.min(RETRY_MS * 2 ** (state.failures - 1), RETRY_MAX_MS);
  return [
    ...endListing(state, 'FAILED', error, ctx),
    queueJob(state, ctx),
    ...explain(state, detail, ctx),
    retryListing(afterMs),
  ];
}

/** Continues the listing on another node, because its node is lost. */
export function listingLost(
  state: ScanState,
  results: readonly OwnedResult[],
  ctx: Ctx,
): readonly ScanEffect[] {
  const effects: ScanEffect[] = [];
  for (const { result, nodeId, spoolId } of results) {
    if (state.listing?.executionId === result.executionId) {
      const { name, isBuiltin } = result.error ?? { name: 'unknown', isBuiltin: true };
      effects.push(
        ...endListing(state, 'FAILED', { name, isBuiltin }, ctx),
        queueJob(state, ctx),
        retryListing(),
      );
    }
    const items = [{ executionId: result.executionId, spoolId, isVoid: false }];
    effects.push(tell(nodeAddress(nodeId), { type: 'resultsCommitted', items }));
  }
  return effects;
}
