/**
 * Requests to cancel or requeue jobs of ingests. A canceled ingest ends ERRORED and its file stays where it is; a
 * requeued one is tried again.
 */
import type { Change } from '../../domain/changes.ts';
import {
  canceledIngest,
  type IngestEnd,
  type IngestOfJob,
  type IngestState,
} from '../../domain/ingest/ingest.ts';
import type { IngestOwnerState } from '../../domain/ingest/ingest-owner.ts';
import { admitNew, dismiss } from '../../domain/ingest/ingest-window.ts';
import type { JobMove } from '../../domain/job/job.ts';
import { isPassedBy } from '../../domain/job/job-request.ts';
import { askerOf, type Ctx, call, refuse, reply, save, tell } from '../../kernel/mod.ts';
import { stampJobs } from '../job-request/stamps.ts';
import { nodeAddress } from '../node/node.messages.ts';
import type { CancelJobs, JobsChanged, RequeueJobs } from '../owner.messages.ts';
import { dispatch } from './dispatch.ts';
import { type IngestEffect, type IngestJobsContext, ingestPorts } from './ingest-effects.ts';

/** The owner's own system jobs, and those of them that the request has already changed. */
export interface OwnJobs {
  readonly all: readonly number[];
  readonly done: readonly number[];
}

/** Cancels or requeues jobs of ingests. Their rows are read first, except for the owner's own jobs. */
export function changeJobs(
  state: IngestOwnerState,
  message: CancelJobs | RequeueJobs,
  own: OwnJobs,
  ctx: Ctx,
): readonly IngestEffect[] {
  const about: IngestJobsContext = {
    isCancel: message.type === 'cancelJobs',
    ownJobIds: own.done,
    priority: message.type === 'requeueJobs' ? message.priority : undefined,
    position: message.position,
    replyTo: askerOf<CancelJobs | RequeueJobs>(message, ctx),
  };
  const jobIds = message.jobIds.filter((id) => !own.all.includes(id));
  if (jobIds.length === 0) return answer(about, { jobIds: [] });
  const outcomes = {
    done: 'ingestJobsRead',
    failed: 'ingestsOfJobsFailed',
    evenIfReloaded: true,
    about,
  } as const;
  return [call(ingestPorts.ingestsOfJobs, { owner: state.owner, jobIds }, outcomes)];
}

function answer(
  { replyTo, ownJobIds }: IngestJobsContext,
  { jobIds, openJobIds }: JobsChanged,
): readonly IngestEffect[] {
  if (replyTo === undefined) return [];
  const open = openJobIds === undefined || openJobIds.length === 0 ? {} : { openJobIds };
  return [reply(replyTo, { jobIds: [...ownJobIds, ...jobIds], ...open })];
}

/** Refuses the ask, which may be repeated. */
export function onIngestsOfJobsFailed({ replyTo }: IngestJobsContext): readonly IngestEffect[] {
  const error = { code: 'UNAVAILABLE', message: 'the ingests of the jobs could not be read' };
  return replyTo === undefined ? [] : [refuse(replyTo, error)];
}

/** The combined result of a request. */
interface JobChanges {
  readonly ends: IngestEnd[];
  readonly moves: JobMove[];
  readonly requeued: { readonly ingestId: number; readonly atMs: number }[];
  /** Executions to end, by node. */
  readonly kills: Map<number, number[]>;
  readonly jobIds: number[];
  /** Jobs that are on a node: only the node's report ends them. */
  readonly openJobIds: number[];
}

/**
 * Changes the ingests of the jobs. If their rows have changed since the read, the turn is refused and handled again.
 */
export function onIngestJobsRead(
  state: IngestOwnerState,
  context: IngestJobsContext,
  ingests: readonly IngestOfJob[],
  ctx: Ctx,
): readonly IngestEffect[] {
  const changes = noChanges();
  for (const ingest of ingests) {
    if (isPassedBy(ingest, context.position)) continue;
    if (context.isCancel) cancel(state, changes, ingest, ctx);
    else if (ingest.status === 'ERRORED') requeue(state, changes, ingest, context.priority, ctx);
  }
  return [
    ...effectsOf(changes),
    ...stampJobs(
      changes.moves.map(({ jobId: id }) => ({ id })),
      context.position,
    ),
    ...(changes.requeued.length === 0 ? [] : dispatch(state, ctx)),
    ...answer(context, changes),
  ];
}

