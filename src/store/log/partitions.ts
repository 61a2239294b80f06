/**
 * Partitions of the logs, each for a range of executions: created before their ids are used, and dropped as a whole
 * when every execution of the range ended long ago. Output for a dropped range goes to the default partition. Neither
 * is done while a backup reads the tables; a later call does it.
 */

import { tryLockSchema } from '../locks.ts';
import { LOG_PARTITION } from '../migrations/0001-tables.ts';
import type { Sql } from '../sql/sql.ts';

/** Ranges prepared beyond the newest id: a million executions. */
const AHEAD = 4;

interface Partition {
  readonly name: string;
  /** First id; null: from the beginning. */
  readonly from: number | null;
  /** First id after the range. */
  readonly to: number;
}

async function partitions(sql: Sql): Promise<readonly Partition[]> {
  const rows = await sql.execute<{ name: string; bound: string }>(
    `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
     from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'job_log'::regclass`,
  );
  return rows
    .flatMap(({ name, bound }): Partition[] => {
      const found = /FROM \((?:'(\d+)'|MINVALUE)\) TO \('(\d+)'\)/.exec(bound);
      if (found === null) return [];
      return [{ name, from: found[1] === undefined ? null : Number(found[1]), to: Number(found[2]) }];
    })
    .sort((a, b) => a.to - b.to);
}

async function newestId(sql: Sql): Promise<number> {
  const [row] = await sql.execute<{ id: number }>('select last_value as id from job_exe_id_seq');
  return row?.id ?? 0;
}

/** The first execution from $1 on whose output is in the default partition because its range was missing. */
const FIRST_STRAY = /* sql */ `
  select job_exe_id as id from job_log_default where job_exe_id >= $1
  order by job_exe_id limit 1   -- = job_log_default_pkey`;

/**
 * Creates ranges ahead. If two callers do so at once, one of them fails, and finds it done the next time. A restore
 * continues the ids far above the last one: ranges in between that have no output are not created.
 */
export async function extendLogs(sql: Sql): Promise<void> {
  const newest = Math.floor((await newestId(sql)) / LOG_PARTITION) * LOG_PARTITION;
  const wanted = newest + (1 + AHEAD) * LOG_PARTITION;
  let to = (await partitions(sql)).at(-1)?.to ?? 0;
  while (to < wanted) {
    const [stray] = to < newest ? await sql.execute<{ id: number }>(FIRST_STRAY, [to]) : [];
    const used = stray === undefined ? newest : Math.floor(stray.id / LOG_PARTITION) * LOG_PARTITION;
    const from = Math.max(to, Math.min(used, newest));
    if (!(await addRange(sql, from, from + LOG_PARTITION))) return;
    to = from + LOG_PARTITION;
  }
}

/**
 * The partition is attached, not created in place, which locks the logs only briefly. Rows in the default partition are
 * moved. False: a backup reads the logs.
 */
function addRange(sql: Sql, from: number, to: number): Promise<boolean> {
  const name = logPartition(from);
  return sql.transaction(async (inside) => {
    await inside.execute(`set local lock_timeout = '2s'`);
    if (!(await tryLockSchema(inside))) return false;
    await inside.execute(`create table ${name} (like job_log including all)`);
    await inside.execute(
      `with moved as (delete from job_log_default where job_exe_id >= ${from} and job_exe_id < ${to} returning *)
       insert into ${name} select * from moved`,
    );
    await inside.execute(`alter table job_log attach partition ${name} for values from (${from}) to (${to})`);
    return true;
  });
}

/** The name of the partition whose range begins with this id. */
export function logPartition(from: number): string {
  return `job_log_${from}`;
}

/** Whether an execution of the range runs, or ended at `beforeMs` or later. */
const RECENT = /* sql */ `
  select exists (
    select from job_exe where id >= $1 and id < $2   -- = job_exe_pkey
      and (ended is null or ended >= to_timestamp($3::float8 / 1000))) as recent`;

/**
 * Drops the oldest range if all its executions ended before a time. False: there is none to drop, or a backup reads it.
 */
export async function dropOldLogs(sql: Sql, beforeMs: number): Promise<boolean> {
  const [oldest] = await partitions(sql);
  if (oldest === undefined || oldest.to > (await newestId(sql))) return false;
  const [row] = await sql.execute<{ recent: boolean }>(RECENT, [oldest.from ?? 0, oldest.to, beforeMs]);
  if (row?.recent !== false) return false;
  return sql.transaction(async (inside) => {
    await inside.execute(`set local lock_timeout = '2s'`);
    if (!(await tryLockSchema(inside))) return false;
    await inside.execute(`drop table ${oldest.name}`);
    return true;
  });
}

/** limit: rows of the default partition that one call removes. */
const STRAYS_MAX = 1_000;

/** Removes rows of the default partition that are older than a time. That partition is nearly empty. */
export async function removeStrayLogs(sql: Sql, beforeMs: number): Promise<void> {
  await sql.execute(
    `delete from job_log_default where ctid in (
       select ctid from job_log_default where at < to_timestamp($1::float8 / 1000) limit ${STRAYS_MAX})`,
    [beforeMs],
  );
}
