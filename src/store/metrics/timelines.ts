/** Starts by day of job and recipe types: counters plus the rows that commits have appended since they were folded. */

import { Conditions } from '../sql/conditions.ts';
import { expression, type Fields, object, row, type ValueOf } from '../sql/fields.ts';
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
export function jobTypeTimeline(sql: Sql, filter: JobTimelineFilter) {
  const conditions = new Conditions();
  conditions.anyOf('jt.id', 'bigint', filter.id);
  conditions.anyOf('jt.name', 'text', filter.name);
  conditions.anyOf('jt.version', 'text', filter.version);
  const jt = row('job_type', 'jt');
  const item = { job_type_id: jt.column('id'), ...jt.columns('name', 'version', 'title', 'revision_num') };
  const joins = 'join job_type jt on jt.id = c.type_id';
  return timeline(sql, { kind: 'job', item, joins, order: 'jt.name, jt.version, jt.id' }, filter, conditions);
}

/** A recipe counts on the day of its creation, under the revision that it was created with. */
export function recipeTypeTimeline(sql: Sql, filter: RecipeTimelineFilter) {
  const conditions = new Conditions();
  conditions.anyOf('rt.id', 'bigint', filter.id);
  conditions.anyOf('rt.name', 'text', filter.name);
  conditions.anyOf('rev.revision_num', 'bigint', filter.rev);
  const rt = row('recipe_type', 'rt');
  const item = {
    recipe_type_id: rt.column('id'),
    ...rt.columns('name', 'title'),
    revision_num: row('recipe_type_rev', 'rev').column('revision_num'),
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

interface TimelineShape<Item extends Fields> {
  readonly kind: 'job' | 'recipe';
  readonly item: Item;
  /** Joins from `c.type_id` to the tables of the item. */
  readonly joins: string;
  readonly order: string;
}

const DAY_COUNT = object({
  date: expression<string>(`to_char(c.day, 'YYYY-MM-DD"T00:00:00.000Z"')`),
  count: expression<number>('c.count'),
});
const RESULTS = { results: expression<ValueOf<typeof DAY_COUNT>[]>('c.results') };

async function timeline<Item extends Fields>(
  sql: Sql,
  shape: TimelineShape<Item>,
  { range }: { readonly range: DayRange },
  conditions: Conditions,
) {
  const record = object({ ...shape.item, ...RESULTS });
  const day = (ms: number) =>
    `(to_timestamp(${conditions.param(ms)}::float8 / 1000) at time zone 'UTC')::date`;
  const days = `kind = '${shape.kind}' and day between ${day(range.startedMs)} and ${day(range.endedMs)}`;
  const rows = await sql.execute<{ record: ValueOf<typeof record> }>(
    `with c as (
       select type_id, day, sum(count)::bigint as count from (
         select type_id, day, count from daily_start where ${days}   -- = daily_start_day_idx
         union all select type_id, day, count from daily_start_delta where ${days}) as part
       group by type_id, day having sum(count) > 0),
     item as (
       select c.type_id, json_agg(${DAY_COUNT} order by c.day) as results from c group by c.type_id)
     select ${record} as record
     from item as c ${shape.joins} ${conditions.where} order by ${shape.order}`,
    conditions.params,
  );
  return { count: rows.length, results: rows.map((row) => row.record) };
}
