/**
 * A purge, step by step: each step is a transaction under the row's lock, so that it continues after any crash and a
 * repeat does only what is left. All descendants are found; live ones are stopped; owners release what they have in
 * memory; bytes are removed, then rows. If descendants appear meanwhile, it returns to the search.
 */

import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { sqlStateOf } from '../sql/store-errors.ts';
import {
  findMore,
  findStrays,
  type LiveJobs,
  liveJobs,
  noteReleased,
  type Owner,
  runningCount,
  unreleased,
} from './finds.ts';
import { lockPurge, type PurgeRow, savePurge } from './record.ts';
import { removeMore } from './rows.ts';

/** What has to be done before the next step. */
export type PurgeStep =
  | { readonly type: 'again' }
  | { readonly type: 'cancel'; readonly owners: readonly LiveJobs[] }
  | { readonly type: 'wait' }
  | { readonly type: 'release'; readonly owners: readonly Owner[] }
  | { readonly type: 'bytes' }
  | { readonly type: 'done' };

const AGAIN: PurgeStep = { type: 'again' };
const FOREIGN_KEY = '23503';

/**
 * Does one step, and resolves with what the caller has to do before the next. If a reference to a removed row was made
 * meanwhile, the purge returns to the search.
 */
export async function stepPurge(sql: Sql, purgeId: number, nowMs: number): Promise<PurgeStep> {
  try {
    return await sql.transaction(async (inside) => {
      const row = await lockPurge(inside, purgeId);
      return row === undefined ? { type: 'done' } : step(inside, row, nowMs);
    });
  } catch (error) {
    if (sqlStateOf(error) !== FOREIGN_KEY) throw error;
    await sql.transaction(async (inside) => {
      const row = await lockPurge(inside, purgeId);
      if (row?.phase === 'rows') {
        await savePurge(inside, row, { phase: 'find', round: row.round + 1, step: 0 }, nowMs);
      }
    });
    return { type: 'wait' };
  }
}

async function step(sql: Sql, row: PurgeRow, nowMs: number): Promise<PurgeStep> {
  switch (row.phase) {
    case 'find':
      if (await findMore(sql, row.id, row.round, nowMs)) await savePurge(sql, row, {}, nowMs);
      else await found(sql, row, nowMs);
      return AGAIN;
    case 'stop':
      return stopAll(sql, row, nowMs);
    case 'release': {
      const owners = await unreleased(sql, row.id);
      if (owners.length > 0) return { type: 'release', owners };
      await savePurge(sql, row, { phase: 'find', round: row.round + 1 }, nowMs);
      return AGAIN;
    }
    case 'bytes':
      return { type: 'bytes' };
    case 'rows':
      await removeMore(sql, row, nowMs);
      return AGAIN;
    case 'done':
      return { type: 'done' };
  }
}

/** Chooses the next phase after a round of the search that found nothing more. */
async function found(sql: Sql, row: PurgeRow, nowMs: number): Promise<void> {
  if (!row.isClosed) await savePurge(sql, row, { phase: 'stop' }, nowMs);
  else if ((await unreleased(sql, row.id)).length > 0) await savePurge(sql, row, { phase: 'release' }, nowMs);
  else if (await isLive(sql, row.id)) {
    // A member was queued before its owner released it, so it has to be stopped and released again.
    await sql.execute('update purge_tree set is_released = false where purge_id = $1', [row.id]);
    await sql.execute(
      `update purge_job m set is_released = false from job j
       where m.purge_id = $1 and j.id = m.job_id and j.owner_kind = 'job'`,
      [row.id],
    );
    await savePurge(sql, row, { phase: 'stop', isClosed: false }, nowMs);
  } else if (await findStrays(sql, row.id, row.fileId)) await savePurge(sql, row, {}, nowMs);
  else await savePurge(sql, row, { phase: 'bytes', reason: null }, nowMs);
}

async function isLive(sql: Sql, purgeId: number): Promise<boolean> {
  return (await liveJobs(sql, purgeId)).length > 0 || (await runningCount(sql, purgeId)) > 0;
}

async function stopAll(sql: Sql, row: PurgeRow, nowMs: number): Promise<PurgeStep> {
  const owners = await liveJobs(sql, row.id);
  if (owners.length > 0) {
    const count = owners.reduce((sum, one) => sum + one.jobIds.length, 0);
    await savePurge(sql, row, { isDirty: true, reason: `cancels ${count} jobs` }, nowMs);
    return { type: 'cancel', owners };
  }
  const running = await runningCount(sql, row.id);
  if (running > 0) {
    await savePurge(sql, row, { isDirty: true, reason: `waits for ${running} tasks to end` }, nowMs);
    return { type: 'wait' };
  }
  const round = row.round + 1;
  const next = row.isDirty
    ? ({ phase: 'find', isDirty: false, round } as const)
    : ({ phase: 'release', isClosed: true } as const);
  await savePurge(sql, row, { ...next, reason: null }, nowMs);
  return AGAIN;
}

/** Records the owners that have no member of the purge in memory any more. */
export function released(sql: Sql, purgeId: number, owners: readonly Owner[]): Promise<void> {
  return sql.transaction(async (inside) => {
    const row = await lockPurge(inside, purgeId);
    if (row?.phase === 'release') await noteReleased(inside, purgeId, owners);
  });
}

/** All bytes are handled, unless new ones have appeared. */
export function bytesDone(sql: Sql, purgeId: number, nowMs: number): Promise<void> {
  return sql.transaction(async (inside) => {
    const row = await lockPurge(inside, purgeId);
    if (row?.phase !== 'bytes') return;
    await savePurge(inside, row, { phase: 'rows', step: 0, round: row.round + 1, reason: null }, nowMs);
  });
}

/** Records why the purge waits. */
export function noteReason(sql: Sql, purgeId: number, reason: string, nowMs: number): Promise<void> {
  return sql.transaction(async (inside) => {
    const row = await lockPurge(inside, purgeId);
    if (row !== undefined && row.phase !== 'done') await savePurge(inside, row, { reason }, nowMs);
  });
}

const DUE_MAX = 1_000;
const OPEN = {
  name: 'open_purges',
  text: /* sql */ `
    select id from purge where shard = any($1::smallint[]) and phase <> 'done'   -- = purge_open_idx
    limit ${DUE_MAX}`,
};

/** Purges of these shards that are not done. */
export async function duePurges(sql: Sql, shards: readonly number[]): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(OPEN, [idArray(shards)]);
  return rows.map((row) => row.id);
}
