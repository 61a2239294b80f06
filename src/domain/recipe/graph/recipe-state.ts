/** The state of a recipe as one word. */
import type { JobStatus } from '../../job/job.ts';
import type { RecipeCounts } from '../recipe-beginning.ts';

/** The most urgent first. A recipe that is not complete has the state of its most urgent jobs, else PENDING. */
export const URGENT_STATES = [
  'FAILED',
  'RUNNING',
  'QUEUED',
  'BLOCKED',
  'CANCELED',
] as const satisfies readonly JobStatus[];

export function recipeStateOf(counts: RecipeCounts, isCompleted: boolean): JobStatus {
  if (isCompleted) return 'COMPLETED';
  return URGENT_STATES.find((state) => (counts[`jobs_${state.toLowerCase()}`] ?? 0) > 0) ?? 'PENDING';
}
