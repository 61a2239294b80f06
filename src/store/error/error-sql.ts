/** SQL that finds a registered error by the name in a result: built-in ones by name, others by name and job type. */

import { reasonText } from '../../domain/reason.ts';
import type { ErrorRef } from '../../domain/task/task-result.ts';

/** The text that a row keeps in addition to the error's id; null if there is none. */
export function reasonOf(error: ErrorRef | null | undefined): string | null {
  return error?.detail === undefined || error.detail === '' ? null : reasonText(error.detail);
}

/**
 * Expression for the id of the error that row `d` names in `error_name` and `is_builtin`; null if it names none. An
 * unregistered error becomes the built-in `unknown`.
 */
export function errorIdSql(d: string, jobTypeId: string): string {
  return /* sql */ `case when ${d}.error_name is null then null else coalesce(
    (select e.id from error e where e.name = ${d}.error_name and case when ${d}.is_builtin
      then e.job_type_name is null
      else e.job_type_name = (select t.name from job_type t where t.id = ${jobTypeId}) end),
    (select e.id from error e where e.name = 'unknown' and e.job_type_name is null)) end`;
}
