/** Bytes of a purge in the simulated database: which files are next, and what became of them. */
import type { FileDeletion } from '../../../../src/domain/node/agent-messages.ts';
import type { WaitingFiles } from '../../../../src/store/purge/bytes.ts';
import { reachableOf } from '../load/loads.ts';
import type { FileRow, Tables } from '../tables.ts';

export function waitingFiles(
  tables: Tables,
  purgeId: number,
  passedOver: readonly number[],
): WaitingFiles | undefined {
  const members = tables.purgeFiles.withKey(purgeId).filter((one) => one.isWaiting);
  const files = members.flatMap(({ key }) => tables.files.get(key) ?? []).sort((a, b) => a.id - b.id);
  const workspaceId = files.find((one) => !passedOver.includes(one.workspaceId))?.workspaceId;
  if (workspaceId === undefined) return undefined;
  const { uuid, name, isActive } = tables.workspaces.at(workspaceId);
  const waiting = files.filter((one) => one.workspaceId === workspaceId);
  return {
    ...{ workspaceId, workspaceUuid: uuid, workspaceName: name, isActive },
    files: waiting.map(({ id: fileId, filePath: path, size }) => {
      const isOther = (one: FileRow) =>
        one.workspaceId === workspaceId &&
        one.filePath === path &&
        !one.isDeleted &&
        !one.isSuperseded &&
        tables.purgeFiles.get(`${purgeId}/${one.id}`) === undefined;
      return { fileId, path, size, wasAsked: false, isShared: tables.files.where(isOther).length > 0 };
    }),
  };
}

export function nodesRemoving(tables: Tables, workspaceId: number): number[] {
  const nodes = tables.nodes.where(
    (one) => one.isOnline && one.isActive && reachableOf(tables, one.id).includes(workspaceId),
  );
  return nodes.map((one) => one.id).sort((a, b) => a - b);
}

export function settleBytes(
  tables: Tables,
  purgeId: number,
  { files }: WaitingFiles,
  outcomes: readonly FileDeletion[],
): string | null {
  if (tables.purges.get(purgeId)?.phase !== 'bytes') return null;
  const byPath = new Map(outcomes.map((one) => [one.path, one]));
  for (const { path, fileId, isShared } of files) {
    const one = byPath.get(path);
    const isSettled = isShared || (one !== undefined && !(one.outcome === 'failed' && one.maySucceedLater));
    const id = `${purgeId}/${fileId}`;
    if (isSettled && tables.purgeFiles.get(id)?.isWaiting === true)
      tables.purgeFiles.patch(id, { isWaiting: false });
  }
  return outcomes.find((one) => one.outcome === 'failed' && one.maySucceedLater)?.reason ?? null;
}
