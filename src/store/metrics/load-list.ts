/** The sampled load over time: one item for each sample, with zeros where the requested types had no live jobs. */
import { DEFAULT_PRIORITY } from '../../domain/job/job-config.ts';
import type { MsRange } from '../../domain/listing/filters.ts';
import { Conditions } from '../sql/conditions.ts';
import { expression, iso, object } from '../sql/fields.ts';
import { type PageBounds, readRecords } from '../sql/listing.ts';
import type { Sql } from '../sql/sql.ts';

/** How often live jobs are counted. Minutes are kept for a day. */
export type LoadInterval = 'hour' | 'minute';

/** Where the samples of an interval are; `samples` is joined to the page of instants. */
const SAMPLED = {
  hour: { table: 'load_hour', instant: 'hour', samples: 'load_sample s on s.hour = page.at' },
  minute: {
    table: 'load_minute',
    instant: 'minute',
    samples: `lateral jsonb_to_recordset(page.live) as s(job_type_id bigint, pending_count bigint,
      queued_count bigint, running_count bigint) on true`,
  },
} as const;

/** All given filters of the type must match, each with any of its values. */
export interface LoadFilter {
  /** By the hour when absent. */
  readonly interval: LoadInterval | undefined;
  readonly range: MsRange;
  readonly job_type_id: readonly number[];
  readonly job_type_name: readonly string[];
  /** Tags of the type. */
  readonly job_type_category: readonly string[];
  /** The present configuration of the type. */
  readonly job_type_priority: readonly number[];
}

const RECORD = object({
  time: iso('page.measured'),
  pending_count: expression<number>('coalesce(sum(s.pending_count), 0)'),
  queued_count: expression<number>('coalesce(sum(s.queued_count), 0)'),
  running_count: expression<number>('coalesce(sum(s.running_count), 0)'),
});

const PRIORITY = `coalesce((jt.configuration ->> 'priority')::bigint, ${DEFAULT_PRIORITY})`;

export async function listLoad(sql: Sql, filter: LoadFilter, page: PageBounds) {
  const { table, instant, samples } = SAMPLED[filter.interval ?? 'hour'];
  const measured = new Conditions();
  measured.range(filter.range, 'm.measured');
  const counted = sql.execute<{ count: number }>(
    `select count(*) as count from ${table} m ${measured.where}`,
    measured.params,
  );
  const params = [...measured.params];
  const types = new Conditions(params);
  types.anyOf('jt.id', 'bigint', filter.job_type_id);
  types.anyOf('jt.name', 'text', filter.job_type_name);
  types.anyOf(PRIORITY, 'bigint', filter.job_type_priority);
  if (filter.job_type_category.length > 0) {
    types.add(`jt.tags && ${types.param(filter.job_type_category)}::text[]`);
  }
  const ofTypes =
    types.where === '' ? '' : `and s.job_type_id in (select jt.id from job_type jt ${types.where})`;
  const limits = `limit ${types.param(page.pageSize)} offset ${types.param(page.offset)}`;
  const read = readRecords(
    sql,
    RECORD,
    `(select m.${instant} as at, m.* from ${table} m ${measured.where}
      order by m.measured, m.${instant} ${limits}) as page
     left join ${samples} ${ofTypes}
     group by page.at, page.measured order by page.measured, page.at`,
    params,
  );
  const [[total], results] = await Promise.all([counted, read]);
  return { count: total?.count ?? 0, results };
}
