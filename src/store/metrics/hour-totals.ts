/**
 * Counters by hour of ended ingests and executions. The statements that end them append their differences, and folding
 * moves these into one row for each kind, subject, measure and hour. job/outcomes.ts counts jobs.
 */
import type { Sql } from '../sql/sql.ts';
import { isNoTrial } from '../sql/trials.ts';
import { FOLDED_AT_ONCE, foldInRounds } from './folding.ts';

/** The hour of a time, UTC. */
export function hourOf(column: string): string {
  return `date_trunc('hour', ${column}, 'UTC')`;
}

/** Milliseconds between two times, at least 0; null if one is null. */
function msBetween(from: string, to: string): string {
  return `case when ${to} >= ${from} then (date_part('epoch', ${to} - ${from}) * 1000)::bigint
    when ${to} < ${from} then 0 end`;
}

const COLUMNS = 'kind, subject_id, measure, hour, n, total, least, most';

/**
 * The end of a statement that ends executions. `from`: a row set with `job_type_id`, `status`, `error_id`, `queued`,
 * `started`, `ended`, and the durations of its tasks `pre_ms`, `main_ms`, `post_ms` and `tasks_ms` (all of them), null
 * where none ran.
 */
export function countExecutions(from: string): string {
  return /* sql */ `
    insert into hour_total_delta (${COLUMNS})
    select 'job-types', s.job_type_id, m.measure, s.hour, m.n, m.total, m.least, m.most
    from (
      select t.job_type_id, t.hour, ${TIMES.map(figuresOf).join(', ')}
      from (
        select x.job_type_id, ${hourOf('x.ended')} as hour, x.pre_ms, x.main_ms, x.post_ms,
          ${msBetween('x.queued', 'x.started')} as queue_ms,
          ${msBetween('x.started', 'x.ended')} as run_ms,
          case when x.tasks_ms is not null
            then greatest(0, ${msBetween('x.started', 'x.ended')} - x.tasks_ms) end as stage_ms
        from ${from} x where x.status = 'COMPLETED' and ${isNoTrial('x.job_type_id')}) as t group by 1, 2) as s
    cross join lateral (values ${TIMES.map(figuresRow).join(', ')}) as m(measure, n, total, least, most)
    where m.n > 0
    union all
    select 'errors', x.error_id, 'ended', ${hourOf('x.ended')}, count(*), 0, null, null
    from ${from} x where x.error_id is not null and ${isNoTrial('x.job_type_id')} group by 2, 4`;
}

/**
 * Measures and their columns. They are aggregated as columns first, because a row for each would cost four times as
 * much.
 */
const TIMES = [
  ['queue_time', 'queue_ms'],
  ['pre_time', 'pre_ms'],
  ['job_time', 'main_ms'],
  ['post_time', 'post_ms'],
  ['run_time', 'run_ms'],
  ['stage_time', 'stage_ms'],
] as const;

function figuresOf([, ms]: (typeof TIMES)[number]): string {
  return ['count', 'sum', 'min', 'max']
    .map((aggregate) => `${aggregate}(t.${ms}) as ${ms}_${aggregate}`)
    .join(', ');
}

function figuresRow([measure, ms]: (typeof TIMES)[number]): string {
  return `('${measure}', s.${ms}_count, s.${ms}_sum, s.${ms}_min, s.${ms}_max)`;
}

/** Statuses of ingests that are counted. */
const AT_REST = `('INGESTED', 'DUPLICATE', 'ERRORED', 'DEFERRED')`;

/** `sign` and the columns of an ingest that `countIngests` reads. */
export function ingestColumns(alias: string, sign: 1 | -1): string {
  const names = [
    'strike_id',
    'scan_id',
    'status',
    'file_size',
    'transfer_started',
    'transfer_ended',
    'ingest_started',
  ];
  return [
    `${sign}::int as sign`,
    ...[...names, 'ingest_ended', 'data_started'].map((name) => `${alias}.${name}`),
  ].join(', ');
}

/**
 * The end of a statement that moves ingests. `from`: a query of `ingestColumns`, with sign 1 for a state that was
 * reached and -1 for one that was left. Unfinished ingests are not counted. As with executions, columns are aggregated
 * before they become rows.
 */
