/** What job types are busy with: read from the store. */
import type { JobTypeViewRouteDeps } from '../http/v6/job-type-views.ts';
import { jobTypeStatus, jobTypesIn, systemFailures } from '../store/queries/job-type-views.ts';
import type { Sql } from '../store/sql.ts';

export function jobTypeViewsApp(sql: Sql): JobTypeViewRouteDeps['jobTypeViews'] {
  return {
    status: (isActive, window, page) => jobTypeStatus(sql, isActive, window, page),
    pending: (page) => jobTypesIn(sql, 'PENDING', page),
    running: (page) => jobTypesIn(sql, 'RUNNING', page),
    systemFailures: (page) => systemFailures(sql, page),
  };
}
