/** The users and temporary folders of an agent's tasks. */
import type { Logger } from '../../../src/observe/log.ts';
import type { AgentConfig } from '../../config.ts';
import type { DataFolder } from '../../data/data-folder.ts';
import type { Spawner } from '../spawner/spawner.ts';
import { TaskSlots } from './task-slots.ts';
import { OwnFolders, SharedFolders, type TemporaryFolders } from './temporary-folders.ts';

interface SlotParts {
  readonly folder: DataFolder;
  readonly users: AgentConfig['taskUsers'];
  readonly spawner: Spawner;
  readonly log: Logger;
}

export async function openSlots(parts: SlotParts): Promise<TaskSlots> {
  const { folder, users } = parts;
  const slots = await TaskSlots.open(`millrace-${folder.agentId.slice(0, 8)}`, users);
  if (slots.hasUsers) slots.temporary = await findTemporaryFolders(parts);
  return slots;
}

async function findTemporaryFolders({ spawner, folder, log }: SlotParts): Promise<TemporaryFolders> {
  const obstacle = await spawner.mountObstacle();
  if (obstacle === undefined)
    return OwnFolders.find({ folder: folder.slots, executions: folder.executions, log });
  log.warn('temporary_folders_shared', {
    note: 'with the host, for tasks that are plain processes',
    reason: obstacle,
  });
  return SharedFolders.find(log);
}
