/** What every owner of jobs (recipe, job, strike) is told about the executions of its jobs. */
import type { JobOwner } from '../domain/job/job.ts';
import type { IngestUpdate, ListingPage, SeenFile } from '../domain/node/agent-messages.ts';
import type { TaskResult } from '../domain/task/task-result.ts';
import type { ReplyTo } from '../kernel/mod.ts';

export function ownerAddress(owner: JobOwner): { readonly kind: string; readonly key: string } {
  return { kind: owner.kind, key: String(owner.key) };
}

/** The end of an execution. Answered to the node with `resultsCommitted` after the owner's commit. */
export interface OwnedResult {
  readonly result: TaskResult;
  readonly nodeId: number;
  /** Of the agent's spool; null when the node's actor reports for a lost agent. */
  readonly spoolId: number | null;
}

export interface TaskEnded {
  readonly type: 'taskEnded';
  readonly results: readonly OwnedResult[];
}

/** The end of one ingest execution. */
export interface OwnedIngestResult {
  readonly update: IngestUpdate;
  readonly nodeId: number;
  /** Null when the node's actor reports for a lost agent. */
  readonly spoolId: number | null;
}

export interface IngestsEnded {
  readonly type: 'ingestsEnded';
  readonly results: readonly OwnedIngestResult[];
}

/** A batch from the monitor of a strike. Answered with `filesCommitted`. */
export interface FilesSeenByMonitor {
  readonly type: 'filesSeen';
  readonly executionId: number;
  readonly nodeId: number;
  readonly batch: number;
  readonly files: readonly SeenFile[];
}

/** A page of a listing of the owner's. Answered with `pageCommitted`. */
export interface FilesListed {
  readonly type: 'filesListed';
  readonly nodeId: number;
  readonly page: ListingPage;
}

/** The agent came back without these executions of the owner's: order them again. */
export interface WorkMissing {
  readonly type: 'workMissing';
  readonly nodeId: number;
  readonly executionIds: readonly number[];
}

/** The rows are going: drop what is in memory, which loads no more. Answered `{}`. */
export interface Forget {
  readonly type: 'forget';
}

/** The answer to `cancelJobs` and `requeueJobs`. */
export interface JobsChanged {
  /** Jobs that were canceled or queued again. */
  readonly jobIds: readonly number[];
  /** Jobs whose cancellation is under way and not saved: the request is to be repeated. Absent: none. */
  readonly openJobIds?: readonly number[];
}

/** Cancels jobs; ids of other owners are ignored. Answered `JobsChanged`. */
export interface CancelJobs {
  readonly type: 'cancelJobs';
  readonly jobIds: readonly number[];
  /** Of the request for many jobs; jobs that it or a later one has changed are left alone. Absent: there is none. */
  readonly position?: number;
  /** Who asked, when the message was put off until the actor had loaded again. */
  readonly replyTo?: ReplyTo;
}

/** Queues jobs again. Answered `JobsChanged`. `priority` absent: as configured. */
export interface RequeueJobs {
  readonly type: 'requeueJobs';
  readonly jobIds: readonly number[];
  /** As in `cancelJobs`. */
  readonly position?: number;
  readonly priority?: number;
  readonly replyTo?: ReplyTo;
}
