/** Counters by hour counted from the rows themselves: what the counters that are kept must say. */
const hour = (column: string) => `date_trunc('hour', ${column}, 'UTC')`;
const ms = (from: string, to: string) =>
  `greatest(0, round(extract(epoch from ${to} - ${from}) * 1000))::bigint`;
const instantMs = (column: string) => `round(extract(epoch from ${column}) * 1000)::bigint`;

/** Length of the phase of an execution; null when there was none. */
const phaseMs = (phase: string) =>
  `(select greatest(0, (p ->> 'endedMs')::numeric - (p ->> 'startedMs')::numeric)::bigint
    from jsonb_array_elements(x.task_results -> 'phases') as p
    where p ->> 'phase' = '${phase}' and p ->> 'endedMs' is not null limit 1)`;

const INTO = 'insert into hour_total (kind, subject_id, measure, hour, n, total, least, most)';

/** Counts all rows again, into empty tables. */
export const RECOUNT = /* sql */ `
${INTO}
select 'job-types', job_type_id, lower(status), ${hour('last_status_change')}, count(*), 0, null, null
from job where status in ('COMPLETED', 'FAILED', 'CANCELED') group by 2, 3, 4;

${INTO}
select 'job-types', j.job_type_id, 'error_' || lower(e.category), ${hour('j.last_status_change')}, count(*), 0, null,
  null
from job j join error e on e.id = j.error_id where j.status = 'FAILED' group by 2, 3, 4;

${INTO}
select 'errors', error_id, 'ended', ${hour('ended')}, count(*), 0, null, null
from job_exe where error_id is not null and ended is not null group by 2, 3, 4;

${INTO}
select 'job-types', x.job_type_id, m.measure, ${hour('x.ended')}, count(*), sum(m.ms), min(m.ms), max(m.ms)
from (
  select x.*, ${ms('queued', 'started')} as queue_ms, ${ms('started', 'ended')} as run_ms,
    ${phaseMs('pull')} as pull_ms, ${phaseMs('pre')} as pre_ms, ${phaseMs('main')} as main_ms,
    ${phaseMs('post')} as post_ms
  from job_exe x where status = 'COMPLETED') as x
cross join lateral (values ('queue_time', queue_ms), ('pre_time', pre_ms), ('job_time', main_ms),
  ('post_time', post_ms), ('run_time', run_ms),
  ('stage_time', case when num_nonnulls(pull_ms, pre_ms, main_ms, post_ms) > 0 then greatest(0, run_ms
    - coalesce(pull_ms, 0) - coalesce(pre_ms, 0) - coalesce(main_ms, 0) - coalesce(post_ms, 0)) end)
) as m(measure, ms)
where m.ms is not null group by 2, 3, 4;

${INTO}
select 'ingests', coalesce(i.strike_id, 0), m.measure, ${hour('m.at')}, count(*), sum(m.amount), min(m.extreme),
  max(m.extreme)
from (
  select i.*, ${ms('transfer_started', 'transfer_ended')} as transfer_ms,
    ${ms('ingest_started', 'ingest_ended')} as ingest_ms
  from ingest i where status in ('INGESTED', 'DUPLICATE', 'ERRORED', 'DEFERRED')) as i
cross join lateral (values (lower(i.status), i.ingest_ended, i.file_size, i.file_size),
  ('transfer_time', case when transfer_started is not null and transfer_ended is not null then ingest_ended end,
    transfer_ms, transfer_ms),
  ('ingest_time', case when status = 'INGESTED' and ingest_started is not null then ingest_ended end,
    ingest_ms, ingest_ms),
  ('by_ingest_time', case when status = 'INGESTED' then ingest_ended end, file_size, ${instantMs('ingest_ended')}),
  ('by_data_time', case when status = 'INGESTED' then data_started end, file_size, ${instantMs('data_started')})
) as m(measure, at, amount, extreme)
where m.at is not null group by 2, 3, 4;
`;
