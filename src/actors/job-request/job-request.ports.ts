/** What requests to cancel or requeue jobs need of the world. */
import type { BacklogPage, JobRequest, JobRequestPage } from '../../domain/job/job-request.ts';

export interface JobRequestPorts {
  loadJobRequests(ids: readonly number[]): Promise<ReadonlyMap<number, JobRequest>>;
  /** Requests of these shards that are not done; bounded. */
  dueJobRequests(shards: readonly number[]): Promise<readonly number[]>;
  /** Chooses the next page of jobs and asks their owners. Doing a page twice does no harm. */
  advanceJobRequest(request: JobRequest): Promise<JobRequestPage>;
  /** Asks the owners of the next jobs of the backlog again. Doing a page twice does no harm. */
  workOffBacklog(args: {
    readonly request: JobRequest;
    /** Jobs of lower ids are meant; null: from the first. */
    readonly belowId: number | null;
  }): Promise<BacklogPage>;
}
