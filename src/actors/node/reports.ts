/** Reports of the agent on their way to the owners of the work, and reports on behalf of lost agents. */

import { type IngestOwner, isIngestOwner } from '../../domain/ingest/ingest.ts';
import type { JobOwner } from '../../domain/job/job.ts';
import { ownerOf } from '../../domain/job/job-owner.ts';
import type { IngestBytes, IngestUpdate, ListingPage, TaskUpdate } from '../../domain/node/agent-messages.ts';
import type { AssignedExecution } from '../../domain/node/node.ts';
import { type NodeState, REPORTS_MAX } from '../../domain/node/node-state.ts';
import { failedResult, taskResultOf } from '../../domain/task/task-report.ts';
import { type Ctx, stay, tell } from '../../kernel/mod.ts';
import {
  ingestOwnerAddress,
  type OwnedIngestResult,
  type OwnedResult,
  ownerAddress,
} from '../owner.messages.ts';
import { strikeAddress } from '../strike/strike.messages.ts';
import type { AgentNodeMessage } from './node.messages.ts';
import { type NodeEffect, type NodeOutcome, send } from './node-effects.ts';

/** Groups items by owner; items without a readable owner are returned separately. */
function byOwner<T, Owner extends JobOwner>(
  items: readonly T[],
  ownerOfItem: (item: T) => Owner | undefined,
): {
  readonly groups: readonly { readonly owner: Owner; readonly items: readonly T[] }[];
  readonly lost: readonly T[];
} {
  const groups = new Map<string, { owner: Owner; items: T[] }>();
  const lost: T[] = [];
  for (const item of items) {
    const owner = ownerOfItem(item);
    if (owner === undefined) {
      lost.push(item);
      continue;
    }
    const key = `${owner.kind}/${owner.key}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { owner, items: [item] });
    else group.items.push(item);
  }
  return { groups: [...groups.values()], lost };
}

/** Undefined for a text that is not an owner of ingests. */
function ingestOwnerOf(text: string): IngestOwner | undefined {
  const owner = ownerOf(text);
  return owner !== undefined && isIngestOwner(owner) ? owner : undefined;
}

/**
 * Remembers reports on their way, so that this session acknowledges only what its agent reported. Returns those that
 * may pass; the agent repeats the others.
 */
function noted<T extends { readonly spoolId: number; readonly executionId: number }>(
  state: NodeState,
  updates: readonly T[],
  ctx: Ctx,
): readonly T[] {
  const reports = state.session?.reports;
  if (reports === undefined) return [];
  return updates.filter(({ spoolId, executionId }) => {
    const isTaken = reports.has(spoolId) || reports.size < REPORTS_MAX;
    if (isTaken) reports.set(spoolId, executionId);
    else ctx.count('reports_put_off');
    return isTaken;
  });
}

/** Passes ended tasks on. A report with an unreadable owner is a defect of the agent, and is void. */
export function tasksEnded(state: NodeState, updates: readonly TaskUpdate[], ctx: Ctx): NodeOutcome {
  const { groups, lost } = byOwner(noted(state, updates, ctx), (update) => ownerOf(update.owner));
  const tells = groups.map(({ owner, items }) => {
    const results = items.map(
      (update): OwnedResult => ({ result: taskResultOf(update), nodeId: state.id, spoolId: update.spoolId }),
    );
    return tell(ownerAddress(owner), { type: 'taskEnded', results });
  });
  return stay(state, ...tells, ...voidAck(state, lost, ctx));
}

export function ingestsEnded(state: NodeState, updates: readonly IngestUpdate[], ctx: Ctx): NodeOutcome {
  const { groups, lost } = byOwner(noted(state, updates, ctx), (update) => ingestOwnerOf(update.owner));
  const tells = groups.map(({ owner, items }) => {
    const results = items.map(
      (update): OwnedIngestResult => ({ update, nodeId: state.id, spoolId: update.spoolId }),
    );
    return tell(ingestOwnerAddress(owner), { type: 'ingestsEnded', results });
  });
  return stay(state, ...tells, ...voidAck(state, lost, ctx));
}

function voidAck(
  state: NodeState,
  lost: readonly { readonly spoolId: number; readonly executionId: number }[],
  ctx: Ctx,
): readonly NodeEffect[] {
  if (lost.length === 0) return [];
  ctx.count('report_without_owner', lost.length);
  const spoolIds = lost.map((one) => one.spoolId);
  for (const spoolId of spoolIds) state.session?.reports.delete(spoolId);
  return send(state, [{ type: 'ack', spoolIds, discardExecutionIds: lost.map((one) => one.executionId) }]);
}

/** A batch of a monitor that rows assign to this node; another monitor is stopped. */
export function filesSeen(
  state: NodeState,
  message: Extract<AgentNodeMessage, { type: 'filesSeen' }>,
  ctx: Ctx,
): NodeOutcome {
  const { executionId, batch, files } = message;
  const execution = state.executions.get(executionId);
  if (execution?.owner.kind !== 'strike') {
    ctx.count('files_of_stale_monitor');
    return stay(state, ...send(state, [{ type: 'stopMonitor', executionId }]));
  }
  const strike = strikeAddress(execution.owner.key);
  return stay(state, tell(strike, { type: 'filesSeen', executionId, nodeId: state.id, batch, files }));
}

/** A page of a listing that rows assign to this node; another listing is stopped. */
export function filesListed(state: NodeState, page: ListingPage, ctx: Ctx): NodeOutcome {
  const { executionId } = page;
  const execution = state.executions.get(executionId);
  if (execution === undefined || !isIngestOwner(execution.owner)) {
    ctx.count('page_of_stale_listing');
    return stay(state, ...send(state, [{ type: 'stopListing', executionId }]));
  }
  const listed = { type: 'filesListed', nodeId: state.id, page } as const;
  return stay(state, tell(ingestOwnerAddress(execution.owner), listed));
}

export function progressed(state: NodeState, ingests: readonly IngestBytes[]): NodeOutcome {
  const { groups } = byOwner(ingests, (one) => ingestOwnerOf(one.owner));
  const tells = groups.map(({ owner, items }) =>
    tell(ingestOwnerAddress(owner), {
      type: 'ingestsProgressed',
      ingests: items.map(({ ingestId, bytesTransferred }) => ({ ingestId, bytesTransferred })),
    }),
  );
  return stay(state, ...tells);
}

/** An execution that is to end as failed. */
export interface Lost {
  readonly execution: AssignedExecution;
  readonly error: { readonly name: string; readonly detail: string };
}

/** Reports lost executions as failed. They are repeated until their owners have committed. */
export function giveUp(state: NodeState, lost: readonly Lost[], ctx: Ctx): readonly NodeEffect[] {
  ctx.count('executions_given_up', lost.length);
  return failExecutions(state, lost, ctx);
}

export function failExecutions(state: NodeState, failed: readonly Lost[], ctx: Ctx): readonly NodeEffect[] {
  const { groups } = byOwner(failed, (one) => one.execution.owner);
  return groups.flatMap(({ owner, items }) => {
    const ingests = items.filter((one) => one.execution.work === 'ingest');
    const others = items.filter((one) => one.execution.work !== 'ingest');
    const results = others.map(
      ({ execution, error }): OwnedResult => ({
        result: failedResult(execution, error),
        nodeId: state.id,
        spoolId: null,
      }),
    );
    const lostIngests = ingests.map(
      ({ execution, error }): OwnedIngestResult => ({
        update: lostIngest(execution, error, ctx.nowMs),
        nodeId: state.id,
        spoolId: null,
      }),
    );
    return [
      ...(results.length === 0 ? [] : [tell(ownerAddress(owner), { type: 'taskEnded', results })]),
      ...(lostIngests.length === 0 || !isIngestOwner(owner)
        ? []
        : [tell(ingestOwnerAddress(owner), { type: 'ingestsEnded', results: lostIngests })]),
    ];
  });
}

/** `ingestId` 0: the strike finds the ingest by its execution. */
function lostIngest(
  execution: AssignedExecution,
  error: { readonly name: string; readonly detail: string },
  nowMs: number,
): IngestUpdate {
  return {
    type: 'ingestUpdate',
    spoolId: 0,
    ingestId: 0,
    executionId: execution.executionId,
    jobId: execution.jobId,
    exeNum: execution.exeNum,
    owner: '',
    outcome: 'failed',
    workspaceUuid: '',
    path: '',
    size: 0,
    sha256: '',
    startedMs: nowMs,
    endedMs: nowMs,
    error: { name: error.name, isBuiltin: true, detail: error.detail },
  };
}
