/** Work on its way to the agent. Everything here may be repeated: the agent accepts an execution id once. */

import { ownerOf, ownerText } from '../../domain/job/job-owner.ts';
import type { IngestItem, WorkspaceRef } from '../../domain/node/coordinator-messages.ts';
import type { AssignedExecution } from '../../domain/node/node.ts';
import { type NodeState, noteAssigned, noteUnassigned } from '../../domain/node/node-state.ts';
import { type Ctx, call, stay, timer } from '../../kernel/mod.ts';
import type { CommittedResult, ListingOrder, MonitorOrder } from './node.messages.ts';
import type { LaunchSpecs } from './node.ports.ts';
import { type NodeEffect, type NodeOutcome, nodePorts, send } from './node-effects.ts';
import { failExecutions } from './reports.ts';

/** limit: launches in one read from the store, and in one send to the agent. */
const LAUNCHES_AT_ONCE = 100;
const RETRY_MS = 2_000;

export function launch(state: NodeState, executions: readonly AssignedExecution[]): NodeOutcome {
  for (const one of executions) noteAssigned(state, one);
  return stay(
    state,
    ...buildLaunches(
      state,
      executions.map((one) => one.executionId),
    ),
  );
}

/**
 * Builds and sends the launches of these tasks, a set at a time.
 *
 * poll: without a session nothing is built, because the hello finds the missing ones; failed ones are ordered again
 * (reconcile.ts).
 */
export function buildLaunches(state: NodeState, executionIds: readonly number[]): readonly NodeEffect[] {
  const { session, successor } = state;
  // Until the row names the agent and the boot that would get them, another activation of this actor could give them to
  // the former one, or give them up.
  if (session === null || !state.isActive || successor !== null) return [];
  for (const id of executionIds) session.toBuild.add(id);
  return buildNext(state);
}

function buildNext(state: NodeState): readonly NodeEffect[] {
  const { session } = state;
  if (session === null || session.isBuilding || session.toBuild.size === 0) return [];
  session.isBuilding = true;
  const some: number[] = [];
  for (const id of session.toBuild) {
    if (some.length >= LAUNCHES_AT_ONCE) break;
    some.push(id);
    session.toBuild.delete(id);
  }
  const about = { sessionId: session.id };
  const outcomes = {
    done: 'launchesBuilt',
    failed: 'launchSpecsFailed',
    evenIfReloaded: true,
    about,
  } as const;
  return [call(nodePorts.launchSpecs, some, outcomes)];
}

export function launchesBuilt(
  state: NodeState,
  sessionId: string,
  specs: LaunchSpecs,
  ctx: Ctx,
): NodeOutcome {
  const { session } = state;
  if (session === null || session.id !== sessionId) return stay(state);
  session.isBuilding = false;
  const launches = specs.launches.filter((one) => state.executions.has(one.executionId));
  for (const one of launches) session.sent.add(one.executionId);
  const failed = specs.failed.flatMap((one) => {
    const execution = state.executions.get(one.executionId);
    return execution === undefined ? [] : [{ execution, error: one.error }];
  });
  return stay(state, ...send(state, launches), ...failExecutions(state, failed, ctx), ...buildNext(state));
}

/** They stay unsent, and are ordered again later. */
export function launchesFailed(state: NodeState, sessionId: string): readonly NodeEffect[] {
  if (state.session?.id !== sessionId) return [];
  state.session.isBuilding = false;
  return [timer('order', RETRY_MS, { type: 'orderDue' }), ...buildNext(state)];
}

export function startIngests(
  state: NodeState,
  items: readonly IngestItem[],
  workspaces: readonly WorkspaceRef[],
): NodeOutcome {
  for (const item of items) {
    const owner = ownerOf(item.owner);
    if (owner === undefined) continue;
    const { executionId, jobId, exeNum } = item;
    noteAssigned(state, { executionId, jobId, exeNum, owner, work: 'ingest' });
    state.session?.sent.add(executionId);
  }
  return stay(state, ...send(state, [{ type: 'ingest', items, workspaces }]));
}

