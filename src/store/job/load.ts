/** Loads for owners of jobs: jobs without a recipe, running executions, and jobs that a reconciliation must wake. */
import type { DataDocument, JobOwner, JobState, SourceInfo } from '../../domain/job/job.ts';
import type { StandaloneJob } from '../../domain/job/standalone-job.ts';
import { workspaceCatalog } from '../catalog/facts.ts';
import type { RevisionCache } from '../catalog/revision-cache.ts';
import { fileInfos } from '../file/facts.ts';
import { guarded } from '../sql/guard-sql.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { columnsOf, type RowOf } from '../sql/table-rows.ts';
import { JobEntity, JobExeEntity } from './table.ts';

const STATE = columnsOf(JobEntity, 'job', [
  'id',
  'jobTypeId',
  'jobTypeRevId',
  'recipeId',
  'recipeNode',
  'recipeIds',
  'batchId',
  'eventId',
  'configuration',
  'isSuperseded',
  'supersededJobId',
  'requestPosition',
  'status',
  'numExes',
  'maxTries',
  'queued',
  'input',
  'output',
  'sourceStarted',
  'sourceEnded',
  'sourceSensorClass',
  'sourceSensor',
  'sourceCollection',
  'sourceTask',
]);

/** Columns of `job` for a `JobStateRow`. */
export const JOB_STATE_COLUMNS = STATE.sql;
export type JobStateRow = RowOf<typeof STATE>;

const STANDALONE_JOBS = {
  name: 'standalone_jobs',
  isKeyed: true,
  text: /* sql */ `
    select ${JOB_STATE_COLUMNS} from job
    where id = any($1::bigint[]) and owner_kind = 'job'   -- = job_pkey
      -- the jobs of a closed purge have no owner any more
      and not exists (
        select from purge_job m join purge p on p.id = m.purge_id
        where m.job_id = job.id and p.is_closed)   -- = purge_job_job_idx`,
};

export function toJobState(row: JobStateRow): JobState {
  return {
    id: row.id,
    jobTypeId: row.jobTypeId,
    jobTypeRevId: row.jobTypeRevId,
    recipeId: row.recipeId,
    recipeNode: row.recipeNode,
    recipeIds: row.recipeIds,
    batchId: row.batchId,
    eventId: row.eventId,
    configuration: row.configuration,
    isSuperseded: row.isSuperseded,
    supersededJobId: row.supersededJobId,
    requestPosition: row.requestPosition,
    status: row.status,
    exeNum: row.numExes,
    maxTries: row.maxTries,
    queuedMs: row.queued,
    source: row.input === null ? null : sourceOfRow(row),
    input: row.input,
    output: row.output,
  };
}

/** The origin of the source data of a row with `source_*` columns. */
export function sourceOfRow(
  row: Pick<JobStateRow, Extract<keyof JobStateRow, `source${string}`>>,
): SourceInfo {
  return {
    startedMs: row.sourceStarted,
    endedMs: row.sourceEnded,
    sensorClass: row.sourceSensorClass,
    sensor: row.sourceSensor,
    collection: row.sourceCollection,
    task: row.sourceTask,
  };
}

/** Ids of files in data documents. */
export function fileIdsOf(documents: Iterable<DataDocument | null>): Set<number> {
  const ids = new Set<number>();
  for (const document of documents) {
    for (const fileIds of Object.values(document?.files ?? {})) for (const id of fileIds) ids.add(id);
  }
  return ids;
}

/** Jobs without a recipe, with everything that deciding about them needs. A constant number of statements. */
export async function loadJobs(
  sql: Sql,
  revisions: RevisionCache,
  jobIds: readonly number[],
): Promise<ReadonlyMap<number, StandaloneJob>> {
  const rows = await sql.execute<JobStateRow>(STANDALONE_JOBS, [idArray(jobIds)]);
  // The usual case: the actor is loaded to create its job.
  if (rows.length === 0) return new Map();
  const jobs = rows.map(toJobState);
  const [revisionById, files, workspaces] = await Promise.all([
    revisions.jobRevisions(jobs.map((job) => job.jobTypeRevId)),
    fileInfos(sql, fileIdsOf(jobs.map((job) => job.input))),
    workspaceCatalog(sql),
  ]);
  const loaded = new Map<number, StandaloneJob>();
  for (const job of jobs) {
    const revision = revisionById.get(job.jobTypeRevId);
    if (revision !== undefined) {
      const own = [...fileIdsOf([job.input])].flatMap((id) => files.get(id) ?? []);
      loaded.set(job.id, { job, revision, files: new Map(own.map((file) => [file.id, file])), workspaces });
    }
  }
  return loaded;
}

const RUNNING = columnsOf(JobExeEntity, 'x', ['jobId', 'exeNum', 'nodeId']);

export type RunningJob = RowOf<typeof RUNNING> & { readonly executionId: number };

const RUNNING_EXECUTIONS = {
  name: 'running_executions',
  isKeyed: true,
  text: /* sql */ `
    select x.id as "executionId", ${RUNNING.sql} from job_exe x
    where x.job_id = any($1::bigint[]) and ${guarded('x.status')} = 'RUNNING'   -- = job_exe_num_key
    order by x.id`,
};

/** Executions of jobs whose rows are RUNNING, whatever their job's status. */
export function runningExecutions(sql: Sql, jobIds: readonly number[]): Promise<readonly RunningJob[]> {
  return sql.execute<RunningJob>(RUNNING_EXECUTIONS, [idArray(jobIds)]);
}

/** limit: owners that one reconciliation wakes; the next one finds the rest. */
export const DUE_MAX = 1_000;

/** Owners of jobs with a running execution that is not their current one: its kill was lost. */
const STRAY_OWNERS = {
  name: 'stray_owners',
  text: /* sql */ `
    select distinct j.owner_key as id
    from job_exe x join job j on j.id = x.job_id
    where x.status = 'RUNNING' and (j.status <> 'RUNNING' or j.num_exes <> x.exe_num)
      -- = job_exe_running_idx
      and j.owner_kind = $1 and j.shard = any($2::smallint[])
    order by 1 limit ${DUE_MAX}`,
};

export async function strayOwners(
  sql: Sql,
  kind: JobOwner['kind'],
  shards: readonly number[],
): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(STRAY_OWNERS, [kind, idArray(shards)]);
  return rows.map((row) => row.id);
}

/** Jobs without a recipe that must be woken. */
export function dueJobs(sql: Sql, shards: readonly number[]): Promise<readonly number[]> {
  return strayOwners(sql, 'job', shards);
}