export interface CanceledIngests {
  readonly effects: readonly IngestEffect[];
  /** Ingests on nodes: only the node's report ends them. */
  readonly openCount: number;
}

/** Cancels live ingests, given their rows. */
export function cancelLive(
  state: IngestOwnerState,
  ingests: readonly IngestState[],
  ctx: Ctx,
): CanceledIngests {
  const changes = noChanges();
  for (const ingest of ingests)
    cancel(state, changes, { ...ingest, jobStatus: 'QUEUED', requestPosition: null }, ctx);
  return { effects: effectsOf(changes), openCount: changes.openJobIds.length };
}

function noChanges(): JobChanges {
  return { ends: [], moves: [], requeued: [], kills: new Map(), jobIds: [], openJobIds: [] };
}

function effectsOf({ ends, moves, requeued, kills }: JobChanges): readonly IngestEffect[] {
  const saved: Change[] = [
    ...(ends.length === 0 ? [] : [{ type: 'endIngests', ingests: ends } as const]),
    ...(moves.length === 0 ? [] : [{ type: 'moveJobs', moves } as const]),
    ...(requeued.length === 0 ? [] : [{ type: 'requeueIngests', ingests: requeued } as const]),
  ];
  return [
    ...saved.map((change) => save(change)),
    ...[...kills].map(([nodeId, executionIds]) => tell(nodeAddress(nodeId), { type: 'kill', executionIds })),
  ];
}

/**
 * An ingest that is on a node is canceled by the node's report, because its content may be stored already and must then
 * be registered.
 */
function cancel(state: IngestOwnerState, changes: JobChanges, row: IngestOfJob, ctx: Ctx): void {
  const atMs = ctx.nowMs;
  const live = state.window.live.get(row.id);
  if (live?.executionId != null && live.nodeId !== null) {
    live.isCancelWanted = true;
    const ids = changes.kills.get(live.nodeId) ?? [];
    changes.kills.set(live.nodeId, [...ids, live.executionId]);
    changes.jobIds.push(row.jobId);
    changes.openJobIds.push(row.jobId);
    return;
  }
  const exeNum = live?.exeNum ?? row.exeNum;
  const guard = { kind: 'status', jobId: row.jobId, exeNum, to: 'CANCELED', atMs } as const;
  if (live !== undefined || row.status === 'TRANSFERRED') {
    changes.ends.push(canceledIngest(row.id, atMs));
    changes.moves.push({ ...guard, from: ['QUEUED'] });
    if (live !== undefined) dismiss(state.window, live);
  } else if (row.status === 'ERRORED' && row.jobStatus === 'FAILED') {
    changes.moves.push({ ...guard, from: ['FAILED'] });
  } else return;
  changes.jobIds.push(row.jobId);
}

function requeue(
  state: IngestOwnerState,
  changes: JobChanges,
  row: IngestOfJob,
  requestedPriority: number | undefined,
  ctx: Ctx,
): void {
  if (row.jobStatus !== 'FAILED' && row.jobStatus !== 'CANCELED') return;
  const atMs = ctx.nowMs;
  const exeNum = row.exeNum + 1;
  const maxTries = row.exeNum + state.ingestJob.maxTries;
  const priority = requestedPriority ?? state.ingestJob.priority;
  const queueing = { exeNum, priority, maxTries, classKey: null, resources: {}, atMs };
  const { jobId } = row;
  changes.moves.push({
    kind: 'queue',
    jobId,
    from: [row.jobStatus],
    exeNum: row.exeNum,
    queueing,
    input: null,
  });
  changes.requeued.push({ ingestId: row.id, atMs });
  changes.jobIds.push(jobId);
  const waiting = {
    ...row,
    status: 'TRANSFERRED',
    exeNum,
    maxTries,
    executionId: null,
    nodeId: null,
  } as const;
  admitNew(state.window, waiting);
}
