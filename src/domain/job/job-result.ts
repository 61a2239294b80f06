/**
 * Decides the effect of the reported end of an execution on its job. Reports may be late, repeated and out of order; a
 * report counts only for the job's current execution, and only once.
 */

import type { ErrorRef, TaskResult } from '../task/task-result.ts';
import type { DataDocument, ExecutionEnd, JobState } from './job.ts';
import { isLive } from './job-machine.ts';
import { errorOf, isRetryable } from './retry.ts';

export type Judgement =
  | { readonly type: 'completed' }
  | { readonly type: 'failed'; readonly error: ErrorRef; readonly isRetryable: boolean }
  /** The agent gave the execution back: the job is queued again, as if it had not been placed. */
  | { readonly type: 'neverBegan' }
  /** The job completed before: the products are registered, and nothing changes. */
  | { readonly type: 'repeated' }
  /** The execution is not the job's current one, so its stored products have to be removed. */
  | { readonly type: 'void' };

/** `job` is undefined if it does not exist. */
export function judgeResult(
  job: Pick<JobState, 'status' | 'exeNum'> | undefined,
  result: TaskResult,
): Judgement {
  if (job === undefined || job.exeNum !== result.exeNum) return { type: 'void' };
  // The stored products must be kept, even if the report is a failure, because the node counts as lost by now.
  if (job.status === 'COMPLETED') return { type: 'repeated' };
  if (!isLive(job.status)) return { type: 'void' };
  if (result.outcome === 'completed') return { type: 'completed' };
  if (result.neverBegan === true && result.outcome === 'canceled') return { type: 'neverBegan' };
  const error = errorOf(result);
  return { type: 'failed', error, isRetryable: isRetryable(error) };
}

/** Whether no product of the execution is registered, so that the agent has to remove what it stored. */
export function registersNothing(judgement: Judgement): boolean {
  return judgement.type !== 'completed' && judgement.type !== 'repeated';
}

/**
 * The end of the execution's row. A void execution is ended too, as canceled, because it held resources of a node until
 * now. Saving it also ensures that only the job's present owner answers. One that never began has no error either.
 */
export function executionEndOf(
  result: TaskResult,
  judgement: Judgement,
  output: DataDocument | null,
  atMs: number,
): ExecutionEnd {
  const base = { executionId: result.executionId, phases: result.phases, facts: result.facts, atMs };
  switch (judgement.type) {
    case 'completed':
    case 'repeated':
      return { ...base, status: 'COMPLETED', error: null, output };
    case 'failed':
      return { ...base, status: 'FAILED', error: judgement.error, output: null };
    case 'neverBegan':
    case 'void':
      return { ...base, status: 'CANCELED', error: null, output: null };
  }
}
