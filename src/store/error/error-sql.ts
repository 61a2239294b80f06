/**
 * How a registered error is found by what a result names: built-in ones by name, others by name and job type.
 */

import { reasonText } from '../../domain/reason.ts';
import type { ErrorRef } from '../../domain/task/task-result.ts';

/** What a row keeps beside the error's id; null when the error says it all. */
export function reasonOf(error: ErrorRef | null | undefined): string | null {
  return error?.detail === undefined || error.detail === '' ? null : reasonText(error.detail);
}

/**
 * Expression for the id of the error that row `d` names in `error_name` and `is_builtin`; null where it names
 * none. An error that nobody registered is the built-in `unknown`.
 */
export function errorIdSql(d: string, jobTypeId: string): string {
  return /* sql */ `case when ${d}.error_name is null then null else coalesce(
    (select e.id from error e where e.name = ${d}.error_name and case when ${d}.is_builtin
      then e.job_type_name is null
      else e.job_type_name = (select t.name from job_type t where t.id = ${jobTypeId}) end),
    (select e.id from error e where e.name = 'unknown' and e.job_type_name is null)) end`;
}
