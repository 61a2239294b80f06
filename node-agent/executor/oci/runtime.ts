/**
 * The folder that an agent shares with its runtime: bundles, and the runtime's records of containers. A container is
 * found again whichever runtime has started it: runc has records of its own, the light runtime keeps them in the
 * bundle. The folder is in memory, because bundles contain secrets, and disappears with a restart of the host, as the
 * containers do.
 *
 * The folder is in memory and control groups are in the kernel, so calls are synchronous: handing each of some fifty
 * calls for a container to a thread would take longer.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { lstat, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, pause } from '../../clock.ts';
import { type GroupFigures, groupFigures, outOfMemoryKills } from '../cgroup.ts';
import { isRunning, type ProcessName } from '../proc.ts';
import type { RuntimeConfig } from './bundle.ts';
import type { GroupPlaces } from './light/groups.ts';
import { KeptGroups } from './light/kept-groups.ts';
import {
  faultOfLight,
  initOfLight,
  type LightRecord,
  type LightRuntime,
  prepareLight,
  readLight,
  removeLight,
} from './light/light.ts';

const TMPFS_MAGIC = 0x01021994;
const PLACES = ['/run', '/dev/shm'];
const DEAD_LOOK_MS = 10;
const DEAD_LOOKS_MAX = 500;
const LINE_CHARS_MAX = 300;
/** The light runtime's own failures, and the ends of what was killed, have this exit code or a larger one. */
export const FAULT_CODE = 125;
/** File of a bundle of runc, and of earlier releases: the digest of the image. */
const IMAGE = 'image';

/** What runs containers, in the foreground. */
export type Starter = { readonly name: 'runc' } | { readonly name: 'light'; readonly light: LightRuntime };

const HOSTS = '127.0.0.1\tlocalhost\n::1\tlocalhost\n';

/** runc's record of a container, as far as it is needed here. */
interface RuncState {
  readonly init_process_pid: number;
  readonly init_process_start: number;
  readonly cgroup_paths: Readonly<Record<string, string>>;
}

export class OciRuntime {
  readonly root: string;
  readonly #kept: KeptGroups;
  /** Containers of the light runtime that this run of the agent has prepared and not removed. */
  readonly #light = new Map<string, LightRecord>();

  private constructor(root: string, name: string) {
    this.root = root;
    this.#kept = new KeptGroups(name);
  }

  /** Undefined if there is no folder in memory. `name` is unique to this agent on the host. */
  static async open(name: string): Promise<OciRuntime | undefined> {
    for (const place of PLACES) {
      const facts = await statfs(place).catch(() => undefined);
      if (facts?.type !== TMPFS_MAGIC) continue;
      const root = join(place, name);
      const found = await lstat(root).catch(() => undefined);
      if (found === undefined || isOurs(found)) return new OciRuntime(root, name);
    }
    return undefined;
  }

  bundle(id: string): string {
    return join(this.root, `bundle-${id}`);
  }

  /** File of a bundle that is the container's /etc/hosts. */
  hostsFile(id: string): string {
    return join(this.bundle(id), 'hosts');
  }

  /**
   * Writes the bundle. Returns the command that runs the container to its end, in the foreground. `rootfs` is the mount
   * point of the container's files: its first user must be able to enter it. `image`: the digest of its image.
   */
  prepare(id: string, config: RuntimeConfig, starter: Starter, image: string): string[] {
    const bundle = this.bundle(id);
    // Others may write to that place, so a folder that is not ours is not trusted.
    if (!isOurs(this.#madeRoot())) throw new Error(`${this.root} belongs to another user`);
    const rootfs = join(bundle, 'rootfs');
    if (!isMade(bundle) || !isMade(rootfs)) mkdirSync(rootfs, { recursive: true, mode: 0o755 });
    writeFileSync(this.hostsFile(id), HOSTS, { mode: 0o644 });
    if (starter.name === 'light') {
      const { argv, record } = prepareLight(starter.light, bundle, config, image, this.#kept);
      this.#light.set(id, record);
      return argv;
    }
    writeFileSync(join(bundle, IMAGE), image, { mode: 0o600 });
    writeFileSync(join(bundle, 'config.json'), JSON.stringify(config), { mode: 0o600 });
    const log = ['--log', join(bundle, 'log'), '--log-format', 'json'];
    return ['runc', '--root', join(this.root, 'state'), ...log, 'run', '--keep', '--bundle', bundle, id];
  }

  #madeRoot(): Stats {
    const found = lstatSync(this.root, { throwIfNoEntry: false });
    if (found !== undefined) return found;
    isMade(this.root, 0o711);
    return lstatSync(this.root);
  }

  /** The digest of the image of a container; undefined if it is not known. */
  imageOf(id: string): string | undefined {
    return this.#lightOf(id)?.image ?? unlessFails(() => readFileSync(join(this.bundle(id), IMAGE), 'utf8'));
  }

  /** The record of a container of the light runtime. */
  #lightOf(id: string): LightRecord | undefined {
    return this.#light.get(id) ?? readLight(this.bundle(id));
  }

  #runcOf(id: string): RuncState | undefined {
    const text = unlessFails(() => readFileSync(join(this.root, 'state', id, 'state.json'), 'utf8'));
    // Also undefined if it is read while it is being written.
    return text === undefined ? undefined : unlessFails(() => JSON.parse(text) as RuncState);
  }

