/**
 * The agent's folder: its lock, its identity and where its tasks work. Two agents on one folder would run the
 * same tasks twice; the second is told so.
 */
import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '../src/domain/errors.ts';
import type { Logger } from '../src/observe/log.ts';
import { type ProcessName as Holder, isRunning, readProcess } from './executor/proc.ts';

export interface DataFolder {
  readonly journal: string;
  /** Folder of the executions' folders. */
  readonly executions: string;
  /** Folder of the mounts that the agent makes. */
  readonly mounts: string;
  /** File of the coordinators' addresses. */
  readonly coordinators: string;
  /** Folder of the certificates that coordinators gave. */
  readonly tls: string;
  /** Folder of unpacked images; tasks' users pass it. */
  readonly images: string;
  /** Identity of this folder; made once. */
  readonly agentId: string;
  /** Gives the lock back. */
  release(): Promise<void>;
}

const SHARED_WORK = '/var/lib/millrace';

/**
 * Throws AppError DATA_DIR_IN_USE when another agent that runs holds it. `workFolder`: where tasks work, if
 * given.
 */
export async function openDataFolder(folder: string, log: Logger, workFolder?: string): Promise<DataFolder> {
  const root = resolve(folder);
  await mkdir(root, { recursive: true, mode: 0o711 });
  const release = await lock(join(root, 'lock'));
  const agentId = await identity(join(root, 'agent-id'));
  const executions = workFolder ?? (await findWorkFolder(root, log));
  await mkdir(executions, { recursive: true, mode: 0o711 });
  const at = (name: string) => join(root, name);
  // Beside the executions, where tasks' users come by.
  const images = `${executions}-images`;
  return {
    journal: at('journal'),
    coordinators: at('coordinators'),
    executions,
    images,
    mounts: at('mounts'),
    tls: at('tls'),
    agentId,
    release,
  };
}

/**
 * Holds pid and start time, so that a lock whose process is gone (kill -9, a restart of the host) is taken
 * over. Made whole under another name and linked: it never exists half written.
 */
async function lock(path: string): Promise<() => Promise<void>> {
  const own = await readProcess(process.pid);
  const content = JSON.stringify({ pid: process.pid, startTicks: own?.startTicks ?? '' });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, content, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      if (await linked(temporary, path)) return () => unlinkQuietly(path);
      const holder = await readHolder(path);
      if (holder !== undefined && (holder.pid === process.pid || (await isRunning(holder)))) {
        const message = `the agent's folder ${dirname(path)} is in use by process ${holder.pid}`;
        throw new AppError('DATA_DIR_IN_USE', message, { pid: holder.pid });
      }
      await putAside(path, `${temporary}.stale`, holder);
    }
    throw new AppError('DATA_DIR_IN_USE', `the lock ${path} cannot be taken`);
  } finally {
    await unlinkQuietly(temporary);
  }
}

/**
 * Of two that find a lock stale only one gets it by renaming; the other may get the new lock, and gives it
 * back.
 */
async function putAside(path: string, aside: string, stale: Holder | undefined): Promise<void> {
  await rename(path, aside).catch(() => undefined); // the other one was quicker
  const taken = await readHolder(aside);
  if (taken !== undefined && (taken.pid !== stale?.pid || taken.startTicks !== stale.startTicks)) {
    await link(aside, path).catch(() => undefined); // a third one has it: then two are told that it is in use
  }
  await unlinkQuietly(aside);
}

async function linked(from: string, to: string): Promise<boolean> {
  return link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder;
  } catch {
    return undefined; // given back meanwhile, or no lock of ours: taken over
  }
}

async function unlinkQuietly(path: string): Promise<void> {
  await unlink(path).catch(() => undefined); // gone already
}

async function identity(path: string): Promise<string> {
  const known = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (known !== '') return known;
  const made = randomUUID();
  await writeFile(path, `${made}\n`, { mode: 0o600 });
  return made;
}

/**
 * As root tasks run as other users, who must be able to pass all directories above their own. Where they
 * cannot (a data folder below /root), tasks work below /var/lib instead, in a folder that goes with this data
 * folder.
 */
async function findWorkFolder(root: string, log: Logger): Promise<string> {
  const usual = join(root, 'executions');
  if (process.getuid?.() !== 0 || (await isPassable(root))) return usual;
  const name = createHash('sha256').update(root).digest('hex').slice(0, 12);
  const elsewhere = join(SHARED_WORK, `agent-${name}`);
  log.info('tasks work elsewhere: their users cannot reach the data folder', {
    folder: root,
    workFolder: elsewhere,
  });
  return elsewhere;
}

async function isPassable(path: string): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
