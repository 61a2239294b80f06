/** What requests to cancel or requeue jobs need of the world. */
import type { JobRequest, JobRequestPage } from '../../domain/job/job-request.ts';

export interface JobRequestPorts {
  loadJobRequests(ids: readonly number[]): Promise<ReadonlyMap<number, JobRequest>>;
  /** Requests of these shards that are not done; bounded. */
  dueJobRequests(shards: readonly number[]): Promise<readonly number[]>;
  /** Chooses the next page of jobs and asks their owners. Doing a page twice does no harm. */
  applyJobRequest(request: JobRequest): Promise<JobRequestPage>;
}
