/** Requests to cancel or requeue many jobs: which ones are meant, how far a request has come, and their order. */

export const JOB_REQUEST_ACTIONS = ['cancel', 'requeue'] as const;
export type JobRequestAction = (typeof JOB_REQUEST_ACTIONS)[number];

/** Filters that all must hold; of a list any value may. Empty lists and nulls do not restrict. */
export interface JobChoice {
  /** The range of `last_modified`, ms since 1970, inclusive; null = open. */
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  readonly status: string | null;
  readonly jobIds: readonly number[];
  readonly jobTypeIds: readonly number[];
  readonly jobTypeNames: readonly string[];
  /** Batches of the recipes that the job lives on in. */
  readonly batchIds: readonly number[];
  /** Recipes that hold the job itself: of a job that a later recipe carried over, that one. */
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
  /** Requeued jobs take the newest revision of their job type; null: they keep theirs. */
  readonly revision: 'newest' | null;
  /** Name of whoever asked; absent: not known. */
  readonly asker?: string | null;
  readonly atMs: number;
}

/** Where the cursor of a request is that has come past all jobs. */
export const PASSED_ALL = 0;

/**
 * A request that is being worked off, from the highest job id downward. It comes past a job when the job is settled or
 * in the backlog, and never before the earlier requests that may mean the same job.
 */
export interface JobRequest extends Omit<NewJobRequest, 'shard'> {
  /** Given by the database: of two requests, one of which was sent after the other's answer, it has the higher one. */
  readonly position: number;
  /** Jobs of lower ids are still to be looked at; null: none has been yet; PASSED_ALL: none is left. */
  readonly beforeId: number | null;
  /** Jobs wait in its backlog. */
  readonly hasBacklog: boolean;
  readonly isDone: boolean;
}

/** A job that a request has come past and that is not settled. */
export interface BacklogJob {
  readonly jobId: number;
  /** The filters chose it; false: an earlier request comes first, after which they are asked again. */
  readonly isChosen: boolean;
}

/** What became of one page of a request. */
export interface JobRequestPage {
  /** The cursor of the request after this page. */
  readonly beforeId: number | null;
  readonly added: readonly BacklogJob[];
  /** Nothing could be done: earlier requests are in the way, or no owner answered. */
  readonly isStalled: boolean;
  /** Every batch that the request names had all its recipes when this page was chosen. */
  readonly hasWholeBatches: boolean;
  /** So did every earlier run of diagnostics that makes jobs which the request may mean. */
  readonly hasWholeRuns: boolean;
}

/** What became of one page of a backlog. */
export interface BacklogPage {
  readonly settled: readonly number[];
  /** Jobs of the page that stay. */
  readonly openCount: number;
  /** The next page has jobs of lower ids; null: this was the last. */
  readonly nextBelowId: number | null;
}

/** Jobs of system types are meant only by a choice that names jobs or types. */
export function namesJobsOrTypes(choice: JobChoice): boolean {
  return choice.jobIds.length + choice.jobTypeIds.length + choice.jobTypeNames.length > 0;
}

/** Jobs that do not exist yet, and belong to no batch, are meant only by their types. */
export function mayMeanComingJobs(choice: JobChoice): boolean {
  const others = choice.jobIds.length + choice.batchIds.length + choice.recipeIds.length;
  return others === 0 && choice.jobTypeIds.length + choice.jobTypeNames.length > 0;
}

/** A choice without any filter would mean every job there is. */
export function isUnbounded(choice: JobChoice): boolean {
  return Object.values(choice).every(
    (value) => value === null || (Array.isArray(value) && value.length === 0),
  );
}

/** Whether a request at this position comes too late for a job: it or a later one has changed the job. */
export function isPassedBy(
  job: { readonly requestPosition?: number | null },
  position: number | undefined,
): boolean {
  return position !== undefined && (job.requestPosition ?? 0) >= position;
}

/**
 * What a request may mean by properties of jobs that never change; null where any value may be meant. Two requests of
 * which any of these parts have no value in common can never mean the same job, but that a job that a later recipe
 * carries over is meant by other ids from then on. Reprocessing waits for the requests that came before.
 */
export interface JobScope {
  readonly jobIds: readonly number[] | null;
  readonly jobTypeIds: readonly number[] | null;
  readonly jobTypeNames: readonly string[] | null;
  readonly batchIds: readonly number[] | null;
  readonly recipeIds: readonly number[] | null;
}

/** The scope of a choice by what its filters say. */
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
  /** That which it was made for, and that which it lives on in. */
  readonly batchIds: readonly number[];
  readonly recipeIds: readonly number[];
}

/** The scope of jobs that are known one by one. */
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
