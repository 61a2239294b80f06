/** Job types by the state of their jobs: read from the store. */

import { jobTypeStatus, jobTypesIn, systemFailures } from '../../store/job-type/views.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { JobTypeViewRouteDeps } from './view-routes.ts';

export function jobTypeViewsApp(sql: Sql): JobTypeViewRouteDeps['jobTypeViews'] {
  return {
    status: (isActive, window, page) => jobTypeStatus(sql, isActive, window, page),
    pending: (page) => jobTypesIn(sql, 'PENDING', page),
    running: (page) => jobTypesIn(sql, 'RUNNING', page),
    systemFailures: (page) => systemFailures(sql, page),
  };
}
