/**
 * Trials of job types (`job-type/trials.ts`) are few, and removed after an hour. Lists and counts of work exclude
 * theirs.
 */
import type { Sql } from './sql.ts';

/**
 * Their ids, read once for a statement. Not an array, which the planner would expect to contain most job types, and
 * sort whole tables.
 */
const TRIALS = '(select id from job_type where expires is not null)'; // = job_type_trial_idx

/** The ids of trials, for statements in which the planner must know how few rows they have. */
export async function trialIds(sql: Sql): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(TRIALS);
  return rows.map(({ id }) => id);
}

/** Whether a job type is not a trial, by its id. Null if the id is null and there are trials. */
export function isNoTrial(jobTypeId: string): string {
  return `${jobTypeId} not in ${TRIALS}`;
}
