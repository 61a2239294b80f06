/**
 * The workspaces that the node reaches. A marker ties a directory to a workspace. The first node that sees an unmarked
 * directory of an unclaimed workspace may claim it, so that directories of two hosts with the same path are never
 * confused.
 */
import type { WorkspaceReach as ReportedReach } from '../../domain/node/agent-messages.ts';
import type { WorkspaceInfo, WorkspaceReach } from '../../domain/node/node.ts';
import { DEACTIVATED, type NodeState } from '../../domain/node/node-state.ts';
import { markRefusalOf } from '../../domain/workspace/unmarked.ts';
import { type Ctx, call, save, stay } from '../../kernel/mod.ts';
import { hasElapsed } from '../../lib/elapsed.ts';
import { saveForResult } from '../save-for-result.ts';
import { announce, type NodeEffect, type NodeOutcome, nodePorts, send } from './node-effects.ts';

/** limit: reports of a claimed workspace without its marker before the claim is released. */
const UNMARKED_MAX = 3;
/**
 * How long a node does not claim a workspace whose marker its agent failed to write. Then it tries again, because
 * permissions may have been changed. Of nodes that all fail, each tries at most this often.
 */
const CLAIM_AGAIN_MS = 30_000;

/** Reads the workspaces, and then asks the agent about them. */
export function askWorkspaces(state: NodeState): readonly NodeEffect[] {
  if (state.session === null || state.isAskingWorkspaces) return [];
  state.isAskingWorkspaces = true;
  const outcomes = {
    done: 'workspacesRead',
    failed: 'activeWorkspacesFailed',
    evenIfReloaded: true,
  } as const;
  return [call(nodePorts.activeWorkspaces, undefined, outcomes)];
}

export function workspacesRead(
  state: NodeState,
  workspaces: readonly WorkspaceInfo[],
): readonly NodeEffect[] {
  state.isAskingWorkspaces = false;
  state.workspaces = new Map(workspaces.map((one) => [one.uuid, one]));
  const active = new Set(workspaces.map(({ id }) => id));
  for (const id of state.session?.claimsFailed.keys() ?? []) {
    if (!active.has(id)) state.session?.claimsFailed.delete(id);
  }
  const deactivated = [...state.reachable].filter((id) => !active.has(id));
  for (const id of deactivated) {
    state.reachable.delete(id);
    state.reach.set(id, DEACTIVATED);
  }
  // Work that needs them waits. The rows stay as they are: files can still be read there.
  return [...(deactivated.length > 0 ? [announce(state)] : []), ...checkWorkspaces(state)];
}

/** Asks the agent about all workspaces; those that this node has claimed get their marker if it is missing. */
function checkWorkspaces(state: NodeState): readonly NodeEffect[] {
  const all = [...state.workspaces.values()];
  const workspaces = all.map((one) => ({
    uuid: one.uuid,
    name: one.name,
    configuration: JSON.stringify(one.configuration),
  }));
  const claimUuids = all.filter((one) => isMine(state, one)).map((one) => one.uuid);
  return send(state, [{ type: 'checkWorkspaces', workspaces, claimUuids }]);
}

function isMine(state: NodeState, workspace: WorkspaceInfo): boolean {
  return workspace.claimedNodeId === state.id && state.session?.claimsFailed.has(workspace.id) !== true;
}

