/**
 * Positions in the stream of changes. A tick holds a snapshot of the database and the one of the tick before: what
 * became visible between the two has its place in this tick, for good. Transactions that were under way keep their
 * changes for a later tick, however long they take, so that nothing is passed over. Neither the order of the sequence
 * nor that of transaction ids would do: both are given out before the commit.
 *
 * A tick is fenced by the one that it follows. Whoever gives ticks without being the one to do so any more finds
 * another tick than it has read, and gives none.
 */
import type { Sql } from '../sql/sql.ts';
import { dropPartitions, extendChanges, lockRanges } from './partitions.ts';

/**
 * The history that positions are of: the cluster, its timeline, and the table, which another one replaces at a restore.
 */
const IDENTITY = /* sql */ `concat_ws('/', (select system_identifier from pg_control_system()),
  left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), 'object_change'::regclass::oid)`;

const GIVE_TICK = {
  name: 'give_change_tick',
  text: /* sql */ `
    with seen as materialized (
      select tick, snapshot, identity = ${IDENTITY} as is_same from change_stream
    ), given as (
      update change_stream s set tick = s.tick + 1, snapshot = pg_current_snapshot()
      from seen where s.tick = seen.tick and seen.is_same and (
        exists (select from object_change c where c.xid >= pg_snapshot_xmax(seen.snapshot))   -- = object_change_pkey
        or exists (select from pg_snapshot_xip(seen.snapshot) as x join object_change c on c.xid = x))
      returning s.tick, seen.snapshot as before, s.snapshot
    ), added as (
      insert into change_tick (tick, before, snapshot) select tick, before, snapshot from given returning tick
    ) select (select tick from added) as tick, is_same from seen`,
};

/** Gives what has become visible its place. False: there was nothing. */
export async function giveTick(sql: Sql): Promise<boolean> {
  const [row] = await sql.execute<{ tick: number | null; is_same: boolean }>(GIVE_TICK);
  if (row?.is_same === false) await renewEpoch(sql);
  return row?.tick !== null;
}

const IS_ANOTHER = /* sql */ `select from change_stream where identity <> ${IDENTITY} for update`;

const RENEW = /* sql */ `
  update change_stream set epoch = left(replace(gen_random_uuid()::text, '-', ''), 12), identity = ${IDENTITY},
    tick = 0, floor = 0, snapshot = pg_current_snapshot()`;

/**
 * Positions of another history mean nothing in this one: readers are told to begin anew. The lock on the changes keeps
 * their writers out, who go on behind the first snapshot of the new epoch.
 */
async function renewEpoch(sql: Sql): Promise<void> {
  await sql.transaction(async (inside) => {
    await lockRanges(inside);
    const found = await inside.execute(IS_ANOTHER);
    if (found.length === 0) return;
    await inside.execute('truncate object_change, change_tick');
    await dropPartitions(inside);
    await inside.execute(RENEW);
    await extendChanges(inside);
  });
}
