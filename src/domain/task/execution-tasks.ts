/**
 * The tasks of an execution as users see them: arguments, environment, mounts and resources, computed from its rows in
 * the same way as by its agent. Nothing of this is stored. Secrets are not available here, only the names of secret
 * settings that have a value.
 */

import type { Json } from '../document/json-value.ts';
import { expandCommand } from '../job/command.ts';
import { type JobConfiguration, type MountConfiguration, outputWorkspaceOf } from '../job/job-config.ts';
import { sharedMemMib } from '../job/resources.ts';
import { taskEnvironment } from '../job/task-environment.ts';
import { workVariables } from '../job/work-variables.ts';
import { hasReadOnlyRoot, type Manifest } from '../manifest/manifest.ts';
import { executorOf, type Resources } from '../scheduling/scheduling-class.ts';
import { localNames } from './input-names.ts';
import { CONTAINER_PATHS, executionFolder, inputPath, processPaths, type TaskPaths } from './task-paths.ts';

/** Replaces a secret. */
export const MASK = '*****';

/** limit: characters that values add to the shown arguments; a cut ends with an ellipsis. */
const VALUES_CHARS_MAX = 65_536;

export interface InputFileFacts {
  readonly fileId: number;
  readonly fileName: string;
  readonly type: string;
  /** Name of the workspace that it is in now. */
  readonly workspace: string;
  readonly path: string;
  readonly isDeleted: boolean;
}

/** The facts about an execution from its rows. */
export interface ExecutionFacts {
  readonly executionId: number;
  readonly jobId: number;
  readonly exeNum: number;
  readonly recipeId: number | null;
  readonly batchId: number | null;
  readonly isSystem: boolean;
  readonly image: string;
  readonly manifest: Manifest;
  readonly resources: Resources;
  readonly inputMib: number;
  /** Each with its input, in the order of the inputs. If there are very many, only the first ones. */
  readonly files: readonly (readonly [string, InputFileFacts])[];
  /** The first file of each input. */
  readonly firstFiles: Readonly<Record<string, { readonly fileId: number; readonly fileName: string }>>;
  readonly json: Readonly<Record<string, Json>>;
  readonly hasInputMetadata: boolean;
  /** The configuration at its start. */
  readonly configuration: JobConfiguration;
  /** Settings that have a secret value. */
  readonly secretNames: ReadonlySet<string>;
  /** Settings that are secret in the manifest or in a later revision of it. */
  readonly hiddenNames: ReadonlySet<string>;
  /** Names of workspaces that it reads; a system job also writes to them. */
  readonly workspaces: readonly string[];
  /** The folder of all executions of its agent; empty if the agent never reported it. */
  readonly taskFolder: string;
}

interface Volume {
  readonly container_path: string;
  readonly mode: 'ro' | 'rw';
  readonly type: 'host' | 'volume';
  readonly host_path?: string;
  readonly driver?: string;
  readonly driver_opts?: Readonly<Record<string, string>>;
}

interface ConfiguredFile {
  readonly id: number;
  readonly type: string;
  readonly workspace_name: string;
  readonly workspace_path: string;
  /** The name under which the task sees it, if different. */
  readonly local_file_name?: string;
  readonly is_deleted: boolean;
}

/** In the form of the interface. */
export interface ExecutionConfiguration {
  readonly version: string;
  readonly input_files: Readonly<Record<string, ConfiguredFile[]>>;
  readonly output_workspaces: Readonly<Record<string, string>>;
  readonly tasks: ConfiguredTask[];
}

interface ConfiguredTask {
  readonly task_id: string;
  readonly type: 'pull' | 'pre' | 'main' | 'post';
  readonly resources: Resources;
  readonly args: string;
  readonly env_vars: Readonly<Record<string, string>>;
  readonly workspaces: Readonly<Record<string, { readonly mode: 'ro' | 'rw' }>>;
  /** The name of a volume; null if the mount is not configured. */
  readonly mounts: Readonly<Record<string, string | null>>;
  /** Null if the setting has no value. */
  readonly settings: Readonly<Record<string, string | null>>;
  readonly volumes: Readonly<Record<string, Volume>>;
  readonly docker_params: { readonly flag: string; readonly value: string }[];
}

/** The name of an execution in the cluster. */
function clusterIdOf({ jobId, exeNum }: ExecutionFacts): string {
  return `millrace_job_${jobId}x${exeNum}`;
}

/** The version of the public system's document. */
const VERSION = '2.0';

