/** Loads the ingests of strikes and scans for their actors, and facts about stored files. */
import type {
  IngestJobTemplate,
  IngestOfJob,
  IngestOwner,
  IngestState,
  IngestStatus,
} from '../../domain/ingest/ingest.ts';
import type { JobStatus } from '../../domain/job/job.ts';
import { LIVE_INGESTS_MAX } from '../../domain/strike/ingest-window.ts';
import { SYSTEM_JOB_TYPES } from '../catalog/builtins.ts';
import { guarded } from '../sql/guard-sql.ts';
import { idArray, textArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

const INGEST_TYPE = {
  name: 'ingest_job_type',
  isKeyed: true,
  text: /* sql */ `
    select type.id as type_id, rev.id as rev_id, type.max_tries
    from job_type as type
    join job_type_rev as rev on rev.job_type_id = type.id and rev.revision_num = type.revision_num
    where type.name = $1 and type.is_system`,
};

/** The template of ingest jobs, without their shard. */
export async function ingestJobType(sql: Sql): Promise<Omit<IngestJobTemplate, 'shard'>> {
  const { name, priority } = SYSTEM_JOB_TYPES.ingest;
  const [row] = await sql.execute<{ type_id: number; rev_id: number; max_tries: number }>(INGEST_TYPE, [
    name,
  ]);
  const { type_id, rev_id, max_tries } = row as NonNullable<typeof row>;
  return { jobTypeId: type_id, jobTypeRevId: rev_id, priority, maxTries: max_tries, timeoutS: 0 };
}

export interface IngestDbRow {
  readonly id: number;
  readonly job_id: number | null;
  readonly exe_num: number | null;
  readonly max_tries: number | null;
  readonly exe_id: number | null;
  readonly node_id: number | null;
  readonly status: IngestStatus;
  readonly workspace_id: number;
  readonly file_path: string;
  readonly file_name: string;
  readonly media_type: string;
  readonly arrival: string | null;
  readonly transfer_ended: number | null;
  readonly file_size: number;
  readonly mtime_ms: number | null;
  readonly data_type_tags: string[];
  readonly new_workspace_id: number | null;
  readonly new_file_path: string | null;
}

export const INGEST_COLUMNS = /* sql */ `
  ingest.id, ingest.job_id, job.num_exes as exe_num, job.max_tries, exe.id as exe_id, exe.node_id, ingest.status,
  ingest.workspace_id, ingest.file_path, ingest.file_name, ingest.media_type, ingest.arrival,
  ingest.transfer_ended, ingest.file_size, ingest.mtime_ms, ingest.data_type_tags, ingest.new_workspace_id,
  ingest.new_file_path
  from ingest
  left join job on job.id = ingest.job_id
  left join job_exe as exe on exe.job_id = job.id and exe.exe_num = job.num_exes and exe.status = 'RUNNING'`;

/** The column of an ingest's owner. */
const OWNED_BY = { strike: 'strike_id', scan: 'scan_id' } as const;

function forEachKind<T>(make: (column: string, kind: IngestOwner['kind']) => T) {
  return { strike: make(OWNED_BY.strike, 'strike'), scan: make(OWNED_BY.scan, 'scan') };
}

// Relies on ingest_live_idx, ingest_scan_live_idx.
const LIVE = forEachKind((column, kind) => ({
  name: `live_ingests_of_${kind}`,
  text: /* sql */ `
    select ${INGEST_COLUMNS}
    where ingest.${column} = $1 and ingest.id > $2 and ingest.status in ('TRANSFERRED', 'INGESTING')
    order by ingest.id limit $3`,
}));

// Relies on ingest_status_idx or the index of live ones: few ingests run at a time.
const RUNNING = forEachKind((column, kind) => ({
  name: `running_ingests_of_${kind}`,
  text: /* sql */ `
    select ${INGEST_COLUMNS}
    where ingest.${column} = $1 and ingest.status = 'INGESTING'
    order by ingest.id`,
}));

export interface IngestPage {
  readonly owner: IngestOwner;
  readonly afterId: number;
  readonly limit: number;
}

export async function liveIngests(
  sql: Sql,
  { owner, afterId, limit }: IngestPage,
): Promise<readonly IngestState[]> {
  const rows = await sql.execute<IngestDbRow>(LIVE[owner.kind], [owner.key, afterId, limit]);
  return rows.map(toIngest);
}

/** The ingests that an owner holds in memory after a load. */
export async function ingestWindow(
  sql: Sql,
  owner: IngestOwner,
): Promise<{ readonly live: readonly IngestState[]; readonly hasMore: boolean }> {
  const head = await liveIngests(sql, { owner, afterId: 0, limit: LIVE_INGESTS_MAX });
  const running = await sql.execute<IngestDbRow>(RUNNING[owner.kind], [owner.key]);
  // All ingests on nodes, wherever in the queue they were: their reports must find them in memory.
  return { live: [...running.map(toIngest), ...head], hasMore: head.length >= LIVE_INGESTS_MAX };
}

// Relies on ingest_job_idx.
const OF_JOBS = forEachKind((column, kind) => ({
  name: `ingests_of_jobs_of_${kind}`,
  text: /* sql */ `
    select job.status as job_status, job.request_position, ${INGEST_COLUMNS}
    where ingest.job_id = any($1::bigint[]) and ingest.${column} = $2
    order by ingest.id`,
}));

export async function ingestsOfJobs(
  sql: Sql,
  { owner, jobIds }: { readonly owner: IngestOwner; readonly jobIds: readonly number[] },
): Promise<readonly IngestOfJob[]> {
  type Row = IngestDbRow & { readonly job_status: JobStatus; readonly request_position: number | null };
  const rows = await sql.execute<Row>(OF_JOBS[owner.kind], [idArray(jobIds), owner.key]);
  return rows.map((row) => ({
    ...toIngest(row),
    jobStatus: row.job_status,
    requestPosition: row.request_position,
  }));
}

export function toIngest(row: IngestDbRow): IngestState {
  return {
    id: row.id,
    jobId: row.job_id ?? 0,
    exeNum: row.exe_num ?? 0,
    maxTries: row.max_tries ?? 0,
    executionId: row.exe_id,
    nodeId: row.node_id,
    status: row.status,
    workspaceId: row.workspace_id,
    filePath: row.file_path,
    fileName: row.file_name,
    mediaType: row.media_type,
    identity: row.arrival ?? '',
    arrivedMs: row.transfer_ended ?? 0,
    size: row.file_size,
    mtimeMs: row.mtime_ms ?? 0,
    tags: row.data_type_tags,
    newWorkspaceId: row.new_workspace_id,
    newFilePath: row.new_file_path,
  };
}

/**
 * The offset prevents the planner from merging the subquery: a plan from when there were few files read all of them for
 * each place.
 */
const SOURCES = {
  name: 'sources_at',
  isKeyed: true,
  text: /* sql */ `
    select file.id, file.workspace_id, file.file_path, file.file_size, file.sha256,
      (select max(ingest.transfer_ended) from ingest where ingest.source_file_id = file.id
        and ${guarded('ingest.status')} = 'INGESTED') as arrived   -- = ingest_source_file_idx
    from unnest($1::bigint[], $2::text[]) as place(workspace_id, file_path)
    cross join lateral (
      select * from file f where f.workspace_id = place.workspace_id and f.file_path = place.file_path
        and not f.is_deleted and not f.is_superseded   -- = file_path_key
      offset 0) as file`,
};

/** Registered files at places: undeleted and current. */
export async function sourcesAt(
  sql: Sql,
  places: readonly { readonly workspaceId: number; readonly filePath: string }[],
): Promise<
  readonly {
    readonly fileId: number;
    readonly workspaceId: number;
    readonly filePath: string;
    readonly size: number;
    readonly sha256: string | null;
    readonly arrivedMs: number | null;
  }[]
> {
  if (places.length === 0) return [];
  const rows = await sql.execute<{
    id: number;
    workspace_id: number;
    file_path: string;
    file_size: number;
    sha256: string | null;
    arrived: number | null;
  }>(SOURCES, [idArray(places.map((one) => one.workspaceId)), textArray(places.map((one) => one.filePath))]);
  return rows.map((row) => ({
    fileId: row.id,
    workspaceId: row.workspace_id,
    filePath: row.file_path,
    size: row.file_size,
    sha256: row.sha256,
    arrivedMs: row.arrived,
  }));
}
