/** What strike actors load: rows, their window of live ingests, and the facts about what was stored. */
import type { IngestOfJob, IngestState, IngestStatus } from '../domain/ingest/ingest.ts';
import type { JobStatus } from '../domain/job/job.ts';
import { LIVE_INGESTS_MAX, type StrikeRow } from '../domain/strike/strike.ts';
import { SYSTEM_JOB_TYPES } from './catalog/builtins.ts';
import { activeWorkspaces } from './node-loads.ts';
import { idArray, textArray } from './rows.ts';
import type { Sql } from './sql.ts';

const STRIKES = {
  name: 'load_strikes',
  text: /* sql */ `
    select strike.id, strike.shard, strike.title, strike.description, strike.configuration, strike.workspace_id,
      strike.is_paused, strike.deferred_cursor, job.id as job_id, job.status as job_status,
      job.num_exes as job_exe_num, exe.id as exe_id, exe.node_id
    from strike
    join job on job.id = strike.job_id
    left join job_exe as exe on exe.job_id = job.id and exe.exe_num = job.num_exes and exe.status = 'RUNNING'
    where strike.id = any($1::bigint[])`,
};

interface StrikeDbRow {
  readonly id: number;
  readonly shard: number;
  readonly title: string;
  readonly description: string;
  readonly configuration: Record<string, unknown>;
  readonly workspace_id: number;
  readonly is_paused: boolean;
  readonly deferred_cursor: number | null;
  readonly job_id: number;
  readonly job_status: JobStatus;
  readonly job_exe_num: number;
  readonly exe_id: number | null;
  readonly node_id: number | null;
}

/**
 * Strikes with the head of their live ingests. A constant number of statements for the set, one more each.
 */
export async function loadStrikes(
  sql: Sql,
  strikeIds: readonly number[],
): Promise<ReadonlyMap<number, StrikeRow>> {
  const [rows, workspaces, ingestType] = await Promise.all([
    sql.execute<StrikeDbRow>(STRIKES, [idArray(strikeIds)]),
    activeWorkspaces(sql),
    ingestJobType(sql),
  ]);
  const loaded = new Map<number, StrikeRow>();
  for (const row of rows) {
    const head = await liveIngests(sql, { strikeId: row.id, afterId: 0, limit: LIVE_INGESTS_MAX });
    const running = await runningIngests(sql, row.id);
    const { id, title, description, configuration } = row;
    loaded.set(id, {
      id,
      title,
      description,
      configuration,
      workspaceId: row.workspace_id,
      isPaused: row.is_paused,
      deferredCursor: row.deferred_cursor,
      job: { id: row.job_id, status: row.job_status, exeNum: row.job_exe_num },
      monitor:
        row.exe_id === null || row.node_id === null
          ? null
          : { executionId: row.exe_id, exeNum: row.job_exe_num, nodeId: row.node_id },
      ingestJob: { ...ingestType, shard: row.shard, ownerKind: 'strike' },
      // All that nodes work on, wherever in the queue they were taken from: their reports find them here.
      live: [...running, ...head],
      hasMore: head.length >= LIVE_INGESTS_MAX,
      workspaces,
    });
  }
  return loaded;
}

const INGEST_TYPE = {
  name: 'ingest_job_type',
  text: /* sql */ `
    select type.id as type_id, rev.id as rev_id, type.max_tries
    from job_type as type
    join job_type_rev as rev on rev.job_type_id = type.id and rev.revision_num = type.revision_num
    where type.name = $1 and type.is_system`,
};

async function ingestJobType(sql: Sql): Promise<Omit<StrikeRow['ingestJob'], 'shard' | 'ownerKind'>> {
  const { name, priority } = SYSTEM_JOB_TYPES.ingest;
  const [row] = await sql.execute<{ type_id: number; rev_id: number; max_tries: number }>(INGEST_TYPE, [
    name,
  ]);
  const { type_id, rev_id, max_tries } = row as NonNullable<typeof row>;
  return { jobTypeId: type_id, jobTypeRevId: rev_id, priority, maxTries: max_tries, timeoutS: 0 };
}

// limit: strikes of one coordinator.
const DUE_MAX = 50_000;
// Relies on strike_shard_idx.
const DUE = {
  name: 'due_strikes',
  text: /* sql */ `
    select id from strike
    where shard = any($1::smallint[])
      and (not is_paused
        or exists (select from ingest where strike_id = strike.id and status in ('TRANSFERRED', 'INGESTING')))
    order by id limit ${DUE_MAX}`,
};

export async function dueStrikes(sql: Sql, shards: readonly number[]): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(DUE, [idArray(shards)]);
  return rows.map((row) => row.id);
}

const WATCHING = /* sql */ `select id from strike where not is_paused order by id`;

