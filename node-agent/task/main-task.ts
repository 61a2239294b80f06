/** What an executor is given for the main task: its command, environment and mounts, from the launch and the manifest. */
import { join } from 'node:path';
import { environmentName } from '../../src/domain/manifest/manifest.ts';
import type { MainTask, TaskIdentity, TaskMount, TaskPaths } from '../executor/executor.ts';
import { expandCommand } from './command.ts';
import { localNames } from './input-names.ts';
import type { TaskSpec } from './task-spec.ts';

export function mainTask(spec: TaskSpec, task: TaskIdentity, paths: TaskPaths): MainTask {
  const environment = taskEnvironment(spec, paths);
  return {
    ...task,
    argv: expandCommand(spec.manifest.job.interface.command, environment),
    environment,
    mounts: mountsOf(spec),
    resources: spec.launch.resources,
  };
}

/** Variables of the main task. Settings come last and win; an input without a value has no variable. */
function taskEnvironment(
  { launch, manifest, jsonInputs }: TaskSpec,
  paths: TaskPaths,
): Record<string, string> {
  const variables = new Map<string, string>(Object.entries(launch.environment));
  variables.set('OUTPUT_DIR', paths.output);
  if (launch.inputMetadata !== '') variables.set('INPUT_METADATA', paths.inputMetadata);
  for (const [name, amount] of Object.entries(allocated(launch.resources, launch.inputMib))) {
    variables.set(`ALLOCATED_${environmentName(name)}`, amount.toFixed(1));
  }
  for (const { name, multiple, files } of launch.inputs) {
    const folder = join(paths.input, name);
    const [first] = localNames(files);
    if (first !== undefined) variables.set(environmentName(name), multiple ? folder : join(folder, first));
  }
  for (const { name } of manifest.job.interface.inputs.json) {
    const value = Object.hasOwn(jsonInputs, name) ? jsonInputs[name] : undefined;
    if (value === undefined || value === null) continue;
    variables.set(environmentName(name), typeof value === 'string' ? value : JSON.stringify(value));
  }
  for (const { name, value } of launch.settings) variables.set(environmentName(name), value);
  return Object.fromEntries(variables);
}

/** Amounts for the main task: the space that the input files take is not its own. */
function allocated(resources: Readonly<Record<string, number>>, inputMib: number): Record<string, number> {
  const { sharedmem = 0, ...rest } = resources;
  const amounts = { cpus: 0, mem: 0, disk: 0, gpus: 0, ...rest };
  const disk = Math.max(0, amounts.disk - inputMib);
  return { ...amounts, disk, ...(sharedmem > 0 ? { sharedmem: Math.ceil(sharedmem) } : {}) };
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
