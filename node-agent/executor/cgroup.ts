/**
 * Control groups that limit the memory, processes and processor time of tasks. They are probed, because a host may have
 * version 1, version 2, both ("hybrid"), or none that the agent may write to. The next task of a slot reuses the slot's
 * group.
 */

import { writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Used } from '../../src/domain/task/task-result.ts';
import { GroupFiles, type Reader, readControl } from './group-files.ts';

const ROOT = '/sys/fs/cgroup';
const CPU_PERIOD_US = 100_000;
const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;
type Controller = (typeof CONTROLLERS)[number];

export interface GroupLimits {
  readonly memoryBytes: number;
  readonly processesMax: number;
  readonly cpus: number;
}

/** One task's groups. Empty between tasks. */
export interface TaskGroup {
  /** Directories that the task enters before it begins. */
  readonly directories: readonly string[];
  limit(limits: GroupLimits): void;
  pids(): number[];
  /** How often the kernel has killed in this group because of its memory limit, since its creation. */
  outOfMemoryCount(): number;
  /**
   * Begins to measure a task. Calling the result ends this and returns the figures. `isFresh` false: the task was
   * running before, so what the group has used until now counts as well.
   */
  measure(isFresh: boolean): () => GroupFigures;
}

/** The sums over all processes of a group; absent figures are not counted by this host. */
export interface GroupFigures {
  /** The most at one time, with its part of the page cache, as the limit counts it. */
  readonly memoryBytes?: number | undefined;
  readonly processorUs?: number | undefined;
  readonly readBytes?: number | undefined;
  readonly writtenBytes?: number | undefined;
}

export interface Cgroups {
  readonly version: 1 | 2;
  readonly controllers: readonly Controller[];
  open(name: string): Promise<TaskGroup>;
  /** Removes empty groups of this agent. */
  close(): Promise<void>;
}

/** The control groups that this host allows below groups called `name`, or undefined. */
export async function probeCgroups(name: string): Promise<Cgroups | undefined> {
  return (await probeVersion2(name)) ?? (await probeVersion1(name));
}

async function probeVersion2(name: string): Promise<Cgroups | undefined> {
  const available = (await readFile(join(ROOT, 'cgroup.controllers'), 'utf8').catch(() => ''))
    .trim()
    .split(' ');
  const controllers = CONTROLLERS.filter((controller) => available.includes(controller));
  if (!controllers.includes('memory')) return undefined;
  const base = join(ROOT, name);
  const enable = controllers.map((controller) => `+${controller}`).join(' ');
  try {
    // Refused if processes are in the parent and it is not the real root, as in most containers.
    await writeFile(join(ROOT, 'cgroup.subtree_control'), enable);
    await makeGroup(base);
    await writeFile(join(base, 'cgroup.subtree_control'), enable);
  } catch {
    return undefined;
  }
  return {
    version: 2,
    controllers,
    open: (task) => openVersion2(join(base, task), controllers),
    close: () => removeIdle([base]),
  };
}

/**
 * Creates a group inside an existing one. Not recursive: if no control groups are mounted in /sys, the runtime's
 * recursive mkdir never ends.
 */
