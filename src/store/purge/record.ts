/** The row of a purge: read under its lock, so that its steps run one at a time, and written back. */
import { addRemoved, type Removed } from '../retention/row-removal.ts';
import type { Sql } from '../sql/sql.ts';

export type PurgePhase = 'find' | 'stop' | 'release' | 'bytes' | 'rows' | 'done';

/** The results for the files of one workspace. */
export interface WorkspaceTally {
  readonly removed: number;
  readonly absent: number;
  /** Other files are registered at their paths, or other content is there. */
  readonly kept: number;
  /** Files that no retry would remove. */
  readonly failed: number;
  readonly bytes: number;
}

export interface PurgeProblem {
  readonly name: string;
  readonly description: string;
  readonly path: string;
}

export interface PurgeRow {
  readonly id: number;
  readonly file_id: number;
  readonly phase: PurgePhase;
  readonly round: number;
  readonly is_closed: boolean;
  readonly is_dirty: boolean;
  readonly step: number;
  readonly reason: string | null;
  readonly removed: Removed;
  readonly workspaces: Readonly<Record<string, WorkspaceTally>>;
  readonly problems: readonly PurgeProblem[];
}

const LOCK = {
  name: 'lock_purge',
  text: /* sql */ `
    select id, file_id, phase, round, is_closed, is_dirty, step, reason, removed, workspaces, problems
    from purge where id = $1 for update   -- = purge_pkey`,
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
  patch: Partial<Omit<PurgeRow, 'id' | 'file_id'>>,
  nowMs: number,
): Promise<void> {
  const next = { ...row, ...patch };
  await sql.execute(SAVE, [
    next.id,
    next.phase,
    next.round,
    next.is_closed,
    next.is_dirty,
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
