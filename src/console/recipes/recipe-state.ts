/** What the counts of a recipe say about it. */
import type { components } from '../../client/operations.ts';

type Counted = Pick<
  components['schemas']['Recipe'],
  'completed' | 'is_superseded' | 'jobs_running' | 'jobs_queued' | 'jobs_failed' | 'jobs_canceled'
>;

/** Whether it is not complete, and nothing of it will run without a requeue. It then has no duration. */
export function isHalted(recipe: Counted): boolean {
  const { completed, is_superseded, jobs_running, jobs_queued, jobs_failed, jobs_canceled } = recipe;
  if (completed !== null) return false;
  return is_superseded || (jobs_running + jobs_queued === 0 && jobs_failed + jobs_canceled > 0);
}
