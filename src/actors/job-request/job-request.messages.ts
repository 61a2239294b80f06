/** Messages to the actor of one request to cancel or requeue jobs. Its key is the id of the request. */
import type { NewJobRequest } from '../../domain/job/job-request.ts';
import { type Address, type AnsweredWith, address, type Confirmed } from '../../kernel/mod.ts';
import type { Keyed } from '../keyed-answer.ts';

export function jobRequestAddress(id: number): Address<JobRequestMessage> {
  return address('job_request', String(id));
}

export type JobRequestMessage =
  /** An ask with `isNew`. Answered once the request is saved; the jobs follow afterwards. */
  | (Keyed & AnsweredWith<Confirmed> & { readonly type: 'begin'; readonly request: NewJobRequest })
  /** Continues, if anything is left to do. */
  | { readonly type: 'wake' };
