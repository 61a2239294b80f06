/** Read models of registered errors: built-in ones, and those that manifests declare. */

import {
  Conditions,
  type Listed,
  type ListShape,
  listRecords,
  type MsRange,
  type OrderKey,
  type PageBounds,
  plainOrder,
  textOrder,
} from '../sql/listing.ts';
import { errorRecord } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

export interface ErrorFilter {
  readonly range: MsRange;
  readonly is_builtin: boolean | undefined;
  readonly job_type_name: string | undefined;
  readonly name: string | undefined;
  readonly category: string | undefined;
}

const ERRORS: ListShape = {
  from: 'error e',
  id: 'e.id',
  joins: '',
  record: errorRecord('e'),
  order: {
    ...plainOrder('e', ['id', 'category', 'is_builtin', 'should_be_retried', 'created', 'last_modified']),
    ...textOrder('e', ['name', 'title', 'description', 'job_type_name']),
  },
};
export const ERROR_ORDER = Object.keys(ERRORS.order);

export function listErrors<R extends object>(
  sql: Sql,
  filter: ErrorFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.range(filter.range, 'e.last_modified');
  conditions.flag('e.is_builtin', filter.is_builtin);
  for (const name of ['job_type_name', 'name', 'category'] as const) {
    const value = filter[name];
    if (value !== undefined) conditions.anyOf(`e.${name}`, 'text', [value]);
  }
  return listRecords(sql, ERRORS, conditions, order, page);
}

/** Undefined if there is no such error. */
export async function findError<R extends object>(sql: Sql, id: number): Promise<R | undefined> {
  const text = `select ${errorRecord('e')} as record from error e where e.id = $1`;
  const rows = await sql.execute<{ record: R }>(text, [id]);
  return rows[0]?.record;
}
