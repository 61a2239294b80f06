/** Ingests. Each takes one file from its arrival to a stored source. */
import type { JobOwner, JobStatus } from '../job/job.ts';
import type { ErrorRef } from '../task/task-result.ts';

export const INGEST_STATUSES = [
  'TRANSFERRING',
  'TRANSFERRED',
  'DEFERRED',
  'INGESTING',
  'INGESTED',
  'ERRORED',
  'DUPLICATE',
] as const;
export type IngestStatus = (typeof INGEST_STATUSES)[number];

/** The strike or scan that found the files. */
export type IngestOwner = JobOwner & { readonly kind: 'strike' | 'scan' };

export function isIngestOwner(owner: JobOwner): owner is IngestOwner {
  return owner.kind === 'strike' || owner.kind === 'scan';
}

/** The data that all ingest jobs of a strike or scan share. */
export interface IngestJobTemplate {
  readonly shard: number;
  readonly jobTypeId: number;
  readonly jobTypeRevId: number;
  readonly priority: number;
  readonly maxTries: number;
  readonly timeoutS: number;
}

/** A file that a monitor saw, with the result of the rules. The ids are proposals: a known file keeps its own. */
export interface ArrivalRecord {
  readonly ingestId: number;
  readonly jobId: number;
  readonly eventId: number;
  readonly workspaceId: number;
  readonly filePath: string;
  readonly fileName: string;
  readonly mediaType: string;
  /**
   * TRANSFERRED: a rule matched, its job is queued. DEFERRED: no rule matched. ERRORED: the file vanished while
   * transferring.
   */
  readonly status: 'TRANSFERRING' | 'TRANSFERRED' | 'DEFERRED' | 'ERRORED';
  /** The identity of the content at this path; null while it is transferring. */
  readonly identity: string | null;
  /**
   * The identity of the content seen at this path, complete or not: a monitor that has just begun cannot distinguish.
   */
  readonly seenIdentity: string;
  readonly size: number;
  readonly mtimeMs: number | null;
  readonly firstSeenMs: number;
  readonly tags: readonly string[];
  readonly newWorkspaceId: number | null;
  /** Complete target path, including date directories; null: the file keeps its path. */
  readonly newFilePath: string | null;
  readonly reason: string | null;
  readonly atMs: number;
  /** TRANSFERRED: the node that ingests the file at once if its row is new. Absent: the job waits to be placed. */
  readonly start?: ArrivalStart;
}

export interface ArrivalStart {
  readonly executionId: number;
  readonly nodeId: number;
}

/** The end of one attempt. Accompanies `moveJobs` and `endExecutions` of its job. */
export interface IngestEnd {
  readonly ingestId: number;
  readonly status: 'INGESTED' | 'DUPLICATE' | 'ERRORED' | 'TRANSFERRED';
  readonly sourceFileId: number | null;
  readonly error: ErrorRef | null;
  readonly reason: string | null;
  readonly bytesTransferred: number | null;
  /** The place of the content if it moved to another path than planned. */
  readonly finalPath: string | null;
  readonly atMs: number;
}

/** The end of a canceled ingest, whose file stays where it is. */
export function canceledIngest(ingestId: number, atMs: number): IngestEnd {
  const nothing = { sourceFileId: null, error: null, bytesTransferred: null, finalPath: null };
  return { ingestId, status: 'ERRORED', reason: 'canceled', ...nothing, atMs };
}

/** A live ingest as its owner loads it. */
export interface IngestState {
  readonly id: number;
  readonly jobId: number;
  readonly exeNum: number;
  readonly maxTries: number;
  readonly executionId: number | null;
  readonly nodeId: number | null;
  readonly status: IngestStatus;
  readonly workspaceId: number;
  readonly filePath: string;
  readonly fileName: string;
  readonly mediaType: string;
  readonly identity: string;
  /** When its content was complete; newer content of a path arrived later. */
  readonly arrivedMs: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly tags: readonly string[];
  readonly newWorkspaceId: number | null;
  readonly newFilePath: string | null;
}

/** An ingest, live or not, with the status of its job. */
export interface IngestOfJob extends IngestState {
  readonly jobStatus: JobStatus;
  /** The position of the last request for many jobs that changed the job; null: none has. */
  readonly requestPosition: number | null;
}
