/**
 * Launches of executions for agents, built from rows. Only here do secret settings leave the store in plain text
 * (launch-rows.ts decrypts them). A constant number of statements, however many executions.
 */
import { isAbsent } from '../../domain/document/json-value.ts';
import { AppError } from '../../domain/errors.ts';
import type { DataDocument } from '../../domain/job/job.ts';
import {
  type JobConfiguration,
  outputWorkspaceOf,
  withJobConfiguration,
} from '../../domain/job/job-config.ts';
import { ownerText } from '../../domain/job/job-owner.ts';
import { sharedMemMib } from '../../domain/job/resources.ts';
import { workVariables } from '../../domain/job/work-variables.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import type { InputFile, Launch, TaskInput, WorkspaceRef } from '../../domain/node/coordinator-messages.ts';
import { productPath } from '../../domain/paths.ts';
import { type FileRecords, readFileRecords } from '../file/records.ts';
import type { Encryption } from '../secret-key/encryption.ts';
import type { Sql } from '../sql/sql.ts';
import { sqlStateOf } from '../sql/store-errors.ts';
import { columnsOf, type RowOf } from '../sql/table-rows.ts';
import { WorkspaceEntity } from '../workspace/table.ts';
import { type LaunchRow, launchRows } from './launch-rows.ts';

const WORKSPACE = columnsOf(WorkspaceEntity, 'w', ['id', 'uuid', 'name', 'configuration', 'isActive']);
const WORKSPACES = {
  name: 'launch_workspaces',
  text: /* sql */ `select ${WORKSPACE.sql} from workspace w`,
};

type WorkspaceDbRow = RowOf<typeof WORKSPACE>;

/** In the form of NodePorts. */
export interface LaunchSpecs {
  readonly launches: readonly Launch[];
  readonly failed: readonly {
    readonly executionId: number;
    readonly error: { readonly name: string; readonly isBuiltin: boolean; readonly detail: string };
  }[];
}

interface Around {
  readonly files: FileRecords;
  readonly byName: ReadonlyMap<string, WorkspaceDbRow>;
  readonly byId: ReadonlyMap<number, WorkspaceDbRow>;
}

/** Why an execution cannot be launched: a built-in error. */
class NotLaunchable {
  readonly name: string;
  readonly detail: string;

  constructor(name: string, detail: string) {
    this.name = name;
    this.detail = detail;
  }
}

/**
 * Executions that have ended meanwhile are in neither list. One with values that cannot be read, which would always be
 * a defect, fails alone: `unreadable` is told why. Throws when the database does not answer, or refuses a statement.
 */
export async function launchSpecs(
  sql: Sql,
  encryption: Encryption,
  executionIds: readonly number[],
  unreadable: (executionId: number, error: unknown) => void,
): Promise<LaunchSpecs> {
  try {
    return await readSpecs(sql, encryption, executionIds);
  } catch (error) {
    const [executionId] = executionIds;
    const isOfDatabase = error instanceof AppError || sqlStateOf(error) !== undefined;
    if (isOfDatabase || executionId === undefined) throw error;
    if (executionIds.length === 1) {
      unreadable(executionId, error);
      return { launches: [], failed: [{ executionId, error: UNREADABLE }] };
    }
    const middle = executionIds.length >> 1;
    const one = await launchSpecs(sql, encryption, executionIds.slice(0, middle), unreadable);
    const other = await launchSpecs(sql, encryption, executionIds.slice(middle), unreadable);
    return { launches: [...one.launches, ...other.launches], failed: [...one.failed, ...other.failed] };
  }
}

/** The cause is only logged: its text could have a secret in it. */
const UNREADABLE = {
  name: 'task-launch',
  isBuiltin: true,
  detail: 'what the task needs cannot be read; the log of the coordinator says why (launch_unreadable)',
} as const;

