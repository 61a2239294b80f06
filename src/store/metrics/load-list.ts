/** The sampled load over time: one item for each sample, with zeros where the requested types had no live jobs. */
import { DEFAULT_PRIORITY } from '../../domain/job/job-config.ts';
import { expression, iso, object } from '../sql/fields.ts';
import { Conditions, type MsRange, type PageBounds, readRecords } from '../sql/listing.ts';
import type { Sql } from '../sql/sql.ts';

/** All given filters of the type must match, each with any of its values. */
export interface LoadFilter {
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
  const hours = new Conditions();
  hours.range(filter.range, 'h.measured');
  const counted = sql.execute<{ count: number }>(
    `select count(*) as count from load_hour h ${hours.where}`,
    hours.params,
  );
  const params = [...hours.params];
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
    `(select h.hour, h.measured from load_hour h ${hours.where} order by h.measured, h.hour ${limits}) as page
     left join load_sample s on s.hour = page.hour ${ofTypes}
     group by page.hour, page.measured order by page.measured, page.hour`,
    params,
  );
  const [[total], results] = await Promise.all([counted, read]);
  return { count: total?.count ?? 0, results };
}
