/** Batches of a group, and what it adds to their counters, which are worked out by the real store. */
import type { BatchCounts } from '../../../../src/store/batch/counts.ts';
import type { Group } from '../../../../src/store/sql/group.ts';
import type { Tables } from '../tables.ts';
import { violated } from '../violated.ts';

/** A batch that is not there is one that was deleted: nothing is made for it, or changed of it. */
export function refuseDeletedBatches(tables: Tables, group: Group): void {
  const refuseAbsent = (batchId: number | null, turn: number): void => {
    if (batchId === null || tables.batches.get(batchId) !== undefined) return;
    group.refuse(turn, `batch ${batchId} is deleted`);
  };
  for (const { change, turn } of group.placed('createRecipes'))
    for (const { batchId } of change.recipes) refuseAbsent(batchId, turn);
  for (const { change, turn } of group.placed('createBatches'))
    for (const { supersededBatchId } of change.batches) refuseAbsent(supersededBatchId, turn);
  for (const { change, turn } of group.placed('editBatch')) refuseAbsent(change.batchId, turn);
}

/** Superseded ones first, hard; then those that are new. */
export function createBatches(tables: Tables, group: Group): void {
  for (const { change, turn } of group.placed('supersedeBatches')) {
    for (const { batchId } of change.batches) {
      const row = tables.batches.get(batchId);
      if (row?.isSuperseded === false && row.isCreationDone)
        tables.batches.put({ ...row, isSuperseded: true });
      else group.refuse(turn, `batch ${batchId} is superseded or not done`);
    }
  }
  group.throwIfRefused();
  for (const batch of group.items('createBatches', (change) => change.batches)) {
    const row = { ...batch, cursor: 0, skippedCount: 0, isCreationDone: false, isSuperseded: false };
    if (!tables.batches.insert(row)) violated('batch_pkey');
  }
}

export function writeBatches(tables: Tables, group: Group): void {
  for (const { change, turn } of group.placed('advanceBatch')) {
    const { batchId, from, to: cursor, skipped, isDone: isCreationDone } = change;
    const row = tables.batches.get(batchId);
    if (row?.cursor !== from || row.isCreationDone) group.refuse(turn, `batch ${batchId} is not at ${from}`);
    else {
      const skippedCount = row.skippedCount + skipped;
      tables.batches.put({ ...row, cursor, skippedCount, isCreationDone });
    }
  }
  group.throwIfRefused();
  for (const { change } of group.placed('editBatch')) {
    if (tables.batches.get(change.batchId) !== undefined) tables.batches.patch(change.batchId, change.patch);
  }
}

/** What commits append is added up at once. */
export function countBatches(tables: Tables, counts: BatchCounts): void {
  for (const { batchId, node, sums: added } of counts.rows) {
    const id = `${batchId}/${node}`;
    const sums: Record<string, number> = { ...tables.batchCounts.get(id)?.sums };
    for (const [name, by] of added) sums[name] = (sums[name] ?? 0) + by;
    tables.batchCounts.put({ id, batchId, node, sums });
  }
}
