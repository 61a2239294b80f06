/** Messages to the owner of a job without a recipe. Its key is the job's id. */
import type { NewEvent } from '../../domain/event.ts';
import type { NewJob } from '../../domain/job/job.ts';
import type { SchedulingClass } from '../../domain/scheduling/scheduling-class.ts';
import { type Address, type AnsweredWith, address, type Confirmed } from '../../kernel/mod.ts';
import type { Keyed } from '../keyed-answer.ts';
import type { CancelJobs, Forget, RequeueJobs, TaskEnded } from '../owner.messages.ts';

export function jobAddress(jobId: number): Address<JobMessage> {
  return address('job', String(jobId));
}

export type JobMessage =
  /** Asked with `isNew`: a QUEUED job created by `newStandaloneJob`. */
  | (Keyed &
      AnsweredWith<Confirmed> & {
        readonly type: 'queue';
        readonly event: NewEvent;
        readonly job: NewJob;
        readonly class: SchedulingClass;
      })
  | TaskEnded
  | Forget
  | CancelJobs
  | RequeueJobs
  /** Check for lost messages. */
  | { readonly type: 'wake' };
