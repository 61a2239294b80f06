/** Work on its way to the agent. Everything here may be repeated: the agent takes an execution id once. */

import { ownerOf, ownerText } from '../../domain/job/job-owner.ts';
import type { IngestItem, Launch, WorkspaceRef } from '../../domain/node/coordinator-messages.ts';
import type { AssignedExecution } from '../../domain/node/node.ts';
import type { NodeState } from '../../domain/node/node-state.ts';
import { type Ctx, call, stay } from '../../kernel/mod.ts';
import type { CommittedResult, MonitorOrder } from './node.messages.ts';
import type { LaunchSpecs } from './node.ports.ts';
import { type NodeEffect, type NodeOutcome, type NodeTag, send } from './node-effects.ts';
import { failExecutions } from './reports.ts';

/** Launches in one message to the store, and in one write to the agent. */
const LAUNCHES_AT_ONCE = 100;

export function launch(state: NodeState, executions: readonly AssignedExecution[]): NodeOutcome {
  for (const one of executions) state.executions.set(one.executionId, one);
  // poll: without a session nothing is built: the agent's hello shows that these are missing.
  if (state.session === null) return stay(state);
  return stay(state, ...buildLaunches(executions.map((one) => one.executionId)));
}

export function buildLaunches(executionIds: readonly number[]): readonly NodeEffect[] {
  const effects: NodeEffect[] = [];
  for (let at = 0; at < executionIds.length; at += LAUNCHES_AT_ONCE) {
    const some = executionIds.slice(at, at + LAUNCHES_AT_ONCE);
    effects.push(call('launchSpecs', some, { about: 'launches' } satisfies NodeTag));
  }
  return effects;
}

export function launchesBuilt(state: NodeState, specs: LaunchSpecs, ctx: Ctx): NodeOutcome {
  const launches: readonly Launch[] = specs.launches.filter((one) => state.executions.has(one.executionId));
  const failed = specs.failed.flatMap((one) => {
    const execution = state.executions.get(one.executionId);
    return execution === undefined ? [] : [{ execution, error: one.error }];
  });
  return stay(state, ...send(state, launches), ...failExecutions(state, failed, ctx));
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
    state.executions.set(executionId, { executionId, jobId, exeNum, owner, work: 'ingest' });
  }
  return stay(state, ...send(state, [{ type: 'ingest', items, workspaces }]));
}

export function startMonitor(state: NodeState, order: MonitorOrder): NodeOutcome {
  const owner = { kind: 'strike', key: order.strikeId } as const;
  const { executionId, jobId, exeNum, workspace, transferSuffix, stableMs, listEveryMs } = order;
  state.executions.set(executionId, { executionId, jobId, exeNum, owner, work: 'monitor' });
  const message = {
    type: 'monitor',
    executionId,
    owner: ownerText(owner),
    workspace,
    transferSuffix,
    stableMs,
    listEveryMs,
  } as const;
  return stay(state, ...send(state, [message]));
}

export function stopMonitor(state: NodeState, executionId: number): NodeOutcome {
  state.executions.delete(executionId);
  return stay(state, ...send(state, [{ type: 'stopMonitor', executionId }]));
}

/** The agent reports their end as canceled, which their owners acknowledge like any other. */
export function kill(state: NodeState, executionIds: readonly number[]): NodeOutcome {
  const kills = executionIds.map((executionId) => ({ type: 'kill', executionId }) as const);
  return stay(state, ...send(state, kills));
}

/** Owners have committed: the agent may forget, and removes what is void. */
export function resultsCommitted(state: NodeState, items: readonly CommittedResult[]): NodeOutcome {
  for (const item of items) state.executions.delete(item.executionId);
  const spoolIds = items.flatMap((item) => (item.spoolId === null ? [] : [item.spoolId]));
  const discardExecutionIds = items.filter((item) => item.isVoid).map((item) => item.executionId);
  if (spoolIds.length === 0) return stay(state);
  return stay(state, ...send(state, [{ type: 'ack', spoolIds, discardExecutionIds }]));
}
