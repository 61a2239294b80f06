/**
 * The state machine of a job: decides what an event means for a job, and changes nothing itself.
 *
 * - PENDING: waits for its parents. It has no execution number (0) and no input.
 * - BLOCKED: as PENDING, while an earlier job has failed or was canceled. Its recipe moves it between the two.
 * - QUEUED: has its input and an execution number; the scheduler may place it. Resources are requested only in this
 *   status.
 * - RUNNING: placed; its execution is with an agent. The scheduler writes this status while an owner's memory may
 *   still say QUEUED, so owners treat the two alike.
 * - FAILED: its last execution failed and no try is left, or its input could not be made (execution number 0).
 * - COMPLETED: its output and products are registered. Final.
 * - CANCELED: on request. A requeue makes it QUEUED if it had been queued, otherwise PENDING.
 */
import { assert, unreachable } from '../../lib/assert.ts';
import type { JobState, JobStatus } from './job.ts';

/** The diagram in the docs and the CHECK constraint of the job table are the same as this. */
export const NEXT = {
  PENDING: ['BLOCKED', 'QUEUED', 'FAILED', 'CANCELED'],
  BLOCKED: ['PENDING', 'QUEUED', 'FAILED', 'CANCELED'],
  QUEUED: ['RUNNING', 'QUEUED', 'COMPLETED', 'FAILED', 'CANCELED'],
  RUNNING: ['QUEUED', 'COMPLETED', 'FAILED', 'CANCELED'],
  FAILED: ['QUEUED', 'CANCELED'],
  COMPLETED: [],
  CANCELED: ['QUEUED', 'PENDING'],
} as const satisfies Record<JobStatus, readonly JobStatus[]>;

export type JobEvent =
  /** `isBlocked`: an earlier job of the recipe has failed or was canceled. */
  | { readonly type: 'blocked'; readonly isBlocked: boolean }
  /** All parents are complete and the input is made. */
  | { readonly type: 'inputReady' }
  | { readonly type: 'inputInvalid' }
  | { readonly type: 'taskCompleted'; readonly exeNum: number }
  | { readonly type: 'taskFailed'; readonly exeNum: number; readonly isRetryable: boolean }
  /** The agent has not started anything of the execution, which costs no try. */
  | { readonly type: 'taskNeverBegan'; readonly exeNum: number }
  | { readonly type: 'cancelRequested' }
  /** `addedTries`: the number of executions that the job may have in addition to those that it had. */
  | { readonly type: 'requeueRequested'; readonly addedTries: number };

/** The properties of a job that its transitions depend on. */
export type JobProgress = Pick<JobState, 'id' | 'status' | 'exeNum' | 'maxTries' | 'isSuperseded'>;

export type JobStep =
  | {
      readonly type: 'moved';
      readonly to: JobStatus;
      /** Statuses the row may be in: QUEUED may have become RUNNING. */
      readonly from: readonly JobStatus[];
      readonly exeNum: number;
      readonly maxTries: number;
    }
  /** The event is late, repeated or without effect, which is normal when messages are delivered at least once. */
  | { readonly type: 'ignored' };

const IGNORED: JobStep = Object.freeze({ type: 'ignored' });

/** Whether an execution of the job may be queued or running. */
export function isLive(status: JobStatus): boolean {
  return status === 'QUEUED' || status === 'RUNNING';
}

export function isWaiting(status: JobStatus): boolean {
  return status === 'PENDING' || status === 'BLOCKED';
}

export function transition(job: JobProgress, event: JobEvent): JobStep {
  switch (event.type) {
    case 'blocked': {
      const to = event.isBlocked ? 'BLOCKED' : 'PENDING';
      return isWaiting(job.status) && job.status !== to ? moved(job, to) : IGNORED;
    }
    case 'inputReady':
      return isWaiting(job.status) ? moved(job, 'QUEUED', { exeNum: job.exeNum + 1 }) : IGNORED;
    case 'inputInvalid':
      return isWaiting(job.status) ? moved(job, 'FAILED') : IGNORED;
    case 'taskCompleted':
      return isCurrent(job, event.exeNum) ? moved(job, 'COMPLETED') : IGNORED;
    case 'taskFailed':
      if (!isCurrent(job, event.exeNum)) return IGNORED;
      return event.isRetryable && job.exeNum < job.maxTries && !job.isSuperseded
        ? moved(job, 'QUEUED', { exeNum: job.exeNum + 1 })
        : moved(job, 'FAILED');
    case 'taskNeverBegan':
      return isCurrent(job, event.exeNum)
        ? moved(job, 'QUEUED', { exeNum: job.exeNum + 1, maxTries: job.maxTries + 1 })
        : IGNORED;
    case 'cancelRequested':
      return job.status === 'COMPLETED' || job.status === 'CANCELED' ? IGNORED : moved(job, 'CANCELED');
    case 'requeueRequested':
      return requeued(job, event.addedTries);
    default:
      return unreachable(event);
  }
}

/** A job that failed because of its input stays FAILED: its parents are complete and their output does not change. */
function requeued(job: JobProgress, addedTries: number): JobStep {
  if (job.isSuperseded || job.status === 'COMPLETED' || isWaiting(job.status)) return IGNORED;
  if (job.exeNum === 0) return job.status === 'CANCELED' ? moved(job, 'PENDING') : IGNORED;
  return moved(job, 'QUEUED', { exeNum: job.exeNum + 1, maxTries: job.exeNum + addedTries });
}

function isCurrent(job: JobProgress, exeNum: number): boolean {
  return isLive(job.status) && job.exeNum === exeNum;
}

/** Asserts that the table has the transition that the switch above has chosen. */
function moved(job: JobProgress, to: JobStatus, over: { exeNum?: number; maxTries?: number } = {}): JobStep {
  const allowed: readonly JobStatus[] = NEXT[job.status];
  assert(allowed.includes(to), `job ${job.id}: ${job.status} -> ${to}`);
  const from: readonly JobStatus[] = isLive(job.status) ? ['QUEUED', 'RUNNING'] : [job.status];
  return {
    type: 'moved',
    to,
    from,
    exeNum: over.exeNum ?? job.exeNum,
    maxTries: over.maxTries ?? job.maxTries,
  };
}
