/** What every owner of jobs (recipe, job, strike) is told about the executions of its jobs. */
import type { IngestOwner } from '../domain/ingest/ingest.ts';
import type { JobOwner } from '../domain/job/job.ts';
import type { IngestUpdate, ListingPage, SeenFile } from '../domain/node/agent-messages.ts';
import type { TaskResult } from '../domain/task/task-result.ts';
import { type Address, type AnsweredWith, address, type Confirmed, type ReplyTo } from '../kernel/mod.ts';

/** What every owner of jobs accepts. */
export type OwnerMessage = TaskEnded | CancelJobs | RequeueJobs;

/** What owners of ingests accept as well. */
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
  /** The id of the agent's spool; null when the node's actor reports for a lost agent. */
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

/** How far the transfers of ingests have come. */
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

/** The rows are going: drop what is in memory, which loads no more. */
export interface Forget extends AnsweredWith<Confirmed> {
  readonly type: 'forget';
}

/** The answer to `cancelJobs` and `requeueJobs`. */
export interface JobsChanged {
  /** Jobs that were canceled or queued again. */
  readonly jobIds: readonly number[];
  /** Jobs whose cancellation is under way and not saved: the request is to be repeated. Absent: none. */
  readonly openJobIds?: readonly number[];
}

/** Cancels jobs; ids of other owners are ignored. */
export interface CancelJobs extends AnsweredWith<JobsChanged> {
  readonly type: 'cancelJobs';
  readonly jobIds: readonly number[];
  /**
   * The position of the request for many jobs; absent when there is none. Jobs that it or a later one has changed are
   * left alone.
   */
  readonly position?: number;
  /** Who asked, when the message was put off until the actor had loaded again. */
  readonly replyTo?: ReplyTo<JobsChanged>;
}

/**
 * Queues jobs again. `priority` absent: as configured. `revision` absent: each keeps its own. System jobs do in any
 * case.
 */
export interface RequeueJobs extends AnsweredWith<JobsChanged> {
  readonly type: 'requeueJobs';
  readonly jobIds: readonly number[];
  /** As in `cancelJobs`. */
  readonly position?: number;
  readonly priority?: number;
  readonly revision?: 'newest';
  /** The owner has loaded since it was asked: it knows the newest revisions. */
  readonly isReloaded?: true;
  readonly replyTo?: ReplyTo<JobsChanged>;
}

/** Whether the owner may have been loaded before the newest revision was saved. */
export function asksForNewest(message: { readonly type: string }): message is RequeueJobs {
  if (message.type !== 'requeueJobs') return false;
  const { revision, isReloaded } = message as RequeueJobs;
  return revision !== undefined && isReloaded !== true;
}
