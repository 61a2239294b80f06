/** Files that a simulated agent removes as it is told. */
import type { FileDeletion, FilesDeleted } from '../../../src/domain/node/agent-messages.ts';
import type { DeleteFiles } from '../../../src/domain/node/coordinator-messages.ts';
import { relativePathProblem } from '../../../src/domain/paths.ts';
import type { SimHost } from './host.ts';

export function deleteFiles(host: SimHost, { requestId, workspace, files }: DeleteFiles): FilesDeleted {
  const directory = host.disks.directory(workspace.uuid);
  const done = files.map(({ path, size }): FileDeletion => {
    const problem = relativePathProblem(path);
    if (!host.reaches(workspace.uuid))
      return { path, outcome: 'failed', reason: 'not mounted', maySucceedLater: true };
    if (problem !== undefined) return { path, outcome: 'failed', reason: problem, maySucceedLater: false };
    const there = directory.files.get(path);
    const bare = { path, reason: '', maySucceedLater: false };
    if (there === undefined) return { ...bare, outcome: 'absent' };
    if (there.size !== size) return { ...bare, outcome: 'other' };
    directory.remove(path);
    return { ...bare, outcome: 'removed' };
  });
  return { type: 'filesDeleted', requestId, files: done };
}
