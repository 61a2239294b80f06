/**
 * Assigns ingests to nodes that reach their workspaces, the monitor's own node first, a bounded number at a time. The
 * scheduler is not involved: ingests take no slots and do not wait behind user jobs. A paused owner assigns none;
 * ingests that are on nodes continue.
 */

import type { ArrivalRecord, IngestState } from '../../domain/ingest/ingest.ts';
import type { IngestOwnerState } from '../../domain/ingest/ingest-owner.ts';
import {
  endPauses,
  LIVE_INGESTS_MAX,
  type LiveIngest,
  noteRead,
  noteReadFailed,
  noteReading,
  noteStarted,
  wantsMore,
  workspacesOf,
} from '../../domain/ingest/ingest-window.ts';
import { ownerText } from '../../domain/job/job-owner.ts';
import type { IngestItem, WorkspaceRef } from '../../domain/node/coordinator-messages.ts';
import { type Ctx, call, save, tell, timer } from '../../kernel/mod.ts';
import { hasElapsed } from '../../lib/elapsed.ts';
import { nodeAddress } from '../node/node.messages.ts';
import type { WorkMissing } from '../owner.messages.ts';
import { type IngestEffect, ingestPorts, workspaceRef } from './ingest-effects.ts';

/** limit: ingests of one strike or scan that are on nodes. */
const IN_FLIGHT_MAX = 512;
const REACHING_FRESH_MS = 2_000;
const RETRY_MS = 2_000;

/**
 * Assigns waiting ingests to nodes that are known to reach their workspaces, and reads the nodes of other workspaces.
 */
export function dispatch(state: IngestOwnerState, ctx: Ctx): readonly IngestEffect[] {
  const { window } = state;
  const effects: IngestEffect[] = [...readMore(state)];
  const perNode = new Map<number, LiveIngest[]>();
  if (!state.isPaused) {
    // Each set of workspaces gets its share, and another set is first each time, so that none waits behind a full one.
    const share = Math.ceil((IN_FLIGHT_MAX - window.byExecution.size) / Math.max(1, window.waiting.size));
    const keys = keysInTurn(state);
    for (const most of [share, IN_FLIGHT_MAX]) {
      for (const key of keys) assign(state, key, { most, perNode, effects, ctx });
    }
  }
  for (const [nodeId, ingests] of perNode) effects.push(...start(state, nodeId, ingests, ctx));
  const isWaiting = window.waiting.size > 0 || window.pausing.size > 0;
  return isWaiting ? [...effects, ...lookAgain(state)] : effects;
}

function keysInTurn(state: IngestOwnerState): readonly string[] {
  const keys = [...state.window.waiting.keys()];
  state.roundRobin += 1;
  const first = state.roundRobin % Math.max(1, keys.length);
  return [...keys.slice(first), ...keys.slice(0, first)];
}

interface Assigning {
  readonly most: number;
  readonly perNode: Map<number, LiveIngest[]>;
  readonly effects: IngestEffect[];
  readonly ctx: Ctx;
}

function assign(state: IngestOwnerState, key: string, { most, perNode, effects, ctx }: Assigning): void {
  const { window } = state;
  const ids = window.waiting.get(key);
  const nodeIds = ids === undefined ? [] : nodesFor(state, key, effects, ctx);
  if (ids === undefined || nodeIds.length === 0) return;
  let left = Math.min(most, IN_FLIGHT_MAX - window.byExecution.size);
  for (const id of ids) {
    if (left-- <= 0) return;
    const ingest = window.live.get(id);
    if (ingest === undefined) continue;
    const nodeId = nodeOf(state, nodeIds);
    noteStarted(window, ingest, { executionId: ctx.newId('job_exe'), nodeId });
    const list = perNode.get(nodeId);
    if (list === undefined) perNode.set(nodeId, [ingest]);
    else list.push(ingest);
  }
}

