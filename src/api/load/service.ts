/** The load over time: what its route needs, from the store. */

import { listLoad } from '../../store/metrics/load-list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { LoadRouteDeps } from './routes.ts';

export function loadApp(sql: Sql): LoadRouteDeps['load'] {
  return { list: (query, page) => listLoad(sql, query, page) };
}
