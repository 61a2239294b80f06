/** Reasons that records give of themselves: waits until they are there. */
import type { InterfaceClient } from '../../../support/clients/interface-client.ts';
import { until } from '../until.ts';
import { type JobDetails, jobIs } from './job-types.ts';

export type ReasonedJob = JobDetails & {
  readonly reason: string | null;
  readonly execution: { readonly reason: string | null } | null;
};

/** The job once it has ended. */
export async function endedJob(client: InterfaceClient, id: number): Promise<ReasonedJob> {
  return (await jobIs(client, id, ['FAILED', 'COMPLETED', 'CANCELED'])) as ReasonedJob;
}

/** The reason of the record at the path, once it has the form. */
export async function reasonAt(client: InterfaceClient, path: string, form: RegExp): Promise<string> {
  let last: string | null = null;
  const told = async (): Promise<string | undefined> => {
    last = (await client.get<{ reason: string | null }>(path)).reason;
    return last !== null && form.test(last) ? last : undefined;
  };
  return until(`the reason at ${path} is ${form}`, told).catch((error: Error) => {
    throw new Error(`${error.message}; it was ${last}`);
  });
}
