/** Loads scan actors: rows, their window of live ingests, and live jobs for a cancel. */
import type { SystemJob } from '../../domain/job/job.ts';
import type { ScanRow } from '../../domain/scan/scan.ts';
import { ingestJobType, ingestWindow } from '../ingest/load.ts';
import { JobExeEntity } from '../job/table.ts';
import { activeWorkspaces } from '../node/load.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { columnsOf, type Joined, type RowOf } from '../sql/table-rows.ts';
import { ScanEntity } from './table.ts';

const SCAN = columnsOf(ScanEntity, 'scan', [
  ...(['id', 'shard', 'configuration', 'workspaceId', 'run', 'cursor', 'counts', 'cancelThrough'] as const),
  ...(['reason', 'waiting', 'previousCounts'] as const),
]);
const EXECUTION = columnsOf(JobExeEntity, 'exe', ['exeNum', 'nodeId']);

type ScanDbRow = RowOf<typeof SCAN> &
  Joined<RowOf<typeof EXECUTION> & { readonly executionId: number }> & {
    readonly ingest: SystemJob;
    readonly dryRun: SystemJob;
  };

/** A job of a scan as JSON. */
function jobOf(alias: string): string {
  return /* sql */ `json_build_object('id', ${alias}.id, 'status', ${alias}.status, 'exeNum', ${alias}.num_exes,
      'requestPosition', ${alias}.request_position)`;
}

const SCANS = {
  name: 'load_scans',
  text: /* sql */ `
    select ${SCAN.sql}, ${jobOf('job')} as ingest, ${jobOf('dry')} as "dryRun", ${EXECUTION.sql},
      exe.id as "executionId"
    from scan
    join job on job.id = scan.job_id
    join job as dry on dry.id = scan.dry_run_job_id
    left join job_exe as exe on exe.status = 'RUNNING'
      and exe.job_id = case scan.run when 'ingest' then job.id else dry.id end
      and exe.exe_num = case scan.run when 'ingest' then job.num_exes else dry.num_exes end
    where scan.id = any($1::bigint[]) and scan.deleted is null`,
};

/** Scans with their first live ingests. A constant number of statements for the set, two more for each scan. */
export async function loadScans(sql: Sql, scanIds: readonly number[]): Promise<ReadonlyMap<number, ScanRow>> {
  const [rows, workspaces, ingestType] = await Promise.all([
    sql.execute<ScanDbRow>(SCANS, [idArray(scanIds)]),
    activeWorkspaces(sql),
    ingestJobType(sql),
  ]);
  const loaded = new Map<number, ScanRow>();
  for (const row of rows) {
    const { shard, ingest, dryRun, executionId, exeNum, nodeId, ...scan } = row;
    const isListing = scan.run !== null && executionId !== null && exeNum !== null && nodeId !== null;
    loaded.set(row.id, {
      ...scan,
      jobs: { ingest, dry_run: dryRun },
      listing: isListing ? { executionId, exeNum, nodeId } : null,
      ingestJob: { ...ingestType, shard },
      ...(await ingestWindow(sql, { kind: 'scan', key: row.id })),
      workspaces,
    });
  }
  return loaded;
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

/** Scans of these shards that have something to do. */
export async function dueScans(sql: Sql, shards: readonly number[]): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(DUE, [idArray(shards)]);
  return rows.map((row) => row.id);
}

const RUNNING = /* sql */ `select id from scan where run is not null order by id`;

/** Ids of the scans whose actors are notified when a workspace changes. */
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
