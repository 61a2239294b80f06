/** Writes the batches of a group: new and superseded ones, progress, and edits. */
import type { NewBatch } from '../../domain/batch/batch.ts';
import type { ChangeOf, Group } from '../sql/group.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { BatchEntity } from './table.ts';

const BATCHES = rowsOf(BatchEntity).from<NewBatch>({
  id: (row) => row.id,
  shard: (row) => row.shard,
  title: (row) => row.title,
  description: (row) => row.description,
  recipeTypeId: (row) => row.recipeTypeId,
  recipeTypeRevId: (row) => row.recipeTypeRevId,
  eventId: (row) => row.eventId,
  definition: (row) => row.definition,
  configuration: (row) => row.configuration,
  rootBatchId: (row) => row.rootBatchId,
  supersededBatchId: (row) => row.supersededBatchId,
  recipesEstimated: (row) => row.recipesEstimated,
  created: (row) => row.atMs,
  lastModified: (row) => row.atMs,
});

const INSERT_BATCHES = {
  name: 'insert_batches',
  text: /* sql */ `insert into batch (${BATCHES.names}) select * from ${BATCHES.table('d')}`,
};

interface BatchAt {
  readonly batchId: number;
  readonly atMs: number;
}

const SUPERSEDED = rowsOf(BatchEntity).from<BatchAt>(
  {
    id: (row) => row.batchId,
  },
  [['at', 'ms', (row) => row.atMs]],
);

/**
 * The statement has no name, so that its query plan is not kept: one made while the table is small would read all
 * batches.
 */
const SUPERSEDE_BATCHES = /* sql */ `
    update batch b set is_superseded = true, superseded = d.at, last_modified = greatest(b.last_modified, d.at)
    from ${SUPERSEDED.table('d')}
    where b.id = d.id and not b.is_superseded and b.is_creation_done   -- = batch_pkey
    returning b.id`;

/** Runs before the recipes that refer to the batches. */
export async function createBatches(sql: Sql, group: Group): Promise<void> {
  const superseded = group.placed('supersedeBatches');
  const rows = superseded.flatMap(({ change }) => change.batches);
  if (rows.length > 0) {
    const done = await sql.execute<{ id: number }>(SUPERSEDE_BATCHES, SUPERSEDED.params(rows));
    const written = new Set(done.map((row) => row.id));
    for (const { change, turn } of superseded) {
      for (const { batchId } of change.batches) {
        if (!written.delete(batchId)) {
          group.refuse(turn, `supersedeBatches: batch ${batchId} is superseded or not done`);
        }
      }
    }
    group.throwIfRefused();
  }
  const batches = group.items('createBatches', (change) => change.batches);
  if (batches.length > 0) await sql.execute(INSERT_BATCHES, BATCHES.params(batches));
}

const ADVANCES = rowsOf(BatchEntity).from<ChangeOf<'advanceBatch'>>(
  {
    id: (row) => row.batchId,
  },
  [
    ['from_cursor', 'id', (row) => row.from],
    ['to_cursor', 'id', (row) => row.to],
    ['skipped', 'int', (row) => row.skipped],
    ['is_done', 'bool', (row) => row.isDone],
    ['at', 'ms', (row) => row.atMs],
  ],
);

const ADVANCE_BATCHES = {
  name: 'advance_batches',
  text: /* sql */ `
    update batch b set cursor = d.to_cursor, skipped_count = b.skipped_count + d.skipped,
      is_creation_done = d.is_done, last_modified = greatest(b.last_modified, d.at)
    from ${ADVANCES.table('d')}
    where b.id = d.id and b.cursor = d.from_cursor and not b.is_creation_done   -- = batch_pkey
    returning b.id`,
};

const EDITS = rowsOf(BatchEntity).from<ChangeOf<'editBatch'>>(
  {
    id: (row) => row.batchId,
    title: ({ patch }) => patch.title,
    description: ({ patch }) => patch.description,
    configuration: ({ patch }) => patch.configuration,
  },
  [
    ['has_title', 'bool', ({ patch }) => patch.title !== undefined],
    ['has_description', 'bool', ({ patch }) => patch.description !== undefined],
    ['at', 'ms', (row) => row.atMs],
  ],
);

const EDIT_BATCHES = {
  name: 'edit_batches',
  text: /* sql */ `
    update batch b set title = case when d.has_title then d.title else b.title end,
      description = case when d.has_description then d.description else b.description end,
      configuration = coalesce(d.configuration, b.configuration),
      last_modified = greatest(b.last_modified, d.at)
    from ${EDITS.table('d')}
    where b.id = d.id   -- = batch_pkey`,
};

/** A batch whose cursor is elsewhere refuses the turn: its recipes already exist. */
export async function writeBatches(sql: Sql, group: Group): Promise<void> {
  const advances = group.placed('advanceBatch');
  if (advances.length > 0) {
    const params = ADVANCES.params(advances.map(({ change }) => change));
    const rows = await sql.execute<{ id: number }>(ADVANCE_BATCHES, params);
    const written = new Set(rows.map((row) => row.id));
    for (const { change, turn } of advances) {
      if (!written.delete(change.batchId)) {
        group.refuse(turn, `advanceBatch: batch ${change.batchId} is not at ${change.from}`);
      }
    }
    group.throwIfRefused();
  }
  // One after the other, because a turn may contain several edits of one batch.
  for (const change of group.changes('editBatch')) await sql.execute(EDIT_BATCHES, EDITS.params([change]));
}
