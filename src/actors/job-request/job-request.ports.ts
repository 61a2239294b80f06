/** The ports of requests to cancel or requeue jobs. */
import type { BacklogPage, JobRequest, JobRequestPage } from '../../domain/job/job-request.ts';

export interface JobRequestPorts {
  loadJobRequests(ids: readonly number[]): Promise<ReadonlyMap<number, JobRequest>>;
  /** Requests of these shards that are not done; bounded. */
  dueJobRequests(shards: readonly number[]): Promise<readonly number[]>;
  /** Chooses the next page of jobs, and sends requests to their owners. Repeating a page is harmless. */
  advanceJobRequest(request: JobRequest): Promise<JobRequestPage>;
  /** Sends requests to the owners of the next jobs of the backlog again. Repeating a page is harmless. */
  workOffBacklog(args: {
    readonly request: JobRequest;
    /** Jobs of lower ids; null: from the first. */
    readonly belowId: number | null;
  }): Promise<BacklogPage>;
}
