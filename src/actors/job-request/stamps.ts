/**
 * Records in jobs the last request for many jobs that changed them, so that neither it nor an earlier one changes them
 * again.
 */
import type { Change } from '../../domain/changes.ts';
import { type Effect, save } from '../../kernel/mod.ts';

/**
 * Accompanies the moves of these jobs. Empty without a position, for changes that are not from a request for many jobs.
 */
export function stampJobs(
  jobs: readonly { readonly id: number; requestPosition?: number | null }[],
  position: number | undefined,
): Effect<Change>[] {
  if (position === undefined || jobs.length === 0) return [];
  for (const job of jobs) job.requestPosition = position;
  return [save({ type: 'stampJobs', jobIds: jobs.map((job) => job.id), position })];
}
