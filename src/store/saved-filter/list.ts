/** Saved filters of an account. */
import { object, row } from '../sql/fields.ts';
import { findRecord, listOf } from '../sql/listing.ts';
import type { Sql } from '../sql/sql.ts';

export interface SavedFilterFilter {
  readonly accountId: number;
  readonly list: readonly string[];
}

const s = row('saved_filter', 's');
const FIELDS = { ...s.columns('id', 'list', 'title', 'search'), ...s.instants('created') };
const order = { ...s.order('id', 'created'), ...s.textOrder('list', 'title') };

export const listSavedFilters = listOf(
  { rows: s, fields: FIELDS, order },
  (where, { accountId, list }: SavedFilterFilter) => {
    where.anyOf('s.account_id', 'bigint', [accountId]);
    where.anyOf('s.list', 'text', list);
  },
);

/** Undefined if the account has no such filter. */
export function findSavedFilter(sql: Sql, accountId: number, id: number) {
  return findRecord(sql, object(FIELDS), 'saved_filter s where s.id = $1 and s.account_id = $2', [
    id,
    accountId,
  ]);
}
