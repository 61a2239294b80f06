/** What strikes have ingested by hour, from the counters by hour. */
import type { JobStatus } from '../../domain/job/job.ts';
import { HOURS } from '../metrics/hour-totals.ts';
import { Conditions } from '../sql/conditions.ts';
import { expression, iso, object, orNull, row, type ValueOf } from '../sql/fields.ts';
import type { PageBounds } from '../sql/listing.ts';
import { errorRecord, jobTypeSummary } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

export interface IngestStatusFilter {
  /** Times; their hours are the first and the last, which both count as a whole. */
  readonly startedMs: number;
  readonly endedMs: number;
  /** By the time of the ingest; otherwise by the start of the data. */
  readonly useIngestTime: boolean;
}

const s = row('strike', 's');
const job = row('job', 'job');
const STRIKE = object({
  ...s.columns('id', 'name', 'title', 'description', 'is_paused'),
  job: object({
    ...job.columns('id'),
    job_type: jobTypeSummary('jt'),
    event: object({ id: job.column('event_id') }),
    error: orNull('e.id', errorRecord('e')),
    status: job.oneOf<JobStatus>('status'),
    ...job.columns('priority', 'num_exes'),
  }),
  ...s.instants('created', 'last_modified'),
});

const HOUR = object({
  time: iso('h.hour'),
  files: expression<number>('h.n'),
  size: expression<number>('h.total'),
});

const RECORD = object({
  strike: STRIKE,
  most_recent: iso<string | null>('to_timestamp(greatest(recent.most, fresh.most) / 1000.0)'),
  files: expression<number>('coalesce(counted.files, 0)'),
  size: expression<number>('coalesce(counted.size, 0)'),
  values: expression<ValueOf<typeof HOUR>[]>(`coalesce(counted.hours, '[]')`),
});

/**
 * The last ingest of each strike at any time. Reads the last hour of the folded counters, and all counters that are not
 * folded yet (some seconds).
 */
const RECENT = /* sql */ `
  left join fresh on fresh.subject_id = s.id
  left join lateral (
    select t.most from hour_total t
    where t.kind = 'ingests' and t.subject_id = s.id and t.measure = 'by_ingest_time' and t.n > 0
    order by t.hour desc limit 1) as recent on true   -- = hour_total_pkey`;
const FRESH = /* sql */ `
  fresh as materialized (
    select d.subject_id, max(d.most) as most from hour_total_delta d
    where d.kind = 'ingests' and d.measure = 'by_ingest_time' group by 1)`;

/** Every strike, by id; `values` are the hours that have files, oldest first. */
export async function listIngestStatus(sql: Sql, filter: IngestStatusFilter, page: PageBounds) {
  const counted = sql.execute<{ count: number }>(
    'select count(*) as count from strike where deleted is null',
  );
  const conditions = new Conditions();
  const hour = (ms: number) =>
    `date_trunc('hour', to_timestamp(${conditions.param(ms)}::float8 / 1000), 'UTC')`;
  const bounds = `limit ${conditions.param(page.pageSize)} offset ${conditions.param(page.offset)}`;
  conditions.anyOf('h.kind', 'text', ['ingests']);
  conditions.anyOf('h.measure', 'text', [filter.useIngestTime ? 'by_ingest_time' : 'by_data_time']);
  conditions.add(`h.hour between ${hour(filter.startedMs)} and ${hour(filter.endedMs)}`);
  conditions.add('h.subject_id = s.id');
  const text = /* sql */ `
    with ${FRESH}
    select ${RECORD} as record
    from (select * from strike where deleted is null order by id ${bounds}) as s
    join job on job.id = s.job_id join job_type jt on jt.id = job.job_type_id
    left join error e on e.id = job.error_id
    left join lateral (
      select sum(h.n) as files, sum(h.total) as size,
        json_agg(${HOUR} order by h.hour) as hours
      from (
        select h.hour, sum(h.n) as n, sum(h.total) as total
        from ${HOURS} h ${conditions.where} group by h.hour having sum(h.n) > 0) as h
    ) as counted on true ${RECENT}
    order by s.id`;
  const [[total], rows] = await Promise.all([
    counted,
    sql.execute<{ record: ValueOf<typeof RECORD> }>(text, conditions.params),
  ]);
  return { count: total?.count ?? 0, results: rows.map((row) => row.record) };
}