export function reached(state: NodeState, reported: readonly ReportedReach[], ctx: Ctx): NodeOutcome {
  const changed: WorkspaceReach[] = [];
  const claims: number[] = [];
  const releases: number[] = [];
  let isRequestedAgain = false;
  for (const one of reported) {
    const workspace = state.workspaces.get(one.workspaceUuid);
    if (workspace === undefined) continue;
    const step = claimStep(state, one, workspace, ctx.nowMs);
    if (step === 'claim') claims.push(workspace.id);
    else if (step === 'release') releases.push(workspace.id);
    else if (step === 'again') isRequestedAgain = true;
    const reason = one.isReachable ? '' : reasonOf(state, one, workspace);
    if (state.reach.get(workspace.id) === reason) continue;
    state.reach.set(workspace.id, reason);
    if (one.isReachable) state.reachable.add(workspace.id);
    else state.reachable.delete(workspace.id);
    changed.push({
      workspaceId: workspace.id,
      isReachable: one.isReachable,
      reason: reason === '' ? null : reason,
    });
  }
  const effects: NodeEffect[] = [];
  const nodeId = state.id;
  if (changed.length > 0) {
    effects.push(save({ type: 'saveReach', nodeId, reach: changed, atMs: ctx.nowMs }), announce(state));
  }
  if (isRequestedAgain) effects.push(...checkWorkspaces(state));
  if (releases.length > 0) {
    noteClaims(state, releases, null);
    effects.push(save({ type: 'releaseClaims', nodeId, workspaceIds: releases }));
  }
  if (claims.length > 0) {
    const claim = { type: 'claimWorkspaces', nodeId, workspaceIds: claims } as const;
    effects.push(saveForResult(claim, 'workspacesClaimed', undefined));
  }
  return stay(state, ...effects);
}

/**
 * What a report means for the claim. A directory with the marker is also claimed in the row, so that no node marks
 * another one. For a claimed directory without its marker the agent is asked again, because the report may be older
 * than the claim. If the marker is still missing then, this node cannot write it, and another node may claim the
 * workspace. If none does, this node tries again after a pause.
 */
function claimStep(
  state: NodeState,
  one: ReportedReach,
  workspace: WorkspaceInfo,
  nowMs: number,
): 'claim' | 'release' | 'again' | undefined {
  const { session } = state;
  if (session === null) return undefined;
  const { id } = workspace;
  if (!one.isUnmarked) session.unmarked.delete(id);
  if (one.isReachable) session.claimsFailed.delete(id);
  const isFree = workspace.claimedNodeId === null;
  if (isFree) {
    const failed = session.claimsFailed.get(id);
    const mayTry = failed === undefined || hasElapsed(failed.atMs, CLAIM_AGAIN_MS, nowMs);
    return one.isReachable || (one.isUnmarked && mayTry) ? 'claim' : undefined;
  }
  if (!one.isUnmarked || !isMine(state, workspace)) return undefined;
  const known = session.unmarked.get(id);
  const times = (known?.times ?? 0) + 1;
  const refusal = markRefusalOf(one) ?? known?.refusal ?? null;
  session.unmarked.set(id, { times, refusal });
  if (times < UNMARKED_MAX) return 'again';
  session.unmarked.delete(id);
  session.claimsFailed.set(id, { atMs: nowMs, refusal });
  return 'release';
}

function reasonOf(state: NodeState, one: ReportedReach, { id, claimedNodeId }: WorkspaceInfo): string {
  if (!one.isUnmarked) return one.reason === '' ? 'unreachable' : one.reason;
  if (claimedNodeId !== null && claimedNodeId !== state.id)
    return `another node's directory holds this workspace (node ${claimedNodeId}); this one has no marker`;
  const { session } = state;
  // Only a try can tell some of the causes, such as a full disk: reports without one do not hide its result.
  const tried = session?.claimsFailed.get(id)?.refusal ?? session?.unmarked.get(id)?.refusal;
  return markRefusalOf(one) ?? tried ?? (one.reason === '' ? 'not marked yet' : one.reason);
}

/** The claims are committed: this node marks these workspaces. */
export function claimed(state: NodeState, workspaceIds: readonly number[]): NodeOutcome {
  if (workspaceIds.length === 0) return stay(state);
  noteClaims(state, workspaceIds, state.id);
  for (const id of workspaceIds) {
    const failed = state.session?.claimsFailed.get(id);
    if (failed === undefined) continue;
    state.session?.claimsFailed.delete(id);
    state.session?.unmarked.set(id, { times: 0, refusal: failed.refusal });
  }
  return stay(state, ...checkWorkspaces(state));
}

function noteClaims(state: NodeState, workspaceIds: readonly number[], claimedNodeId: number | null): void {
  const workspaces = new Map(state.workspaces);
  const ids = new Set(workspaceIds);
  for (const [uuid, one] of workspaces) {
    if (ids.has(one.id)) workspaces.set(uuid, { ...one, claimedNodeId });
  }
  state.workspaces = workspaces;
}
