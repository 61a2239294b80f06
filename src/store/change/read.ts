/** Reads the stream of changes in the order of positions. */
import type { ChangePlace } from '../../domain/change/cursor.ts';
import type { ChangeKind } from '../../domain/change/object-change.ts';
import type { Sql } from '../sql/sql.ts';

/** The changes of one statement. */
export interface ChangeRow {
  readonly tick: number;
  readonly id: number;
  readonly atMs: number;
  readonly kind: ChangeKind;
  readonly items: string;
}

/** limit: ticks examined for one page. */
export const TICKS_MAX = 200;

const PAGE = {
  name: 'change_page',
  isKeyed: true,
  text: /* sql */ `
    select t.tick, c.id, c.at as "atMs", c.kind, c.items
    from (select * from change_tick where tick >= $1 order by tick limit ${TICKS_MAX}) as t   -- = change_tick_pkey
    cross join lateral (
      select c.id, c.at, c.kind, c.items from object_change c
      where c.xid >= pg_snapshot_xmax(t.before) and c.xid < pg_snapshot_xmax(t.snapshot)   -- = object_change_pkey
        and pg_visible_in_snapshot(c.xid, t.snapshot)
      union all
      select c.id, c.at, c.kind, c.items from pg_snapshot_xip(t.before) as x join object_change c on c.xid = x
      where pg_visible_in_snapshot(c.xid, t.snapshot)) as c
    where t.tick > $1 or c.id >= $2
    order by t.tick, c.id limit $3`,
};

/** Rows from a place on. */
export function readChanges(sql: Sql, from: ChangePlace, rowsMax: number): Promise<ChangeRow[]> {
  return sql.execute<ChangeRow>(PAGE, [from.tick, from.row, rowsMax]);
}

export interface ChangeStream {
  readonly epoch: string;
  /** The newest tick. */
  readonly tick: number;
  /** Ticks up to this one have been dropped. */
  readonly floor: number;
}

const STREAM = {
  name: 'change_stream',
  isKeyed: true,
  text: 'select epoch, tick, floor from change_stream',
};

/** The state of the stream. Read after a page, it shows whether the whole page was still there. */
export async function changeStream(sql: Sql): Promise<ChangeStream> {
  const [row] = await sql.execute<ChangeStream>(STREAM);
  return row ?? { epoch: '', tick: 0, floor: 0 };
}

/** Ids of the types with these names. */
export async function typesNamed(
  sql: Sql,
  table: 'job_type' | 'recipe_type',
  names: readonly string[],
): Promise<number[]> {
  const rows = await sql.execute<{ id: number }>(`select id from ${table} where name = any($1::text[])`, [
    names,
  ]);
  return rows.map((row) => row.id);
}

/** Names of errors by their id. */
export async function errorNames(sql: Sql, ids: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> {
  if (ids.size === 0) return new Map();
  const rows = await sql.execute<{ id: number; name: string }>(
    'select id, name from error where id = any($1::bigint[])',
    [[...ids]],
  );
  return new Map(rows.map((row) => [row.id, row.name]));
}
