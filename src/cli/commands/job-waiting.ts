/** Waiting for a job. */
import type { Client } from '../../client/client.ts';
import type { AnswerOf } from '../../client/operations.ts';
import type { Context } from '../frame/context.ts';
import { FOREVER, waitFor } from '../frame/waiting.ts';

export type Job = AnswerOf<'get', '/v6/jobs/{id}/'>;

/** Resolves with the job once it is in the wanted state. */
export function jobThat(
  context: Context,
  client: Client,
  id: number,
  isWanted: (job: Job) => boolean,
): Promise<Job> {
  const { signal } = context;
  const filters = { kind: ['job' as const, 'execution' as const], job_id: [id] };
  const read = () => client.get('/v6/jobs/{id}/', { path: { id }, signal, ...FOREVER });
  return waitFor(context, client, filters, read, isWanted);
}
