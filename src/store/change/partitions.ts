/**
 * Partitions of the changes, each for a range of transaction ids. They are created ahead of use and dropped whole,
 * oldest first, when they exceed the age or the total size in the settings. A change without a position is never
 * dropped.
 */
import { CHANGE_PARTITIONS_LOCK, takeLock } from '../locks.ts';
import { CHANGE_PARTITION } from '../migrations/0002-object-changes.ts';
import type { Sql } from '../sql/sql.ts';

/** Ranges kept ready beyond the newest transaction: about 20 minutes at 200 transactions a second. */
const AHEAD = 4;
const LOCK_TIMEOUT = `set local lock_timeout = '2s'`;

/** A transaction id before all others: no partition is left out. */
export const NO_BOUND = '0';

interface Partition {
  readonly name: string;
  /** The first transaction id after the range. */
  readonly to: number;
}

const PARTITIONS = /* sql */ `
  select c.relname as name, (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \\(''(\\d+)''\\)'))[1]::bigint as "to"
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'object_change'::regclass and c.relname <> 'object_change_default'
  order by 2`;

const FIRST_AND_NEWEST = /* sql */ `
  select (select xid::text::bigint from object_change_default order by xid limit 1) as first,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint as newest`;

/**
 * Excludes others from creating and dropping ranges until the transaction ends. Throws STORE_UNAVAILABLE after two
 * seconds.
 */
export async function lockRanges(inside: Sql): Promise<void> {
  await inside.execute(LOCK_TIMEOUT);
  await takeLock(inside, CHANGE_PARTITIONS_LOCK);
}

/** Creates ranges ahead of use. */
export function extendChanges(sql: Sql): Promise<void> {
  return sql.transaction(async (inside) => {
    await lockRanges(inside);
    await extend(inside);
  });
}

async function extend(sql: Sql): Promise<void> {
  const known = new Set((await sql.execute<Partition>(PARTITIONS)).map((one) => one.to));
  const [row] = await sql.execute<{ first: number | null; newest: number }>(FIRST_AND_NEWEST);
  const newest = row?.newest ?? 0;
  const last = Math.floor(newest / CHANGE_PARTITION) + AHEAD;
  for (let place = Math.floor((row?.first ?? newest) / CHANGE_PARTITION); place <= last; place++) {
    const from = place * CHANGE_PARTITION;
    if (!known.has(from + CHANGE_PARTITION)) await addRange(sql, from, from + CHANGE_PARTITION);
  }
}

const HAS_STRAYS = 'select from object_change_default limit 1';

/**
 * The partition is created apart and then attached, which locks the changes only for a moment. Rows of the range move
 * into it from the default partition. A reader that does not know the new partition yet would miss these rows, so if
 * there are any, readers are locked out as well.
 */
async function addRange(inside: Sql, from: number, to: number): Promise<void> {
  const name = `object_change_${from}`;
  const hasStrays = (await inside.execute(HAS_STRAYS)).length > 0;
  const locked = hasStrays
    ? 'object_change in access exclusive'
    : 'object_change_default in share row exclusive';
  await inside.execute(`lock table ${locked} mode`);
  if (!hasStrays && (await inside.execute(HAS_STRAYS)).length > 0) return; // retried by the next call
  await inside.execute(`create table ${name} (like object_change including all)`);
  await inside.execute(
    `with moved as (delete from object_change_default where xid >= '${from}' and xid < '${to}' returning *)
       insert into ${name} select * from moved`,
  );
  await inside.execute(
    `alter table object_change attach partition ${name} for values from ('${from}') to ('${to}')`,
  );
}

/** Drops all ranges. Rows go to the default partition until new ranges exist. */
export async function dropPartitions(sql: Sql): Promise<void> {
  for (const { name } of await sql.execute<Partition>(PARTITIONS)) await sql.execute(`drop table ${name}`);
}

export interface KeptChanges {
  readonly beforeMs: number;
  readonly bytesMax: number;
}

/**
 * Whether all changes of transactions before $1 got their positions before $2, or all changes take more than $3 bytes.
 */
const IS_DUE = /* sql */ `
  select (select pg_snapshot_xmin(before)::text::bigint >= $1 from change_tick order by tick desc limit 1)
    and (
      exists (select from change_tick where at < to_timestamp($2::float8 / 1000)
        and pg_snapshot_xmin(before)::text::bigint >= $1 order by tick limit 1)
      or pg_total_relation_size('change_tick') + (select sum(pg_total_relation_size(inhrelid)) from pg_inherits
        where inhparent = 'object_change'::regclass) > $3) as due`;

/** A tick that began after all transactions before $1 had ended contains none of them. */
const RAISE_FLOOR = /* sql */ `
  update change_stream set floor = greatest(floor, (
    select coalesce(max(tick), 0) from change_tick where pg_snapshot_xmin(before)::text::bigint < $1))`;

const FORGET_TICKS = /* sql */ `delete from change_tick where tick <= (select floor from change_stream)`;

/** Drops the oldest range if it need not be kept. False: nothing to drop. */
export async function dropOldChanges(sql: Sql, { beforeMs, bytesMax }: KeptChanges): Promise<boolean> {
  const [oldest] = await sql.execute<Partition>(PARTITIONS);
  if (oldest === undefined) return false;
  const [row] = await sql.execute<{ due: boolean | null }>(IS_DUE, [oldest.to, beforeMs, bytesMax]);
  if (row?.due !== true) return false;
  await sql.transaction(async (inside) => {
    await lockRanges(inside);
    await inside.execute(RAISE_FLOOR, [oldest.to]);
    await inside.execute(FORGET_TICKS);
    await inside.execute(`drop table ${oldest.name}`);
  });
  return true;
}
