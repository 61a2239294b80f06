/**
 * The agent's folder: its lock, its identity and where its tasks work. Two agents on one folder would run the
 * same tasks twice; the second is told so.
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
  /** Folder of the mounts that the agent makes. */
  readonly mounts: string;
  /** File of the coordinators' addresses. */
  readonly coordinators: string;
  /** Folder of the certificates that coordinators gave. */
  readonly tls: string;
  /** Folder of unpacked images; tasks' users pass it. */
  readonly images: string;
  /** Folder of the temporary folders of slots. */
  readonly slots: string;
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
  const held = await lock(root);
  try {
    const agentId = await identity(join(root, 'agent-id'));
    const executions = workFolder ?? (await findWorkFolder(root, log));
    await mkdir(executions, { recursive: true, mode: 0o711 });
    const at = (name: string) => join(root, name);
    return {
      journal: at('journal'),
      coordinators: at('coordinators'),
      executions,
      // Beside the executions, where tasks' users come by.
      images: `${executions}-images`,
      mounts: at('mounts'),
      slots: at('slots'),
      tls: at('tls'),
      agentId,
      release: async () => held.release(),
    };
  } catch (error) {
    held.release();
    throw error;
  }
}

/** Throws AppError DATA_DIR_IN_USE, which names who has it. */
async function lock(root: string): Promise<FolderLock> {
  const taken = await lockFolder(root, 'lock', 'agent');
  if (taken.ok) return taken.lock;
  const { pid, host } = taken.owner;
  const message = `the agent's folder ${root} is in use by process ${pid} on ${host}`;
  throw new AppError('DATA_DIR_IN_USE', message, { pid, host });
}

/** Made once; an empty file is what a full disk has left of an earlier try. */
async function identity(path: string): Promise<string> {
  const known = await stat(path).catch(() => undefined);
  if (known?.size === 0) await unlink(path);
  await writeOnce(path, `${randomUUID()}\n`);
  return (await readFile(path, 'utf8')).trim();
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
