/**
 * Samples of the load: the numbers of pending, queued and running jobs of each type, by the hour and by the minute. The
 * jobs of scans that nobody has started are not counted.
 */

import { isUnstarted, isUnstartedOfType } from '../job/waiting.ts';
import { countedRows } from '../sql/counted.ts';
import type { Sql } from '../sql/sql.ts';
import { isNoTrial } from '../sql/trials.ts';
import { COUNTED_JOBS } from './list-counts.ts';

/** Begins with the hour's row: if several callers try, one counts, and the others wait and find it done. */
const CLAIM_HOUR = {
  name: 'claim_load_hour',
  text: /* sql */ `
    insert into load_hour (hour, measured) select date_trunc('hour', at, 'UTC'), at
    from to_timestamp($1 / 1000.0) as at
    on conflict do nothing   -- = load_hour_pkey
    returning hour`,
};

const SAMPLE = /* sql */ `
  insert into load_sample (hour, job_type_id, pending_count, queued_count, running_count)
  select date_trunc('hour', to_timestamp($1 / 1000.0), 'UTC'), job_type_id,
    count(*) filter (where status = 'PENDING'), count(*) filter (where status = 'QUEUED'),
    count(*) filter (where status = 'RUNNING')
  from job where status in ('PENDING', 'QUEUED', 'RUNNING')   -- = job_live_status_idx
    and ${isNoTrial('job_type_id')} and not ${isUnstarted('job')}
  group by job_type_id`;

/** Counts live jobs for the hour of `atMs`, unless that hour has been counted. */
export async function sampleLoad(sql: Sql, atMs: number): Promise<void> {
  await sql.transaction(async (tx) => {
    const [claimed] = await tx.execute<{ hour: number }>(CLAIM_HOUR, [atMs]);
    if (claimed !== undefined) await tx.execute(SAMPLE, [atMs]);
  });
}

const { 'j.job_type_id': TYPE = '', 'j.status': STATUS = '' } = COUNTED_JOBS.facets;

/** One of several callers counts. It reads the counters of the list of jobs, not the jobs. */
const SAMPLE_MINUTE = {
  name: 'sample_load_minute',
  text: /* sql */ `
    insert into load_minute (minute, measured, live)
    select date_trunc('minute', at, 'UTC'), at, coalesce((
      select jsonb_agg(to_jsonb(l)) from (
        select ${TYPE} as job_type_id,
          coalesce(sum(c.count) filter (where ${STATUS} = 'PENDING'), 0)::bigint as pending_count,
          coalesce(sum(c.count) filter (where ${STATUS} = 'QUEUED'), 0)::bigint as queued_count,
          coalesce(sum(c.count) filter (where ${STATUS} = 'RUNNING'), 0)::bigint as running_count
        from ${countedRows(COUNTED_JOBS)} as c 
        where ${STATUS} in ('PENDING', 'QUEUED', 'RUNNING') and not ${isUnstartedOfType(STATUS, TYPE)}
        group by 1 having bool_or(c.count <> 0)) as l), '[]')
    from to_timestamp($1 / 1000.0) as at
    on conflict do nothing   -- = load_minute_pkey`,
};

const DAY_MS = 86_400_000;

/** Counts live jobs for the minute of `atMs`, unless that is done, and removes minutes of more than a day ago. */
export async function sampleMinute(sql: Sql, atMs: number): Promise<void> {
  await sql.execute(SAMPLE_MINUTE, [atMs]);
  await sql.execute('delete from load_minute where minute < to_timestamp($1 / 1000.0)', [atMs - DAY_MS]);
}
