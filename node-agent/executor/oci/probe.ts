/**
 * Tests whether containers can run here without an engine, and by which runtime: the requirements, and one container as
 * a trial.
 */
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import type { ContainersConfig } from '../../config.ts';
import { taskFolder } from '../../task/task-folder.ts';
import { type ProgramFailure, runProgram } from '../run-program.ts';
import { runtimeConfig } from './bundle.ts';
import { openLight } from './light/light.ts';
import type { OciRuntime, Starter } from './runtime.ts';
import { type Filters, readSeccomp } from './seccomp.ts';

const PROGRAMS = ['skopeo', 'umoci', 'du', 'sync'];
const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
/** The first kernel in which a user namespace may mount overlays. */
const KERNEL_MIN = [5, 11] as const;
const TRIAL_MS_MAX = 20_000;
const MEMORY_SWAP_V1 = '/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes';

export interface OciProbe {
  readonly runtime: OciRuntime | undefined;
  readonly containers: ContainersConfig;
  /** Folder on the disk of the tasks. */
  readonly workFolder: string;
  readonly clock: Clock;
}

/** How containers are run here, with what was said against the runtimes that were tried before. */
export interface Choice {
  readonly starter: Starter;
  readonly filters: Filters;
  readonly against: string;
}

/** Returns why the `oci` executor cannot run containers here if it cannot. */
export async function chooseStarter(probe: OciProbe): Promise<Choice | string> {
  const { runtime, containers } = probe;
  if (process.platform !== 'linux') return 'the oci executor needs Linux';
  if (process.getuid?.() !== 0) return 'the oci executor needs an agent that runs as root';
  const missing = PROGRAMS.filter((name) => !isInstalled(name));
  if (missing.length > 0) return `the oci executor needs ${missing.join(', ')}`;
  if (!isRecent(release())) return `the oci executor needs Linux ${KERNEL_MIN.join('.')} or later`;
  if (!['none', 'host'].includes(containers.network)) {
    return `the oci executor has only the networks none and host: ${containers.network} is a network of an engine`;
  }
  const filters = await readSeccomp(process.arch);
  if (filters === undefined) return 'the oci executor finds no seccomp profile for this processor';
  if (runtime === undefined) return 'the oci executor needs a file system in memory at /run or /dev/shm';
  const names = containers.runtime === 'auto' ? (['light', 'runc'] as const) : [containers.runtime];
  const against: string[] = [];
  for (const name of names) {
    const found = await tryStarter({ ...probe, runtime }, name, filters);
    if (typeof found !== 'string') return { starter: found, filters, against: against.join('; ') };
    against.push(`${name}: ${found}`);
  }
  return `no runtime works: ${against.join('; ')}`;
}

/** The starter, or why it does not work. */
async function tryStarter(
  probe: OciProbe & { runtime: OciRuntime },
  name: Starter['name'],
  filters: Filters,
): Promise<Starter | string> {
  try {
    if (name === 'runc' && !isInstalled('runc')) return 'it is not installed';
    const starter: Starter = name === 'runc' ? { name } : { name, light: openLight(filters) };
    await tryOne(probe, starter, filters);
    return starter;
  } catch (error) {
    return (error as Error).message;
  }
}

function isInstalled(program: string): boolean {
  return FOLDERS.some((folder) => existsSync(join(folder, program)));
}

/** Version 1 of control groups limits swap only if the kernel accounts for it. */
export function limitsSwap(): boolean {
  return existsSync('/sys/fs/cgroup/cgroup.controllers') || existsSync(MEMORY_SWAP_V1);
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return major > KERNEL_MIN[0] || (major === KERNEL_MIN[0] && minor >= KERNEL_MIN[1]);
}

/** Runs the host's own `true` in a container like that of a task, with the host's programs read-only. Throws. */
async function tryOne(
  probe: OciProbe & { runtime: OciRuntime },
  starter: Starter,
  filters: Filters,
): Promise<void> {
  const { runtime, containers, workFolder, clock } = probe;
  const { mappedUsers } = containers;
  const id = `trial-${process.pid}`;
  const folder = taskFolder(await mkdtemp(join(workFolder, '.trial-')));
  try {
    await chown(folder.root, 0, mappedUsers.first);
    const own = ['lower', 'upper', 'layer', 'input', 'output'].map((name) => join(folder.root, name));
    for (const path of [folder.root, ...own]) await mkdir(path, { recursive: true });
    for (const path of own.slice(0, 3)) await chown(path, mappedUsers.first, mappedUsers.first);
    await chmod(folder.root, 0o710);
    const shown = ['/usr', '/bin', '/lib', '/lib64'].filter((path) => existsSync(path));
    const mounts = shown.map((path) => {
      return {
        name: path,
        containerPath: path,
        isReadOnly: true,
        source: { type: 'host', hostPath: path },
      } as const;
    });
    const task = {
      argv: ['/bin/true'],
      environment: {},
      mounts,
      resources: {},
      isRootReadOnly: false,
      folder,
    };
    const config = runtimeConfig({
      task,
      facts: { entrypoint: [], command: [], environment: [], workingDirectory: '/' },
      lower: join(folder.root, 'lower'),
      upper: join(folder.root, 'upper'),
      overlayWork: join(folder.root, 'layer'),
      user: { userId: 65_534, groupId: 65_534 },
      mappedUsers,
      cgroup: `millrace-${id}`,
      limitsSwap: limitsSwap(),
      seccomp: filters.every,
      hasHostNetwork: false,
      hostsFile: '/etc/hosts',
      volumes: folder.root,
    });
    const [program = '', ...args] = runtime.prepare(id, config, starter, '');
    await runProgram(program, args, TRIAL_MS_MAX);
  } catch (error) {
    const reason = runtime.fault(id) ?? (error as ProgramFailure).message;
    throw new Error(`a trial container did not run: ${reason}`);
  } finally {
    await runtime.end(id, clock);
    await runtime.remove(id, clock).catch(() => undefined); // the next start removes it
    await rm(folder.root, { recursive: true, force: true });
  }
}
