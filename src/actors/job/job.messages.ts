/** What the owner of a job without a recipe is told. Its key is the job's id. */
import type { NewEvent } from '../../domain/event.ts';
import type { NewJob } from '../../domain/job/job.ts';
import type { SchedulingClass } from '../../domain/scheduling/scheduling-class.ts';
import type { Keyed } from '../keyed-answer.ts';
import type { CancelJobs, Forget, RequeueJobs, TaskEnded } from '../owner.messages.ts';

export function jobAddress(jobId: number): { readonly kind: 'job'; readonly key: string } {
  return { kind: 'job', key: String(jobId) };
}

export type JobMessage =
  /** Asked with `isNew`: a QUEUED job made by `newStandaloneJob`. Answered `{}`. */
  | (Keyed & {
      readonly type: 'queue';
      readonly event: NewEvent;
      readonly job: NewJob;
      readonly class: SchedulingClass;
    })
  | TaskEnded
  | Forget
  | CancelJobs
  | RequeueJobs
  /** Something may have been lost. */
  | { readonly type: 'wake' };
