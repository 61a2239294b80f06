/** Requests to cancel or requeue many jobs: which ones are meant, and how far a request has come. */

export const JOB_REQUEST_ACTIONS = ['cancel', 'requeue'] as const;
export type JobRequestAction = (typeof JOB_REQUEST_ACTIONS)[number];

/** Filters that all must hold; of a list any value may. Empty lists and nulls do not restrict. */
export interface JobChoice {
  /** Of `last_modified`, ms since 1970, inclusive. */
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  readonly status: string | null;
  readonly jobIds: readonly number[];
  readonly jobTypeIds: readonly number[];
  readonly jobTypeNames: readonly string[];
  readonly batchIds: readonly number[];
  /** Recipes that hold the job itself. */
  readonly recipeIds: readonly number[];
  readonly errorCategories: readonly string[];
  readonly errorIds: readonly number[];
  readonly isSuperseded: boolean | null;
}

export interface NewJobRequest {
  readonly id: number;
  readonly shard: number;
  readonly action: JobRequestAction;
  readonly choice: JobChoice;
  /** Of requeued jobs; null: as configured. */
  readonly priority: number | null;
  readonly atMs: number;
}

/** A request that is being worked off, from the highest job id downward. */
export interface JobRequest extends Omit<NewJobRequest, 'shard'> {
  /** Jobs of lower ids are still to be looked at; null: none has been yet. */
  readonly beforeId: number | null;
  readonly isDone: boolean;
}

/** What became of one page of a request. */
export interface JobRequestPage {
  /** Where the next page begins; null: there is none. */
  readonly nextBeforeId: number | null;
  /** Jobs whose owners could not be asked. */
  readonly failedCount: number;
}

/** Jobs of system types are meant only by a choice that names jobs or types. */
export function namesJobsOrTypes(choice: JobChoice): boolean {
  return choice.jobIds.length + choice.jobTypeIds.length + choice.jobTypeNames.length > 0;
}

/** A choice without any filter would mean every job there is. */
export function isUnbounded(choice: JobChoice): boolean {
  return Object.values(choice).every(
    (value) => value === null || (Array.isArray(value) && value.length === 0),
  );
}
