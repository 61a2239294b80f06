/** The engine's request for the container of a task: limits, rights, mounts. Pure. */
import { join, relative } from 'node:path';
import type Docker from 'dockerode';
import { CONTAINER_PATHS } from '../../../src/domain/task/task-paths.ts';
import type { ContainersConfig } from '../../config.ts';
import type { MainTask, TaskIdentity, TaskMount } from '../executor.ts';

const MIB = 1024 * 1024;
export const PROCESSES_MAX = 1_024;

/** Labels by which an agent recognizes its own containers. */
export const LABEL = {
  agent: 'millrace.agent',
  /** The folder of the agent's executions, which only the holder of its lock can have used. */
  folder: 'millrace.folder',
  execution: 'millrace.execution',
  gpus: 'millrace.gpus',
  note: 'millrace.note',
} as const;

export interface ContainerPlace {
  readonly agentId: string;
  readonly containers: ContainersConfig;
  /** Folder of the executions' folders, as the agent sees it. */
  readonly workFolder: string;
  /** The same path as the engine sees it. */
  readonly hostWorkFolder: string | undefined;
}

/** One name for each execution, so that a second container cannot be created. */
export function containerName(agentId: string, { executionId }: TaskIdentity): string {
  return `millrace-${agentId}-${executionId}`;
}

/** `gpus`: devices of the host. */
export function containerOf(
  place: ContainerPlace,
  task: MainTask,
  gpus: readonly number[],
): Docker.ContainerCreateOptions {
  const { containers, agentId, workFolder } = place;
  return {
    name: containerName(agentId, task),
    Image: task.image,
    ...(task.argv.length > 0 ? { Cmd: [...task.argv] } : {}),
    Env: Object.entries(task.environment).map(([name, value]) => `${name}=${value}`),
    User: process.getuid?.() === 0 ? containers.user : `${process.getuid?.()}:${process.getgid?.()}`,
    Labels: {
      [LABEL.agent]: agentId,
      [LABEL.folder]: workFolder,
      [LABEL.execution]: String(task.executionId),
      [LABEL.gpus]: gpus.join(','),
      [LABEL.note]: task.note,
      'millrace.job': String(task.jobId),
      'millrace.exe-num': String(task.exeNum),
      'millrace.job-type': task.jobTypeName,
      'millrace.job-type-version': task.jobTypeVersion,
    },
    HostConfig: hostConfigOf(place, task, gpus),
  };
}

function hostConfigOf(place: ContainerPlace, task: MainTask, gpus: readonly number[]): Docker.HostConfig {
  const { cpus = 0.25, mem = 128, sharedmem = 0, network = 0 } = task.resources;
  const memory = Math.ceil(mem) * MIB;
  const devices = { Driver: 'nvidia', DeviceIDs: gpus.map(String), Capabilities: [['gpu']] };
  return {
    Memory: memory,
    MemorySwap: memory,
    NanoCpus: Math.round(cpus * 1e9),
    PidsLimit: PROCESSES_MAX,
    Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
    ...(sharedmem > 0 ? { ShmSize: Math.ceil(sharedmem) * MIB } : {}),
    ...(gpus.length > 0 ? { DeviceRequests: [devices] } : {}),
    NetworkMode: network > 0 ? place.containers.network : 'none',
    ReadonlyRootfs: task.isRootReadOnly,
    ...(task.isRootReadOnly ? { Tmpfs: { '/tmp': 'rw,nosuid,nodev,mode=1777' } } : {}),
    Privileged: false,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    // The engine does not restart it: the coordinator decides whether it is tried again.
    RestartPolicy: { Name: 'no' },
    Mounts: mountsOf(place, task),
    // Set regardless of the engine's default, because logs of this driver can be read back completely.
    LogConfig: { Type: 'json-file', Config: { 'max-size': `${logFileMib(task.logBytesMax)}m` } },
  };
}

/** Both streams are in one file, as JSON, which takes up to twice their bytes for text. */
function logFileMib(bytesMax: number): number {
  return Math.ceil((4 * bytesMax) / MIB);
}

function mountsOf(place: ContainerPlace, task: MainTask): Docker.MountSettings[] {
  const { folder, mounts, environment } = task;
  const bind = (Source: string, Target: string, ReadOnly: boolean): Docker.MountSettings => {
    return { Type: 'bind', Source, Target, ReadOnly };
  };
  const { input, output, inputMetadata } = CONTAINER_PATHS;
  const own = [
    bind(hostPath(place, folder.input), input, true),
    bind(hostPath(place, folder.output), output, false),
  ];
  if (environment.INPUT_METADATA === inputMetadata) {
    own.push(bind(hostPath(place, folder.inputMetadata), inputMetadata, true));
  }
  const name = containerName(place.agentId, task);
  return [...own, ...mounts.map((mount) => mountOf(mount, `${name}-${mount.name}`, place))];
}

/** A volume belongs to its execution: it is named after it, and removed with its container. */
function mountOf(
  { containerPath, isReadOnly, source }: TaskMount,
  volume: string,
  { agentId, workFolder }: ContainerPlace,
): Docker.MountSettings {
  if (source.type === 'host') {
    return { Type: 'bind', Source: source.hostPath, Target: containerPath, ReadOnly: isReadOnly };
  }
  const driver = { Name: source.driver || 'local', Options: { ...source.driverOptions } };
  const labels = { [LABEL.agent]: agentId, [LABEL.folder]: workFolder };
  return {
    Type: 'volume',
    Source: volume,
    Target: containerPath,
    ReadOnly: isReadOnly,
    VolumeOptions: { NoCopy: false, Labels: labels, DriverConfig: driver },
  };
}

/** An agent in a container has to name its folders as the host does. */
function hostPath({ hostWorkFolder, workFolder }: ContainerPlace, path: string): string {
  return hostWorkFolder === undefined ? path : join(hostWorkFolder, relative(workFolder, path));
}
