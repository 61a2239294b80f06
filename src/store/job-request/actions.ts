/** What requests can change of a job. */
import type { JobStatus } from '../../domain/job/job.ts';
import { JOB_IS_OF_DELETED } from '../deletion/guards.ts';
import { expression } from '../sql/fields.ts';

/** The statuses that an action can change. */
export const MOVABLE = {
  cancel: ['PENDING', 'BLOCKED', 'QUEUED', 'RUNNING', 'FAILED'],
  requeue: ['QUEUED', 'RUNNING', 'FAILED', 'CANCELED'],
} as const;

/** Whether something that the job `j` belongs to is deleted: it is not requeued. */
export const OF_DELETED = `exists (select from job_type t where t.id = j.job_type_id and ${JOB_IS_OF_DELETED})`;

/** What a request that names the job `j` would change now, as a JSON list. */
export const JOB_ACTIONS = expression<(keyof typeof MOVABLE)[]>(`to_jsonb(array_remove(array[
  case when ${isIn('requeue')} and not j.is_superseded and not ${OF_DELETED} then 'requeue' end,
  case when ${isIn('cancel')} then 'cancel' end], null))`);

/** The same of a job that was just created: nothing supersedes it. The type of a trial counts as deleted. */
export function actionsOnNewJob(status: JobStatus, isOfDeleted: boolean): (keyof typeof MOVABLE)[] {
  const actions = isOfDeleted ? (['cancel'] as const) : (['requeue', 'cancel'] as const);
  return actions.filter((action) => MOVABLE[action].some((movable) => movable === status));
}

function isIn(action: keyof typeof MOVABLE): string {
  return `j.status in (${MOVABLE[action].map((status) => `'${status}'`).join(', ')})`;
}
