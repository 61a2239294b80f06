/**
 * Jobs of a strike that somebody wants canceled or queued again. Its own job: canceled is paused, queued again is
 * resumed. An ingest's job: canceled it ends ERRORED and its file stays where it is; queued again it is tried anew.
 */
import type { Change } from '../../domain/changes.ts';
import type { IngestEnd, IngestOfJob } from '../../domain/ingest/ingest.ts';
import type { JobMove } from '../../domain/job/job.ts';
import { admitNew, dismiss } from '../../domain/strike/ingest-window.ts';
import type { StrikeState } from '../../domain/strike/strike-state.ts';
import { type Ctx, call, refuse, reply, save, stay, tell } from '../../kernel/mod.ts';
import { nodeAddress } from '../node/node.messages.ts';
import type { CancelJobs, RequeueJobs } from '../owner.messages.ts';
import { tryDeferred } from './arrivals.ts';
import { dispatch } from './dispatch.ts';
import { endMonitor, queueAgain, RESTARTABLE, wantMonitor } from './monitor.ts';
import type { StrikeEffect, StrikeOutcome, StrikeTag } from './strike-effects.ts';

type JobsTag = Extract<StrikeTag, { about: 'jobsRead' }>;

export function cancelJobs(state: StrikeState, message: CancelJobs, ctx: Ctx): StrikeOutcome {
  const isOwn = message.jobIds.includes(state.job.id) && state.job.status !== 'CANCELED';
  return wish(state, message, isOwn ? pause(state, ctx) : undefined, ctx);
}

export function requeueJobs(state: StrikeState, message: RequeueJobs, ctx: Ctx): StrikeOutcome {
  const isStopped = state.isPaused || state.job.status === 'CANCELED';
  const isOwn = message.jobIds.includes(state.job.id) && isStopped;
  return wish(state, message, isOwn ? resume(state, ctx) : undefined, ctx);
}

function pause(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  const atMs = ctx.nowMs;
  state.isPaused = true;
  const effects: StrikeEffect[] = [
    save({ type: 'editStrike', strikeId: state.id, patch: { isPaused: true }, atMs }),
    ...endMonitor(state, null, ctx),
  ];
  const { id: jobId, exeNum, status } = state.job;
  if (status !== 'CANCELED') {
    const move = { kind: 'status', jobId, from: RESTARTABLE, exeNum, to: 'CANCELED', atMs } as const;
    state.job.status = 'CANCELED';
    effects.push(save({ type: 'moveJobs', moves: [move] }));
  }
  return effects;
}

function resume(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  state.isPaused = false;
  return [
    save({ type: 'editStrike', strikeId: state.id, patch: { isPaused: false }, atMs: ctx.nowMs }),
    queueAgain(state, ctx),
    ...wantMonitor(state),
    ...dispatch(state, ctx),
    ...tryDeferred(state),
  ];
}

/** `own`: what was done about the strike's own job. Of the other jobs the rows are read first. */
function wish(
  state: StrikeState,
  message: CancelJobs | RequeueJobs,
  own: readonly StrikeEffect[] | undefined,
  ctx: Ctx,
): StrikeOutcome {
  const tag: JobsTag = {
    about: 'jobsRead',
    isCancel: message.type === 'cancelJobs',
    ownJobIds: own === undefined ? [] : [state.job.id],
    priority: message.type === 'requeueJobs' ? message.priority : undefined,
    replyTo: ctx.replyTo,
  };
  const jobIds = message.jobIds.filter((id) => id !== state.job.id);
  const rest =
    jobIds.length === 0 ? answer(tag, []) : [call('ingestsOfJobs', { strikeId: state.id, jobIds }, tag)];
  return stay(state, ...(own ?? []), ...rest);
}

function answer({ replyTo, ownJobIds }: JobsTag, jobIds: readonly number[]): readonly StrikeEffect[] {
  return replyTo === undefined ? [] : [reply(replyTo, { jobIds: [...ownJobIds, ...jobIds] })];
}

/** Whoever asked may ask again. */
export function jobsUnread({ replyTo }: JobsTag): readonly StrikeEffect[] {
  const error = { code: 'UNAVAILABLE', message: 'the ingests of the jobs could not be read' };
  return replyTo === undefined ? [] : [refuse(replyTo, error)];
}

