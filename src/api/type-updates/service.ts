/** Requests to update recipe types: the service behind their routes. */

import type { Sql } from '../../store/sql/sql.ts';
import { findTypeUpdate, listTypeUpdates } from '../../store/type-update/list.ts';
import type { TypeUpdateRouteDeps } from './routes.ts';

export function typeUpdatesApp(sql: Sql): TypeUpdateRouteDeps['typeUpdates'] {
  return {
    list: (filter, order, page) => listTypeUpdates(sql, filter, order, page),
    find: (id) => findTypeUpdate(sql, id),
  };
}