async function readSpecs(
  sql: Sql,
  encryption: Encryption,
  executionIds: readonly number[],
): Promise<LaunchSpecs> {
  const rows = await launchRows(sql, encryption, executionIds);
  const fileIds = rows.flatMap((row) => [...idsOf(row.input), ...idsOf(row.recipe_input)]);
  const files = await readFileRecords(sql, fileIds);
  // Most small jobs have no files, and this statement was a sixth of their reads.
  const hasFiles = fileIds.length > 0 || rows.some(hasOutputs);
  const workspaces = hasFiles ? await sql.execute<WorkspaceDbRow>(WORKSPACES) : [];
  const around: Around = {
    files,
    byName: new Map(workspaces.map((one) => [one.name, one])),
    byId: new Map(workspaces.map((one) => [one.id, one])),
  };
  const launches: Launch[] = [];
  const failed: LaunchSpecs['failed'][number][] = [];
  for (const row of rows) {
    const launch = launchOf(row, around);
    if (launch instanceof NotLaunchable) {
      const { name, detail } = launch;
      failed.push({ executionId: row.id, error: { name, isBuiltin: true, detail } });
    } else launches.push(launch);
  }
  return { launches, failed };
}

function hasOutputs(row: LaunchRow): boolean {
  return row.revision.manifest.job.interface.outputs.files.length > 0;
}

function idsOf(data: DataDocument | null): readonly number[] {
  return data === null ? [] : Object.values(data.files).flat();
}

function launchOf(row: LaunchRow, around: Around): Launch | NotLaunchable {
  // It was canceled or given up before its launch was built, so its owner ends it.
  if (!row.is_current) return new NotLaunchable('scheduler-lost', 'the job continued without this execution');
  const { revision } = row;
  const { manifest } = revision;
  const configuration = configurationOf(row);
  const used = new Map<string, WorkspaceRef>();
  const use = (workspace: WorkspaceDbRow): string => {
    const { uuid, name } = workspace;
    used.set(uuid, { uuid, name, configuration: JSON.stringify(workspace.configuration) });
    return uuid;
  };
  const inputs: TaskInput[] = [];
  for (const input of manifest.job.interface.inputs.files) {
    const ids = row.input?.files[input.name];
    if (ids === undefined) continue;
    const files = ids.map((id) => inputFile(id, around, use));
    const refused = files.find((one) => one instanceof NotLaunchable);
    if (refused !== undefined) return refused;
    const { name, multiple, partial } = input;
    inputs.push({ name, multiple, partial, files: files as InputFile[] });
  }
  const outputs: Launch['outputs'][number][] = [];
  for (const { name } of manifest.job.interface.outputs.files) {
    const workspaceName = outputWorkspaceOf(configuration, name);
    const workspace = workspaceName === undefined ? undefined : around.byName.get(workspaceName);
    if (workspace === undefined) {
      const text =
        workspaceName === undefined
          ? 'no workspace'
          : `the workspace '${workspaceName}', which is not there any more`;
      return new NotLaunchable('missing-mount', `the output '${name}' goes to ${text}`);
    }
    if (!workspace.isActive) return deactivated(workspace, `of the output '${name}'`);
    outputs.push({ output: name, workspaceUuid: use(workspace) });
  }
  const { secrets } = revision;
  if (secrets instanceof AppError) return new NotLaunchable('missing-setting', secrets.message);
  return {
    type: 'launch',
    executionId: row.id,
    jobId: row.job_id,
    exeNum: row.exe_num,
    owner: ownerText({ kind: row.owner_kind, key: row.owner_key }),
    jobTypeName: revision.typeName,
    jobTypeVersion: revision.typeVersion,
    containerImage: revision.image,
    manifest: revision.manifestText,
    inputs,
    jsonInputs: JSON.stringify(row.input?.json ?? {}),
    settings: settingsOf(manifest, configuration, secrets),
    mounts: JSON.stringify(configuration.mounts),
    resources: givenResources(row),
    inputMib: row.input_file_size ?? 0,
    outputs,
    ...(outputs.length === 0 ? { productDirectory: '' } : productPlaces(row, configuration)),
    workspaces: [...used.values()],
    timeoutS: row.timeout_s,
    environment: workVariables({
      jobId: row.job_id,
      exeNum: row.exe_num,
      recipeId: row.recipe_id,
      batchId: row.batch_id,
    }),
    inputMetadata: inputMetadata(row, around.files),
    isSystem: revision.isSystem,
    logLimitMib: configuration.log_limit,
  };
}

