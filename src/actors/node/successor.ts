/**
 * Another agent, or another boot of the host, comes after the one that the row names. What ran under the former one is
 * lost, unless the agent has a record of it. It is given up, and only then does the row name the new one: whoever loads
 * the actor in between finds the difference again. Without that order a task could be launched a second time.
 */
import type { Hello } from '../../domain/node/agent-messages.ts';
import type { AssignedExecution } from '../../domain/node/node.ts';
import { type LossError, type NodeState, noteAssigned } from '../../domain/node/node-state.ts';
import { type Ctx, call, stay } from '../../kernel/mod.ts';
import { change, type NodeEffect, type NodeOutcome, nodePorts, type OfSession } from './node-effects.ts';
import { orderUnsent } from './reconcile.ts';
import { giveUp } from './reports.ts';

const OTHER_AGENT: LossError = { name: 'node-lost', detail: 'the node came back with a new agent' };
const OTHER_BOOT: LossError = {
  name: 'docker-terminated',
  detail: 'the host was restarted, and its agent has no record of the task',
};

/**
 * Compares the agent and the boot of a hello with the last known ones, and gives up what is lost if one of them is
 * another. An unknown boot in the row counts as the same (agents of earlier versions, hosts whose kernel names none).
 * An agent that no longer names its boot counts as having another. If the successor's boot is unknown, one that a later
 * hello names counts as another: the row must name it, because the agent does not sync launches from then on.
 */
export function noteSuccessor(
  state: NodeState,
  { sessionId, hello }: { readonly sessionId: string; readonly hello: Hello },
  ctx: Ctx,
): readonly NodeEffect[] {
  const former = state.successor ?? state;
  const isOtherAgent = former.agentId !== null && former.agentId !== hello.agentId;
  const isKnown = state.successor !== null || (state.bootId !== null && state.bootId !== '');
  const isOtherBoot = isKnown && former.bootId !== hello.bootId;
  if (!isOtherAgent && !isOtherBoot) return [];
  const isBootOnly = !isOtherAgent && (state.successor?.isBootOnly ?? true);
  state.successor = {
    ...{ agentId: hello.agentId, bootId: hello.bootId, sessionId, isBootOnly, search: 'due' },
    held: new Set(isOtherAgent ? [] : hello.executions.map((one) => one.executionId)),
    error: isBootOnly ? OTHER_BOOT : OTHER_AGENT,
  };
  return [...giveUpFormer(state, [...state.executions.values()], ctx), ...searchFormer(state)];
}

/** Gives up those of the executions that are lost with the former agent or boot. */
function giveUpFormer(
  state: NodeState,
  executions: readonly AssignedExecution[],
  ctx: Ctx,
): readonly NodeEffect[] {
  const { successor, orphans } = state;
  if (successor === null) return [];
  const { held, isBootOnly, error } = successor;
  const lost = executions.filter(
    ({ executionId, work }) =>
      !held.has(executionId) && !orphans.has(executionId) && (work === 'task' || !isBootOnly),
  );
  for (const execution of lost) {
    if (!state.executions.has(execution.executionId)) noteAssigned(state, execution);
    orphans.set(execution.executionId, error);
  }
  return giveUp(
    state,
    lost.map((execution) => ({ execution, error })),
    ctx,
  );
}

/**
 * Reads what runs on the node by its rows, after the first hello of the successor: an earlier activation of this actor
 * may have launched executions that this one has not been told of.
 */
export function searchFormer({ id, successor }: NodeState): readonly NodeEffect[] {
  if (successor?.search !== 'due') return [];
  successor.search = 'underWay';
  const about = { sessionId: successor.sessionId };
  return [call(nodePorts.assignedTo, id, { done: 'formerRead', failed: 'formerFailed', about })];
}

export function formerRead(
  state: NodeState,
  { sessionId }: OfSession,
  rows: readonly AssignedExecution[],
  ctx: Ctx,
): NodeOutcome {
  const { successor } = state;
  // Another successor has come meanwhile, with a read of its own.
  if (successor?.sessionId !== sessionId) return stay(state);
  successor.search = 'done';
  return stay(state, ...giveUpFormer(state, rows, ctx), ...settle(state, ctx));
}

/** It is read again when the silence is checked. */
export function formerFailed(state: NodeState, { sessionId }: OfSession): NodeOutcome {
  if (state.successor?.sessionId === sessionId) state.successor.search = 'due';
  return stay(state);
}

/** The row names the successor once nothing of the former one is left. */
export function settle(state: NodeState, ctx: Ctx): readonly NodeEffect[] {
  const { successor, orphans } = state;
  if (successor?.search !== 'done' || orphans.size > 0) return [];
  const { agentId, bootId } = successor;
  state.successor = null;
  return [...change(state, { agentId, bootId }, ctx), ...orderUnsent(state)];
}
