/**
 * Lineage of files, level by level: the jobs that produced them, and the jobs that had them as inputs. A fixed number
 * of statements per level.
 */
import type { FileType } from '../../domain/listing/filters.ts';
import { object, row } from '../sql/fields.ts';
import { readRecords } from '../sql/listing.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { isNoTrial } from '../sql/trials.ts';

/** A file as the input or the output of a job. */
export interface LineageLink {
  readonly jobId: number;
  readonly fileId: number;
  /** Name of the input or output; null where a job's product has none. */
  readonly name: string | null;
}

/**
 * Jobs with the files as inputs, at most `limit`, in the order of the files, then by job. `afterJobId`: only jobs with
 * higher ids, for all files.
 */
export function consumersOf(
  sql: Sql,
  fileIds: readonly number[],
  afterJobId: number,
  limit: number,
): Promise<readonly LineageLink[]> {
  return sql.execute<LineageLink>(
    `select link.job_id as "jobId", link.file_id as "fileId", link.input as name
     from unnest($1::bigint[]) with ordinality as wanted(id, place)
     cross join lateral (
       select l.job_id, l.file_id, l.input from job_input_file l
       join job j on j.id = l.job_id and ${isNoTrial('j.job_type_id')}
       where l.file_id = wanted.id and l.job_id > $2   -- = job_input_file_file_idx
       order by l.job_id, l.input limit $3) as link
     order by wanted.place, link.job_id, link.input limit $3`,
    [idArray(fileIds), afterJobId, limit],
  );
}

/** Files that the jobs made, at most `limit`, by job, then by file. */
export function productsOf(
  sql: Sql,
  jobIds: readonly number[],
  limit: number,
): Promise<readonly LineageLink[]> {
  return sql.execute<LineageLink>(
    `select job_id as "jobId", id as "fileId", job_output as name from file
     where job_id = any($1::bigint[])   -- = file_job_idx
     order by job_id, id limit $2`,
    [idArray(jobIds), limit],
  );
}

/** The jobs that made the files. */
export function producersOf(sql: Sql, fileIds: readonly number[]): Promise<readonly LineageLink[]> {
  return sql.execute<LineageLink>(
    `select job_id as "jobId", id as "fileId", job_output as name from file
     where id = any($1::bigint[]) and job_id is not null   -- = file_pkey
     order by job_id, id`,
    [idArray(fileIds)],
  );
}

/** Input files of the jobs, at most `limit`, by job, then by input. */
export function inputsOf(
  sql: Sql,
  jobIds: readonly number[],
  limit: number,
): Promise<readonly LineageLink[]> {
  return sql.execute<LineageLink>(
    `select job_id as "jobId", file_id as "fileId", input as name from job_input_file
     where job_id = any($1::bigint[])   -- = job_input_file_pkey
     order by job_id, input, file_id limit $2`,
    [idArray(jobIds), limit],
  );
}

/** Those of the files that are inputs of jobs. */
export async function takenOf(sql: Sql, fileIds: readonly number[]): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(
    `select wanted.id from unnest($1::bigint[]) as wanted(id)
     where exists (select from job_input_file l join job j on j.id = l.job_id and ${isNoTrial('j.job_type_id')}
       where l.file_id = wanted.id)   -- = job_input_file_file_idx
     order by 1`,
    [idArray(fileIds)],
  );
  return rows.map(({ id }) => id);
}

const f = row('file', 'f');
const FILE = object({
  ...f.columns('id', 'file_name'),
  file_type: f.oneOf<FileType>('file_type'),
  ...f.columns('media_type', 'file_size'),
  workspace: object(row('workspace', 'w').columns('id', 'name')),
  ...f.columns('file_path', 'is_deleted', 'is_superseded'),
});

/** The existing files among these ids, by id. */
export function lineageFiles(sql: Sql, ids: readonly number[]) {
  const from = `file f join workspace w on w.id = f.workspace_id
     where f.id = any($1::bigint[]) order by f.id`;
  return readRecords(sql, FILE, from, [idArray(ids)]);
}

export interface LineageJob {
  readonly id: number;
  readonly status: string;
  readonly job_type: { readonly id: number; readonly name: string; readonly version: string };
  readonly revision_num: number;
  readonly image: string;
  readonly imageDigest: string | null;
  readonly executionId: number | null;
  readonly recipe: { readonly id: number } | null;
  readonly recipe_node: string | null;
  readonly batch: { readonly id: number } | null;
}

/** The jobs with their last executions. Relies on job_pkey and job_exe_num_key. */
export function lineageJobs(sql: Sql, ids: readonly number[]): Promise<readonly LineageJob[]> {
  return sql.execute<LineageJob>(
    `select j.id, j.status, json_build_object('id', jt.id, 'name', jt.name, 'version', jt.version) as job_type,
       rev.revision_num, rev.container_image as image, exe.image_digest as "imageDigest", exe.id as "executionId",
       case when j.recipe_id is not null then json_build_object('id', j.recipe_id) end as recipe, j.recipe_node,
       case when j.batch_id is not null then json_build_object('id', j.batch_id) end as batch
     from job j left join job_exe exe on exe.job_id = j.id and exe.exe_num = j.num_exes
       join job_type jt on jt.id = j.job_type_id
       join job_type_rev rev on rev.id = coalesce(exe.job_type_rev_id, j.job_type_rev_id)
     where j.id = any($1::bigint[]) order by j.id`,
    [idArray(ids)],
  );
}
