/**
 * Rows that launches are built from: the data of each execution and, once for each job type revision, the data that all
 * of its jobs share. One statement, however many executions. Manifests are its widest columns, and a thousand jobs of
 * one type would otherwise read and parse the same one a thousand times.
 */
import { AppError } from '../../domain/errors.ts';
import type { DataDocument, JobOwner } from '../../domain/job/job.ts';
import {
  fullConfiguration,
  type JobConfiguration,
  type JobConfigurationPart,
} from '../../domain/job/job-config.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { assert } from '../../lib/assert.ts';
import { openSecrets } from '../job-type/save.ts';
import type { Encryption } from '../secret-key/encryption.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

const EXECUTIONS = {
  name: 'launch_executions',
  isKeyed: true,
  text: /* sql */ `
    with running as (
      select exe.id, exe.exe_num, exe.resources, exe.started, job.id as job_id,
        job.status = 'RUNNING' and job.num_exes = exe.exe_num as is_current, job.owner_kind, job.owner_key,
        job.input, job.configuration, job.input_file_size, job.timeout_s, job.source_started,
        job.recipe_id, job.batch_id, job.job_type_rev_id as rev_id,
        row_number() over (partition by job.job_type_rev_id) = 1 as is_first
      from job_exe as exe
      join job on job.id = exe.job_id
      where exe.id = any($1::bigint[]) and exe.status = 'RUNNING')
    select running.*, type.id as job_type_id, type.name as type_name, type.version as type_version,
      type.configuration as type_configuration, type.secrets, type.is_system, rev.container_image, rev.manifest,
      recipe.input as recipe_input, recipe_type.name as recipe_type_name,
      recipe_rev.revision_num as recipe_revision
    from running
    left join job_type_rev as rev on rev.id = case when running.is_first then running.rev_id end
    left join job_type as type on type.id = rev.job_type_id
    left join recipe on recipe.id = running.recipe_id
    left join recipe_type on recipe_type.id = recipe.recipe_type_id
    left join recipe_type_rev as recipe_rev on recipe_rev.id = recipe.recipe_type_rev_id`,
};

interface ExecutionDbRow {
  readonly id: number;
  readonly exe_num: number;
  readonly resources: Record<string, number>;
  readonly started: number;
  readonly job_id: number;
  readonly is_current: boolean;
  readonly owner_kind: JobOwner['kind'];
  readonly owner_key: number;
  readonly input: DataDocument | null;
  readonly configuration: JobConfigurationPart | null;
  readonly input_file_size: number | null;
  readonly timeout_s: number;
  readonly source_started: number | null;
  readonly recipe_id: number | null;
  readonly batch_id: number | null;
  readonly rev_id: number;
  readonly recipe_input: DataDocument | null;
  readonly recipe_type_name: string | null;
  readonly recipe_revision: number | null;
}

/** In the first row of each revision only; null in the others. */
interface RevisionDbColumns {
  readonly is_first: boolean;
  readonly job_type_id: number;
  readonly type_name: string;
  readonly type_version: string;
  readonly type_configuration: JobConfigurationPart;
  readonly secrets: Uint8Array | null;
  readonly is_system: boolean;
  readonly container_image: string;
  readonly manifest: Manifest;
}

/** The data that jobs of one revision share. */
export interface LaunchRevision {
  readonly typeName: string;
  readonly typeVersion: string;
  readonly isSystem: boolean;
  readonly image: string;
  readonly manifest: Manifest;
  /** The manifest as JSON text. */
  readonly manifestText: string;
  readonly configuration: JobConfiguration;
  /** Secret settings in plain text, or why they cannot be read, which does not prevent launches of other types. */
  readonly secrets: Readonly<Record<string, string>> | AppError;
}

export interface LaunchRow extends ExecutionDbRow {
  readonly revision: LaunchRevision;
}

/** The rows of the running executions among these. Throws as `Sql.execute` does. */
export async function launchRows(
  sql: Sql,
  encryption: Encryption,
  executionIds: readonly number[],
): Promise<readonly LaunchRow[]> {
  const rows = await sql.execute<ExecutionDbRow & RevisionDbColumns>(EXECUTIONS, [idArray(executionIds)]);
  const revisions = new Map<number, LaunchRevision>();
  for (const row of rows) if (row.is_first) revisions.set(row.rev_id, revisionOf(row, encryption));
  return rows.map((row) => {
    const revision = revisions.get(row.rev_id);
    assert(revision !== undefined, 'the first row of a revision brings it');
    return { ...row, revision };
  });
}

function revisionOf(row: RevisionDbColumns, encryption: Encryption): LaunchRevision {
  return {
    typeName: row.type_name,
    typeVersion: row.type_version,
    isSystem: row.is_system,
    image: row.container_image,
    manifest: row.manifest,
    manifestText: JSON.stringify(row.manifest),
    configuration: fullConfiguration(row.type_configuration),
    secrets: secretsOf(row, encryption),
  };
}

function secretsOf(row: RevisionDbColumns, encryption: Encryption): LaunchRevision['secrets'] {
  try {
    return openSecrets(encryption, row.job_type_id, row.secrets);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
