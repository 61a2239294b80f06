/** Creates the directories of a container with the right owners, for every container executor. */
import { chmod, chown, mkdir } from 'node:fs/promises';
import type { TaskFolder } from '../task/task-folder.ts';

export interface OutputOwner {
  readonly userId: number;
  readonly groupId: number;
}

/**
 * Creates the directories that are mounted into a container. `owner` gets the output directory. Without one (a user
 * that only the image knows), everybody may write to it, below a folder that nobody else can enter.
 */
export async function makeContainerFolders(
  folder: TaskFolder,
  owner: OutputOwner | 'agent' | undefined,
): Promise<void> {
  await Promise.all([folder.input, folder.output].map((path) => mkdir(path, { mode: 0o755 })));
  if (owner === 'agent') return;
  if (owner === undefined) await chmod(folder.output, 0o777);
  else await chown(folder.output, owner.userId, owner.groupId);
}

/** `65534:65534`, `65534`; undefined for names. */
export function numericUser(user: string): OutputOwner | undefined {
  const match = /^(\d{1,10})(?::(\d{1,10}))?$/.exec(user);
  if (match === null) return undefined;
  return { userId: Number(match[1]), groupId: Number(match[2] ?? 0) };
}
