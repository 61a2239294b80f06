/**
 * Lists of the audit. The table grows with every write, so each filter has an index, and the count is limited to a
 * range.
 */

import type { MsRange } from '../../domain/listing/filters.ts';
import { row } from '../sql/fields.ts';
import { listOf } from '../sql/listing.ts';
import type { KnownBy } from './save.ts';

const u = row('audit', 'u');
const FIELDS = {
  ...u.columns('id'),
  ...u.instants('at'),
  ...u.columns('account_id', 'username'),
  known_by: u.oneOf<KnownBy>('known_by'),
  ...u.columns('token_id', 'address', 'request_id', 'method', 'route', 'path', 'record_id', 'status'),
};

export interface AuditFilter {
  readonly range: MsRange;
  readonly username: readonly string[];
  readonly route: readonly string[];
  readonly method: readonly string[];
}

const shape = { rows: u, fields: FIELDS, order: u.order('at', 'id') };

export const listAudit = listOf(shape, (where, filter: AuditFilter) => {
  const names = filter.username.map((name) => name.toLowerCase());
  where.range(filter.range, 'u.at');
  where.anyOf('lower(u.username)', 'text', names);
  where.anyOf('u.route', 'text', filter.route);
  where.anyOf('u.method', 'text', filter.method);
});
