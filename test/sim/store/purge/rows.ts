/** Purges of the simulated database, step by step like src/store/purge/steps.ts; each call is one transaction. */

import type { PurgeRows } from '../../../../src/api/purges/advance.ts';
import type { PurgeStep } from '../../../../src/store/purge/steps.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { PurgeDbRow, Tables } from '../tables.ts';
import { bury } from '../tombstones.ts';
import { nodesRemoving, settleBytes, waitingFiles } from './bytes.ts';
import { addMember, findMore, findStrays, liveJobs, runningCount, unreleased } from './finds.ts';
import { KeyViolated, removeMore } from './removal.ts';

const AGAIN: PurgeStep = { type: 'again' };

export function duePurges(tables: Tables, shards: readonly number[]): number[] {
  return tables.purges
    .where((one) => shards.includes(one.shard) && one.phase !== 'done')
    .map((one) => one.id);
}

/** As src/store/purge/save.ts begins them. False: it is no source, or was purged before. */
export function beginPurge(
  store: MemoryStore,
  {
    id,
    shard,
    fileId,
    deletesSourceBytes,
  }: { id: number; shard: number; fileId: number; deletesSourceBytes: boolean },
): boolean {
  return store.transact((tables) => {
    const file = tables.files.get(fileId);
    const isKnown = tables.purges.where((one) => one.fileId === fileId).length > 0;
    if (file === undefined || file.fileType !== 'SOURCE' || isKnown) return false;
    tables.purges.put({
      ...{ id, shard, fileId, deletesSourceBytes, phase: 'find', round: 0, isClosed: false },
      ...{ isDirty: false, step: 0, reason: null, removed: {}, workspaces: {}, problems: [] },
    });
    addMember(tables.purgeFiles, id, fileId, deletesSourceBytes);
    const { workspaceId, filePath, size, sha256 } = file;
    const own = { workspaceId, filePath, size, sha256, arrival: null, mtimeMs: null };
    tables.tombstones.put({ ...own, id: `${id}/own`, purgeId: id });
    for (const ingest of tables.ingests.where((one) => one.sourceFileId === fileId)) bury(tables, id, ingest);
    tables.files.patch(fileId, { isDeleted: true, isPublished: false });
    return true;
  });
}

export function simPurgeRows(store: MemoryStore, run: <T>(statement: () => T) => Promise<T>): PurgeRows {
  const transact = <T>(work: (tables: Tables) => T) => run(() => store.transact(work));
  return {
    step: (id) => run(() => stepPurge(store, id)),
    released: (id, owners) =>
      transact((tables) => {
        if (tables.purges.get(id)?.phase !== 'release') return;
        for (const { kind, key } of owners) {
          const table = kind === 'recipe' ? tables.purgeTrees : tables.purgeJobs;
          if (table.get(`${id}/${key}`) !== undefined) table.patch(`${id}/${key}`, { isWaiting: false });
        }
      }),
    waitingFiles: (id, passedOver) => run(() => waitingFiles(store.tables, id, passedOver)),
    nodesRemoving: (workspaceId) => run(() => nodesRemoving(store.tables, workspaceId)),
    settleBytes: (id, waiting, outcomes) => transact((tables) => settleBytes(tables, id, waiting, outcomes)),
    bytesDone: (id) =>
      transact((tables) => {
        const row = tables.purges.get(id);
        if (row?.phase === 'bytes')
          tables.purges.patch(id, { phase: 'rows', step: 0, round: row.round + 1, reason: null });
      }),
    noteReason: (id, reason) =>
      transact((tables) => {
        if (tables.purges.get(id)?.phase !== 'done') tables.purges.patch(id, { reason });
      }),
  };
}

function stepPurge(store: MemoryStore, purgeId: number): PurgeStep {
  try {
    return store.transact((tables) => {
      const row = tables.purges.get(purgeId);
      return row === undefined ? { type: 'done' } : step(tables, row);
    });
  } catch (error) {
    if (!(error instanceof KeyViolated)) throw error;
    store.transact((tables) => {
      const { phase, round } = tables.purges.at(purgeId);
      if (phase === 'rows') tables.purges.patch(purgeId, { phase: 'find', round: round + 1, step: 0 });
    });
    return { type: 'wait' };
  }
}

function step(tables: Tables, row: PurgeDbRow): PurgeStep {
  switch (row.phase) {
    case 'find':
      if (!findMore(tables, row.id, row.round)) found(tables, row);
      return AGAIN;
    case 'stop':
      return stopAll(tables, row);
    case 'release': {
      const owners = unreleased(tables, row.id);
      if (owners.length > 0) return { type: 'release', owners };
      tables.purges.patch(row.id, { phase: 'find', round: row.round + 1 });
      return AGAIN;
    }
    case 'bytes':
      return { type: 'bytes' };
    case 'rows':
      removeMore(tables, row);
      return AGAIN;
    case 'done':
      return { type: 'done' };
  }
}

function found(tables: Tables, { id, fileId, isClosed }: PurgeDbRow): void {
  if (!isClosed) tables.purges.patch(id, { phase: 'stop' });
  else if (unreleased(tables, id).length > 0) tables.purges.patch(id, { phase: 'release' });
  else if (liveJobs(tables, id).length > 0 || runningCount(tables, id) > 0) {
    for (const one of tables.purgeTrees.withKey(id)) tables.purgeTrees.patch(one.id, { isWaiting: true });
    for (const one of tables.purgeJobs.withKey(id)) {
      if (tables.jobs.get(one.key)?.owner.kind === 'job') tables.purgeJobs.patch(one.id, { isWaiting: true });
    }
    tables.purges.patch(id, { phase: 'stop', isClosed: false });
  } else if (!findStrays(tables, id, fileId)) tables.purges.patch(id, { phase: 'bytes', reason: null });
}

function stopAll(tables: Tables, row: PurgeDbRow): PurgeStep {
  const owners = liveJobs(tables, row.id);
  if (owners.length > 0) {
    tables.purges.patch(row.id, { isDirty: true, reason: 'cancels jobs' });
    return { type: 'cancel', owners };
  }
  if (runningCount(tables, row.id) > 0) {
    tables.purges.patch(row.id, { isDirty: true, reason: 'waits for tasks to end' });
    return { type: 'wait' };
  }
  const next = row.isDirty
    ? ({ phase: 'find', isDirty: false } as const)
    : ({ phase: 'release', isClosed: true } as const);
  tables.purges.patch(row.id, { ...next, round: row.round + 1, reason: null });
  return AGAIN;
}
