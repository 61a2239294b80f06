/**
 * Where a job may go, and what an owner's news does to it. Decides, never does.
 *
 * - PENDING: waits for its parents. No execution number yet (0), no input.
 * - BLOCKED: the same, while something before it failed or was canceled. Moved to and fro by its recipe.
 * - QUEUED: has its input and an execution number; the scheduler may place it. Only here resources are asked for.
 * - RUNNING: placed; its execution is with an agent. The scheduler writes this status: an owner's memory may still
 *   read QUEUED, which is why owners treat the two alike.
 * - FAILED: its last execution failed and no try is left, or its input could not be made (execution number 0).
 * - COMPLETED: its output and products are registered. Final.
 * - CANCELED: by somebody's wish. Requeued if it had been queued, else PENDING again.
 */
import { assert, unreachable } from '../../lib/assert.ts';
import type { JobState, JobStatus } from './job.ts';

/** The documentation's diagram and the CHECK of the job table say the same. */
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
  /** Whether something before a job that waits is in trouble. */
  | { readonly type: 'blocked'; readonly isBlocked: boolean }
  /** All parents are complete and the input is made. */
  | { readonly type: 'inputReady' }
  | { readonly type: 'inputInvalid' }
  | { readonly type: 'taskCompleted'; readonly exeNum: number }
  | { readonly type: 'taskFailed'; readonly exeNum: number; readonly isRetryable: boolean }
  | { readonly type: 'cancelRequested' }
  /** `triesMore`: how many executions it gets on top of those it had. */
  | { readonly type: 'requeueRequested'; readonly triesMore: number };

/** What of a job decides about it. */
export type JobStanding = Pick<JobState, 'id' | 'status' | 'exeNum' | 'maxTries' | 'isSuperseded'>;

export type JobStep =
  | {
      readonly type: 'moved';
      readonly to: JobStatus;
      /** Statuses the row may be in: QUEUED may have become RUNNING. */
      readonly from: readonly JobStatus[];
      readonly exeNum: number;
      readonly maxTries: number;
    }
  /** Late, repeated or pointless: normal on a bus that delivers at least once. */
  | { readonly type: 'ignored' };

const IGNORED: JobStep = Object.freeze({ type: 'ignored' });

/** Whether an execution of it may be queued or running. */
export function isLive(status: JobStatus): boolean {
  return status === 'QUEUED' || status === 'RUNNING';
}

export function isWaiting(status: JobStatus): boolean {
  return status === 'PENDING' || status === 'BLOCKED';
}

export function transition(job: JobStanding, event: JobEvent): JobStep {
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
    case 'cancelRequested':
      return job.status === 'COMPLETED' || job.status === 'CANCELED' ? IGNORED : moved(job, 'CANCELED');
    case 'requeueRequested':
      return requeued(job, event.triesMore);
    default:
      return unreachable(event);
  }
}

/** A job that failed for its input stays so: its parents are complete, their output is what it is. */
function requeued(job: JobStanding, triesMore: number): JobStep {
  if (job.isSuperseded || job.status === 'COMPLETED' || isWaiting(job.status)) return IGNORED;
  if (job.exeNum === 0) return job.status === 'CANCELED' ? moved(job, 'PENDING') : IGNORED;
  return moved(job, 'QUEUED', { exeNum: job.exeNum + 1, maxTries: job.exeNum + triesMore });
}

function isCurrent(job: JobStanding, exeNum: number): boolean {
  return isLive(job.status) && job.exeNum === exeNum;
}

/** The switch above decides; the table polices. Both must agree, or the program is wrong. */
function moved(job: JobStanding, to: JobStatus, over: { exeNum?: number; maxTries?: number } = {}): JobStep {
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
