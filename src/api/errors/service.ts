/** The error catalog: what its routes need, from the store. */

import { findError, listErrors } from '../../store/error/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { ErrorRouteDeps } from './routes.ts';

export function errorsApp(sql: Sql): ErrorRouteDeps['errors'] {
  return {
    list: (query, order, page) => listErrors(sql, query, order, page),
    find: (id) => findError(sql, id),
  };
}
