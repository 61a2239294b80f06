/**
 * Warnings of coordinators (rows of `coordinator_warning`), on the database's clock. A row outlives its coordinator for
 * an hour, so that a coordinator that is restarted in its place keeps the time at which the warning began.
 */
import type { Sql } from '../sql/sql.ts';

export interface ReportedWarning {
  readonly name: string;
  readonly reason: string;
  /** Milliseconds since it began. */
  readonly ageMs: number;
  /** It concerns the whole cluster: it began when the first coordinator reported it. */
  readonly isShared: boolean;
}

const KEPT = `now() - interval '1 hour'`;

/**
 * The time after its start within which a coordinator notices all its warnings. Until then the reports of its
 * predecessor in the same place are kept, but not shown.
 */
export const SETTLED_MS = 60_000;

const REPORT = {
  name: 'report_coordinator_warnings',
  text: /* sql */ `
    with reported as (
      select * from jsonb_to_recordset($2::jsonb) as w (name text, reason text, "ageMs" float8, "isShared" boolean)
    ), gone as (
      delete from coordinator_warning
      where place = $1 and name not in (select name from reported) and (coordinator_id = $3 or $4 >= ${SETTLED_MS})
        or place <> $1 and seen < ${KEPT}
    )
    insert into coordinator_warning as w (place, name, coordinator_id, reason, started, seen)
    select $1, name, $3, reason,
      least(now() - "ageMs" * interval '1 ms', case when "isShared" then (
        select min(other.started) from coordinator_warning other
        where other.name = reported.name and other.seen >= ${KEPT}
      ) end), now()
    from reported
    on conflict (place, name) do update set coordinator_id = excluded.coordinator_id, reason = excluded.reason,
      seen = excluded.seen,
      started = case when w.seen < ${KEPT} then excluded.started else w.started end`,
};

export interface Reporter {
  readonly id: string;
  /** Stays the same after a restart, and belongs to no other coordinator. */
  readonly place: string;
  /** How long it has run. */
  readonly upMs: number;
}

/** Writes all present warnings of a coordinator, and removes those that have ended. */
export async function reportWarnings(
  sql: Sql,
  { place, id, upMs }: Reporter,
  warnings: readonly ReportedWarning[],
): Promise<void> {
  await sql.execute(REPORT, [place, JSON.stringify(warnings), id, upMs]);
}

/** A warning of a live coordinator. */
export interface CoordinatorWarning {
  readonly name: string;
  /** The address of its HTTP server. */
  readonly coordinator: string;
  readonly reason: string;
  readonly startedMs: number;
  readonly seenMs: number;
}

const ms = (column: string): string => `round(extract(epoch from ${column}) * 1000)`;

/** Warnings of all live coordinators, as a JSON array: an expression for a select. */
export const LIVE_WARNINGS = /* sql */ `(
  select coalesce(json_agg(json_build_object('name', w.name, 'coordinator', coalesce(c.http_address, ''),
    'reason', w.reason, 'startedMs', ${ms('w.started')}, 'seenMs', ${ms('w.seen')})
    order by w.name, w.place), '[]')
  from coordinator_warning w join coordinator c on c.id = w.coordinator_id and c.expires > now())`;
