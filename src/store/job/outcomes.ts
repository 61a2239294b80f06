/**
 * Counts of job outcomes. Commits append the number of jobs that ended, and subtract those that are queued again.
 * Folding adds them up by slots of five minutes, by error for FAILED ones, and by hour (metrics/hour-totals.ts). Read
 * by `job-type/views.ts`.
 */
import { errorIdSql } from '../error/error-sql.ts';
import { FOLDED_AT_ONCE, foldInRounds } from '../metrics/folding.ts';
import { addOutcomeHours } from '../metrics/hour-totals.ts';
import { JobOutcomeDeltaEntity } from '../metrics/table.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { isNoTrial } from '../sql/trials.ts';
import type { PendingJob, PendingJobs } from './pending-rows.ts';

export const SLOT_MS = 300_000;

interface Outcome {
  readonly jobTypeId: number;
  readonly status: string;
  readonly slotMs: number;
  /** The error of a FAILED job: its id, or its name with `isBuiltin`; null if it has none. */
  readonly errorId: number | null;
  readonly errorName: string | null;
  readonly isBuiltin: boolean | null;
  count: number;
  atMs: number;
}

const OUTCOMES = rowsOf(JobOutcomeDeltaEntity).from<Outcome>(
  {
    jobTypeId: (row) => row.jobTypeId,
    slot: (row) => row.slotMs,
    status: (row) => row.status,
    errorId: (row) => row.errorId,
    count: (row) => row.count,
    mostRecent: (row) => row.atMs,
  },
  [
    ['error_name', 'text', (row) => row.errorName],
    ['is_builtin', 'bool', (row) => row.isBuiltin],
  ],
);

const ADD_OUTCOMES = {
  name: 'add_job_outcomes',
  text: /* sql */ `
    insert into job_outcome_delta (job_type_id, slot, status, error_id, count, most_recent)
    select d.job_type_id, d.slot, d.status, coalesce(${errorIdSql('d', 'd.job_type_id')}, d.error_id, 0),
      d.count, d.most_recent
    from ${OUTCOMES.table('d')} where ${isNoTrial('d.job_type_id')}`,
};

const ENDED: ReadonlySet<string> = new Set(['FAILED', 'COMPLETED', 'CANCELED']);

/** Counts the jobs of a group that ended or were queued again. */
export async function addOutcomes(sql: Sql, pendingRows: PendingJobs): Promise<void> {
  const outcomes = new Map<string, Outcome>();
  for (const pending of pendingRows.changed) {
    const left = leftBy(pending);
    if (left !== undefined) add(outcomes, left, -1);
    const reached = reachedBy(pending);
    if (reached !== undefined) add(outcomes, reached, 1);
  }
  const rows = [...outcomes.values()].filter((row) => row.count !== 0);
  if (rows.length > 0) await sql.execute(ADD_OUTCOMES, OUTCOMES.params(rows));
}

type EndedStatus = Omit<Outcome, 'count' | 'slotMs'>;

function leftBy({ jobTypeId, before, left }: PendingJob): EndedStatus | undefined {
  if (before === null || left === null || !ENDED.has(before)) return undefined;
  const errorId = before === 'FAILED' ? left.errorId : null;
  return { jobTypeId, status: before, errorId, errorName: null, isBuiltin: null, atMs: left.atMs };
}

function reachedBy({ jobTypeId, status, error, errorId, atMs }: PendingJob): EndedStatus | undefined {
  if (!ENDED.has(status)) return undefined;
  const named = { errorName: error?.name ?? null, isBuiltin: error?.isBuiltin ?? null };
  return { jobTypeId, status, errorId, ...named, atMs };
}

function add(outcomes: Map<string, Outcome>, ended: EndedStatus, count: number): void {
  const slotMs = Math.floor(ended.atMs / SLOT_MS) * SLOT_MS;
  const key = [ended.jobTypeId, ended.status, slotMs, ended.errorId, ended.isBuiltin, ended.errorName].join();
  const known = outcomes.get(key);
  if (known === undefined) outcomes.set(key, { ...ended, slotMs, count });
  else {
    known.count += count;
    known.atMs = Math.max(known.atMs, ended.atMs);
  }
}

const FOLD = {
  name: 'fold_job_outcomes',
  text: /* sql */ `
    with taken as (
      delete from job_outcome_delta where id in (
        select id from job_outcome_delta order by id limit ${FOLDED_AT_ONCE} for update skip locked)
      returning job_type_id, slot, status, error_id, count, most_recent),
    slots as (
      insert into job_outcome as o (job_type_id, slot, status, error_id, count, most_recent)
      select job_type_id, slot, status, error_id, sum(count), max(most_recent)
      from taken group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (job_type_id, slot, status, error_id) do update set count = o.count + excluded.count,
        most_recent = greatest(o.most_recent, excluded.most_recent)),   -- = job_outcome_pkey
    failures as (
      insert into job_failure as f (job_type_id, error_id, count)
      select job_type_id, error_id, sum(count) from taken where status = 'FAILED' and error_id <> 0
      group by 1, 2 order by 1, 2
      on conflict (job_type_id, error_id) do update set count = f.count + excluded.count),   -- = job_failure_pkey
    hours as (${addOutcomeHours('taken')})
    select count(*) as count from taken`,
};

const FORGOTTEN_AT_ONCE = 10_000;

const FORGET = {
  name: 'forget_job_outcomes',
  text: /* sql */ `
    delete from job_outcome where (job_type_id, slot, status, error_id) in (
      select job_type_id, slot, status, error_id from job_outcome
      where slot < to_timestamp($1::float8 / 1000) - interval '32 days'   -- = job_outcome_slot_idx
      order by slot limit ${FORGOTTEN_AT_ONCE})`,
};

/** Adds the appended rows to the counters, and removes those that are older than the queries reach. */
export async function foldOutcomes(sql: Sql, nowMs: number): Promise<void> {
  await foldInRounds(sql, FOLD);
  await sql.execute(FORGET, [nowMs]);
}
