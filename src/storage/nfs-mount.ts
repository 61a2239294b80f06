/**
 * One NFS export, mounted at a private place of the agent: mounted on first use, found again after a restart, unmounted
 * at the end. Does not read or write files. When a server hangs, calls fail after some seconds (`soft`). Everything
 * stored is synced and verified, so a failed call is never taken for a stored file.
 */
import { execFile } from 'node:child_process';
import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '../domain/errors.ts';
import { listMounts } from './mounts.ts';

/** The operating system's mount operations; tests replace them. */
export interface MountCalls {
  /** The source mounted at the place; undefined when nothing is mounted. */
  sourceAt(place: string): Promise<string | undefined>;
  mount(source: string, place: string): Promise<void>;
  unmount(place: string): Promise<void>;
}

export interface NfsMountOptions {
  /** `host:/path`. */
  readonly source: string;
  readonly place: string;
  readonly calls?: MountCalls;
}

// timeo in tenths of a second: three tries of 5 s, then the call fails with EIO.
const MOUNT_OPTIONS = 'soft,timeo=50,retrans=2,nosuid,nodev,noexec';
const MOUNT_MS_MAX = 30_000;
/** The pause after a refusal, so that not every call in a broken workspace starts a program. */
const RETRY_MS = 10_000;
const REASON_CHARS_MAX = 300;

const run = promisify(execFile);

export class NfsMount {
  readonly place: string;
  readonly #source: string;
  readonly #calls: MountCalls;
  #running: Promise<void> | undefined;
  #refused: { readonly error: AppError; readonly atMs: number } | undefined;

  constructor({ source, place, calls = systemMounts }: NfsMountOptions) {
    this.place = place;
    this.#source = source;
    this.#calls = calls;
  }

  /** Resolves when the export is mounted at the place. Throws WORKSPACE_UNAVAILABLE with the reason. */
  ensure(): Promise<void> {
    this.#running ??= this.#ensure().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Unmounts. A mount in use stays, and the next start finds it. */
  async unmount(): Promise<void> {
    await this.#running?.catch(() => undefined); // `ensure` reports this failure itself
    if ((await this.#calls.sourceAt(this.place)) === undefined) return;
    await this.#calls.unmount(this.place).catch(() => undefined); // in use
  }

  /** Unmounts and removes the place. A mount in use stays. */
  async remove(): Promise<void> {
    await this.unmount();
    await rmdir(this.place).catch(() => undefined); // in use, or never made
  }

  async #ensure(): Promise<void> {
    const found = await this.#calls.sourceAt(this.place);
    if (found === this.#source) return;
    const { atMs, error } = this.#refused ?? { atMs: -RETRY_MS, error: undefined };
    if (error !== undefined && performance.now() - atMs < RETRY_MS) throw error;
    try {
      // The workspace was changed to another export.
      if (found !== undefined) await this.#calls.unmount(this.place);
      await mkdir(this.place, { recursive: true, mode: 0o700 });
      await this.#calls.mount(this.#source, this.place);
      this.#refused = undefined;
    } catch (cause) {
      const text = `cannot mount ${this.#source}: ${reasonOf(cause)}`;
      const refused = new AppError('WORKSPACE_UNAVAILABLE', text, { source: this.#source }, { cause });
      this.#refused = { error: refused, atMs: performance.now() };
      throw refused;
    }
  }
}

export const systemMounts: MountCalls = {
  async sourceAt(place) {
    if (!(await isMountPoint(place))) return undefined;
    return (await listMounts()).findLast((mount) => mount.place === place)?.source;
  },
  async mount(source, place) {
    await run('mount', ['-t', 'nfs', '-o', MOUNT_OPTIONS, '--', source, place], bounded());
  },
  async unmount(place) {
    await run('umount', ['--', place], bounded());
  },
};

/** Whether another file system begins there. Cheaper than reading the list of all mounts. */
async function isMountPoint(place: string): Promise<boolean> {
  try {
    const [here, above] = await Promise.all([stat(place), stat(dirname(place))]);
    return here.dev !== above.dev;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    // A mount whose server cannot be reached is still a mount.
    return code === 'EIO' || code === 'ESTALE' || code === 'ETIMEDOUT';
  }
}

function bounded() {
  return {
    timeout: MOUNT_MS_MAX,
    killSignal: 'SIGKILL',
    maxBuffer: 65_536,
    env: { PATH: PROGRAMS, LC_ALL: 'C' },
  } as const;
}

const PROGRAMS = '/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin';

function reasonOf(error: unknown): string {
  const { code, killed, stderr } = error as { code?: unknown; killed?: boolean; stderr?: string };
  if (killed === true) return `it took more than ${MOUNT_MS_MAX / 1_000} s`;
  if (code === 'ENOENT') return 'the program mount is not on this host';
  const firstLine = (stderr ?? '').split('\n')[0]?.slice(0, REASON_CHARS_MAX) ?? '';
  if (process.getuid?.() !== 0) {
    return `the agent may not mount (it is not root): declare a directory for the workspace. ${firstLine}`.trim();
  }
  if (firstLine.includes('helper program'))
    return 'this host cannot mount NFS: the package nfs-common is missing';
  if (firstLine.includes('unknown filesystem type'))
    return 'this host cannot mount NFS: its kernel does not support it';
  return firstLine === '' ? `mount ended with ${String(code)}` : firstLine;
}
