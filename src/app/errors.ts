/** The error catalog: what its routes need, from the store. */
import type { ErrorRouteDeps } from '../http/v6/errors.ts';
import { findError, listErrors } from '../store/queries/errors.ts';
import type { Sql } from '../store/sql.ts';

export function errorsApp(sql: Sql): ErrorRouteDeps['errors'] {
  return {
    list: (query, order, page) => listErrors(sql, query, order, page),
    find: (id) => findError(sql, id),
  };
}
