/** The OCI runtime's configuration for the container of a task (`config.json`). Pure. */
import { join } from 'node:path';
import { CONTAINER_PATHS } from '../../../src/domain/task/task-paths.ts';
import type { OutputOwner } from '../container-paths.ts';
import type { MainTask, TaskMount } from '../executor.ts';
import type { SeccompFilter } from './seccomp.ts';

const MIB = 1024 * 1024;
const PROCESSES_MAX = 1_024;
const CPU_PERIOD_US = 100_000;
const SHARED_MEMORY_MIB = 64;
/** The kernel kills tasks before the agent. */
const OOM_SCORE = 500;
const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The facts about an unpacked image that its containers need. */
export interface ImageFacts {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly environment: readonly string[];
  readonly workingDirectory: string;
  /** Also true if this was not checked. */
  readonly has32BitPrograms: boolean;
}

export interface Bundle {
  readonly task: Pick<
    MainTask,
    'argv' | 'environment' | 'mounts' | 'resources' | 'isRootReadOnly' | 'folder'
  >;
  readonly facts: Omit<ImageFacts, 'has32BitPrograms'>;
  /** Absolute: the unpacked image. */
  readonly lower: string;
  /** Absolute: the layer that the container writes, and the kernel's own folder next to it. */
  readonly upper: string;
  readonly overlayWork: string;
  readonly user: OutputOwner;
  readonly mappedUsers: { readonly first: number; readonly count: number };
  readonly cgroup: string;
  readonly limitsSwap: boolean;
  readonly seccomp: SeccompFilter;
  /** The host's network instead of none. */
  readonly hasHostNetwork: boolean;
  /** File that containers see as /etc/hosts. */
  readonly hostsFile: string;
  /** Folder of the plain volumes of the task. */
  readonly volumes: string;
}