/**
 * Arrivals that a node can take at once begin in the commit that makes their rows, because a second commit costs 1.5 kB
 * of log for each file, and time. The others begin when they are assigned.
 */
export function beginArrivals(
  state: IngestOwnerState,
  arrivals: readonly ArrivalRecord[],
  ctx: Ctx,
): readonly ArrivalRecord[] {
  const { window } = state;
  // New arrivals are not assigned before waiting ingests.
  if (state.isPaused || window.hasMore || window.waiting.size > 0) return arrivals;
  return arrivals.map((arrival) => {
    const isFull = window.byExecution.size + window.beginning >= IN_FLIGHT_MAX;
    if (arrival.status !== 'TRANSFERRED' || isFull) return arrival;
    const nodeIds = knownNodes(state, workspacesOf(arrival), ctx);
    if (nodeIds === undefined || nodeIds.length === 0) return arrival;
    window.beginning += 1;
    return { ...arrival, start: { executionId: ctx.newId('job_exe'), nodeId: nodeOf(state, nodeIds) } };
  });
}

/** Sends nodes the orders for ingests that began with their rows. */
export function orderBegun(state: IngestOwnerState, begun: readonly LiveIngest[]): readonly IngestEffect[] {
  const perNode = Map.groupBy(begun, ({ nodeId }) => nodeId ?? 0);
  return [...perNode].flatMap(([nodeId, ingests]) => order(state, nodeId, ingests));
}

function nodeOf(state: IngestOwnerState, nodeIds: readonly number[]): number {
  if (state.monitor !== null && nodeIds.includes(state.monitor.nodeId)) return state.monitor.nodeId;
  state.roundRobin += 1;
  return nodeIds[state.roundRobin % nodeIds.length] as number;
}

/** Nodes that reach the workspaces; none while that is unknown, or a workspace is not active. */
function nodesFor(
  state: IngestOwnerState,
  key: string,
  effects: IngestEffect[],
  ctx: Ctx,
): readonly number[] {
  const workspaceIds = key.split(',').map(Number);
  if (!areActive(state, workspaceIds)) return [];
  const known = knownNodes(state, workspaceIds, ctx);
  if (known !== undefined) return known;
  if (!state.asking.has(key)) {
    state.asking.add(key);
    const outcomes = { done: 'nodesReachingRead', failed: 'nodesReachingFailed', about: key } as const;
    effects.push(call(ingestPorts.nodesReaching, workspaceIds, outcomes));
  }
  return [];
}

/** Undefined while the nodes are not read. */
function knownNodes(
  state: IngestOwnerState,
  workspaceIds: readonly number[],
  ctx: Ctx,
): readonly number[] | undefined {
  const known = state.reaching.get(workspaceIds.join(','));
  const isFresh = known !== undefined && !hasElapsed(known.atMs, REACHING_FRESH_MS, ctx.nowMs);
  return isFresh && areActive(state, workspaceIds) ? known.nodeIds : undefined;
}

function areActive(state: IngestOwnerState, workspaceIds: readonly number[]): boolean {
  return workspaceIds.every((id) => state.workspaces.byId.has(id));
}

/** Only one timer for this is set at a time, however often ingests are assigned before it fires. */
export function lookAgain(state: IngestOwnerState): readonly IngestEffect[] {
  if (state.isDispatchDue) return [];
  state.isDispatchDue = true;
  return [timer('dispatch', RETRY_MS, { type: 'dispatchDue' })];
}

export function dispatchDue(state: IngestOwnerState, ctx: Ctx): readonly IngestEffect[] {
  state.isDispatchDue = false;
  endPauses(state.window, ctx.nowMs);
  return dispatch(state, ctx);
}

/** Saves the nodes that reach a set of workspaces, and assigns ingests to them. */
export function onNodesReachingRead(
  state: IngestOwnerState,
  key: string,
  nodeIds: readonly number[],
  ctx: Ctx,
): readonly IngestEffect[] {
  state.asking.delete(key);
  state.reaching.set(key, { nodeIds, atMs: ctx.nowMs });
  return dispatch(state, ctx);
}

