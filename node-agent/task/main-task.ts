/**
 * What an executor is given for the main task: its command, environment and mounts, from the launch and the
 * manifest.
 */
import { join } from 'node:path';
import type { Json } from '../../src/domain/document/json-value.ts';
import { expandCommand } from '../../src/domain/job/command.ts';
import { taskEnvironment } from '../../src/domain/job/task-environment.ts';
import type { MainTask, TaskIdentity, TaskMount, TaskPaths } from '../executor/executor.ts';
import { localNames } from './input-names.ts';
import type { TaskSpec } from './task-spec.ts';

export function mainTask(spec: TaskSpec, task: TaskIdentity, paths: TaskPaths): MainTask {
  const environment = environmentOf(spec, paths);
  return {
    ...task,
    argv: expandCommand(spec.manifest.job.interface.command, environment),
    environment: Object.fromEntries(environment),
    mounts: mountsOf(spec),
    resources: spec.launch.resources,
  };
}

function environmentOf(
  { launch, manifest, jsonInputs }: TaskSpec,
  paths: TaskPaths,
): ReadonlyMap<string, string> {
  const filePaths = launch.inputs.flatMap(({ name, multiple, files }) => {
    const [first] = localNames(files);
    if (first === undefined) return [];
    return [[name, multiple ? join(paths.input, name) : join(paths.input, name, first)]];
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
