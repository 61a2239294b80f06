/** Metrics: choices of a type, and points of its columns from the counters by hour. */

import type { MsRange } from '../../domain/listing/filters.ts';
import { TRIAL_MARK } from '../../domain/manifest/trial.ts';
import type { MetricsColumn, MetricsName, MetricsType } from '../../domain/metrics/metrics-types.ts';
import { Conditions } from '../sql/conditions.ts';
import { type Expression, object, row } from '../sql/fields.ts';
import { readRecords } from '../sql/listing.ts';
import { jobTypeSummary } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import { HOURS } from './hour-totals.ts';

const c = row('error', 'c');
const ERROR = object({
  ...c.columns('id', 'name', 'title', 'description', 'job_type_name', 'category', 'is_builtin'),
  ...c.columns('should_be_retried'),
});

/** A strike or scan. */
const finder = row('strike', 'c');
const FINDER = object({
  ...finder.columns('id', 'name', 'title', 'description'),
  job: object({ id: finder.column('job_id') }),
});

interface Choices {
  readonly record: Expression<Readonly<Record<string, unknown>>>;
  readonly from: string;
  /** Selects the rows that are choices: all but trials of job types and their errors. */
  readonly where: string;
}

/** By type of metrics: the record of a choice, and its table, which is small. */
const CHOICES: Readonly<Record<MetricsName, Choices>> = {
  errors: { record: ERROR, from: 'error', where: `coalesce(c.job_type_name, '') not like '${TRIAL_MARK}%'` },
  ingests: { record: FINDER, from: 'strike', where: 'true' },
  'job-types': { record: jobTypeSummary('c'), from: 'job_type', where: 'c.expires is null' },
  'scan-ingests': { record: FINDER, from: 'scan', where: 'true' },
};

/** By type of metrics: its counters. Older counters of scans are combined with those of strikes. */
const COUNTERS: Readonly<Record<MetricsName, string>> = {
  errors: `h.kind = 'errors'`,
  ingests: `h.kind = 'ingests' and h.subject_id <> 0`,
  'job-types': `h.kind = 'job-types'`,
  'scan-ingests': `(h.kind = 'scan-ingests' or (h.kind = 'ingests' and h.subject_id = 0))`,
};

/** All choices of a type, by id. */
export function metricsChoices(sql: Sql, name: MetricsName) {
  const { record, from, where } = CHOICES[name];
  return readRecords(sql, record, `${from} c where ${where} order by c.id`);
}

/** The ids that are not choices of the type. */
export async function unknownChoices(
  sql: Sql,
  name: MetricsName,
  ids: readonly number[],
): Promise<readonly number[]> {
  if (ids.length === 0) return [];
  const { from, where } = CHOICES[name];
  const text = `select u.id from unnest($1::bigint[]) as u(id)
    where not exists (select from ${from} c where c.id = u.id and ${where}) order by u.id`;
  const rows = await sql.execute<{ id: number }>(text, [ids]);
  return rows.map((row) => row.id);
}

export interface MetricsPoint {
  /** Position of its column in the request. */
  readonly place: number;
  readonly hourMs: number;
  /** 0 where choices are merged. */
  readonly choiceId: number;
  readonly value: number;
}

export interface PointQuery {
  readonly type: MetricsType;
  readonly columns: readonly MetricsColumn[];
  readonly range: MsRange;
  /** Empty: all choices, merged. */
  readonly choiceIds: readonly number[];
}

/** Counts may become negative when jobs are subtracted after their error has changed its category. */
const VALUE = /* sql */ `trunc(case p.aggregate when 'count' then greatest(p.n, 0) when 'min' then p.least
  when 'max' then p.most when 'avg' then p.total / p.n else p.total end / p.divisor)::float8`;

/**
 * At most `limit` points: by column, then hour, then choice. An average gives every counted item the same weight. Count
 * columns have a value in every hour in which anything of the type was counted, the others where something was
 * measured.
 */
export async function metricsPoints(sql: Sql, query: PointQuery, limit: number): Promise<MetricsPoint[]> {
  const { type, columns: chosen, range, choiceIds } = query;
  const measures = new Set([...type.presence, ...chosen.flatMap((column) => column.measures)]);
  const conditions = new Conditions();
  conditions.add(COUNTERS[type.name]);
  conditions.anyOf('h.measure', 'text', [...measures]);
  conditions.range(range, 'h.hour');
  conditions.anyOf('h.subject_id', 'bigint', choiceIds);
  const list = (values: readonly unknown[], kind: string) => `${conditions.param(values)}::${kind}[]`;
  const col = `unnest(${list(
    chosen.map((_, at) => at),
    'int',
  )},
    ${list(
      chosen.map(({ measures: names }) => `{${names.join()}}`),
      'text',
    )},
    ${list(
      chosen.map(({ units, aggregate }) => (units === 'count' ? 'count' : aggregate)),
      'text',
    )},
    ${list(
      chosen.map(({ units }) => (units === 'seconds' ? 1_000 : 1)),
      'numeric',
    )}
    ) as col(place, measures, aggregate, divisor)`;
  const subject = choiceIds.length === 0 ? '0::bigint' : 'h.subject_id';
  const text = /* sql */ `
    with cell as materialized (
      select ${subject} as subject_id, h.measure, h.hour, sum(h.n) as n, sum(h.total) as total,
        min(h.least) as least, max(h.most) as most
      from ${HOURS} h ${conditions.where} group by 1, 2, 3),
    busy as materialized (
      select subject_id, hour from cell where measure = any(${list(type.presence, 'text')})
      group by 1, 2 having sum(n) > 0),
    p as (
      select col.place, col.aggregate, col.divisor, busy.subject_id, busy.hour, coalesce(sum(cell.n), 0) as n,
        0::numeric as total, 0::bigint as least, 0::bigint as most
      from ${col} cross join busy left join cell on cell.subject_id = busy.subject_id
        and cell.hour = busy.hour and cell.measure = any(col.measures::text[])
      where col.aggregate = 'count' group by 1, 2, 3, 4, 5
      union all
      select col.place, col.aggregate, col.divisor, cell.subject_id, cell.hour, sum(cell.n), sum(cell.total),
        min(cell.least), max(cell.most)
      from ${col} join cell on cell.measure = any(col.measures::text[])
      where col.aggregate <> 'count' group by 1, 2, 3, 4, 5 having sum(cell.n) > 0)
    select p.place, p.hour as "hourMs", p.subject_id as "choiceId", ${VALUE} as value
    from p order by p.place, p.hour, p.subject_id limit ${conditions.param(limit)}`;
  return sql.execute<MetricsPoint>(text, conditions.params);
}
