/** The record that a path names, or a 404. */
import { AppError } from '../../domain/errors.ts';

/**
 * The record; throws NOT_FOUND if there is none. `what` and `key` are how the caller has named it: `job` and 7, or
 * `workspace` and its name.
 */
export function existing<T>(record: T | undefined, what: string, key?: number | string): T {
  if (record !== undefined) return record;
  if (key === undefined) throw new AppError('NOT_FOUND', `there is no such ${what}`);
  throw new AppError('NOT_FOUND', `there is no ${what} ${typeof key === 'number' ? key : `'${key}'`}`);
}
