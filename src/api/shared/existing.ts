/** The record that a path names, or a 404. */
import { AppError } from '../../domain/errors.ts';

/** The record; throws NOT_FOUND if there is none. `what` completes "there is no such …". */
export function existing<T>(record: T | undefined, what: string): T {
  if (record === undefined) throw new AppError('NOT_FOUND', `there is no such ${what}`);
  return record;
}