/** Strikes whose actors are to hear of something new. */
export async function watchingStrikes(sql: Sql): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(WATCHING);
  return rows.map((row) => row.id);
}

interface IngestDbRow {
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
  readonly file_size: number;
  readonly mtime_ms: number | null;
  readonly data_type_tags: string[];
  readonly new_workspace_id: number | null;
  readonly new_file_path: string | null;
}

const INGEST_COLUMNS = /* sql */ `
  ingest.id, ingest.job_id, job.num_exes as exe_num, job.max_tries, exe.id as exe_id, exe.node_id, ingest.status,
  ingest.workspace_id, ingest.file_path, ingest.file_name, ingest.media_type, ingest.arrival, ingest.file_size,
  ingest.mtime_ms, ingest.data_type_tags, ingest.new_workspace_id, ingest.new_file_path
  from ingest
  left join job on job.id = ingest.job_id
  left join job_exe as exe on exe.job_id = job.id and exe.exe_num = job.num_exes and exe.status = 'RUNNING'`;

// Relies on ingest_live_idx.
const LIVE = {
  name: 'live_ingests',
  text: /* sql */ `
    select ${INGEST_COLUMNS}
    where ingest.strike_id = $1 and ingest.id > $2 and ingest.status in ('TRANSFERRED', 'INGESTING')
    order by ingest.id limit $3`,
};

// Relies on ingest_status_idx or ingest_live_idx: few ingests run at a time.
const RUNNING = {
  name: 'running_ingests',
  text: /* sql */ `
    select ${INGEST_COLUMNS}
    where ingest.strike_id = $1 and ingest.status = 'INGESTING'
    order by ingest.id`,
};

// Relies on ingest_deferred_idx.
const DEFERRED = {
  name: 'deferred_ingests',
  text: /* sql */ `
    select ${INGEST_COLUMNS}
    where ingest.strike_id = $1 and ingest.id > $2 and ingest.status = 'DEFERRED'
    order by ingest.id limit $3`,
};

export interface IngestPage {
  readonly strikeId: number;
  readonly afterId: number;
  readonly limit: number;
}

export async function liveIngests(sql: Sql, page: IngestPage): Promise<readonly IngestState[]> {
  const rows = await sql.execute<IngestDbRow>(LIVE, [page.strikeId, page.afterId, page.limit]);
  return rows.map(toIngest);
}

async function runningIngests(sql: Sql, strikeId: number): Promise<readonly IngestState[]> {
  const rows = await sql.execute<IngestDbRow>(RUNNING, [strikeId]);
  return rows.map(toIngest);
}

export async function deferredIngests(sql: Sql, page: IngestPage): Promise<readonly IngestState[]> {
  const rows = await sql.execute<IngestDbRow>(DEFERRED, [page.strikeId, page.afterId, page.limit]);
  return rows.map(toIngest);
}

// Relies on ingest_job_idx.
const OF_JOBS = {
  name: 'ingests_of_jobs',
  text: /* sql */ `
    select job.status as job_status, ${INGEST_COLUMNS}
    where ingest.job_id = any($1::bigint[]) and ingest.strike_id = $2
    order by ingest.id`,
};

export async function ingestsOfJobs(
  sql: Sql,
  args: { readonly strikeId: number; readonly jobIds: readonly number[] },
): Promise<readonly IngestOfJob[]> {
  const rows = await sql.execute<IngestDbRow & { job_status: JobStatus }>(OF_JOBS, [
    idArray(args.jobIds),
    args.strikeId,
  ]);
  return rows.map((row) => ({ ...toIngest(row), jobStatus: row.job_status }));
}

function toIngest(row: IngestDbRow): IngestState {
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
    size: row.file_size,
    mtimeMs: row.mtime_ms ?? 0,
    tags: row.data_type_tags,
    newWorkspaceId: row.new_workspace_id,
    newFilePath: row.new_file_path,
  };
}

// Relies on file_path_key.
const SOURCES = {
  name: 'sources_at',
  text: /* sql */ `
    select file.id, file.workspace_id, file.file_path, file.file_size, file.sha256
    from unnest($1::bigint[], $2::text[]) as place(workspace_id, file_path)
    join file on file.workspace_id = place.workspace_id and file.file_path = place.file_path
      and not file.is_deleted and not file.is_superseded`,
};

/** Files that are registered at places: undeleted and current. */
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
  }[]
> {
  if (places.length === 0) return [];
  const rows = await sql.execute<{
    id: number;
    workspace_id: number;
    file_path: string;
    file_size: number;
    sha256: string | null;
  }>(SOURCES, [idArray(places.map((one) => one.workspaceId)), textArray(places.map((one) => one.filePath))]);
  return rows.map((row) => ({
    fileId: row.id,
    workspaceId: row.workspace_id,
    filePath: row.file_path,
    size: row.file_size,
    sha256: row.sha256,
  }));
}
