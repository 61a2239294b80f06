/**
 * Lists of the audit. The table grows with every write, so each filter has an index, and the count is limited to a
 * range.
 */

import {
  Conditions,
  type Listed,
  type ListShape,
  listRecords,
  type MsRange,
  type OrderKey,
  type PageBounds,
} from '../sql/listing.ts';
import { columns, iso, object } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

const NAMES = ['address', 'request_id', 'method', 'route', 'path', 'record_id', 'status'];

const AUDIT: ListShape = {
  from: 'audit u',
  id: 'u.id',
  joins: '',
  record: object({
    id: 'u.id',
    at: iso('u.at'),
    ...columns('u', ['account_id', 'username', 'known_by', 'token_id', ...NAMES]),
  }),
  order: { at: { by: 'u.at' }, id: { by: 'u.id' } },
};

export interface AuditFilter {
  readonly range: MsRange;
  readonly username: readonly string[];
  readonly route: readonly string[];
  readonly method: readonly string[];
}

export function listAudit<R extends object>(
  sql: Sql,
  filter: AuditFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.range(filter.range, 'u.at');
  const names = filter.username.map((name) => name.toLowerCase());
  conditions.anyOf('lower(u.username)', 'text', names);
  conditions.anyOf('u.route', 'text', filter.route);
  conditions.anyOf('u.method', 'text', filter.method);
  return listRecords(sql, AUDIT, conditions, order, page);
}
