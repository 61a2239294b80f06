/** Job types by the state of their jobs: read from the store. */

import {
  jobTypeStatus,
  pendingJobTypes,
  runningJobTypes,
  systemFailures,
} from '../../store/job-type/views.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { JobTypeViewRouteDeps } from './view-routes.ts';

export function jobTypeViewsApp(sql: Sql): JobTypeViewRouteDeps['jobTypeViews'] {
  return {
    status: (isActive, window, page) => jobTypeStatus(sql, isActive, window, page),
    pending: (page) => pendingJobTypes(sql, page),
    running: (page) => runningJobTypes(sql, page),
    systemFailures: (page) => systemFailures(sql, page),
  };
}
