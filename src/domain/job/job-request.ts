/** Requests to cancel or requeue many jobs: the jobs that they choose, their progress, and their order. */

const JOB_REQUEST_ACTIONS = ['cancel', 'requeue'] as const;
export type JobRequestAction = (typeof JOB_REQUEST_ACTIONS)[number];

/** Filters that must all match; a list matches if it has the job's value. Empty lists and nulls do not restrict. */
export interface JobChoice {
  /** The range of `last_modified`, ms since 1970, inclusive; null = open. */
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  readonly status: string | null;
  readonly jobIds: readonly number[];
  readonly jobTypeIds: readonly number[];
  readonly jobTypeNames: readonly string[];
  /** Batches of the recipes that hold the job at present. */
  readonly batchIds: readonly number[];
  /** Recipes that hold the job itself; for a carried-over job, only the later one. */
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
  /** The priority of requeued jobs; null: as configured. */
  readonly priority: number | null;
  /** Requeued jobs take the newest revision of their job type; null: they keep their revision. */
  readonly revision: 'newest' | null;
  /** The account name of the caller; absent: unknown. */
  readonly asker?: string | null;
  readonly atMs: number;
}

/** The cursor of a request that has passed all jobs. */
export const PASSED_ALL = 0;

/**
 * A request in progress, from the highest job id downward. It has passed a job when the job is settled or in the
 * backlog. It never passes a job before earlier requests that may choose the same job.
 */
export interface JobRequest extends Omit<NewJobRequest, 'shard'> {
  /** Assigned by the database: when one request was sent after the other's answer, it has the higher position. */
  readonly position: number;
  /** Jobs of lower ids are still to be visited; null: none has been visited; PASSED_ALL: none is left. */
  readonly beforeId: number | null;
  /** Whether jobs wait in its backlog. */
  readonly hasBacklog: boolean;
  readonly isDone: boolean;
}

/** A job that a request has passed and that is not settled. */
export interface BacklogJob {
  readonly jobId: number;
  /** The filters chose it; false: an earlier request comes first, after which the filters are applied again. */
  readonly isChosen: boolean;
}

/** The result of one page of a request. */
export interface JobRequestPage {
  /** The cursor of the request after this page. */
  readonly beforeId: number | null;
  readonly added: readonly BacklogJob[];
  /** Nothing could be done: earlier requests come first, or no owner answered. */
  readonly isStalled: boolean;
  /** Every batch that the request names had all its recipes when the jobs of this page were chosen. */
  readonly hasWholeBatches: boolean;
  /** The same for every earlier run of diagnostics that creates jobs which the request may choose. */
  readonly hasWholeRuns: boolean;
}

/** The result of one page of a backlog. */
export interface BacklogPage {
  readonly settled: readonly number[];
  /** Jobs of the page that remain. */
  readonly openCount: number;
  /** The next page has jobs of lower ids; null: this was the last. */
  readonly nextBelowId: number | null;
}

/** Whether a filter names jobs or types. Only then are jobs of system types chosen. */
export function namesJobsOrTypes(choice: JobChoice): boolean {
  return choice.jobIds.length + choice.jobTypeIds.length + choice.jobTypeNames.length > 0;
}

/**
 * Whether a request may choose jobs that do not exist yet and belong to no batch: only their types can choose these.
 */
export function mayChooseFutureJobs(choice: JobChoice): boolean {
  const others = choice.jobIds.length + choice.batchIds.length + choice.recipeIds.length;
  return others === 0 && choice.jobTypeIds.length + choice.jobTypeNames.length > 0;
}

/** Whether the request has no filter, and would choose every job. */
export function isUnbounded(choice: JobChoice): boolean {
  return Object.values(choice).every(
    (value) => value === null || (Array.isArray(value) && value.length === 0),
  );
}

/** Whether a request at this position is too late for a job, because it or a later one has changed the job. */
export function isPassedBy(
  job: { readonly requestPosition?: number | null },
  position: number | undefined,
): boolean {
  return position !== undefined && (job.requestPosition ?? 0) >= position;
}

/**
 * Restrictions on the jobs that a request may choose, by properties that never change; null: no restriction. Two
 * requests that have no common value in one of these parts can never choose the same job. The exception is a
 * carried-over job, which is chosen by other ids from then on; reprocessing therefore waits for earlier requests.
 */
export interface JobScope {
  readonly jobIds: readonly number[] | null;
  readonly jobTypeIds: readonly number[] | null;
  readonly jobTypeNames: readonly string[] | null;
  readonly batchIds: readonly number[] | null;
  readonly recipeIds: readonly number[] | null;
}

/** The scope that follows from the filters. */
export function scopeOf(choice: JobChoice): JobScope {
  const given = <T>(values: readonly T[]): readonly T[] | null => (values.length === 0 ? null : values);
  return {
    jobIds: given(choice.jobIds),
    jobTypeIds: given(choice.jobTypeIds),
    jobTypeNames: given(choice.jobTypeNames),
    batchIds: given(choice.batchIds),
    recipeIds: given(choice.recipeIds),
  };
}

export interface ScopedJob {
  readonly id: number;
  readonly jobTypeId: number;
  readonly jobTypeName: string;
  /** The original batch, and the present one. */
  readonly batchIds: readonly number[];
  readonly recipeIds: readonly number[];
}

/** The scope of a list of jobs. */
export function scopeOfJobs(jobs: readonly ScopedJob[]): JobScope {
  const all = <T>(read: (job: ScopedJob) => T | readonly T[]): T[] => [...new Set(jobs.flatMap(read))];
  return {
    jobIds: all((job) => job.id),
    jobTypeIds: all((job) => job.jobTypeId),
    jobTypeNames: all((job) => job.jobTypeName),
    batchIds: all((job) => job.batchIds),
    recipeIds: all((job) => job.recipeIds),
  };
}
