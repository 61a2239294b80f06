/** Timelines: what their routes need, from the store. */

import { jobTypeTimeline, recipeTypeTimeline } from '../../store/metrics/timelines.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { TimelineRouteDeps } from './routes.ts';

export function timelinesApp(sql: Sql): TimelineRouteDeps['timelines'] {
  return {
    jobTypes: (query) => jobTypeTimeline(sql, query),
    recipeTypes: (query) => recipeTypeTimeline(sql, query),
  };
}
