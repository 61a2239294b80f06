/** Requests to raise recipe types, as the interface shows them. */
import type { TypeUpdateRouteDeps } from '../http/v6/type-updates.ts';
import { findTypeUpdate, listTypeUpdates } from '../store/queries/type-updates.ts';
import type { Sql } from '../store/sql.ts';

export function typeUpdatesApp(sql: Sql): TypeUpdateRouteDeps['typeUpdates'] {
  return {
    list: (filter, order, page) => listTypeUpdates(sql, filter, order, page),
    find: (id) => findTypeUpdate(sql, id),
  };
}