/** What the wish adds up to. */
interface Wishes {
  readonly ends: IngestEnd[];
  readonly moves: JobMove[];
  readonly requeued: { readonly ingestId: number; readonly atMs: number }[];
  /** Executions to be ended, by node. */
  readonly kills: Map<number, number[]>;
  readonly jobIds: number[];
}

/** The ingests of the jobs are read. What changed since then refuses the turn, which is then decided again. */
export function jobsRead(
  state: StrikeState,
  tag: JobsTag,
  ingests: readonly IngestOfJob[],
  ctx: Ctx,
): StrikeOutcome {
  const wishes: Wishes = { ends: [], moves: [], requeued: [], kills: new Map(), jobIds: [] };
  for (const ingest of ingests) {
    if (tag.isCancel) cancel(state, wishes, ingest, ctx);
    else if (ingest.status === 'ERRORED') requeue(state, wishes, ingest, tag.priority, ctx);
  }
  const { ends, moves, requeued, kills } = wishes;
  const changes: Change[] = [
    ...(ends.length === 0 ? [] : [{ type: 'endIngests', ingests: ends } as const]),
    ...(moves.length === 0 ? [] : [{ type: 'moveJobs', moves } as const]),
    ...(requeued.length === 0 ? [] : [{ type: 'requeueIngests', ingests: requeued } as const]),
  ];
  return stay(
    state,
    ...changes.map((change) => save(change)),
    ...[...kills].map(([nodeId, executionIds]) => tell(nodeAddress(nodeId), { type: 'kill', executionIds })),
    ...(requeued.length === 0 ? [] : dispatch(state, ctx)),
    ...answer(tag, wishes.jobIds),
  );
}

/**
 * An ingest that a node works on is canceled by its node's report: it may be stored already, and content that is
 * stored must be registered.
 */
function cancel(state: StrikeState, wishes: Wishes, row: IngestOfJob, ctx: Ctx): void {
  const atMs = ctx.nowMs;
  const live = state.window.live.get(row.id);
  if (live?.executionId != null && live.nodeId !== null) {
    live.isCancelWanted = true;
    const ids = wishes.kills.get(live.nodeId) ?? [];
    wishes.kills.set(live.nodeId, [...ids, live.executionId]);
    wishes.jobIds.push(row.jobId);
    return;
  }
  const exeNum = live?.exeNum ?? row.exeNum;
  const guard = { kind: 'status', jobId: row.jobId, exeNum, to: 'CANCELED', atMs } as const;
  if (live !== undefined || row.status === 'TRANSFERRED') {
    wishes.ends.push({
      ingestId: row.id,
      status: 'ERRORED',
      sourceFileId: null,
      error: null,
      reason: 'canceled',
      bytesTransferred: null,
      finalPath: null,
      atMs,
    });
    wishes.moves.push({ ...guard, from: ['QUEUED'] });
    if (live !== undefined) dismiss(state.window, live);
  } else if (row.status === 'ERRORED' && row.jobStatus === 'FAILED') {
    wishes.moves.push({ ...guard, from: ['FAILED'] });
  } else return;
  wishes.jobIds.push(row.jobId);
}

function requeue(
  state: StrikeState,
  wishes: Wishes,
  row: IngestOfJob,
  wished: number | undefined,
  ctx: Ctx,
): void {
  if (row.jobStatus !== 'FAILED' && row.jobStatus !== 'CANCELED') return;
  const atMs = ctx.nowMs;
  const exeNum = row.exeNum + 1;
  const maxTries = row.exeNum + state.ingestJob.maxTries;
  const priority = wished ?? state.ingestJob.priority;
  const queueing = { exeNum, priority, maxTries, classKey: null, resources: {}, atMs };
  const { jobId } = row;
  wishes.moves.push({
    kind: 'queue',
    jobId,
    from: [row.jobStatus],
    exeNum: row.exeNum,
    queueing,
    input: null,
  });
  wishes.requeued.push({ ingestId: row.id, atMs });
  wishes.jobIds.push(jobId);
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