async function makeGroup(directory: string): Promise<void> {
  try {
    await mkdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

async function openVersion2(directory: string, controllers: readonly Controller[]): Promise<TaskGroup> {
  await makeGroup(directory);
  const { read } = new GroupFiles();
  const put = (file: string, value: string): void => writeFileSync(join(directory, file), value);
  return {
    directories: [directory],
    pids: () => readPids(directory),
    limit: unlessSet(({ memoryBytes, processesMax, cpus }) => {
      put('memory.max', `${memoryBytes}`);
      if (controllers.includes('pids')) put('pids.max', `${processesMax}`);
      if (controllers.includes('cpu')) put('cpu.max', `${Math.round(cpus * CPU_PERIOD_US)} ${CPU_PERIOD_US}`);
    }),
    outOfMemoryCount: () => readCount(join(directory, 'memory.events'), 'oom_kill', read),
    measure: (isFresh) => measure({ '': directory }, join(directory, 'memory.current'), isFresh, read),
  };
}

/**
 * A slot's group has had tasks before. The memory that they left in it is subtracted, unless the group was full: then
 * the kernel has reclaimed it. Version 2 cannot reset the peak: if the task stayed below an earlier peak, its own peak
 * is unknown.
 */
function measure(
  paths: Readonly<Record<string, string>>,
  usage: string,
  isFresh: boolean,
  read: Reader,
): () => GroupFigures {
  const isVersion1 = paths.memory !== undefined;
  if (isFresh && isVersion1) unlessGone(() => writeFileSync(join(paths.memory as string, PEAK_1), '0'));
  const before = isFresh ? groupFigures(paths, read) : {};
  const left = isFresh ? (readNumber(usage, read) ?? 0) : 0;
  return () => {
    const { memoryBytes: peak, processorUs } = groupFigures(paths, read);
    const limit = readNumber(
      join(paths.memory ?? paths[''] ?? '', isVersion1 ? LIMIT_1 : 'memory.max'),
      read,
    );
    const isOwn = peak !== undefined && (isVersion1 || !isFresh || peak > (before.memoryBytes ?? 0));
    return {
      memoryBytes: isOwn ? (peak >= (limit ?? 0) * NEARLY ? peak : peak - left) : undefined,
      processorUs: processorUs === undefined ? undefined : processorUs - (before.processorUs ?? 0),
    };
  };
}

const PEAK_1 = 'memory.max_usage_in_bytes';
const LIMIT_1 = 'memory.limit_in_bytes';
/** The kernel charges memory in batches, so a group is full a little below its limit. */
const NEARLY = 0.99;

/** What was used since a group was created; `paths` by controller, version 2 below ''. */
export function groupFigures(
  paths: Readonly<Record<string, string>>,
  read: Reader = readControl,
): GroupFigures {
  const all = paths[''];
  if (paths.memory === undefined && all !== undefined) {
    const io = readControl(join(all, 'io.stat'));
    const sum = (key: string) => [...io.matchAll(new RegExp(`${key}=(\\d+)`, 'g'))].map(([, n]) => Number(n));
    return {
      memoryBytes: readNumber(join(all, 'memory.peak'), read),
      processorUs: readCount(join(all, 'cpu.stat'), 'usage_usec', read) || undefined,
      readBytes: io === '' ? undefined : sum('rbytes').reduce((a, b) => a + b, 0),
      writtenBytes: io === '' ? undefined : sum('wbytes').reduce((a, b) => a + b, 0),
    };
  }
  const processorNs = readNumber(join(paths.cpuacct ?? paths.cpu ?? '', 'cpuacct.usage'), read);
  return {
    memoryBytes: readNumber(join(paths.memory ?? '', PEAK_1), read),
    processorUs: processorNs === undefined ? undefined : Math.round(processorNs / 1_000),
  };
}

/** What a task used: the figures of its control group, and where these are missing, those of its processes. */
export function combined(group: GroupFigures, processes: Used | undefined): Used | undefined {
  const own = Object.entries(group).filter(([, figure]) => figure !== undefined);
  if (group.memoryBytes === undefined && processes === undefined) return undefined;
  const source = group.memoryBytes === undefined ? 'rusage' : 'cgroup';
  return { ...processes, ...Object.fromEntries(own), source };
}

function readNumber(path: string, read: Reader): number | undefined {
  const text = read(path).trim();
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function unlessGone(call: () => void): void {
  try {
    call();
  } catch {
    // The figure is then unknown, or that of an earlier task, which is acceptable because it is only shown.
  }
}

async function probeVersion1(name: string): Promise<Cgroups | undefined> {
  const own = await ownGroups();
  const bases = new Map<Controller, string>();
  for (const controller of CONTROLLERS) {
    const base = join(ROOT, controller, own.get(controller) ?? '/', name);
    try {
      await makeGroup(base);
      await readFile(join(base, 'cgroup.procs'));
      bases.set(controller, base);
    } catch {
      // Not mounted, or not writable: this limit is not enforced.
    }
  }
  if (!bases.has('memory')) return undefined;
  return {
    version: 1,
    controllers: [...bases.keys()],
    open: (task) => openVersion1(bases, task),
    close: () => removeIdle([...bases.values()]),
  };
}

async function openVersion1(bases: ReadonlyMap<Controller, string>, task: string): Promise<TaskGroup> {
  const directories = [...bases.values()].map((base) => join(base, task));
  for (const directory of directories) await makeGroup(directory);
  const put = (controller: Controller, file: string, value: string): void => {
    const base = bases.get(controller);
    if (base !== undefined) writeFileSync(join(base, task, file), value);
  };
  const memory = join(bases.get('memory') as string, task);
  const { read } = new GroupFiles();
  return {
    directories,
    pids: () => readPids(memory),
    limit: unlessSet(({ memoryBytes, processesMax, cpus }) => {
      put('memory', 'memory.limit_in_bytes', `${memoryBytes}`);
      put('pids', 'pids.max', `${processesMax}`);
      put('cpu', 'cpu.cfs_quota_us', `${Math.round(cpus * CPU_PERIOD_US)}`);
    }),
    outOfMemoryCount: () => readCount(join(memory, 'memory.oom_control'), 'oom_kill', read),
    measure: (isFresh) => {
      const cpu = bases.get('cpu');
      const paths = { memory, ...(cpu === undefined ? {} : { cpu: join(cpu, task) }) };
      return measure(paths, join(memory, 'memory.usage_in_bytes'), isFresh, read);
    },
  };
}

/**
 * Skips limits that are already set, because tasks of a slot mostly have equal limits, and only this agent changes
 * them. Throws as `set` does, and then sets them again.
 */
function unlessSet(set: (limits: GroupLimits) => void): (limits: GroupLimits) => void {
  let known: GroupLimits | undefined;
  return (wanted) => {
    const { memoryBytes, processesMax, cpus } = wanted;
    const isKnown = known?.memoryBytes === memoryBytes && known.processesMax === processesMax;
    if (isKnown && known?.cpus === cpus) return;
    known = undefined;
    set(wanted);
    known = wanted;
  };
}

/** Our own group by controller: tasks' groups are inside it, so that limits of the agent apply to them too. */
async function ownGroups(): Promise<Map<string, string>> {
  const groups = new Map<string, string>();
  for (const line of (await readFile('/proc/self/cgroup', 'utf8').catch(() => '')).split('\n')) {
    const [, names = '', path = '/'] = line.split(':');
    for (const name of names.split(',')) groups.set(name, path);
  }
  return groups;
}

function readPids(directory: string): number[] {
  return readControl(join(directory, 'cgroup.procs'))
    .split('\n')
    .filter((line) => line !== '')
    .map(Number);
}

/** How often the kernel has killed because of the memory limit in the group of a directory, for either version. */
export function outOfMemoryKills(directory: string, read: Reader = readControl): number {
  return (
    readCount(join(directory, 'memory.events'), 'oom_kill', read) ||
    readCount(join(directory, 'memory.oom_control'), 'oom_kill', read)
  );
}

function readCount(path: string, key: string, read: Reader = readControl): number {
  const line = read(path)
    .split('\n')
    .find((candidate) => candidate.startsWith(`${key} `));
  return line === undefined ? 0 : Number(line.slice(key.length + 1));
}

/** Removes the empty groups of tasks, and then the bases; a running task keeps its group. */
async function removeIdle(bases: readonly string[]): Promise<void> {
  for (const base of bases) {
    const names = await readdir(base).catch(() => []);
    const groups = names.filter((name) => name.startsWith('task-')).map((name) => join(base, name));
    for (const directory of [...groups, base]) {
      await rmdir(directory).catch(() => undefined); // still in use, so it is kept
    }
  }
}