export function countIngests(from: string): string {
  const ifIngested = (hour: string) => `case when s.status = 'INGESTED' then s.${hour} end`;
  const measured = [
    `(lower(s.status), s.hour, s.size_n, s.size_total, s.size_least, s.size_most)`,
    `('transfer_time', s.hour, s.transfer_n, s.transfer_total, s.transfer_least, s.transfer_most)`,
    `('ingest_time', ${ifIngested('hour')}, s.ingest_n, s.ingest_total, s.ingest_least, s.ingest_most)`,
    `('by_ingest_time', ${ifIngested('hour')}, s.size_n, s.size_total, s.ended_least, s.ended_most)`,
    `('by_data_time', ${ifIngested('data_hour')}, s.size_n, s.size_total, s.data_least, s.data_most)`,
  ];
  return /* sql */ `
    insert into hour_total_delta (${COLUMNS})
    select s.kind, s.subject_id, m.measure, m.hour, m.n, m.total, m.least, m.most
    from (
      select case when c.strike_id is null then 'scan-ingests' else 'ingests' end as kind,
        coalesce(c.strike_id, c.scan_id, 0) as subject_id, c.status, ${hourOf('c.ingest_ended')} as hour,
        ${hourOf('c.data_started')} as data_hour,
        ${sums('size', 'c.file_size')}, ${extremes('size', 'c.file_size')},
        ${sums('transfer', 'c.transfer_ms')}, ${extremes('transfer', 'c.transfer_ms')},
        ${sums('ingest', 'c.ingest_ms')}, ${extremes('ingest', 'c.ingest_ms')},
        ${extremes('ended', instantMs('c.ingest_ended'))}, ${extremes('data', instantMs('c.data_started'))}
      from (
        select i.*, ${msBetween('i.transfer_started', 'i.transfer_ended')} as transfer_ms,
          ${msBetween('i.ingest_started', 'i.ingest_ended')} as ingest_ms
        from (${from}) as i where i.status in ${AT_REST}) as c
      group by 1, 2, 3, 4, 5) as s
    cross join lateral (values ${measured.join(',\n      ')}) as m(measure, hour, n, total, least, most)
    where m.hour is not null and (m.n <> 0 or m.total <> 0)`;
}

function sums(name: string, value: string): string {
  return `sum(c.sign) filter (where ${value} is not null) as ${name}_n, sum(c.sign * ${value}) as ${name}_total`;
}

/** Those of states that were reached. */
function extremes(name: string, value: string): string {
  return ['min', 'max']
    .map(
      (bound) =>
        `${bound}(${value}) filter (where c.sign > 0) as ${name}_${bound === 'min' ? 'least' : 'most'}`,
    )
    .join(', ');
}

/** Outcomes of jobs in the form of this table. `from`: rows of job_outcome_delta. */
function outcomesByHour(from: string): string {
  return /* sql */ `
    select 'job-types' as kind, o.job_type_id as subject_id, m.measure, ${hourOf('o.slot')} as hour,
      o.count::bigint as n, 0::bigint as total, null::bigint as least, null::bigint as most
    from ${from} o left join error e on e.id = o.error_id and o.status = 'FAILED'
    cross join lateral (values (lower(o.status)), ('error_' || lower(e.category))) as m(measure)
    where m.measure is not null`;
}

/** The present counters: the folded ones plus the rows that commits have appended since. */
export const HOURS = /* sql */ `(
  select ${COLUMNS} from hour_total
  union all select ${COLUMNS} from hour_total_delta
  union all ${outcomesByHour('job_outcome_delta')})`;

/** The insert that adds rows of `from`, which has this table's columns, to the counters. */
function addHours(from: string): string {
  return /* sql */ `
    insert into hour_total as h (${COLUMNS})
    select kind, subject_id, measure, hour, sum(n), sum(total), min(least), max(most)
    from ${from} as f group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (kind, subject_id, measure, hour) do update set n = h.n + excluded.n,   -- = hour_total_pkey
      total = h.total + excluded.total, least = least(h.least, excluded.least),
      most = greatest(h.most, excluded.most)`;
}

/** Part of the statement that folds outcomes of jobs. `from`: the rows of job_outcome_delta that it takes. */
export function addOutcomeHours(from: string): string {
  return addHours(`(${outcomesByHour(from)})`);
}

function instantMs(column: string): string {
  return `(date_part('epoch', ${column}) * 1000)::bigint`;
}

const FOLD = {
  name: 'fold_hour_totals',
  text: /* sql */ `
    with taken as (
      delete from hour_total_delta where id in (
        select id from hour_total_delta order by id limit ${FOLDED_AT_ONCE} for update skip locked)
      returning ${COLUMNS}),
    folded as (${addHours('taken')})
    select count(*) as count from taken`,
};

/** Adds the appended rows to the counters by hour. */
export async function foldHours(sql: Sql): Promise<void> {
  await foldInRounds(sql, FOLD);
}
