/**
 * What the reported end of an execution means for its job. Reports come late, repeated and out of order: only one of
 * the job's current execution counts, and only once.
 */

import type { ErrorRef, TaskResult } from '../task/task-result.ts';
import type { DataDocument, ExecutionEnd, JobState } from './job.ts';
import { isLive } from './job-machine.ts';
import { errorOf, isRetryable } from './retry.ts';

export type Judgement =
  | { readonly type: 'completed' }
  | { readonly type: 'failed'; readonly error: ErrorRef; readonly isRetryable: boolean }
  /** Counted before, or given up after it counted: its products are registered, nothing changes. */
  | { readonly type: 'repeated' }
  /** The job went on without it: what it stored is to be removed. */
  | { readonly type: 'void' };

/** `job` undefined: it doesn't exist. */
export function judgeResult(
  job: Pick<JobState, 'status' | 'exeNum'> | undefined,
  result: TaskResult,
): Judgement {
  if (job === undefined || job.exeNum !== result.exeNum) return { type: 'void' };
  // Whatever is said of it now (its node may be thought lost): what it stored must stay.
  if (job.status === 'COMPLETED') return { type: 'repeated' };
  if (!isLive(job.status)) return { type: 'void' };
  if (result.outcome === 'completed') return { type: 'completed' };
  const error = errorOf(result);
  return { type: 'failed', error, isRetryable: isRetryable(error) };
}

/** Nothing of it is registered: what it stored, be it a part of what it was to store, is to be removed. */
export function isVoid(judgement: Judgement): boolean {
  return judgement.type === 'void' || judgement.type === 'failed';
}

/**
 * The row of the execution, at its end. A void one is ended too, as canceled: it held a node until now. Saving it also
 * is what makes sure that only the job's present owner answers.
 */
export function executionEndOf(
  result: TaskResult,
  judgement: Judgement,
  output: DataDocument | null,
  atMs: number,
): ExecutionEnd {
  const base = { executionId: result.executionId, phases: result.phases, atMs };
  switch (judgement.type) {
    case 'completed':
    case 'repeated':
      return { ...base, status: 'COMPLETED', error: null, output };
    case 'failed':
      return { ...base, status: 'FAILED', error: judgement.error, output: null };
    case 'void':
      return { ...base, status: 'CANCELED', error: null, output: null };
  }
}
