/** Waiting for a job. */
import type { Client } from '../../client/client.ts';
import type { AnswerOf } from '../../client/operations.ts';
import type { Context } from '../frame/context.ts';
import { patient, waitFor } from '../frame/waiting.ts';

export type Job = AnswerOf<'get', '/v6/jobs/{id}/'>;

/** Resolves with the job once it is in the wanted state. */
export function jobThat(
  context: Context,
  client: Client,
  id: number,
  isWanted: (job: Job) => boolean,
): Promise<Job> {
  const filters = { kind: ['job' as const, 'execution' as const], job_id: [id] };
  const read = () => client.get('/v6/jobs/{id}/', { path: { id }, ...patient(context) });
  return waitFor(context, client, filters, read, isWanted);
}