export interface RuntimeMount {
  readonly destination: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

interface Mapping {
  readonly containerID: number;
  readonly hostID: number;
  readonly size: number;
}

/** Bytes, processes, microseconds. `swap` counts together with memory; absent: it cannot be limited here. */
export interface RuntimeResources {
  readonly devices: readonly { readonly allow: boolean; readonly access: string }[];
  readonly memory: { readonly limit: number; readonly swap?: number };
  readonly pids: { readonly limit: number };
  readonly cpu: { readonly quota: number; readonly period: number };
}

/** The part of the format of OCI runtimes that containers of tasks have. */
export interface RuntimeConfig {
  readonly ociVersion: string;
  readonly hostname: string;
  readonly process: {
    readonly terminal: boolean;
    readonly user: { readonly uid: number; readonly gid: number };
    readonly args: readonly string[];
    readonly env: readonly string[];
    readonly cwd: string;
    readonly capabilities: Readonly<Record<string, never>>;
    readonly noNewPrivileges: boolean;
    readonly oomScoreAdj: number;
    readonly rlimits: readonly { readonly type: string; readonly hard: number; readonly soft: number }[];
  };
  readonly root: { readonly path: string; readonly readonly: boolean };
  readonly mounts: readonly RuntimeMount[];
  readonly linux: {
    readonly uidMappings: readonly Mapping[];
    readonly gidMappings: readonly Mapping[];
    readonly namespaces: readonly { readonly type: string }[];
    readonly cgroupsPath: string;
    readonly resources: RuntimeResources;
    readonly seccomp: SeccompFilter;
    readonly maskedPaths: readonly string[];
    readonly readonlyPaths: readonly string[];
  };
}

export function runtimeConfig(bundle: Bundle): RuntimeConfig {
  const { task, facts, user, cgroup, seccomp, hasHostNetwork, mappedUsers } = bundle;
  const mapping = [{ containerID: 0, hostID: mappedUsers.first, size: mappedUsers.count }];
  const namespaces = ['pid', 'ipc', 'uts', 'mount', 'user', 'cgroup', ...(hasHostNetwork ? [] : ['network'])];
  return {
    ociVersion: '1.0.2',
    hostname: 'task',
    process: {
      terminal: false,
      user: { uid: user.userId, gid: user.groupId },
      args: [...facts.entrypoint, ...(task.argv.length > 0 ? task.argv : facts.command)],
      env: environmentOf(facts, task.environment),
      cwd: facts.workingDirectory,
      capabilities: {},
      noNewPrivileges: true,
      oomScoreAdj: OOM_SCORE,
      rlimits: [{ type: 'RLIMIT_CORE', hard: 0, soft: 0 }],
    },
    root: { path: 'rootfs', readonly: task.isRootReadOnly },
    mounts: [...systemMounts(bundle), ...taskMounts(bundle)],
    linux: {
      uidMappings: mapping,
      gidMappings: mapping,
      namespaces: namespaces.map((type) => ({ type })),
      cgroupsPath: cgroup,
      resources: resourcesOf(bundle),
      seccomp,
      maskedPaths: MASKED,
      readonlyPaths: READ_ONLY,
    },
  };
}

const MASKED = (
  '/proc/acpi /proc/asound /proc/interrupts /proc/kcore /proc/keys /proc/latency_stats /proc/timer_list ' +
  '/proc/timer_stats /proc/sched_debug /proc/scsi /sys/devices/virtual/powercap /sys/firmware'
).split(' ');
const READ_ONLY = '/proc/bus /proc/fs /proc/irq /proc/sys /proc/sysrq-trigger'.split(' ');

/** The environment of a container, as `NAME=value`. If a name occurs twice, the last value counts. */
function environmentOf(
  { environment }: Pick<ImageFacts, 'environment'>,
  own: Readonly<Record<string, string>>,
): string[] {
  const all = new Map<string, string>();
  const given = Object.entries(own).map(([name, value]) => `${name}=${value}`);
  for (const line of [PATH, ...environment, ...given]) all.set(line.slice(0, line.indexOf('=')), line);
  return [...all.values()];
}

function resourcesOf({ task, limitsSwap }: Bundle): RuntimeResources {
  const { cpus = 0.25, mem = 128 } = task.resources;
  const limit = Math.ceil(mem) * MIB;
  return {
    devices: [{ allow: false, access: 'rwm' }],
    memory: limitsSwap ? { limit, swap: limit } : { limit },
    pids: { limit: PROCESSES_MAX },
    cpu: { quota: Math.round(cpus * CPU_PERIOD_US), period: CPU_PERIOD_US },
  };
}

function systemMounts({
  task,
  lower,
  upper,
  overlayWork,
  hasHostNetwork,
  hostsFile,
}: Bundle): RuntimeMount[] {
  const layers = [`lowerdir=${lower}`, `upperdir=${upper}`, `workdir=${overlayWork}`];
  const sharedBytes = Math.ceil(task.resources.sharedmem || SHARED_MEMORY_MIB) * MIB;
  const plain = ['nosuid', 'noexec', 'nodev'];
  const temporary = (destination: string, options: string[]): RuntimeMount => {
    return { destination, type: 'tmpfs', source: 'tmpfs', options };
  };
  // With the host's network, the host's /sys can only be bound, not mounted again.
  const system: RuntimeMount = hasHostNetwork
    ? { destination: '/sys', type: 'none', source: '/sys', options: ['rbind', 'ro', ...plain] }
    : { destination: '/sys', type: 'sysfs', source: 'sysfs', options: ['ro', ...plain] };
  return [
    // The runtime mounts it in the container's own namespace: it disappears with the container, however that ends.
    {
      destination: '/',
      type: 'overlay',
      source: 'overlay',
      options: [...layers, 'userxattr', 'uuid=off', 'nosuid', 'nodev'],
    },
    { destination: '/proc', type: 'proc', source: 'proc', options: plain },
    temporary('/dev', ['nosuid', 'strictatime', 'mode=755', 'size=65536k']),
    {
      destination: '/dev/pts',
      type: 'devpts',
      source: 'devpts',
      options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620'],
    },
    temporary('/dev/shm', [...plain, 'mode=1777', `size=${sharedBytes}`]),
    system,
    ...(task.isRootReadOnly ? [temporary('/tmp', ['nosuid', 'nodev', 'mode=1777'])] : []),
    bind(hasHostNetwork ? '/etc/hosts' : hostsFile, '/etc/hosts', true),
    ...(hasHostNetwork ? [bind('/etc/resolv.conf', '/etc/resolv.conf', true)] : []),
  ];
}

function taskMounts({ task, volumes }: Bundle): RuntimeMount[] {
  const { folder, environment, mounts } = task;
  const { input, output, inputMetadata } = CONTAINER_PATHS;
  const own = [bind(folder.input, input, true), bind(folder.output, output, false)];
  if (environment.INPUT_METADATA === inputMetadata) own.push(bind(folder.inputMetadata, inputMetadata, true));
  return [...own, ...mounts.map((mount) => mountOf(mount, volumes))];
}

function mountOf({ name, source, containerPath, isReadOnly }: TaskMount, volumes: string): RuntimeMount {
  return bind(source.type === 'host' ? source.hostPath : join(volumes, name), containerPath, isReadOnly);
}

function bind(source: string, destination: string, isReadOnly: boolean): RuntimeMount {
  return {
    destination,
    type: 'bind',
    source,
    options: ['rbind', 'nosuid', 'nodev', isReadOnly ? 'ro' : 'rw'],
  };
}
