/** How the files of a container come to be its user's: the same with every executor of containers. */
import { chmod, chown, mkdir } from 'node:fs/promises';
import type { TaskFolder } from '../task/task-folder.ts';

export interface OutputOwner {
  readonly userId: number;
  readonly groupId: number;
}

/**
 * Makes the directories that a container is shown. `owner` gets the output directory; without one (a user that only
 * the image knows) everybody may write there, below a folder that nobody else can enter by the container.
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
