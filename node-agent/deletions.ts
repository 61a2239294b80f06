/**
 * Removes files from workspaces as it is told. A workspace that is not reached has none of its files removed: what is
 * not there because a disk is not mounted must not count as gone.
 */
import { AppError } from '../src/domain/errors.ts';
import type { FileDeletion, FilesDeleted } from '../src/domain/node/agent-messages.ts';
import type { DeleteFiles, FileToDelete } from '../src/domain/node/coordinator-messages.ts';
import type { Broker } from '../src/storage/broker.ts';
import type { Workspaces } from './workspaces.ts';

/** Failures that no later try changes. */
const FINAL: ReadonlySet<string> = new Set(['PATH_NOT_ALLOWED']);

/** Never rejects: each file has its outcome. */
export async function deleteFiles(request: DeleteFiles, workspaces: Workspaces): Promise<FilesDeleted> {
  const { requestId, files, workspace } = request;
  const done: FileDeletion[] = [];
  let broker: Broker;
  try {
    broker = workspaces.open(workspace);
    const reach = await broker.check();
    if (!reach.isReachable) throw new AppError('WORKSPACE_UNAVAILABLE', reach.reason || 'it has no marker');
  } catch (error) {
    return { type: 'filesDeleted', requestId, files: files.map(({ path }) => failedAs(path, error)) };
  }
  for (const file of files) done.push(await deleteOne(broker, file));
  return { type: 'filesDeleted', requestId, files: done };
}

async function deleteOne(broker: Broker, { path, size }: FileToDelete): Promise<FileDeletion> {
  try {
    const entry = await broker.stat(path);
    if (entry === undefined) return { path, outcome: 'absent', reason: '', maySucceedLater: false };
    if (entry.size !== size) return { path, outcome: 'other', reason: '', maySucceedLater: false };
    const isRemoved = await broker.remove(path);
    return { path, outcome: isRemoved ? 'removed' : 'absent', reason: '', maySucceedLater: false };
  } catch (error) {
    return failedAs(path, error);
  }
}

function failedAs(path: string, error: unknown): FileDeletion {
  const reason = error instanceof Error ? error.message : String(error);
  const isFinal = error instanceof AppError && FINAL.has(error.code);
  return { path, outcome: 'failed', reason, maySucceedLater: !isFinal };
}