  #groupsOf(id: string): GroupPlaces {
    return this.#lightOf(id)?.paths ?? this.#runcOf(id)?.cgroup_paths ?? {};
  }

  #initOf(id: string): ProcessName | undefined {
    if (this.#lightOf(id) !== undefined) return initOfLight(this.bundle(id));
    const { init_process_pid: pid = 0, init_process_start: start } = this.#runcOf(id) ?? {};
    return pid > 0 ? { pid, startTicks: String(start) } : undefined;
  }

  /**
   * Whether this exit code of its runtime says that a container has begun and has ended by itself, so that nothing else
   * has to be looked at. runc has all codes for failures of its own.
   */
  hasRunToEnd(id: string, exitCode: number): boolean {
    return exitCode < FAULT_CODE && this.#lightOf(id) !== undefined;
  }

  /** The first process of a container, while it runs. */
  async init(id: string): Promise<ProcessName | undefined> {
    const name = this.#initOf(id);
    return name !== undefined && (await isRunning(name)) ? name : undefined;
  }

  /** Whether the kernel killed in the container because of its memory limit. */
  ranOutOfMemory(id: string): boolean {
    const paths = this.#groupsOf(id);
    const directory = paths.memory ?? paths[''];
    return directory !== undefined && outOfMemoryKills(directory) > 0;
  }

  /** What the container used since it was created. */
  used(id: string): GroupFigures {
    const groups = this.#groupsOf(id);
    const { chargedBytes = 0 } = this.#lightOf(id) ?? {};
    const { memoryBytes, ...others } = groupFigures(groups, this.#kept.readerOf(groups));
    return { ...others, memoryBytes: memoryBytes === undefined ? undefined : memoryBytes - chargedBytes };
  }

  /** Why the runtime could not run the container; undefined if it did. */
  fault(id: string): string | undefined {
    if (this.#lightOf(id) !== undefined)
      return faultOfLight(this.bundle(id)).slice(0, LINE_CHARS_MAX) || undefined;
    const text = unlessFails(() => readFileSync(join(this.bundle(id), 'log'), 'utf8')) ?? '';
    for (const line of text.split('\n')) {
      const entry = parseLine(line);
      if (entry?.level === 'error') return (entry.msg ?? '').slice(0, LINE_CHARS_MAX);
    }
    return undefined;
  }

  /** Kills all processes of the container. False if it cannot be ended. */
  async end(id: string, clock: Clock): Promise<boolean> {
    for (let look = 0; look < DEAD_LOOKS_MAX; look += 1) {
      const init = await this.init(id);
      if (init === undefined) return true;
      kill(init, 'SIGKILL'); // this ends its whole process namespace
      await pause(clock, DEAD_LOOK_MS);
    }
    return false;
  }

  /**
   * Removes everything of an ended container but its files. `isClean`: it has ended by itself, so that its control
   * groups may be kept. Throws if one cannot be removed.
   */
  async remove(id: string, clock: Clock, isClean = false): Promise<void> {
    const bundle = this.bundle(id);
    const isLight = this.#lightOf(id) !== undefined;
    const groups = this.#groupsOf(id);
    if (!isClean || !this.#kept.keep(groups)) {
      this.#kept.forget(groups);
      for (const directory of new Set(Object.values(groups))) await removeGroup(directory, clock);
    }
    this.#light.delete(id);
    if (!isLight || !removeLight(bundle)) {
      rmSync(bundle, { recursive: true, force: true });
      rmSync(join(this.root, 'state', id), { recursive: true, force: true });
    }
    // The folder is removed with the last container.
    if (this.#light.size > 0) return;
    for (const path of [join(this.root, 'state'), this.root]) unlessFails(() => rmdirSync(path));
  }

  /** Removes what is kept for later containers. */
  close(): void {
    this.#kept.close();
  }

  /** Removes what an earlier run of the agent has kept. */
  async removeKept(): Promise<void> {
    const had = (await this.ids()).map((id) => this.#groupsOf(id));
    this.#kept.removeLeftovers(had);
  }

  /** The ids of all known containers. */
  async ids(): Promise<string[]> {
    const states = await readdir(join(this.root, 'state')).catch(() => []);
    const bundles = (await readdir(this.root).catch(() => [])).filter((name) => name.startsWith('bundle-'));
    return [...new Set([...states, ...bundles.map((name) => name.slice('bundle-'.length))])];
  }
}

function isOurs(found: Stats): boolean {
  return found.isDirectory() && found.uid === process.getuid?.();
}

/** Makes a folder. False if it is there, or cannot be made. */
function isMade(path: string, mode = 0o755): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch {
    return false;
  }
}

/** A process that has ended meanwhile is no failure. */
export function kill(name: ProcessName, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(name.pid, signal);
  } catch {
    // It ended between the read and the signal.
  }
}

/** The kernel allows removing a group shortly after its last process has ended. */
async function removeGroup(directory: string, clock: Clock): Promise<void> {
  for (let look = 0; ; look += 1) {
    try {
      rmdirSync(directory);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || !existsSync(directory)) return; // EROFS comes first
      if (code !== 'EBUSY' || look >= DEAD_LOOKS_MAX) throw error;
      await pause(clock, DEAD_LOOK_MS);
    }
  }
}

function parseLine(line: string): { level?: string; msg?: string } | undefined {
  return unlessFails(() => JSON.parse(line) as { level?: string; msg?: string });
}

function unlessFails<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
