/** Messages to every owner of jobs (recipe, job, strike) about the executions of its jobs. */
import type { IngestOwner } from '../domain/ingest/ingest.ts';
import type { JobOwner } from '../domain/job/job.ts';
import type { IngestUpdate, ListingPage, SeenFile } from '../domain/node/agent-messages.ts';
import type { TaskResult } from '../domain/task/task-result.ts';
import { type Address, type AnsweredWith, address, type Confirmed, type ReplyTo } from '../kernel/mod.ts';

/** Accepted by every owner of jobs. */
export type OwnerMessage = TaskEnded | CancelJobs | RequeueJobs;

/** Accepted by owners of ingests in addition. */
export type IngestOwnerMessage = OwnerMessage | IngestsEnded | IngestsProgressed | FilesListed | WorkMissing;

export function ownerAddress(owner: JobOwner): Address<OwnerMessage> {
  return address(owner.kind, String(owner.key));
}

export function ingestOwnerAddress(owner: IngestOwner): Address<IngestOwnerMessage> {
  return address(owner.kind, String(owner.key));
}

/** The end of an execution. Answered to the node with `resultsCommitted` after the owner's commit. */
export interface OwnedResult {
  readonly result: TaskResult;
  readonly nodeId: number;
  /** The id in the agent's spool; null if the node's actor reports for a lost agent. */
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
  /** Null if the node's actor reports for a lost agent. */
  readonly spoolId: number | null;
}

export interface IngestsEnded {
  readonly type: 'ingestsEnded';
  readonly results: readonly OwnedIngestResult[];
}

/** Progress of the transfers of ingests. */
export interface IngestsProgressed {
  readonly type: 'ingestsProgressed';
  readonly ingests: readonly { readonly ingestId: number; readonly bytesTransferred: number }[];
}

/** A batch from the monitor of a strike. Answered with `filesCommitted`. */
export interface FilesSeenByMonitor {
  readonly type: 'filesSeen';
  readonly executionId: number;
  readonly nodeId: number;
  readonly batch: number;
  readonly files: readonly SeenFile[];
}

/** A page of one of the owner's listings. Answered with `pageCommitted`. */
export interface FilesListed {
  readonly type: 'filesListed';
  readonly nodeId: number;
  readonly page: ListingPage;
}

/** The agent has reconnected without these executions of the owner, which have to be ordered again. */
export interface WorkMissing {
  readonly type: 'workMissing';
  readonly nodeId: number;
  readonly executionIds: readonly number[];
}

/** The rows are being removed: the owner drops its state and does not load it again. */
export interface Forget extends AnsweredWith<Confirmed> {
  readonly type: 'forget';
}

/** The answer to `cancelJobs` and `requeueJobs`. */
export interface JobsChanged {
  /** Jobs that were canceled or queued again. */
  readonly jobIds: readonly number[];
  /** Jobs whose cancellation is in progress and not saved, for which the request has to be repeated. Absent: none. */
  readonly openJobIds?: readonly number[];
}

/** Cancels jobs; ids of other owners are ignored. */
export interface CancelJobs extends AnsweredWith<JobsChanged> {
  readonly type: 'cancelJobs';
  readonly jobIds: readonly number[];
  /**
   * The position of the request for many jobs; absent if there is none. Jobs that it or a later one has changed are
   * skipped.
   */
  readonly position?: number;
  /** The asker, if the message was deferred until the actor had loaded again. */
  readonly replyTo?: ReplyTo<JobsChanged>;
}

/**
 * Queues jobs again. Without `priority`: as configured. Without `revision`, each keeps its own. System jobs always keep
 * theirs.
 */
export interface RequeueJobs extends AnsweredWith<JobsChanged> {
  readonly type: 'requeueJobs';
  readonly jobIds: readonly number[];
  /** As in `cancelJobs`. */
  readonly position?: number;
  readonly priority?: number;
  readonly revision?: 'newest';
  /** The owner was loaded after the ask, so it knows the newest revisions. */
  readonly isReloaded?: true;
  readonly replyTo?: ReplyTo<JobsChanged>;
}

/** Whether the owner may have been loaded before the newest revision was saved. */
export function asksForNewest(message: { readonly type: string }): message is RequeueJobs {
  if (message.type !== 'requeueJobs') return false;
  const { revision, isReloaded } = message as RequeueJobs;
  return revision !== undefined && isReloaded !== true;
}
