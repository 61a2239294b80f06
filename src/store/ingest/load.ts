/** Loads the ingests of strikes and scans for their actors, and facts about stored files. */
import type { IngestJobTemplate, IngestOfJob, IngestOwner, IngestState } from '../../domain/ingest/ingest.ts';
import { LIVE_INGESTS_MAX } from '../../domain/ingest/ingest-window.ts';
import { SYSTEM_JOB_TYPES } from '../catalog/builtins.ts';
import { FileEntity } from '../file/table.ts';
import { JobEntity, JobExeEntity } from '../job/table.ts';
import { guarded } from '../sql/guard-sql.ts';
import { idArray, textArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { columnsOf, type Joined, type RowOf } from '../sql/table-rows.ts';
import { IngestEntity } from './table.ts';

const INGEST_TYPE = {
  name: 'ingest_job_type',
  isKeyed: true,
  text: /* sql */ `
    select type.id as "jobTypeId", rev.id as "jobTypeRevId", type.max_tries as "maxTries"
    from job_type as type
    join job_type_rev as rev on rev.job_type_id = type.id and rev.revision_num = type.revision_num
    where type.name = $1 and type.is_system`,
};

/** The template of ingest jobs, without their shard. */
export async function ingestJobType(sql: Sql): Promise<Omit<IngestJobTemplate, 'shard'>> {
  const { name, priority } = SYSTEM_JOB_TYPES.ingest;
  type Row = Pick<IngestJobTemplate, 'jobTypeId' | 'jobTypeRevId' | 'maxTries'>;
  const [row] = await sql.execute<Row>(INGEST_TYPE, [name]);
  return { ...(row as Row), priority, timeoutS: 0 };
}

const INGEST = columnsOf(IngestEntity, 'ingest', [
  ...(['id', 'jobId', 'status', 'workspaceId', 'filePath', 'fileName', 'mediaType', 'arrival'] as const),
  ...(['transferEnded', 'fileSize', 'mtimeMs', 'dataTypeTags', 'newWorkspaceId', 'newFilePath'] as const),
]);
const JOB = columnsOf(JobEntity, 'job', ['maxTries', 'numExes']);
const EXECUTION = columnsOf(JobExeEntity, 'exe', ['nodeId']);

export type IngestDbRow = RowOf<typeof INGEST> &
  Joined<RowOf<typeof JOB> & RowOf<typeof EXECUTION> & { readonly executionId: number }>;

export const INGEST_COLUMNS = /* sql */ `
  ${INGEST.sql}, ${JOB.sql}, ${EXECUTION.sql}, exe.id as "executionId"
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

/** Live ingests with ids above `afterId`, ascending, at most `limit`. */
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
    select job.status as "jobStatus", job.request_position as "requestPosition", ${INGEST_COLUMNS}
    where ingest.job_id = any($1::bigint[]) and ingest.${column} = $2
    order by ingest.id`,
}));

/** Those ingests of the owner whose jobs have these ids. */
export async function ingestsOfJobs(
  sql: Sql,
  { owner, jobIds }: { readonly owner: IngestOwner; readonly jobIds: readonly number[] },
): Promise<readonly IngestOfJob[]> {
  type Row = IngestDbRow & Pick<IngestOfJob, 'jobStatus' | 'requestPosition'>;
  const rows = await sql.execute<Row>(OF_JOBS[owner.kind], [idArray(jobIds), owner.key]);
  return rows.map((row) => {
    const { jobStatus, requestPosition } = row;
    return { ...toIngest(row), jobStatus, requestPosition };
  });
}

export function toIngest(row: IngestDbRow): IngestState {
  return {
    id: row.id,
    jobId: row.jobId ?? 0,
    exeNum: row.numExes ?? 0,
    maxTries: row.maxTries ?? 0,
    executionId: row.executionId,
    nodeId: row.nodeId,
    status: row.status,
    workspaceId: row.workspaceId,
    filePath: row.filePath,
    fileName: row.fileName,
    mediaType: row.mediaType,
    identity: row.arrival ?? '',
    arrivedMs: row.transferEnded ?? 0,
    size: row.fileSize,
    mtimeMs: row.mtimeMs ?? 0,
    tags: row.dataTypeTags,
    newWorkspaceId: row.newWorkspaceId,
    newFilePath: row.newFilePath,
  };
}

const PLACE = columnsOf(FileEntity, 'file', ['workspaceId', 'filePath']);

type SourceAt = RowOf<typeof PLACE> & {
  readonly fileId: number;
  readonly size: number;
  readonly sha256: string | null;
  readonly arrivedMs: number | null;
};

/**
 * The offset prevents the planner from merging the subquery: a plan from when there were few files read all of them for
 * each place.
 */
const SOURCES = {
  name: 'sources_at',
  isKeyed: true,
  text: /* sql */ `
    select file.id as "fileId", ${PLACE.sql}, file.file_size as size, file.sha256,
      (select max(ingest.transfer_ended) from ingest where ingest.source_file_id = file.id
        and ${guarded('ingest.status')} = 'INGESTED') as "arrivedMs"   -- = ingest_source_file_idx
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
): Promise<readonly SourceAt[]> {
  if (places.length === 0) return [];
  const workspaceIds = idArray(places.map((one) => one.workspaceId));
  return sql.execute<SourceAt>(SOURCES, [workspaceIds, textArray(places.map((one) => one.filePath))]);
}
