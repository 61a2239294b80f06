/** `/v6/timeline/`: how many jobs and recipes started on each day, by type. */
import { Type } from '@sinclair/typebox';
import { integers, texts } from '../../http/request/parameters.ts';
import { type TimeRange, timeRange } from '../../http/request/time-range.ts';
import { defineRoute, type RouteRequest, reply } from '../../http/route.ts';
import { id, instant, integer, named } from '../../http/schema.ts';
import { assert } from '../../lib/assert.ts';
import { type DayRange, jobTypeTimeline, recipeTypeTimeline } from '../../store/metrics/timelines.ts';
import type { Parts } from '../parts.ts';
import { count } from '../shared/records.ts';

const results = Type.Array(
  Type.Object({ date: instant('The day: its midnight, UTC.'), count: integer({ minimum: 1 }) }),
  { description: 'Days with starts, the oldest first.' },
);
const RecipeTypeTimeline = named(
  'RecipeTypeTimeline',
  Type.Object({
    recipe_type_id: id(),
    name: Type.String(),
    title: Type.String(),
    revision_num: integer({ minimum: 1, description: 'The revision that its recipes were created with.' }),
    results,
  }),
);
const JobTypeTimeline = named(
  'JobTypeTimeline',
  Type.Object({
    job_type_id: id(),
    name: Type.String(),
    version: Type.String(),
    title: Type.String(),
    revision_num: integer({ minimum: 1, description: 'The newest revision; jobs of all are counted.' }),
    results,
  }),
);

const filters = {
  range: timeRange({ isStartRequired: true }),
  id: integers('Ids of the types.', { minimum: 1 }),
  name: texts('Names of the types.'),
};

const DESCRIPTION = 'Whole days from that of `started` to that of `ended`, both included, in UTC.';

function daysOf({ startedMs, endedMs }: TimeRange, request: RouteRequest): DayRange {
  assert(startedMs !== undefined, 'a required start');
  return { startedMs, endedMs: endedMs ?? request.nowMs };
}

const recipeTypes = defineRoute({
  method: 'GET',
  path: '/v6/timeline/recipe-types/',
  summary: 'Recipes created by day, by recipe type',
  description: `${DESCRIPTION} Each revision of a type is an item.`,
  query: { ...filters, rev: integers('Numbers of revisions.', { minimum: 1 }) },
  replies: { 200: Type.Object({ count, results: Type.Array(RecipeTypeTimeline) }) },
  async handle({ query, request }, { sql }: Parts<'sql'>) {
    const found = await recipeTypeTimeline(sql, { ...query, range: daysOf(query.range, request) });
    return reply(200, { count: found.count, results: [...found.results] });
  },
});

const jobTypes = defineRoute({
  method: 'GET',
  path: '/v6/timeline/job-types/',
  summary: 'Jobs started by day, by job type',
  description: `${DESCRIPTION} A job that was tried again counts on the day of its last start.`,
  query: { ...filters, version: texts('Versions of the job types.') },
  replies: { 200: Type.Object({ count, results: Type.Array(JobTypeTimeline) }) },
  async handle({ query, request }, { sql }: Parts<'sql'>) {
    const found = await jobTypeTimeline(sql, { ...query, range: daysOf(query.range, request) });
    return reply(200, { count: found.count, results: [...found.results] });
  },
});

export const timelineRoutes = [recipeTypes, jobTypes];
