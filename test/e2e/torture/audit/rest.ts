/** Whether all has come to its end that will come to one by itself. */
import type { Caller } from '../caller.ts';
import type { Installation } from '../installation.ts';
import type { Ledger } from '../ledger.ts';
import { checkLeftovers, checkNodes } from './leftovers.ts';

const LIVE = ['PENDING', 'QUEUED', 'RUNNING', 'BLOCKED'].map((status) => `status=${status}`).join('&');

interface JobSeen {
  readonly status: string;
  readonly job_type: { readonly name: string };
}

export async function isAtRest(all: Installation, caller: Caller, ledger: Ledger): Promise<boolean> {
  const count = async (path: string) => (await caller.get<{ count: number }>(path)).count;
  const ingested = await count('/v6/ingests/?status=INGESTED&page_size=1');
  const purging = await count('/v6/purges/?is_completed=false&page_size=1');
  if (purging > 0 || ingested < ledger.kept.length) return false;
  const live = await caller.list<JobSeen>(`/v6/jobs/?${LIVE}`);
  const isLive = ({ job_type: { name }, status }: JobSeen) =>
    name !== 'millrace-strike' && !(name === 'millrace-scan' && status === 'PENDING');
  if (live.some(isLive)) return false;
  if ((await count('/v6/recipes/?is_completed=false&is_superseded=false&page_size=1')) > 0) return false;
  const batches = await caller.list<{ is_creation_done: boolean }>('/v6/batches/');
  if (batches.some((batch) => !batch.is_creation_done)) return false;
  const left = [...(await checkLeftovers(all)), ...(await checkNodes(all, caller))];
  return left.length === 0;
}