export function startMonitor(state: NodeState, order: MonitorOrder): NodeOutcome {
  const owner = { kind: 'strike', key: order.strikeId } as const;
  const { executionId, jobId, exeNum, workspace, transferSuffix, stableMs, sinceMs, listEveryMs } = order;
  noteAssigned(state, { executionId, jobId, exeNum, owner, work: 'monitor' });
  state.session?.sent.add(executionId);
  const message = {
    type: 'monitor',
    executionId,
    owner: ownerText(owner),
    workspace,
    transferSuffix,
    stableMs,
    sinceMs,
    listEveryMs,
  } as const;
  return stay(state, ...send(state, [message]));
}

export function stopMonitor(state: NodeState, executionId: number): NodeOutcome {
  noteUnassigned(state, executionId);
  state.session?.sent.delete(executionId);
  return stay(state, ...send(state, [{ type: 'stopMonitor', executionId }]));
}

/** An execution that both watches and lists remains a monitor for its node. */
export function startListing(
  state: NodeState,
  { jobId, exeNum, owner, ...order }: ListingOrder,
): NodeOutcome {
  const { executionId } = order;
  if (!state.executions.has(executionId))
    noteAssigned(state, { executionId, jobId, exeNum, owner, work: 'listing' });
  state.session?.sent.add(executionId);
  return stay(state, ...send(state, [{ type: 'listFiles', owner: ownerText(owner), ...order }]));
}

export function stopListing(state: NodeState, executionId: number): NodeOutcome {
  if (state.executions.get(executionId)?.work === 'listing') {
    noteUnassigned(state, executionId);
    state.session?.sent.delete(executionId);
  }
  return stay(state, ...send(state, [{ type: 'stopListing', executionId }]));
}

/**
 * The agent reports their end as canceled, which their owners acknowledge as usual. The agent cannot end executions
 * that it was never sent: these are reported from here.
 */
export function kill(state: NodeState, executionIds: readonly number[], ctx: Ctx): NodeOutcome {
  const error = { name: 'node-lost', detail: 'ended before the agent received it' };
  const { session } = state;
  if (session === null) return stay(state);
  const unsent = executionIds.flatMap((id) => {
    const execution = session.sent.has(id) ? undefined : state.executions.get(id);
    return execution === undefined ? [] : [{ execution, error }];
  });
  for (const { execution } of unsent) session.toBuild.delete(execution.executionId);
  const kills = executionIds.map((executionId) => ({ type: 'kill', executionId }) as const);
  return stay(state, ...send(state, kills), ...failExecutions(state, unsent, ctx));
}

/**
 * Owners have committed: the agent may forget the executions, and removes products of void ones. Executions that were
 * given up are ended on the agent in case they still run.
 */
export function resultsCommitted(state: NodeState, items: readonly CommittedResult[]): NodeOutcome {
  const { session } = state;
  const spoolIds: number[] = [];
  const discardExecutionIds: number[] = [];
  const stops: NodeEffect[] = [];
  for (const { executionId, spoolId, isVoid } of items) {
    if (spoolId === null) stops.push(...stopOnAgent(state, executionId));
    else if (session?.reports.get(spoolId) === executionId) {
      // Ids of another agent's spool mean nothing to this one, which would forget something that it has not reported.
      session.reports.delete(spoolId);
      spoolIds.push(spoolId);
      if (isVoid) discardExecutionIds.push(executionId);
    }
    noteUnassigned(state, executionId);
    session?.sent.delete(executionId);
  }
  const acks = spoolIds.length === 0 ? [] : [{ type: 'ack', spoolIds, discardExecutionIds } as const];
  return stay(state, ...stops, ...send(state, acks));
}

const STOPS = { task: 'kill', ingest: 'kill', monitor: 'stopMonitor', listing: 'stopListing' } as const;

/** Ends executions that the agent may be running and that are no longer wanted. */
export function stopOnAgent(state: NodeState, executionId: number): readonly NodeEffect[] {
  const execution = state.executions.get(executionId);
  if (execution === undefined || state.session?.sent.has(executionId) !== true) return [];
  return send(state, [{ type: STOPS[execution.work], executionId }]);
}
