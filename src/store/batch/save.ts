/** Batches of a group: new ones, those that are superseded, how far others have come, and edits. */
import type { NewBatch } from '../../domain/batch/batch.ts';
import type { ChangeOf, Group } from '../sql/group.ts';
import { RowSet } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

const BATCHES = new RowSet<NewBatch>([
  ['id', 'id', (row) => row.id],
  ['shard', 'int', (row) => row.shard],
  ['title', 'text', (row) => row.title],
  ['description', 'text', (row) => row.description],
  ['recipe_type_id', 'id', (row) => row.recipeTypeId],
  ['recipe_type_rev_id', 'id', (row) => row.recipeTypeRevId],
  ['event_id', 'id', (row) => row.eventId],
  ['definition', 'json', (row) => row.definition],
  ['configuration', 'json', (row) => row.configuration],
  ['root_batch_id', 'id', (row) => row.rootBatchId],
  ['superseded_batch_id', 'id', (row) => row.supersededBatchId],
  ['recipes_estimated', 'int', (row) => row.recipesEstimated],
  ['created', 'ms', (row) => row.atMs],
  ['last_modified', 'ms', (row) => row.atMs],
]);

const INSERT_BATCHES = {
  name: 'insert_batches',
  text: /* sql */ `insert into batch (${BATCHES.names}) select * from ${BATCHES.table('d')}`,
};

interface BatchAt {
  readonly batchId: number;
  readonly atMs: number;
}

const SUPERSEDED = new RowSet<BatchAt>([
  ['id', 'id', (row) => row.batchId],
  ['at', 'ms', (row) => row.atMs],
]);

/** Without a name, so that no plan is kept: one made while the table is small would read all batches. */
const SUPERSEDE_BATCHES = /* sql */ `
    update batch b set is_superseded = true, superseded = d.at, last_modified = greatest(b.last_modified, d.at)
    from ${SUPERSEDED.table('d')}
    where b.id = d.id and not b.is_superseded and b.is_creation_done   -- = batch_pkey
    returning b.id`;

/** Before the recipes that name them. */
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

const ADVANCES = new RowSet<ChangeOf<'advanceBatch'>>([
  ['id', 'id', (row) => row.batchId],
  ['from_cursor', 'id', (row) => row.from],
  ['to_cursor', 'id', (row) => row.to],
  ['skipped', 'int', (row) => row.skipped],
  ['is_done', 'bool', (row) => row.isDone],
  ['at', 'ms', (row) => row.atMs],
]);

const ADVANCE_BATCHES = {
  name: 'advance_batches',
  text: /* sql */ `
    update batch b set cursor = d.to_cursor, skipped_count = b.skipped_count + d.skipped,
      is_creation_done = d.is_done, last_modified = greatest(b.last_modified, d.at)
    from ${ADVANCES.table('d')}
    where b.id = d.id and b.cursor = d.from_cursor and not b.is_creation_done   -- = batch_pkey
    returning b.id`,
};

const EDITS = new RowSet<ChangeOf<'editBatch'>>([
  ['id', 'id', (row) => row.batchId],
  ['has_title', 'bool', ({ patch }) => patch.title !== undefined],
  ['title', 'text', ({ patch }) => patch.title],
  ['has_description', 'bool', ({ patch }) => patch.description !== undefined],
  ['description', 'text', ({ patch }) => patch.description],
  ['configuration', 'json', ({ patch }) => patch.configuration],
  ['at', 'ms', (row) => row.atMs],
]);

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

/** A batch that is not where its turn believes refuses the turn: its recipes exist already. */
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
  // One after the other: a turn may hold several edits of one batch.
  for (const { change } of group.placed('editBatch')) await sql.execute(EDIT_BATCHES, EDITS.params([change]));
}
