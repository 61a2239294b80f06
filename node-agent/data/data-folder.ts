/**
 * The agent's folder: its lock, its identity, and the place of tasks. The lock prevents two agents on one folder, which
 * would run the same tasks twice.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '../../src/domain/errors.ts';
import { type FolderLock, lockFolder } from '../../src/lib/folder-lock.ts';
import { writeOnce } from '../../src/lib/write-once.ts';
import type { Logger } from '../../src/observe/log.ts';

export interface DataFolder {
  readonly journal: string;
  /** Folder of the executions' folders. */
  readonly executions: string;
  /** Folder for the agent's mounts. */
  readonly mounts: string;
  /** File of the coordinators' addresses. */
  readonly coordinators: string;
  /** File of the places where marked directories were found. */
  readonly places: string;
  /** Folder of the certificates that coordinators gave. */
  readonly tls: string;
  /** Folder of unpacked images; task users can enter it. */
  readonly images: string;
  /** Folder of the temporary folders of slots. */
  readonly slots: string;
  /** Folder of unfinished uploads to buckets. */
  readonly uploads: string;
  /** Identity of this folder; created once. */
  readonly agentId: string;
  /** Releases the lock. */
  release(): Promise<void>;
}

const SHARED_WORK = '/var/lib/millrace';

/** Throws AppError DATA_DIR_IN_USE if a running agent holds it. `workFolder`: the folder for tasks, if given. */
export async function openDataFolder(folder: string, log: Logger, workFolder?: string): Promise<DataFolder> {
  const root = resolve(folder);
  await mkdir(root, { recursive: true, mode: 0o711 });
  const held = await lock(root);
  try {
    const agentId = await identity(join(root, 'agent-id'));
    const executions = workFolder ?? (await findWorkFolder(root, log));
    await mkdir(executions, { recursive: true, mode: 0o711 });
    const at = (name: string) => join(root, name);
    await mkdir(at('uploads'), { recursive: true, mode: 0o700 });
    return {
      journal: at('journal'),
      coordinators: at('coordinators'),
      places: at('places'),
      executions,
      // Next to the executions, where task users can enter.
      images: `${executions}-images`,
      mounts: at('mounts'),
      slots: at('slots'),
      tls: at('tls'),
      uploads: at('uploads'),
      agentId,
      release: async () => held.release(),
    };
  } catch (error) {
    held.release();
    throw error;
  }
}

/** Throws AppError DATA_DIR_IN_USE, which names the holder. */
async function lock(root: string): Promise<FolderLock> {
  const taken = await lockFolder(root, 'lock', 'agent');
  if (taken.ok) return taken.lock;
  const { pid, host } = taken.owner;
  const message = `the agent's folder ${root} is in use by process ${pid} on ${host}`;
  throw new AppError('DATA_DIR_IN_USE', message, { pid, host });
}

/** The agent's id, which is created once. An empty file is left from an attempt on a full disk, and is replaced. */
async function identity(path: string): Promise<string> {
  const known = await stat(path).catch(() => undefined);
  if (known?.size === 0) await unlink(path);
  await writeOnce(path, `${randomUUID()}\n`);
  return (await readFile(path, 'utf8')).trim();
}

/**
 * With an agent that is root, tasks run as other users, who must be able to enter all directories above their own. If
 * they cannot (a data folder below /root), tasks work below /var/lib instead, in a folder that belongs to this data
 * folder.
 */
async function findWorkFolder(root: string, log: Logger): Promise<string> {
  const usual = join(root, 'executions');
  if (process.getuid?.() !== 0 || (await isPassable(root))) return usual;
  const name = createHash('sha256').update(root).digest('hex').slice(0, 12);
  const elsewhere = join(SHARED_WORK, `agent-${name}`);
  log.info('tasks_folder_elsewhere', {
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
