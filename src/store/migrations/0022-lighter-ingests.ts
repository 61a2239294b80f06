// An ingest is written in the commit that makes its job, while its strike or scan cannot be deleted: four look-ups a row
// checked what that commit knows, and took a fifth of PostgreSQL's time for a scan. Records and jobs are removed only
// behind the same locks (deletion/history.ts, retention, purge). The keys to what others write meanwhile are kept.
//
// Two indexes over ingests of strikes also held those of scans, under no strike. `ingest_strike_idx` still does: it would
// seem as cheap as `ingest_arrival_key` to the look-up of an arrival while the table is empty.

export const name = '0022-lighter-ingests';

/** Coordinators of the previous schema read and write the same; theirs use the smaller indexes, too. */
export const isBreaking = false;

export const up: readonly string[] = [
  ...['job_id', 'scan_id', 'strike_id', 'workspace_id'].map(
    (column) => `alter table ingest drop constraint ingest_${column}_fkey`,
  ),
  'drop index ingest_arrival_key, ingest_live_idx',
  /* sql */ `
create unique index ingest_arrival_key on ingest (strike_id, file_path, arrival)
  where (strike_id is not null and arrival is not null)`,
  /* sql */ `
create index ingest_live_idx on ingest (strike_id, id)
  where (strike_id is not null and status in ('TRANSFERRED', 'INGESTING'))`,
];
