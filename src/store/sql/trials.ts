/**
 * Job types that somebody tries (`job-type/trials.ts`) are few, and gone after an hour. What lists or counts work
 * leaves theirs out.
 */

/**
 * Their ids, read once for a statement. No array: the planner would expect it to hold most job types, and sort whole
 * tables.
 */
const TRIALS = '(select id from job_type where expires is not null)'; // = job_type_trial_idx

/** Whether the id of a job type is not that of a trial. Null, where it is null and there are trials. */
export function isNoTrial(jobTypeId: string): string {
  return `${jobTypeId} not in ${TRIALS}`;
}
