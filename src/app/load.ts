/** The load over time: what its route needs, from the store. */
import type { LoadRouteDeps } from '../http/v6/load.ts';
import { listLoad } from '../store/queries/load.ts';
import type { Sql } from '../store/sql.ts';

export function loadApp(sql: Sql): LoadRouteDeps['load'] {
  return { list: (query, page) => listLoad(sql, query, page) };
}