/** The result for an execution whose rows are gone. */
export const NO_CONFIGURATION: ExecutionConfiguration = {
  version: VERSION,
  input_files: {},
  output_workspaces: {},
  tasks: [],
};

export function executionConfiguration(facts: ExecutionFacts): ExecutionConfiguration {
  const outputWorkspaces = outputWorkspacesOf(facts);
  return {
    version: VERSION,
    input_files: inputFilesOf(facts),
    output_workspaces: outputWorkspaces,
    tasks: tasksOf(facts, Object.values(outputWorkspaces)),
  };
}

function inputFilesOf({ files }: ExecutionFacts): ExecutionConfiguration['input_files'] {
  const byInput = Map.groupBy(files, ([input]) => input);
  return Object.fromEntries(
    [...byInput].map(([input, listed]) => {
      const given = listed.map(([, file]) => file);
      const names = localNames(given);
      const configured = given.map((file, index): ConfiguredFile => {
        const name = names[index];
        return {
          ...{ id: file.fileId, type: file.type },
          ...{ workspace_name: file.workspace, workspace_path: file.path },
          ...(name === undefined || name === file.fileName ? {} : { local_file_name: name }),
          is_deleted: file.isDeleted,
        };
      });
      return [input, configured];
    }),
  );
}

/** Workspaces by output. */
function outputWorkspacesOf({ manifest, configuration }: ExecutionFacts): Record<string, string> {
  const named = manifest.job.interface.outputs.files.flatMap(({ name }) => {
    const workspace = outputWorkspaceOf(configuration, name);
    return workspace === undefined ? [] : [[name, workspace] as const];
  });
  return Object.fromEntries(named);
}

/** In the order in which they run. A system job has one task; an image is pulled if there is one. */
function tasksOf(facts: ExecutionFacts, outputWorkspaces: readonly string[]): ConfiguredTask[] {
  const { resources } = facts;
  if (facts.isSystem) return [taskOf(facts, 'main', { workspaces: inMode(facts.workspaces, 'rw') })];
  const reads = { workspaces: inMode(facts.workspaces, 'ro') };
  const writes = { workspaces: inMode(outputWorkspaces, 'rw') };
  const pull = isContainer(facts) ? [taskOf(facts, 'pull', { args: facts.image })] : [];
  return [
    ...pull,
    taskOf(facts, 'pre', reads),
    taskOf(facts, 'main', { ...reads, ...mainOf(facts) }),
    taskOf(facts, 'post', { ...writes, resources: { ...resources, disk: 0 } }),
  ];
}

function taskOf(
  facts: ExecutionFacts,
  type: ConfiguredTask['type'],
  fields: Partial<ConfiguredTask>,
): ConfiguredTask {
  return {
    task_id: `${clusterIdOf(facts)}_${type}`,
    type,
    resources: facts.resources,
    args: '',
    env_vars: {},
    workspaces: {},
    mounts: {},
    settings: {},
    volumes: {},
    docker_params: [],
    ...fields,
  };
}

function inMode(names: readonly string[], mode: 'ro' | 'rw'): ConfiguredTask['workspaces'] {
  return Object.fromEntries(names.map((name) => [name, { mode }]));
}

function isContainer({ image }: ExecutionFacts): boolean {
  return executorOf(image) === 'docker';
}

function mainOf(facts: ExecutionFacts): Partial<ConfiguredTask> {
  const { manifest, resources, inputMib } = facts;
  const settings = settingsOf(facts);
  const environment = environmentOf(facts, settings);
  const volumes = volumesOf(facts);
  return {
    // The disk includes space for the input, which the task cannot use.
    resources: { ...resources, disk: Math.max(0, (resources.disk ?? 0) - inputMib) },
    args: argumentsOf(manifest.job.interface.command, environment),
    env_vars: Object.fromEntries(environment),
    mounts: Object.fromEntries(volumes.map(({ mount, name }) => [mount, name])),
    settings,
    volumes: Object.fromEntries(
      volumes.flatMap((one) => (one.name === null ? [] : [[one.name, one.volume]])),
    ),
    docker_params: isContainer(facts) ? limitsOf(facts) : [],
  };
}

