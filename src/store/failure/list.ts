/** Groups of failed jobs, by job type and error, with what people noted about them. Reads counters, not jobs. */
import { SLOT_MS } from '../job/outcomes.ts';
import { Conditions } from '../sql/conditions.ts';
import { expression, iso, object, orNull } from '../sql/fields.ts';
import { type PageBounds, readRecords } from '../sql/listing.ts';
import { errorRecord, jobTypeSummary } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

export interface FailureFilter {
  readonly startedMs: number;
  readonly endedMs: number;
  readonly is_known: boolean | undefined;
  readonly job_type_id: readonly number[];
}

const RECORD = object({
  job_type: jobTypeSummary('jt'),
  error: orNull('e.id', errorRecord('e')),
  count: expression<number>('page.count'),
  most_recent: iso('page.most_recent'),
  is_known: expression<boolean>('coalesce(n.is_known, false)'),
  note: expression<string>(`coalesce(n.note, '')`),
  noted_by: expression<string | null>('n.username'),
  noted: iso<string | null>('n.last_modified'),
});

/** limit: failed jobs of a batch that are looked at. */
export const BATCH_FAILURES_MAX = 100_000;

/** The failed jobs that a batch has now, by job type and error: the most frequent first. */
export function listBatchFailures(sql: Sql, batchId: number, page: PageBounds) {
  const groups = `
    select j.job_type_id, j.error_id, count(*) as count, max(j.last_status_change) as most_recent
    from (
      select job_type_id, coalesce(error_id, 0) as error_id, last_status_change from job
      where status = 'FAILED'   -- = job_failed_batch_idx
        and (case when live_recipe_id is null then batch_id else live_batch_id end) = $1
      limit ${BATCH_FAILURES_MAX}) as j
    group by 1, 2`;
  const read = readRecords(
    sql,
    RECORD,
    `(select * from (${groups}) as g order by count desc, job_type_id, error_id limit $2 offset $3) as page
     join job_type jt on jt.id = page.job_type_id
     left join error e on e.id = page.error_id
     left join failure_note n on n.job_type_id = page.job_type_id and n.error_id = page.error_id
     order by page.count desc, page.job_type_id, page.error_id`,
    [batchId, page.pageSize, page.offset],
  );
  const counted = sql.execute<{ count: number }>(`select count(*) as count from (${groups}) as g`, [batchId]);
  return Promise.all([counted, read]).then(([[total], results]) => ({ count: total?.count ?? 0, results }));
}

/** Groups that are not marked as known come first, then the most frequent. Relies on job_outcome_slot_idx. */
export async function listFailures(sql: Sql, filter: FailureFilter, page: PageBounds) {
  const conditions = new Conditions();
  const instant = (ms: number) => `to_timestamp(${conditions.param(ms)}::float8 / 1000)`;
  const slotMs = Math.floor(filter.startedMs / SLOT_MS) * SLOT_MS;
  const range = `status = 'FAILED' and slot between ${instant(slotMs)} and ${instant(filter.endedMs)}`;
  conditions.flag('coalesce(n.is_known, false)', filter.is_known);
  conditions.anyOf('f.job_type_id', 'bigint', filter.job_type_id);
  const groups = `
    select f.job_type_id, f.error_id, sum(f.count)::bigint as count, max(f.most_recent) as most_recent,
      coalesce(n.is_known, false) as is_known
    from (
      select job_type_id, error_id, count, most_recent from job_outcome where ${range}
      union all
      select job_type_id, error_id, count, most_recent from job_outcome_delta where ${range}) as f
    join job_type jt on jt.id = f.job_type_id and jt.deleted is null
    left join failure_note n on n.job_type_id = f.job_type_id and n.error_id = f.error_id
    ${conditions.where}
    group by f.job_type_id, f.error_id, n.is_known having sum(f.count) > 0`;
  const counted = sql.execute<{ count: number }>(`select count(*) as count from (${groups}) as g`, [
    ...conditions.params,
  ]);
  const limits = `limit ${conditions.param(page.pageSize)} offset ${conditions.param(page.offset)}`;
  const order = 'is_known, count desc, job_type_id, error_id';
  const read = readRecords(
    sql,
    RECORD,
    `(select * from (${groups}) as g order by ${order} ${limits}) as page
     join job_type jt on jt.id = page.job_type_id
     left join error e on e.id = page.error_id
     left join failure_note n on n.job_type_id = page.job_type_id and n.error_id = page.error_id
     order by page.is_known, page.count desc, page.job_type_id, page.error_id`,
    conditions.params,
  );
  const [[total], results] = await Promise.all([counted, read]);
  return { count: total?.count ?? 0, results };
}
