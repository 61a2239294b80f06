/**
 * Ingests go to nodes that reach their workspaces, the monitor's own first, a bounded window of them at a time. The
 * scheduler has no part in it: ingests take no slots, and are not held up by the queue of user jobs.
 */
import type { Change } from '../../domain/changes.ts';
import { ownerText } from '../../domain/job/job-owner.ts';
import type { IngestItem, WorkspaceRef } from '../../domain/node/coordinator-messages.ts';
import { LIVE_INGESTS_MAX } from '../../domain/strike/strike.ts';
import {
  type LiveIngest,
  type StrikeState,
  workspaceById,
  workspacesOf,
} from '../../domain/strike/strike-state.ts';
import { type Ctx, call, save, tell, timer } from '../../kernel/mod.ts';
import { nodeAddress } from '../node/node.messages.ts';
import { type StrikeEffect, type StrikeTag, workspaceRef } from './strike-effects.ts';

/** Ingests of one strike that nodes work on at a time. */
const IN_FLIGHT_MAX = 512;
const REACHING_FRESH_MS = 2_000;
const RETRY_MS = 2_000;

/** Gives waiting ingests to nodes, as far as it is known who reaches them; asks where it is not. */
export function dispatch(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  const effects: StrikeEffect[] = [...readMore(state)];
  const perNode = new Map<number, LiveIngest[]>();
  let room = IN_FLIGHT_MAX - state.byExecution.size;
  let isWaiting = false;
  for (const ingest of state.live.values()) {
    if (room <= 0) break;
    if (ingest.executionId !== null) continue;
    if (ingest.notBeforeMs > ctx.nowMs) {
      isWaiting = true;
      continue;
    }
    const nodeId = nodeFor(state, ingest, effects, ctx);
    if (nodeId === undefined) isWaiting = true;
    else {
      room -= 1;
      const list = perNode.get(nodeId);
      if (list === undefined) perNode.set(nodeId, [ingest]);
      else list.push(ingest);
    }
  }
  for (const [nodeId, ingests] of perNode) effects.push(...start(state, nodeId, ingests, ctx));
  if (isWaiting) effects.push(timer('dispatch', RETRY_MS, { type: 'dispatchDue' }));
  return effects;
}

function nodeFor(
  state: StrikeState,
  ingest: LiveIngest,
  effects: StrikeEffect[],
  ctx: Ctx,
): number | undefined {
  const workspaceIds = workspacesOf(ingest);
  const key = workspaceIds.join(',');
  const known = state.reaching.get(key);
  if (known === undefined || ctx.nowMs - known.atMs > REACHING_FRESH_MS) {
    if (!state.asking.has(key)) {
      state.asking.add(key);
      const tag: StrikeTag = { about: 'reaching', key, isForMonitor: false };
      effects.push(call('nodesReaching', workspaceIds, tag));
    }
    return undefined;
  }
  const { nodeIds } = known;
  if (state.monitor !== null && nodeIds.includes(state.monitor.nodeId)) return state.monitor.nodeId;
  state.turn += 1;
  return nodeIds[state.turn % nodeIds.length];
}

/** It is known who reaches a set of workspaces. */
export function reachingKnown(
  state: StrikeState,
  key: string,
  nodeIds: readonly number[],
  ctx: Ctx,
): readonly StrikeEffect[] {
  state.asking.delete(key);
  state.reaching.set(key, { nodeIds, atMs: ctx.nowMs });
  return dispatch(state, ctx);
}

function start(
  state: StrikeState,
  nodeId: number,
  ingests: readonly LiveIngest[],
  ctx: Ctx,
): readonly StrikeEffect[] {
  const atMs = ctx.nowMs;
  const starts = ingests.map((ingest) => {
    const executionId = ctx.newId('job_exe');
    ingest.executionId = executionId;
    ingest.nodeId = nodeId;
    state.byExecution.set(executionId, ingest.id);
    return { executionId, jobId: ingest.jobId, exeNum: ingest.exeNum, nodeId, atMs };
  });
  const changes: readonly Change[] = [
    { type: 'startExecutions', starts },
    { type: 'startIngests', ingests: ingests.map((one) => ({ ingestId: one.id, atMs })) },
  ];
  // poll: an order that is lost is found missing at the agent's next hello, or the node is given up.
  return [...changes.map((change) => save(change)), order(state, nodeId, ingests)];
}

/** Tells a node (again) what to ingest. */
export function order(state: StrikeState, nodeId: number, ingests: readonly LiveIngest[]): StrikeEffect {
  const used = new Map<string, WorkspaceRef>();
  const uuidOf = (workspaceId: number): string => {
    const workspace = workspaceById(state, workspaceId);
    if (workspace === undefined) return '';
    used.set(workspace.uuid, workspaceRef(workspace));
    return workspace.uuid;
  };
  const items = ingests.map((ingest): IngestItem => {
    const moves = ingest.newWorkspaceId !== null || ingest.newFilePath !== null;
    return {
      ingestId: ingest.id,
      executionId: ingest.executionId ?? 0,
      jobId: ingest.jobId,
      exeNum: ingest.exeNum,
      owner: ownerText({ kind: 'strike', key: state.id }),
      sourceWorkspaceUuid: uuidOf(ingest.workspaceId),
      sourcePath: ingest.filePath,
      expectedSize: ingest.size,
      expectedMtimeMs: ingest.mtimeMs,
      expectedIdentity: ingest.identity,
      targetWorkspaceUuid: moves ? uuidOf(ingest.newWorkspaceId ?? ingest.workspaceId) : '',
      targetPath: moves ? (ingest.newFilePath ?? ingest.filePath) : '',
    };
  });
  return tell(nodeAddress(nodeId), { type: 'startIngests', items, workspaces: [...used.values()] });
}

/** Fills the window from rows when it is half empty. */
export function readMore(state: StrikeState): readonly StrikeEffect[] {
  if (!state.hasMore || state.isReadingMore || state.live.size > LIVE_INGESTS_MAX / 2) return [];
  state.isReadingMore = true;
  // From the first on: an ingest that waited longer than others in the window may have a lower id.
  const args = { strikeId: state.id, afterId: 0, limit: LIVE_INGESTS_MAX };
  return [call('liveIngests', args, { about: 'more' } satisfies StrikeTag)];
}