function settingsOf(facts: ExecutionFacts): ConfiguredTask['settings'] {
  const { manifest, configuration, secretNames, hiddenNames } = facts;
  const { settings } = manifest.job.interface;
  return Object.fromEntries(
    settings.map(({ name, secret }) => {
      const value = Object.hasOwn(configuration.settings, name) ? configuration.settings[name] : undefined;
      // Jobs get their secrets from the secret store, whatever their configuration contains.
      if (secret) return [name, secretNames.has(name) ? MASK : null];
      if (value === undefined || value === null) return [name, null];
      return [name, hiddenNames.has(name) ? MASK : value];
    }),
  );
}

function environmentOf(
  facts: ExecutionFacts,
  settings: ConfiguredTask['settings'],
): ReadonlyMap<string, string> {
  const { manifest, inputMib, json, firstFiles } = facts;
  const paths = pathsOf(facts);
  const filePaths = manifest.job.interface.inputs.files.flatMap((input) => {
    const first = Object.hasOwn(firstFiles, input.name) ? firstFiles[input.name] : undefined;
    const [fileName] = first === undefined ? [] : localNames([first]);
    return fileName === undefined ? [] : [[input.name, inputPath(paths, input, fileName)]];
  });
  const given = Object.entries(settings).filter(([, value]) => value !== null) as [string, string][];
  const contract = taskEnvironment({
    ...{ manifest, inputMib, json },
    filePaths: Object.fromEntries(filePaths),
    settings: Object.fromEntries(given),
    outputDir: paths.output,
    inputMetadata: facts.hasInputMetadata ? paths.inputMetadata : undefined,
  });
  return new Map([...Object.entries(workVariables(facts)), ...contract]);
}

/** A process sees the folder of its execution. If its agent never reported it, only the end of the path is shown. */
function pathsOf(facts: ExecutionFacts): TaskPaths {
  if (isContainer(facts)) return CONTAINER_PATHS;
  const { taskFolder, executionId } = facts;
  return processPaths(taskFolder === '' ? `${executionId}` : executionFolder(taskFolder, executionId));
}

/** The words of the command, quoted for a shell. */
function argumentsOf(command: string, environment: ReadonlyMap<string, string>): string {
  return expandCommand(command, new FewValues(environment)).map(quoted).join(' ');
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

function quoted(word: string): string {
  if (PLAIN_WORD.test(word.replaceAll(MASK, 'x'))) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Limits the total length: a command of 32,768 characters may name a value of a MiB ten thousand times. */
class FewValues extends Map<string, string> {
  #left = VALUES_CHARS_MAX;

  override get(name: string): string | undefined {
    const value = super.get(name);
    if (value === undefined) return undefined;
    const shown = value.length > this.#left ? `${value.slice(0, this.#left)}…` : value;
    this.#left = Math.max(0, this.#left - value.length);
    return shown;
  }
}

/** `name` null: the mount is not configured. */
type MountVolume = { readonly mount: string } & (
  | { readonly name: string; readonly volume: Volume }
  | { readonly name: null }
);

function volumesOf(facts: ExecutionFacts): readonly MountVolume[] {
  const { manifest, configuration } = facts;
  return manifest.job.interface.mounts.map(({ name: mount, path, mode }): MountVolume => {
    const given = Object.hasOwn(configuration.mounts, mount) ? configuration.mounts[mount] : undefined;
    if (given === undefined) return { mount, name: null };
    const volume = { container_path: path, mode, ...sourceOf(given) };
    return { mount, name: `${clusterIdOf(facts)}_mount_${mount}`, volume };
  });
}

function sourceOf(mount: MountConfiguration): Pick<Volume, 'type' | 'host_path' | 'driver' | 'driver_opts'> {
  if (mount.type === 'host') return { type: 'host', host_path: mount.host_path };
  const { driver = '', driver_opts = {} } = mount;
  return { type: 'volume', driver, driver_opts };
}

/** The limits of its container as options of `docker run`, whichever executor creates it. */
function limitsOf({ manifest, resources, inputMib }: ExecutionFacts): ConfiguredTask['docker_params'] {
  const { cpus = 0.25, mem = 128, gpus = 0 } = resources;
  const sharedMem = sharedMemMib(manifest, inputMib);
  const flags: [string, string][] = [
    ['cpus', `${cpus}`],
    ['memory', `${Math.ceil(mem)}m`],
  ];
  if (sharedMem > 0) flags.push(['shm-size', `${sharedMem}m`]);
  if (gpus > 0) flags.push(['gpus', `${gpus}`]);
  if (hasReadOnlyRoot(manifest)) flags.push(['read-only', 'true']);
  return flags.map(([flag, value]) => ({ flag, value }));
}
