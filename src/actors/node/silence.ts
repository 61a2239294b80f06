/**
 * What is checked at every heartbeat interval: the silence of the agent, lost executions, and whether it is time to
 * save `last_seen` and to ask about workspaces. The kernel polls all nodes at once, so these are done together.
 */
import { LAST_SEEN_EVERY_MS, type LossError, type NodeState, pulseOf } from '../../domain/node/node-state.ts';
import { type Ctx, save, stay } from '../../kernel/mod.ts';
import { hasElapsed } from '../../lib/elapsed.ts';
import { change, drop, type NodeEffect, type NodeOutcome } from './node-effects.ts';
import { askWorkspaces } from './reach.ts';
import { giveUp, type Lost } from './reports.ts';
import { searchFormer, settle } from './successor.ts';

/** How often the agent is asked about all workspaces. */
const REACH_MS = 30_000;
/** Lost executions are reported again at this interval, until the owners have committed. */
const GIVE_UP_EVERY_MS = 10_000;

/** Whether the check finds nothing to do. The silence is then measured. */
export function isCalm(state: NodeState, nowMs: number, lostAfterMs: number): boolean {
  const { session, successor, executions, isActive, isOnline } = state;
  const isExpected = session === null ? !isOnline : isOnline && session.heardMs !== null;
  const mayBeLost = executions.size > 0 && (session === null || !isActive || state.orphans.size > 0);
  if (!isExpected || mayBeLost || successor !== null) return false;
  if (isLastSeenDue(state, nowMs) || isReachDue(state, nowMs)) return false;
  state.giveUpInMs = 0;
  measureSilence(state, nowMs, lostAfterMs);
  return true;
}

function isReachDue({ session, workspacesAskedMs }: NodeState, nowMs: number): boolean {
  return session !== null && hasElapsed(workspacesAskedMs, REACH_MS, nowMs);
}

function isLastSeenDue({ session, lastSeenSavedMs }: NodeState, nowMs: number): boolean {
  const heardMs = session?.heardMs ?? null;
  return heardMs !== null && hasElapsed(lastSeenSavedMs, LAST_SEEN_EVERY_MS, nowMs);
}

function saveLastSeen(state: NodeState, ctx: Ctx): readonly NodeEffect[] {
  const heardMs = state.session?.heardMs ?? null;
  if (heardMs === null || !isLastSeenDue(state, ctx.nowMs)) return [];
  state.lastSeenSavedMs = ctx.nowMs;
  // The scheduler does not look at it.
  return [save({ type: 'saveNode', nodeId: state.id, patch: { lastSeenMs: heardMs }, atMs: ctx.nowMs })];
}

/** Returns the time since the last check. */
function measureSilence(state: NodeState, nowMs: number, lostAfterMs: number): number {
  const { session } = state;
  const elapsedMs = Math.min(Math.max(0, nowMs - state.watchedMs), 2 * pulseOf(lostAfterMs).heartbeatMs);
  state.watchedMs = nowMs;
  const isHeard = session !== null && session.heardMs !== null;
  state.silentMs = isHeard ? 0 : state.silentMs + elapsedMs;
  if (session !== null) session.heardMs = null;
  return elapsedMs;
}

/**
 * Checks the silence: an offline node gets no new work, and a lost node's executions are given up. When an
 * administrator deactivates a node, its executions are given up even if its agent is alive.
 */
export function watch(state: NodeState, ctx: Ctx, lostAfterMs: number): NodeOutcome {
  const { offlineAfterMs } = pulseOf(lostAfterMs);
  const effects: NodeEffect[] = [...saveLastSeen(state, ctx)];
  const elapsedMs = measureSilence(state, ctx.nowMs, lostAfterMs);
  if (state.session !== null && state.silentMs >= offlineAfterMs) {
    effects.push(...drop(state, state.session.id));
    state.session = null;
  }
  if (state.session === null && state.isOnline && state.silentMs >= offlineAfterMs)
    effects.push(...change(state, { isOnline: false }, ctx));
  if (isReachDue(state, ctx.nowMs)) {
    state.workspacesAskedMs = ctx.nowMs;
    effects.push(...askWorkspaces(state));
  }
  effects.push(...searchFormer(state), ...settle(state, ctx));
  return stay(state, ...effects, ...giveUpLost(state, elapsedMs, lostAfterMs, ctx));
}

function giveUpLost(
  state: NodeState,
  elapsedMs: number,
  lostAfterMs: number,
  ctx: Ctx,
): readonly NodeEffect[] {
  const isSilent = state.session === null && state.silentMs >= lostAfterMs;
  const lost = lostOf(state, isSilent);
  state.giveUpInMs -= elapsedMs;
  if (lost.length === 0) state.giveUpInMs = 0;
  if (lost.length === 0 || state.giveUpInMs > 0) return [];
  state.giveUpInMs = GIVE_UP_EVERY_MS;
  return giveUp(state, lost, ctx);
}

function lostOf({ executions, orphans, isActive }: NodeState, isSilent: boolean): readonly Lost[] {
  const detail = isSilent ? 'the node is silent' : 'the node was deactivated';
  const all: LossError | undefined = isSilent || !isActive ? { name: 'node-lost', detail } : undefined;
  return [...executions.values()].flatMap((execution) => {
    const error = orphans.get(execution.executionId) ?? all;
    return error === undefined ? [] : [{ execution, error }];
  });
}
