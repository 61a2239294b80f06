/** Jobs remember which request for many jobs changed them last, so that neither it nor an earlier one does so again. */
import type { Change } from '../../domain/changes.ts';
import { type Effect, save } from '../../kernel/mod.ts';

/** Goes with the moves of these jobs. Nothing without a position: then no request for many jobs has asked. */
export function stampJobs(
  jobs: readonly { readonly id: number; requestPosition?: number | null }[],
  position: number | undefined,
): Effect<Change>[] {
  if (position === undefined || jobs.length === 0) return [];
  for (const job of jobs) job.requestPosition = position;
  return [save({ type: 'stampJobs', jobIds: jobs.map((job) => job.id), position })];
}
