/**
 * What rows give to this node, what this actor remembers, and what the agent was told: brought together at the
 * agent's hello and at every reconciliation, so that a lost order, a lost answer or a failed read delays work and loses
 * none.
 */

import { isIngestOwner } from '../../domain/ingest/ingest.ts';
import type { Hello } from '../../domain/node/agent-messages.ts';
import type { AssignedExecution } from '../../domain/node/node.ts';
import { type NodeState, noteAssigned, noteUnassigned } from '../../domain/node/node-state.ts';
import { call, stay, type TellEffect, tell } from '../../kernel/mod.ts';
import { ingestOwnerAddress } from '../owner.messages.ts';
import { type NodeEffect, type NodeOutcome, nodePorts, send } from './node-effects.ts';
import { buildLaunches, stopOnAgent } from './work.ts';

/** Work that rows give to this node and the agent lacks is ordered again; what only the agent has is stopped. */
export function reconcile(state: NodeState, hello: Hello): readonly NodeEffect[] {
  const { session } = state;
  if (session === null) return [];
  const tasks = hello.executions.filter((one) => !one.needsLaunch).map((one) => one.executionId);
  const { monitorExecutionIds, ingestExecutionIds, listingExecutionIds } = hello;
  const listings = listingExecutionIds.filter((id) => state.executions.get(id)?.work === 'listing');
  const held = [...tasks, ...monitorExecutionIds, ...ingestExecutionIds, ...listings];
  for (const id of held) if (state.executions.has(id)) session.sent.add(id);
  const kills = [...hello.executions.map((one) => one.executionId), ...ingestExecutionIds]
    .filter((id) => !state.executions.has(id))
    .map((executionId) => ({ type: 'kill', executionId }) as const);
  const stops = monitorExecutionIds
    .filter((id) => !state.executions.has(id))
    .map((executionId) => ({ type: 'stopMonitor', executionId }) as const);
  const ends = listingExecutionIds
    .filter((id) => !state.executions.has(id))
    .map((executionId) => ({ type: 'stopListing', executionId }) as const);
  return [...send(state, [...kills, ...stops, ...ends]), ...orderUnsent(state)];
}

/** Orders what the agent was not told of: tasks from here, the rest by its owners. */
export function orderUnsent(state: NodeState): readonly NodeEffect[] {
  const { session, orphans } = state;
  if (session === null || !state.isActive) return [];
  const unsent = [...state.executions.values()].filter(
    ({ executionId }) => !session.sent.has(executionId) && !orphans.has(executionId),
  );
  const tasks = unsent.filter((one) => one.work === 'task').map((one) => one.executionId);
  const others = unsent.filter((one) => one.work !== 'task');
  return [...buildLaunches(state, tasks), ...tellMissing(state, others)];
}

function tellMissing(state: NodeState, missing: readonly AssignedExecution[]): readonly TellEffect[] {
  const byOwner = Map.groupBy(missing, ({ owner }) => `${owner.kind}/${owner.key}`);
  return [...byOwner.values()].flatMap((list) => {
    const { owner } = list[0] as AssignedExecution;
    if (!isIngestOwner(owner)) return [];
    const executionIds = list.map((one) => one.executionId);
    return [tell(ingestOwnerAddress(owner), { type: 'workMissing', nodeId: state.id, executionIds })];
  });
}

/** Asks rows which executions run here. */
export function askExecutions(state: NodeState): readonly NodeEffect[] {
  if (state.checking !== null) return [];
  state.checking = { added: new Set(), removed: new Set() };
  return [call(nodePorts.assignedTo, state.id, { done: 'executionsRead', failed: 'assignedToFailed' })];
}

/** Rows count, but for what changed since they were asked. */
export function executionsRead(state: NodeState, rows: readonly AssignedExecution[]): NodeOutcome {
  const since = state.checking;
  state.checking = null;
  if (since === null) return stay(state);
  const running = new Set<number>();
  for (const row of rows) {
    running.add(row.executionId);
    if (!state.executions.has(row.executionId) && !since.removed.has(row.executionId))
      noteAssigned(state, row);
  }
  const effects: NodeEffect[] = [];
  for (const executionId of [...state.executions.keys()]) {
    if (running.has(executionId) || since.added.has(executionId)) continue;
    effects.push(...stopOnAgent(state, executionId));
    noteUnassigned(state, executionId);
    state.session?.sent.delete(executionId);
  }
  return stay(state, ...effects, ...orderUnsent(state));
}
