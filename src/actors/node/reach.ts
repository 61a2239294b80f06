/**
 * Which workspaces the node reaches. A directory belongs to a workspace by the marker in it; the first node that
 * sees an unmarked directory of an unclaimed workspace may claim it, so that two hosts' directories of one path are
 * never taken for one.
 */
import type { WorkspaceReach as ReportedReach } from '../../domain/node/agent-messages.ts';
import type { WorkspaceInfo, WorkspaceReach } from '../../domain/node/node.ts';
import type { NodeState } from '../../domain/node/node-state.ts';
import { type Ctx, call, save, stay } from '../../kernel/mod.ts';
import { announce, type NodeEffect, type NodeOutcome, type NodeTag, send } from './node-effects.ts';

/** Reads the workspaces, and then asks the agent about them. */
export function askReach(state: NodeState): readonly NodeEffect[] {
  if (state.session === null) return [];
  return [call('activeWorkspaces', undefined, { about: 'workspaces' } satisfies NodeTag)];
}

/** Asks the agent about all workspaces; `claimIds` get their marker written. */
export function checkWorkspaces(state: NodeState, claimIds: readonly number[]): readonly NodeEffect[] {
  const all = [...state.workspaces.values()];
  const workspaces = all.map((one) => ({
    uuid: one.uuid,
    name: one.name,
    configuration: JSON.stringify(one.configuration),
  }));
  const claimUuids = all.filter((one) => claimIds.includes(one.id)).map((one) => one.uuid);
  return send(state, [{ type: 'checkWorkspaces', workspaces, claimUuids }]);
}

export function reached(state: NodeState, reported: readonly ReportedReach[], ctx: Ctx): NodeOutcome {
  const changed: WorkspaceReach[] = [];
  const claims: number[] = [];
  const releases: number[] = [];
  for (const one of reported) {
    const workspace = state.workspaces.get(one.workspaceUuid);
    if (workspace === undefined) continue;
    const isMine = workspace.claimedNodeId === state.id;
    if (one.isUnmarked && workspace.claimedNodeId === null && !state.claimsFailed.has(workspace.id)) {
      claims.push(workspace.id);
    } else if (one.isUnmarked && isMine) {
      // Claimed, asked, and still without its marker: this node cannot write it, another may.
      state.claimsFailed.add(workspace.id);
      releases.push(workspace.id);
    }
    const reason = one.isReachable ? '' : reasonOf(one, workspace, isMine);
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
  if (releases.length > 0) effects.push(save({ type: 'releaseClaims', nodeId, workspaceIds: releases }));
  if (claims.length > 0) {
    effects.push(
      save({ type: 'claimWorkspaces', nodeId, workspaceIds: claims }, { about: 'claims' } satisfies NodeTag),
    );
  }
  return stay(state, ...effects);
}

function reasonOf(one: ReportedReach, workspace: WorkspaceInfo, isMine: boolean): string {
  if (!one.isUnmarked) return one.reason === '' ? 'unreachable' : one.reason;
  if (workspace.claimedNodeId === null || isMine) return one.reason === '' ? 'not marked yet' : one.reason;
  return `another node's directory holds this workspace (node ${workspace.claimedNodeId}); this one has no marker`;
}

/** Claims are committed: these workspaces are this node's to mark. */
export function claimed(state: NodeState, workspaceIds: readonly number[]): NodeOutcome {
  const workspaces = new Map(state.workspaces);
  for (const [uuid, one] of workspaces) {
    if (workspaceIds.includes(one.id)) workspaces.set(uuid, { ...one, claimedNodeId: state.id });
  }
  state.workspaces = workspaces;
  return stay(state, ...checkWorkspaces(state, workspaceIds));
}
