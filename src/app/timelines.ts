/** Timelines: what their routes need, from the store. */
import type { TimelineRouteDeps } from '../http/v6/timelines.ts';
import { jobTypeTimeline, recipeTypeTimeline } from '../store/queries/timelines.ts';
import type { Sql } from '../store/sql.ts';

export function timelinesApp(sql: Sql): TimelineRouteDeps['timelines'] {
  return {
    jobTypes: (query) => jobTypeTimeline(sql, query),
    recipeTypes: (query) => recipeTypeTimeline(sql, query),
  };
}