/** The read is repeated later. */
export function onNodesReachingFailed(state: IngestOwnerState, key: string): readonly IngestEffect[] {
  state.asking.delete(key);
  return lookAgain(state);
}

function start(
  state: IngestOwnerState,
  nodeId: number,
  ingests: readonly LiveIngest[],
  ctx: Ctx,
): readonly IngestEffect[] {
  const atMs = ctx.nowMs;
  const starts = ingests.map(({ executionId, jobId, exeNum }) => {
    return { executionId: executionId as number, jobId, exeNum, nodeId, atMs };
  });
  return [
    save({ type: 'startExecutions', starts }),
    save({ type: 'startIngests', ingests: ingests.map((one) => ({ ingestId: one.id, atMs })) }),
    ...order(state, nodeId, ingests),
  ];
}

/**
 * Orders a node to ingest files, if the workspaces are active. May be repeated.
 *
 * poll: the node's actor finds a lost order in its rows, and requests it.
 */
function order(
  state: IngestOwnerState,
  nodeId: number,
  ingests: readonly LiveIngest[],
): readonly IngestEffect[] {
  const used = new Map<string, WorkspaceRef>();
  const uuidOf = (workspaceId: number): string => {
    const workspace = state.workspaces.byId.get(workspaceId);
    if (workspace === undefined) return '';
    used.set(workspace.uuid, workspaceRef(workspace));
    return workspace.uuid;
  };
  const possible = ingests.filter((ingest) => areActive(state, workspacesOf(ingest)));
  const items = possible.map((ingest): IngestItem => {
    const moves = ingest.newWorkspaceId !== null || ingest.newFilePath !== null;
    return {
      ingestId: ingest.id,
      executionId: ingest.executionId ?? 0,
      jobId: ingest.jobId,
      exeNum: ingest.exeNum,
      owner: ownerText(state.owner),
      sourceWorkspaceUuid: uuidOf(ingest.workspaceId),
      sourcePath: ingest.filePath,
      expectedSize: ingest.size,
      expectedMtimeMs: ingest.mtimeMs,
      expectedIdentity: ingest.identity,
      targetWorkspaceUuid: moves ? uuidOf(ingest.newWorkspaceId ?? ingest.workspaceId) : '',
      targetPath: moves ? (ingest.newFilePath ?? ingest.filePath) : '',
    };
  });
  if (items.length === 0) return [];
  return [tell(nodeAddress(nodeId), { type: 'startIngests', items, workspaces: [...used.values()] })];
}

/** Orders again those of the missing executions that are ingests. */
export function orderMissing(state: IngestOwnerState, message: WorkMissing): readonly IngestEffect[] {
  const { live, byExecution } = state.window;
  const ingests = message.executionIds.flatMap((id) => live.get(byExecution.get(id) ?? -1) ?? []);
  return order(state, message.nodeId, ingests);
}

/** Refills the window from rows when it is half empty. */
function readMore(state: IngestOwnerState): readonly IngestEffect[] {
  if (!wantsMore(state.window)) return [];
  noteReading(state.window);
  // It reads from the beginning, because an ingest that waited longer than others in the window may have a lower id.
  const args = { owner: state.owner, afterId: 0, limit: LIVE_INGESTS_MAX };
  const outcomes = { done: 'liveIngestsRead', failed: 'liveIngestsFailed' } as const;
  return [call(ingestPorts.liveIngests, args, outcomes)];
}

export function onLiveIngestsRead(
  state: IngestOwnerState,
  ingests: readonly IngestState[],
  ctx: Ctx,
): readonly IngestEffect[] {
  noteRead(state.window, ingests);
  return dispatch(state, ctx);
}

export function onLiveIngestsFailed(state: IngestOwnerState): readonly IngestEffect[] {
  noteReadFailed(state.window);
  return lookAgain(state);
}
