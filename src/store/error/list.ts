/** Read models of registered errors: built-in ones, and ones that manifests declare. */

import type { MsRange } from '../../domain/listing/filters.ts';
import { TRIAL_MARK } from '../../domain/manifest/trial.ts';
import { row } from '../sql/fields.ts';
import { findRecord, listOf } from '../sql/listing.ts';
import { errorFields, errorOrder, errorRecord } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

export interface ErrorFilter {
  readonly range: MsRange;
  readonly is_builtin: boolean | undefined;
  readonly job_type_name: string | undefined;
  readonly name: string | undefined;
  readonly category: string | undefined;
}

const e = row('error', 'e');
const order = { ...errorOrder('e'), ...e.order('id', 'category') };

export const listErrors = listOf(
  { rows: e, fields: errorFields('e'), order },
  (where, filter: ErrorFilter) => {
    where.add(`coalesce(e.job_type_name, '') not like '${TRIAL_MARK}%'`);
    where.range(filter.range, 'e.last_modified');
    where.flag('e.is_builtin', filter.is_builtin);
    for (const name of ['job_type_name', 'name', 'category'] as const) {
      const value = filter[name];
      if (value !== undefined) where.anyOf(`e.${name}`, 'text', [value]);
    }
  },
);

/** Undefined if there is no such error. */
export function findError(sql: Sql, id: number) {
  return findRecord(sql, errorRecord('e'), 'error e where e.id = $1', [id]);
}
