/**
 * Requests to cancel or requeue jobs of a strike. Canceling its own job pauses the strike, requeueing it resumes the
 * strike. A canceled ingest ends ERRORED and its file stays where it is; a requeued one is tried again.
 */
import { isPassedBy } from '../../domain/job/job-request.ts';
import type { StrikeState } from '../../domain/strike/strike-state.ts';
import { type Ctx, save, stay } from '../../kernel/mod.ts';
import { dispatch } from '../ingest/dispatch.ts';
import { changeJobs } from '../ingest/ingest-jobs.ts';
import { stampJobs } from '../job-request/stamps.ts';
import type { CancelJobs, RequeueJobs } from '../owner.messages.ts';
import { tryDeferred } from './arrivals.ts';
import { forgetListing } from './listing.ts';
import { endMonitor, queueAgain, RESTARTABLE, wantMonitor } from './monitor.ts';
import { watchQueue } from './queue.ts';
import type { StrikeEffect, StrikeOutcome } from './strike-effects.ts';

export function cancelJobs(state: StrikeState, message: CancelJobs, ctx: Ctx): StrikeOutcome {
  const isOwn = isOwnMeant(state, message) && state.job.status !== 'CANCELED';
  const rest = changeJobs(state, message, { all: [state.job.id], done: isOwn ? [state.job.id] : [] }, ctx);
  return stay(
    state,
    ...(isOwn ? [...pause(state, ctx), ...stampJobs([state.job], message.position)] : []),
    ...rest,
  );
}

export function requeueJobs(state: StrikeState, message: RequeueJobs, ctx: Ctx): StrikeOutcome {
  const isStopped = state.isPaused || state.job.status === 'CANCELED';
  const isOwn = isOwnMeant(state, message) && isStopped;
  const rest = changeJobs(state, message, { all: [state.job.id], done: isOwn ? [state.job.id] : [] }, ctx);
  return stay(
    state,
    ...(isOwn ? [...resume(state, ctx), ...stampJobs([state.job], message.position)] : []),
    ...rest,
  );
}

function isOwnMeant({ job }: StrikeState, { jobIds, position }: CancelJobs | RequeueJobs): boolean {
  return jobIds.includes(job.id) && !isPassedBy(job, position);
}

function pause(state: StrikeState, ctx: Ctx): readonly StrikeEffect[] {
  const atMs = ctx.nowMs;
  state.isPaused = true;
  const effects: StrikeEffect[] = [
    save({ type: 'editStrike', strikeId: state.id, patch: { isPaused: true }, atMs }),
    ...endMonitor(state, null, ctx),
    ...forgetListing(state),
    ...watchQueue(state),
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
    ...watchQueue(state),
    ...dispatch(state, ctx),
    ...tryDeferred(state),
  ];
}
