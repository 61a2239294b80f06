/**
 * Facts about the tasks of executions. They are derived when they are read: the revision and the job's input and
 * configuration never change, and the type's configuration is the one that was valid when the execution began. Files
 * have their present places.
 */
import { AppError } from '../../domain/errors.ts';
import {
  fullConfiguration,
  type JobConfigurationPart,
  withJobConfiguration,
} from '../../domain/job/job-config.ts';
import type { ExecutionFacts, InputFileFacts } from '../../domain/task/execution-tasks.ts';
import { openSecrets } from '../job-type/save.ts';
import type { Encryption } from '../secret-key/encryption.ts';
import { object, row } from '../sql/fields.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

// limit: input files that are shown for one execution.
const FILES_MAX = 1_000;

const file = row('file', 'file');
const FILE = object({
  fileId: file.column('id'),
  fileName: file.column('file_name'),
  type: file.column('file_type'),
  workspace: row('workspace', 'workspace').column('name'),
  path: file.column('file_path'),
  isDeleted: file.column('is_deleted'),
});

/** The first files of the input, in order. */
const FILES = /* sql */ `
  (select coalesce(json_agg(json_build_array(given.input, ${FILE}) order by given.input, given.place), '[]')
  from (
    select input.key as input, item.place, item.id::bigint as id
    from jsonb_each(coalesce(job.input->'files', '{}')) as input,
      jsonb_array_elements_text(input.value) with ordinality as item(id, place)
    order by input.key, item.place limit ${FILES_MAX}) as given
  join file on file.id = given.id
  join workspace on workspace.id = file.workspace_id)`;

const FIRST_FILE = object({ fileId: file.column('id'), fileName: file.column('file_name') });
const FIRST_FILES = /* sql */ `
  (select coalesce(json_object_agg(input.key, ${FIRST_FILE}), '{}')
  from jsonb_each(coalesce(job.input->'files', '{}')) as input
  join file on file.id = (input.value->>0)::bigint)`;

/** Relies on job_input_file_pkey and ingest_job_idx. */
const WORKSPACES = /* sql */ `
  array(select workspace.name from workspace where workspace.id in (
    select file.workspace_id from job_input_file link join file on file.id = link.file_id
      where link.job_id = job.id
    union all select unnest(array[ingest.workspace_id, ingest.new_workspace_id]) from ingest
      where type.is_system and ingest.job_id = job.id
    union all select strike.workspace_id from strike
      where job.owner_kind = 'strike' and strike.id = job.owner_key and strike.job_id = job.id
    union all select scan.workspace_id from scan
      where job.owner_kind = 'scan' and scan.id = job.owner_key and job.id in (scan.job_id, scan.dry_run_job_id)
  ) order by workspace.name)`;

const IS_GIVEN = (input: string) =>
  `(coalesce(${input}->'files', '{}') <> '{}' or coalesce(${input}->'json', '{}') <> '{}')`;

const FACTS = {
  name: 'execution_facts',
  isKeyed: true,
  text: /* sql */ `
    select exe.id, exe.job_id, exe.exe_num, exe.resources, exe.input_file_size, job.recipe_id, job.batch_id,
      coalesce(job.input->'json', '{}') as json, job.configuration, type.id as job_type_id, type.is_system,
      rev.container_image, rev.manifest, type.secrets,
      coalesce(former.configuration, type.configuration) as type_configuration,
      former.secret_names, node.host->>'taskFolder' as task_folder,
      ${IS_GIVEN('job.input')} or ${IS_GIVEN('recipe.input')} as has_metadata,
      array(select setting->>'name'
        from jsonb_array_elements(newest.manifest->'job'->'interface'->'settings') as setting
        where (setting->>'secret')::boolean) as secret_now,
      ${FIRST_FILES} as first_files, ${FILES} as files, ${WORKSPACES} as workspaces
    from job_exe exe   -- = job_exe_pkey
    join job on job.id = exe.job_id
    join job_type_rev rev on rev.id = coalesce(exe.job_type_rev_id, job.job_type_rev_id)
    join job_type type on type.id = rev.job_type_id
    join job_type_rev newest on newest.job_type_id = type.id and newest.revision_num = type.revision_num
    left join recipe on recipe.id = job.recipe_id
    left join node on node.id = exe.node_id
    left join lateral (
      select configuration, secret_names from job_type_former_configuration replaced_one
      where replaced_one.job_type_id = type.id and replaced_one.replaced > exe.started
      order by replaced_one.replaced limit 1) as former on true
    where exe.id = any($1::bigint[])`,
};

interface FactsDbRow {
  readonly id: number;
  readonly job_id: number;
  readonly exe_num: number;
  readonly resources: Record<string, number>;
  readonly input_file_size: number | null;
  readonly recipe_id: number | null;
  readonly batch_id: number | null;
  readonly json: ExecutionFacts['json'];
  readonly configuration: JobConfigurationPart | null;
  readonly job_type_id: number;
  readonly is_system: boolean;
  readonly container_image: string;
  readonly manifest: ExecutionFacts['manifest'];
  readonly secrets: Uint8Array | null;
  readonly type_configuration: JobConfigurationPart;
  /** Null: the type's configuration has not changed since. */
  readonly secret_names: string[] | null;
  readonly task_folder: string | null;
  readonly has_metadata: boolean;
  readonly secret_now: string[];
  readonly first_files: ExecutionFacts['firstFiles'];
  readonly files: readonly (readonly [string, InputFileFacts])[];
  readonly workspaces: string[];
}

/** By execution, for those that exist. One statement, however many. */
export async function readExecutionFacts(
  sql: Sql,
  encryption: Encryption,
  executionIds: readonly number[],
): Promise<ReadonlyMap<number, ExecutionFacts>> {
  const rows = await sql.execute<FactsDbRow>(FACTS, [idArray(executionIds)]);
  return new Map(rows.map((row) => [row.id, factsOf(row, encryption)]));
}

function factsOf(row: FactsDbRow, encryption: Encryption): ExecutionFacts {
  const base = fullConfiguration(row.type_configuration);
  const declared = row.manifest.job.interface.settings.filter(({ secret }) => secret).map(({ name }) => name);
  return {
    executionId: row.id,
    jobId: row.job_id,
    exeNum: row.exe_num,
    recipeId: row.recipe_id,
    batchId: row.batch_id,
    isSystem: row.is_system,
    image: row.container_image,
    manifest: row.manifest,
    resources: row.resources,
    inputMib: row.input_file_size ?? 0,
    files: row.files,
    firstFiles: row.first_files,
    json: row.json,
    hasInputMetadata: row.has_metadata,
    configuration: row.configuration === null ? base : withJobConfiguration(base, row.configuration),
    secretNames: new Set(
      row.secret_names ?? (declared.length === 0 ? [] : secretNamesOf(row, encryption, declared)),
    ),
    hiddenNames: new Set([...declared, ...row.secret_now]),
    workspaces: row.workspaces,
    taskFolder: row.task_folder ?? '',
  };
}

/** Names only. A secret that cannot be read is assumed to have a value. */
function secretNamesOf(
  row: FactsDbRow,
  encryption: Encryption,
  declared: readonly string[],
): readonly string[] {
  try {
    return Object.keys(openSecrets(encryption, row.job_type_id, row.secrets));
  } catch (error) {
    if (error instanceof AppError) return declared;
    throw error;
  }
}