/**
 * The resources that the execution holds, plus the size of its shared memory, which is only an option of its container.
 */
function givenResources(row: LaunchRow): Launch['resources'] {
  const sharedmem = sharedMemMib(row.revision.manifest, row.input_file_size ?? 0);
  return sharedmem === 0 ? row.resources : { ...row.resources, sharedmem };
}

function configurationOf(row: LaunchRow): JobConfiguration {
  const base = row.revision.configuration;
  return row.configuration === null ? base : withJobConfiguration(base, row.configuration);
}

function inputFile(
  id: number,
  around: Around,
  use: (workspace: WorkspaceDbRow) => string,
): InputFile | NotLaunchable {
  const file = around.files.get(id);
  if (file === undefined)
    return new NotLaunchable('missing-file', `the input file ${id} is not there any more`);
  if (file.isDeleted) return new NotLaunchable('deleted-file', `the input file ${id} is deleted`);
  const workspace = around.byId.get(file.workspaceId);
  if (workspace === undefined) {
    return new NotLaunchable('missing-mount', `the workspace of the input file ${id} is not there any more`);
  }
  if (!workspace.isActive) return deactivated(workspace, `of the input file ${id}`);
  return {
    fileId: id,
    workspaceUuid: use(workspace),
    path: file.filePath,
    fileName: file.fileName,
    size: file.size,
    isSource: file.isSource,
    record: JSON.stringify(file.record),
  };
}

/** The workspace was deactivated just when the job was placed: the job is tried again, and waits. */
function deactivated({ name }: WorkspaceDbRow, what: string): NotLaunchable {
  return new NotLaunchable('task-launch', `the workspace '${name}' ${what} was deactivated`);
}

function settingsOf(
  manifest: Manifest,
  configuration: JobConfiguration,
  secrets: Readonly<Record<string, string>>,
): Launch['settings'] {
  return manifest.job.interface.settings.flatMap(({ name, secret }) => {
    const values: Readonly<Record<string, string>> = secret ? secrets : configuration.settings;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return isAbsent(value) ? [] : [{ name, value: value as string, isSecret: secret }];
  });
}

type ProductPlaces = Pick<Launch, 'productDirectory' | 'ownProductPaths'>;

function productPlaces(row: LaunchRow, { product_path: kind }: JobConfiguration): ProductPlaces {
  return { productDirectory: productDirectory(row), ...(kind === 'own' && { ownProductPaths: true }) };
}

function productDirectory(row: LaunchRow): string {
  const { recipe_type_name: typeName, recipe_revision: revision } = row;
  const recipe = typeName === null || revision === null ? {} : { recipe: { typeName, revision } };
  const path = productPath({
    ...recipe,
    jobTypeName: row.revision.typeName,
    jobTypeVersion: row.revision.typeVersion,
    sourceStartedMs: row.source_started ?? undefined,
    // The day of the start, so that building the launch again gives the same place.
    nowMs: row.started,
    jobExeId: row.id,
    outputPath: 'x',
  });
  return (path ?? `job_exe_${row.id}/x`).slice(0, -2);
}

/** The JSON document of INPUT_METADATA: the inputs of the job and its recipe; '' if there are none. */
function inputMetadata(row: LaunchRow, files: FileRecords): string {
  const describe = (data: DataDocument | null): Record<string, unknown> | undefined => {
    if (data === null) return undefined;
    const entries = Object.entries(data.files).map(([name, ids]) => [
      name,
      ids.map((id) => files.get(id)?.record),
    ]);
    const described = { ...Object.fromEntries(entries), ...data.json };
    return Object.keys(described).length === 0 ? undefined : described;
  };
  const job = describe(row.input);
  const recipe = describe(row.recipe_input);
  if (job === undefined && recipe === undefined) return '';
  return JSON.stringify({ JOB: job, RECIPE: recipe });
}
