/** Loads scan actors: rows, their window of live ingests, and live jobs for a cancel. */
import type { JobStatus } from '../../domain/job/job.ts';
import type { ScanCounts, ScanMode, ScanRow } from '../../domain/scan/scan.ts';
import { ingestJobType, ingestWindow } from '../ingest/load.ts';
import { activeWorkspaces } from '../node/load.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

const SCANS = {
  name: 'load_scans',
  text: /* sql */ `
    select scan.id, scan.shard, scan.configuration, scan.workspace_id, scan.run, scan.cursor, scan.counts,
      scan.cancel_through, scan.reason, scan.waiting,
      job.id as job_id, job.status as job_status, job.num_exes as job_exe_num,
      job.request_position as job_position, dry.request_position as dry_position,
      dry.id as dry_id, dry.status as dry_status, dry.num_exes as dry_exe_num,
      exe.id as exe_id, exe.exe_num, exe.node_id
    from scan
    join job on job.id = scan.job_id
    join job as dry on dry.id = scan.dry_run_job_id
    left join job_exe as exe on exe.status = 'RUNNING'
      and exe.job_id = case scan.run when 'ingest' then job.id else dry.id end
      and exe.exe_num = case scan.run when 'ingest' then job.num_exes else dry.num_exes end
    where scan.id = any($1::bigint[])`,
};

interface ScanDbRow {
  readonly id: number;
  readonly shard: number;
  readonly configuration: Record<string, unknown>;
  readonly workspace_id: number;
  readonly run: ScanMode | null;
  readonly cursor: string;
  readonly counts: ScanCounts | null;
  readonly cancel_through: number | null;
  readonly reason: string | null;
  readonly waiting: readonly ScanMode[];
  readonly job_id: number;
  readonly job_status: JobStatus;
  readonly job_exe_num: number;
  readonly dry_id: number;
  readonly dry_status: JobStatus;
  readonly dry_exe_num: number;
  readonly job_position: number | null;
  readonly dry_position: number | null;
  readonly exe_id: number | null;
  readonly exe_num: number | null;
  readonly node_id: number | null;
}

/** Scans with their first live ingests. A constant number of statements for the set, two more for each scan. */
export async function loadScans(sql: Sql, scanIds: readonly number[]): Promise<ReadonlyMap<number, ScanRow>> {
  const [rows, workspaces, ingestType] = await Promise.all([
    sql.execute<ScanDbRow>(SCANS, [idArray(scanIds)]),
    activeWorkspaces(sql),
    ingestJobType(sql),
  ]);
  const loaded = new Map<number, ScanRow>();
  for (const row of rows) {
    loaded.set(row.id, {
      id: row.id,
      configuration: row.configuration,
      workspaceId: row.workspace_id,
      jobs: {
        ingest: {
          id: row.job_id,
          status: row.job_status,
          exeNum: row.job_exe_num,
          requestPosition: row.job_position,
        },
        dry_run: {
          id: row.dry_id,
          status: row.dry_status,
          exeNum: row.dry_exe_num,
          requestPosition: row.dry_position,
        },
      },
      run: row.run,
      cursor: row.cursor,
      counts: row.counts,
      cancelThrough: row.cancel_through,
      reason: row.reason,
      waiting: row.waiting,
      listing: listingOf(row),
      ingestJob: { ...ingestType, shard: row.shard },
      ...(await ingestWindow(sql, { kind: 'scan', key: row.id })),
      workspaces,
    });
  }
  return loaded;
}

function listingOf({ run, exe_id, exe_num, node_id }: ScanDbRow): ScanRow['listing'] {
  if (run === null || exe_id === null || exe_num === null || node_id === null) return null;
  return { executionId: exe_id, exeNum: exe_num, nodeId: node_id };
}

// limit: scans of one coordinator.
const DUE_MAX = 50_000;
// Relies on scan_shard_idx, ingest_scan_live_idx.
const DUE = {
  name: 'due_scans',
  text: /* sql */ `
    select id from scan
    where shard = any($1::smallint[])
      and (run is not null or cancel_through is not null or waiting <> '[]' or exists (
        select from ingest where scan_id = scan.id and status in ('TRANSFERRED', 'INGESTING')))
    order by id limit ${DUE_MAX}`,
};

export async function dueScans(sql: Sql, shards: readonly number[]): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(DUE, [idArray(shards)]);
  return rows.map((row) => row.id);
}

const RUNNING = /* sql */ `select id from scan where run is not null order by id`;

/** Scans whose actors are told of changes. */
export async function runningScans(sql: Sql): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(RUNNING);
  return rows.map((row) => row.id);
}

// One array, however many there are.
const LIVE_JOBS = {
  name: 'live_ingest_jobs',
  text: /* sql */ `
    select coalesce(json_agg(job_id order by id), '[]') as job_ids, coalesce(max(id), 0) as last_id
    from ingest
    where scan_id = $1 and status in ('TRANSFERRED', 'INGESTING') and job_id is not null
      -- = ingest_scan_live_idx`,
};

/** Jobs of all live ingests of a scan, and the highest id of these ingests. */
export async function liveIngestJobs(
  sql: Sql,
  scanId: number,
): Promise<{ readonly jobIds: readonly number[]; readonly lastIngestId: number }> {
  const [row] = await sql.execute<{ job_ids: number[]; last_id: number }>(LIVE_JOBS, [scanId]);
  return { jobIds: row?.job_ids ?? [], lastIngestId: row?.last_id ?? 0 };
}
