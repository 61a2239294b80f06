/** The ports of the owner of a job without a recipe. */
import type { StandaloneJob } from '../../domain/job/standalone-job.ts';
import type { OwnedExecution } from '../task-results.ts';

export interface JobPorts {
  loadJobs(jobIds: readonly number[]): Promise<ReadonlyMap<number, StandaloneJob>>;
  /** Jobs of these shards, without a recipe, with a running execution that is no longer their current one; bounded. */
  dueJobs(shards: readonly number[]): Promise<readonly number[]>;
  /** Executions of these jobs whose rows are RUNNING. */
  runningExecutions(jobIds: readonly number[]): Promise<readonly OwnedExecution[]>;
}
