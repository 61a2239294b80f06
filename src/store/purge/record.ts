/** Locks and reads the row of a purge, so that its steps run one at a time, and writes it back. */
import { addRemoved, type Removed } from '../retention/row-removal.ts';
import type { Sql } from '../sql/sql.ts';
import { columnsOf, type RowOf } from '../sql/table-rows.ts';
import { PurgeEntity } from './table.ts';

const PURGE = columnsOf(PurgeEntity, 'p', [
  ...(['id', 'fileId', 'phase', 'round', 'isClosed', 'isDirty', 'step', 'reason', 'removed'] as const),
  ...(['workspaces', 'problems'] as const),
]);

export type PurgeRow = RowOf<typeof PURGE>;

const LOCK = {
  name: 'lock_purge',
  text: /* sql */ `select ${PURGE.sql} from purge p where p.id = $1 for update   -- = purge_pkey`,
};

export async function lockPurge(sql: Sql, purgeId: number): Promise<PurgeRow | undefined> {
  const [row] = await sql.execute<PurgeRow>(LOCK, [purgeId]);
  return row;
}

const SAVE = {
  name: 'save_purge',
  text: /* sql */ `
    update purge set phase = $2, round = $3, is_closed = $4, is_dirty = $5, step = $6, reason = $7, removed = $8,
      workspaces = $9, problems = $10, last_modified = to_timestamp($11::float8 / 1000),
      completed = case when $2 = 'done' then to_timestamp($11::float8 / 1000) end
    where id = $1   -- = purge_pkey`,
};

/** Writes a row that `lockPurge` returned in the same transaction. */
export async function savePurge(
  sql: Sql,
  row: PurgeRow,
  patch: Partial<Omit<PurgeRow, 'id' | 'fileId'>>,
  nowMs: number,
): Promise<void> {
  const next = { ...row, ...patch };
  await sql.execute(SAVE, [
    next.id,
    next.phase,
    next.round,
    next.isClosed,
    next.isDirty,
    next.step,
    next.reason,
    JSON.stringify(next.removed),
    JSON.stringify(next.workspaces),
    JSON.stringify(next.problems),
    nowMs,
  ]);
}

/** The record of the purge with more removed rows. */
export function withRemoved(row: PurgeRow, removed: Removed): Pick<PurgeRow, 'removed'> {
  return { removed: addRemoved(row.removed, removed) };
}
