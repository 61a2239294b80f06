/**
 * Lists of job types by the state of their jobs. Live jobs are counted through partial indexes; ended jobs were counted
 * when they ended (`job/outcomes.ts`), so no query reads them.
 */
import type { ErrorCategory } from '../../domain/job/builtin-errors.ts';
import type { JobStatus } from '../../domain/job/job.ts';
import { SLOT_MS } from '../job/outcomes.ts';
import { Conditions } from '../sql/conditions.ts';
import { type Expression, expression, iso, object, type ValueOf } from '../sql/fields.ts';
import { listGroups, type PageBounds, readRecords } from '../sql/listing.ts';
import { errorRecord, jobTypeSummary } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import { isNoTrial } from '../sql/trials.ts';

export interface StatusWindow {
  readonly startedMs: number;
  readonly endedMs: number;
}

/** Live jobs whose status changed in the range, and all running ones. */
const LIVE = /* sql */ `
  select status, null::text as category, count(*) as count, max(last_status_change) as most_recent
  from job
  where job_type_id = page.id and (status in ('PENDING', 'QUEUED', 'RUNNING') or status = 'BLOCKED')
    and (status = 'RUNNING' or last_status_change between w.started and w.ended)
  group by status`;

/** Ended jobs: the folded counters, and what commits have appended since. */
const AT_REST = /* sql */ `
  select o.status, error.category, sum(o.count) as count, max(o.most_recent) as most_recent
  from (
    select status, error_id, count, most_recent from job_outcome
    where job_type_id = page.id and slot between w.slot and w.ended   -- = job_outcome_pkey
    union all
    select status, error_id, count, most_recent from job_outcome_delta
    where job_type_id = page.id and slot between w.slot and w.ended) as o
  left join error on error.id = o.error_id
  group by o.status, error.category having sum(o.count) > 0`;

const COUNT = object({
  status: expression<JobStatus>('counted.status'),
  count: expression<number>('counted.count'),
  most_recent: iso('counted.most_recent'),
  category: expression<ErrorCategory | null>('counted.category'),
});
const STATUS = object({
  job_type: jobTypeSummary('jt'),
  job_counts: expression<ValueOf<typeof COUNT>[]>(`coalesce(counts.list, '[]')`),
});

/** Every job type with the jobs that reached their status in the range; all running ones are counted. */
export async function jobTypeStatus(
  sql: Sql,
  isActive: boolean | undefined,
  window: StatusWindow,
  page: PageBounds,
) {
  const conditions = new Conditions();
  conditions.add('jt.deleted is null');
  conditions.flag('jt.is_active', isActive);
  const counted = sql.execute<{ count: number }>(
    `select count(*) as count from job_type jt ${conditions.where}`,
    conditions.params,
  );
  const slotMs = Math.floor(window.startedMs / SLOT_MS) * SLOT_MS;
  const instant = (ms: number) => `to_timestamp(${conditions.param(ms)}::float8 / 1000)`;
  const bounds = [instant(window.startedMs), instant(window.endedMs), instant(slotMs)];
  const limits = `limit ${conditions.param(page.pageSize)} offset ${conditions.param(page.offset)}`;
  const read = readRecords(
    sql,
    STATUS,
    `(select jt.id from job_type jt ${conditions.where} order by jt.last_modified, jt.id ${limits}) as page
     join job_type jt on jt.id = page.id
     cross join (select ${bounds[0]} as started, ${bounds[1]} as ended, ${bounds[2]} as slot) as w
     left join lateral (
       select json_agg(${COUNT} order by counted.status, counted.category) as list
       from (${LIVE} union all ${AT_REST}) as counted) as counts on true
     order by jt.last_modified, jt.id`,
    conditions.params,
  );
  const [[total], results] = await Promise.all([counted, read]);
  return { count: total?.count ?? 0, results };
}

/** Job types with jobs in a live status, longest in it first. */
function jobTypesIn<Longest extends string>(status: 'PENDING' | 'RUNNING', longest: Longest) {
  const record = object({
    job_type: jobTypeSummary('jt'),
    count: expression<number>('q.count'),
    ...({ [longest]: iso('q.longest') } as Record<Longest, Expression<string>>),
  });
  return listGroups(
    `select job_type_id, count(*) as count, min(last_status_change) as longest
     from job where status = '${status}' and ${isNoTrial('job_type_id')}   -- = job_live_status_idx
     group by job_type_id`,
    record,
    'q join job_type jt on jt.id = q.job_type_id order by q.longest, jt.id',
  );
}

export const pendingJobTypes = jobTypesIn('PENDING', 'longest_pending');
export const runningJobTypes = jobTypesIn('RUNNING', 'longest_running');

/** Jobs that are FAILED with a system error, by type and error, latest first. */
export const systemFailures = listGroups(
  `select f.job_type_id, f.error_id, sum(f.count) as count
   from (
     select job_type_id, error_id, count from job_failure
     union all
     select job_type_id, error_id, count from job_outcome_delta where status = 'FAILED') as f
   join error on error.id = f.error_id and error.category = 'SYSTEM'
   group by f.job_type_id, f.error_id having sum(f.count) > 0`,
  object({
    job_type: jobTypeSummary('jt'),
    error: errorRecord('error'),
    count: expression<number>('q.count'),
    first_error: iso<string | null>('failed.first'),
    last_error: iso<string | null>('failed.last'),
  }),
  `q join job_type jt on jt.id = q.job_type_id
   join error on error.id = q.error_id
   cross join lateral (
     select min(j.last_status_change) as first, max(j.last_status_change) as last from job j
     where j.status = 'FAILED' and j.job_type_id = q.job_type_id and j.error_id = q.error_id
   ) as failed
   order by failed.last desc nulls last, jt.id, error.id`,
);
