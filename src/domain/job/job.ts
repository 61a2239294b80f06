/** Jobs and their executions: statuses, the state that an owner keeps of a job, and the changes of jobs. */

import type { Resources } from '../scheduling/scheduling-class.ts';
import type { ErrorRef, PhaseTime, TaskFacts } from '../task/task-result.ts';

export const JOB_STATUSES = [
  'PENDING',
  'BLOCKED',
  'QUEUED',
  'RUNNING',
  'FAILED',
  'COMPLETED',
  'CANCELED',
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const EXECUTION_STATUSES = ['RUNNING', 'COMPLETED', 'FAILED', 'CANCELED'] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

/** Data passed to a job or recipe: ids of files and JSON values, by parameter name. */
export interface DataDocument {
  readonly files: Readonly<Record<string, readonly number[]>>;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Where the source data of a job or recipe came from; null fields are unknown. */
export interface SourceInfo {
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  readonly sensorClass: string | null;
  readonly sensor: string | null;
  readonly collection: string | null;
  readonly task: string | null;
}

/** Who owns a job: the actor that writes its row. */
export interface JobOwner {
  readonly kind: 'job' | 'recipe' | 'strike' | 'scan';
  readonly key: number;
}

/** A running system execution: a strike's monitor, a scan's listing. */
export interface MonitorExecution {
  readonly executionId: number;
  readonly exeNum: number;
  readonly nodeId: number;
}

/** The values that are fixed for the next execution when a job is queued. */
export interface Queueing {
  readonly exeNum: number;
  readonly priority: number;
  readonly maxTries: number;
  readonly classKey: string | null;
  readonly resources: Resources;
  /** The earliest time of its placement; absent: at once. */
  readonly notBeforeMs?: number;
  /** Since when it waits, if it keeps the place that it had before; absent: since `atMs`. */
  readonly queuedMs?: number;
  readonly atMs: number;
}

/** The input of a job, resolved. */
export interface JobInput {
  readonly input: DataDocument;
  /**
   * `input` as JSON text, if it was serialized on another thread. `input.json` is then left out: it is not read before
   * the job is loaded again.
   */
  readonly inputText?: string;
  readonly inputFileSizeMib: number;
  readonly source: SourceInfo;
}

export interface NewJob {
  readonly id: number;
  readonly shard: number;
  readonly owner: JobOwner;
  readonly jobTypeId: number;
  readonly jobTypeRevId: number;
  readonly eventId: number;
  readonly recipeId: number | null;
  readonly recipeNode: string | null;
  /** Own recipe first, root last: the recipes whose counters the job changes. */
  readonly recipeIds: readonly number[];
  readonly batchId: number | null;
  /** Batches whose metrics it changes; absent: none. */
  readonly batchIds?: readonly number[];
  /** The job that it replaces; absent: none. */
  readonly supersededJobId?: number | null;
  readonly status: 'PENDING' | 'BLOCKED' | 'QUEUED';
  readonly maxTries: number;
  readonly priority: number;
  /** The time limit of the main task, in seconds; 0 = none. */
  readonly timeoutS: number;
  /** The job's own configuration; null = its type's. */
  readonly configuration: Readonly<Record<string, unknown>> | null;
  /** Both present exactly when the status is QUEUED. */
  readonly queueing: Queueing | null;
  readonly input: JobInput | null;
  readonly atMs: number;
}

/** The revision of its job type that a job has from now on, with its time limit. */
export interface JobRevision {
  readonly jobTypeRevId: number;
  readonly timeoutS: number;
}

/**
 * A guarded transition of one job. `from` and `exeNum` are the guard: the row must be in one of the statuses and, if
 * `exeNum` is a number, at that execution number. Without `revision` the job keeps its own.
 */
export type JobMove =
  /**
   * Into the queue: first time, retry, or requeue. `input` is null if the row keeps its input. Clears node, error,
   * started, ended.
   */
  | {
      readonly kind: 'queue';
      readonly jobId: number;
      readonly from: readonly JobStatus[];
      readonly exeNum: number;
      readonly queueing: Queueing;
      readonly input: JobInput | null;
      readonly revision?: JobRevision;
    }
  | {
      readonly kind: 'end';
      readonly jobId: number;
      readonly from: readonly JobStatus[];
      readonly exeNum: number;
      readonly to: 'COMPLETED' | 'FAILED';
      readonly error: ErrorRef | null;
      readonly output: DataDocument | null;
      /** The duration of the main task, in ms; absent: it did not run, or it is unknown. */
      readonly seedMs?: number | null;
      readonly revision?: JobRevision;
      readonly atMs: number;
    }
  /** PENDING <-> BLOCKED, any status but COMPLETED -> CANCELED, CANCELED -> PENDING. CANCELED clears error and node. */
  | {
      readonly kind: 'status';
      readonly jobId: number;
      readonly from: readonly JobStatus[];
      readonly exeNum: number | null;
      readonly to: 'PENDING' | 'BLOCKED' | 'CANCELED';
      readonly revision?: JobRevision;
      readonly atMs: number;
    };

/** One execution begins: the job goes QUEUED -> RUNNING if it still is at `exeNum`. */
export interface ExecutionStart {
  readonly executionId: number;
  readonly jobId: number;
  readonly exeNum: number;
  readonly nodeId: number;
  readonly atMs: number;
}

/** One execution that the scheduler begins. */
export interface PlacedStart extends ExecutionStart {
  /** The limit of the job's type by which it was decided; null = none. */
  readonly maxScheduled: number | null;
}

/** One execution ends. Accompanies the job's move. */
export interface ExecutionEnd {
  readonly executionId: number;
  readonly status: 'COMPLETED' | 'FAILED' | 'CANCELED';
  readonly error: ErrorRef | null;
  /** Ids of product files by output name and JSON values; null when there is none. */
  readonly output: DataDocument | null;
  readonly phases: readonly PhaseTime[];
  /** Absent: an execution without a task. */
  readonly facts?: TaskFacts;
  readonly atMs: number;
}

/** The system job of a strike or scan, as its owner keeps it. */
export interface SystemJob {
  readonly id: number;
  status: JobStatus;
  exeNum: number;
  /** As in `JobState`. */
  requestPosition?: number | null;
}

/**
 * A job as its owner keeps it in memory. It may say QUEUED while the row is RUNNING, because the scheduler places jobs.
 */
export interface JobState {
  readonly id: number;
  readonly jobTypeId: number;
  /** Differs from the recipe's revision after a requeue with the newest one. */
  jobTypeRevId: number;
  readonly recipeId: number | null;
  readonly recipeNode: string | null;
  recipeIds: readonly number[];
  readonly batchId: number | null;
  readonly eventId: number;
  readonly configuration: Readonly<Record<string, unknown>> | null;
  isSuperseded: boolean;
  /** The job that it replaces; absent: none. */
  readonly supersededJobId?: number | null;
  /** The position of the last request for many jobs that changed it; absent or null: none has. */
  requestPosition?: number | null;
  status: JobStatus;
  exeNum: number;
  maxTries: number;
  /** Since when it waits, or waited for its last execution; absent or null: it was never queued. */
  queuedMs?: number | null;
  /** Known once it was queued. */
  source: SourceInfo | null;
  input: DataDocument | null;
  output: DataDocument | null;
}

/** An addition to a job's reason, without a transition. */
export interface JobNote {
  readonly jobId: number;
  readonly reason: string;
  readonly atMs: number;
}
