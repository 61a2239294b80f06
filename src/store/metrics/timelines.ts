/** Starts by day of job and recipe types: counters plus the rows that commits have appended since they were folded. */

import { Conditions, type Listed } from '../sql/listing.ts';
import { object } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

export interface DayRange {
  /** Times within the first and the last day, which both count as a whole. */
  readonly startedMs: number;
  readonly endedMs: number;
}

export interface JobTimelineFilter {
  readonly range: DayRange;
  readonly id: readonly number[];
  readonly name: readonly string[];
  readonly version: readonly string[];
}

export interface RecipeTimelineFilter {
  readonly range: DayRange;
  readonly id: readonly number[];
  readonly name: readonly string[];
  /** Numbers of revisions. */
  readonly rev: readonly number[];
}

/** A job counts on the day of its last start; all revisions of a type are one item. */
export function jobTypeTimeline<R extends object>(sql: Sql, filter: JobTimelineFilter): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.anyOf('jt.id', 'bigint', filter.id);
  conditions.anyOf('jt.name', 'text', filter.name);
  conditions.anyOf('jt.version', 'text', filter.version);
  const item = {
    job_type_id: 'jt.id',
    name: 'jt.name',
    version: 'jt.version',
    title: 'jt.title',
    revision_num: 'jt.revision_num',
  };
  const joins = 'join job_type jt on jt.id = c.type_id';
  return timeline(sql, { kind: 'job', item, joins, order: 'jt.name, jt.version, jt.id' }, filter, conditions);
}

/** A recipe counts on the day of its creation, under the revision that it was created with. */
export function recipeTypeTimeline<R extends object>(
  sql: Sql,
  filter: RecipeTimelineFilter,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.anyOf('rt.id', 'bigint', filter.id);
  conditions.anyOf('rt.name', 'text', filter.name);
  conditions.anyOf('rev.revision_num', 'bigint', filter.rev);
  const item = {
    recipe_type_id: 'rt.id',
    name: 'rt.name',
    title: 'rt.title',
    revision_num: 'rev.revision_num',
  };
  const joins = `join recipe_type_rev rev on rev.id = c.type_id
    join recipe_type rt on rt.id = rev.recipe_type_id`;
  return timeline(
    sql,
    { kind: 'recipe', item, joins, order: 'rt.name, rev.revision_num' },
    filter,
    conditions,
  );
}

interface TimelineShape {
  readonly kind: 'job' | 'recipe';
  readonly item: Readonly<Record<string, string>>;
  /** Joins from `c.type_id` to the tables of the item. */
  readonly joins: string;
  readonly order: string;
}

async function timeline<R extends object>(
  sql: Sql,
  shape: TimelineShape,
  { range }: { readonly range: DayRange },
  conditions: Conditions,
): Promise<Listed<R>> {
  const day = (ms: number) =>
    `(to_timestamp(${conditions.param(ms)}::float8 / 1000) at time zone 'UTC')::date`;
  const days = `kind = '${shape.kind}' and day between ${day(range.startedMs)} and ${day(range.endedMs)}`;
  const result = object({ date: `to_char(c.day, 'YYYY-MM-DD"T00:00:00.000Z"')`, count: 'c.count' });
  const rows = await sql.execute<{ record: R }>(
    `with c as (
       select type_id, day, sum(count)::bigint as count from (
         select type_id, day, count from daily_start where ${days}   -- = daily_start_day_idx
         union all select type_id, day, count from daily_start_delta where ${days}) as part
       group by type_id, day having sum(count) > 0),
     item as (
       select c.type_id, json_agg(${result} order by c.day) as results from c group by c.type_id)
     select ${object({ ...shape.item, results: 'c.results' })} as record
     from item as c ${shape.joins} ${conditions.where} order by ${shape.order}`,
    conditions.params,
  );
  return { count: rows.length, results: rows.map((row) => row.record) };
}
