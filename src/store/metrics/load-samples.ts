/** Samples of the load: the numbers of pending, queued and running jobs of each type, once an hour. */
import type { Sql } from '../sql/sql.ts';

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
  group by job_type_id`;

/** Counts live jobs for the hour of `atMs`, unless that hour has been counted. */
export async function sampleLoad(sql: Sql, atMs: number): Promise<void> {
  await sql.transaction(async (tx) => {
    const [claimed] = await tx.execute<{ hour: number }>(CLAIM_HOUR, [atMs]);
    if (claimed !== undefined) await tx.execute(SAMPLE, [atMs]);
  });
}
