/** `dry_run`: the call answers 200 with what it would do, and changes nothing. */
import { AppError } from '../../domain/errors.ts';
import { flag, type QueryParts, readQuery } from './parameters.ts';

export const DRY_RUN = 'dry_run';

export const dryRun = flag('True: answers 200 with what the call would do, and changes nothing.');

/**
 * Whether the call is a dry run for its route. It reads the one parameter as the route itself reads it, so that both
 * take the same value where there are several. A query that the route refuses is none.
 */
export function isDryRun(parts: QueryParts | undefined, raw: string): boolean {
  if (parts?.[DRY_RUN] !== dryRun) return false;
  try {
    return readQuery({ [DRY_RUN]: dryRun }, raw, 0, 'ignored')[DRY_RUN] === true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
