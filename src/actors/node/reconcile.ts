/**
 * Compares what rows assign to this node, what this actor remembers, and what the agent was sent, at the agent's hello
 * and at every reconciliation. A lost order, a lost answer or a failed read therefore delays work and never loses it.
 */

import { isIngestOwner } from '../../domain/ingest/ingest.ts';
import type { Hello } from '../../domain/node/agent-messages.ts';
import type { AssignedExecution } from '../../domain/node/node.ts';
import { type NodeState, noteAssigned, noteUnassigned } from '../../domain/node/node-state.ts';
import { warnOfUnknown } from '../../domain/node/unknown-executions.ts';
import { type Ctx, call, stay, type TellEffect, tell, timer } from '../../kernel/mod.ts';
import { ingestOwnerAddress } from '../owner.messages.ts';
import { change, type NodeEffect, type NodeOutcome, nodePorts, send } from './node-effects.ts';
import { buildLaunches, stopOnAgent } from './work.ts';

const UNKNOWN_RETRY_MS = 5_000;

/** Work in rows that the agent lacks is ordered again; work that only the agent has is stopped. */
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
  return [
    ...send(state, [...kills, ...stops, ...ends]),
    ...askUnknown(kills.map(({ executionId }) => executionId)),
    ...orderUnsent(state),
  ];
}

/** Asks which of the executions that the agent has to end have no record. */
export function askUnknown(executionIds: readonly number[]): readonly NodeEffect[] {
  if (executionIds.length === 0) return [];
  const outcomes = { done: 'unknownRead', failed: 'unknownExecutionsFailed' } as const;
  return [call(nodePorts.unknownExecutions, executionIds, { ...outcomes, about: { executionIds } })];
}

/** Tells of executions that the agent has ended and that have no record. */
export function unknownRead(state: NodeState, unknown: readonly number[], ctx: Ctx): NodeOutcome {
  if (unknown.length === 0) return stay(state);
  return stay(state, ...change(state, { warnings: warnOfUnknown(state.warnings, unknown, ctx.nowMs) }, ctx));
}

export function retryUnknown(executionIds: readonly number[]): NodeEffect {
  return timer('unknown', UNKNOWN_RETRY_MS, { type: 'unknownDue', executionIds });
}

/** Orders work that was not sent to the agent: tasks from here, other work through its owners. */
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

/** Reads from rows which executions run here. */
export function askExecutions(state: NodeState): readonly NodeEffect[] {
  if (state.checking !== null) return [];
  state.checking = { added: new Set(), removed: new Set() };
  return [call(nodePorts.assignedTo, state.id, { done: 'executionsRead', failed: 'assignedToFailed' })];
}

/** The rows decide, except about what changed since the read began. */
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
