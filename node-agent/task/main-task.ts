/** The main task for an executor: its command, environment and mounts, from the launch and the manifest. */
import type { Json } from '../../src/domain/document/json-value.ts';
import { expandCommand } from '../../src/domain/job/command.ts';
import { taskEnvironment } from '../../src/domain/job/task-environment.ts';
import { hasReadOnlyRoot } from '../../src/domain/manifest/manifest.ts';
import { localNames } from '../../src/domain/task/input-names.ts';
import { inputPath, type TaskPaths } from '../../src/domain/task/task-paths.ts';
import type { MainTask, TaskIdentity, TaskMount } from '../executor/executor.ts';
import { TaskFailure } from './task-failure.ts';
import type { TaskSpec } from './task-spec.ts';

export interface MainTaskSources {
  readonly spec: TaskSpec;
  readonly task: TaskIdentity;
  readonly paths: TaskPaths;
  /** Input files that are mounted instead of copied. */
  readonly inputMounts: readonly TaskMount[];
  readonly note: string;
}

export function mainTask({ spec, task, paths, inputMounts, note }: MainTaskSources): MainTask {
  const environment = environmentOf(spec, paths);
  const argv = expandCommand(spec.manifest.job.interface.command, environment);
  refuseLong(argv, environment);
  return {
    ...task,
    argv,
    environment: Object.fromEntries(environment),
    mounts: [...mountsOf(spec), ...inputMounts],
    isRootReadOnly: hasReadOnlyRoot(spec.manifest),
    resources: spec.launch.resources,
    note,
  };
}

/** limit: Linux's maximum for one argument or variable, including its end mark. */
const STRING_BYTES_MAX = 131_072;

/** No program starts with an argument or a variable that is too long, so a retry would not help. */
function refuseLong(argv: readonly string[], environment: ReadonlyMap<string, string>): void {
  for (const [name, value] of environment) {
    const bytes = Buffer.byteLength(`${name}=${value}`) + 1;
    if (bytes > STRING_BYTES_MAX) throw tooLong(`the variable ${name}`, bytes);
  }
  for (const [index, word] of argv.entries()) {
    const bytes = Buffer.byteLength(word) + 1;
    if (bytes > STRING_BYTES_MAX) throw tooLong(`word ${index + 1} of the command`, bytes);
  }
}

function tooLong(what: string, bytes: number): TaskFailure {
  return new TaskFailure(
    'invalid-input',
    `${what} has ${bytes} bytes; at most ${STRING_BYTES_MAX} are possible`,
  );
}

function environmentOf(
  { launch, manifest, jsonInputs }: TaskSpec,
  paths: TaskPaths,
): ReadonlyMap<string, string> {
  const filePaths = launch.inputs.flatMap(({ name, multiple, files }) => {
    const [first] = localNames(files);
    if (first === undefined) return [];
    return [[name, inputPath(paths, { name, multiple }, first)]];
  });
  const contract = taskEnvironment({
    manifest,
    inputMib: launch.inputMib,
    filePaths: Object.fromEntries(filePaths),
    json: jsonInputs as Readonly<Record<string, Json>>,
    settings: Object.fromEntries(launch.settings.map(({ name, value }) => [name, value])),
    outputDir: paths.output,
    inputMetadata: launch.inputMetadata === '' ? undefined : paths.inputMetadata,
  });
  return new Map([...Object.entries(launch.environment), ...contract]);
}

function mountsOf({ manifest, mounts }: TaskSpec): TaskMount[] {
  return manifest.job.interface.mounts.map(({ name, path, mode }) => {
    const configured = mounts[name];
    return {
      name,
      containerPath: path,
      isReadOnly: mode === 'ro',
      source:
        configured?.type === 'host'
          ? { type: 'host', hostPath: configured.host_path ?? '' }
          : {
              type: 'volume',
              driver: configured?.driver ?? '',
              driverOptions: configured?.driver_opts ?? {},
            },
    };
  });
}
