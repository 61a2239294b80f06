/** What the owner of a job without a recipe needs of the world. */
import type { StandaloneJob } from '../../domain/job/standalone-job.ts';
import type { OwnedExecution } from '../task-results.ts';

export interface JobPorts {
  loadJobs(jobIds: readonly number[]): Promise<ReadonlyMap<number, StandaloneJob>>;
  /** Jobs of these shards, without a recipe, of which an execution goes on that they went on without; bounded. */
  dueJobs(shards: readonly number[]): Promise<readonly number[]>;
  /** Executions of these jobs that are RUNNING by their rows. */
  runningExecutions(jobIds: readonly number[]): Promise<readonly OwnedExecution[]>;
}
