/** Reads the stream of changes in the order of positions. */
import type { ChangePlace } from '../../domain/change/cursor.ts';
import type { ChangeKind } from '../../domain/change/object-change.ts';
import type { Sql } from '../sql/sql.ts';
import { NO_BOUND } from './partitions.ts';

/** The changes of one statement. */
export interface ChangeRow {
  readonly tick: number;
  readonly id: number;
  readonly atMs: number;
  readonly kind: ChangeKind;
  readonly items: string;
}

/** limit: ticks examined by one read. */
const TICKS_MAX = 200;
/** limit: rows of one read; a row may contain a thousand changes. */
const ROWS_MAX = 32;

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

export async function changeStream(sql: Sql): Promise<ChangeStream> {
  const [row] = await sql.execute<ChangeStream>(STREAM);
  return row ?? { epoch: '', tick: 0, floor: 0 };
}

// One statement: its snapshot shows whether all these rows were still there.
const READ = {
  name: 'read_changes',
  isKeyed: true,
  text: /* sql */ `
    select s.epoch, s.tick as newest, s.floor, b.oldest::text, $4::xid8 <= b.oldest as is_bounded, r.*
    from change_stream s left join (
      select pg_snapshot_xmin(before) as oldest from change_tick where tick >= $1 order by tick limit 1
    ) as b on true left join (
      select t.tick, c.id, c.at as "atMs", c.kind, c.items
      from (select * from change_tick where tick >= $1 order by tick limit ${TICKS_MAX}) as t   -- = change_tick_pkey
      cross join lateral (
        select c.id, c.at, c.kind, c.items from object_change c
        where c.xid >= $4::xid8 and c.xid >= pg_snapshot_xmax(t.before)   -- = object_change_pkey
          and c.xid < pg_snapshot_xmax(t.snapshot) and pg_visible_in_snapshot(c.xid, t.snapshot)
        union all
        select c.id, c.at, c.kind, c.items from pg_snapshot_xip(t.before) as x join object_change c on c.xid = x
        where c.xid >= $4::xid8 and pg_visible_in_snapshot(c.xid, t.snapshot)) as c
      where t.tick > $1 or c.id >= $2
      order by t.tick, c.id limit $3) as r on true
    order by r.tick, r.id`,
};

type ReadRow = Omit<ChangeRow, 'tick'> & {
  readonly epoch: string;
  readonly newest: number;
  readonly floor: number;
  /** Null: there is no tick from the place on. */
  readonly oldest: string | null;
  /** False: the bound is of another history, and changes may have been missed. */
  readonly is_bounded: boolean | null;
  /** Null: there are no rows. */
  readonly tick: number | null;
};

export interface ChangesRead {
  readonly stream: ChangeStream;
  readonly rows: readonly ChangeRow[];
  /** The place after these rows, and after all ticks that were examined. */
  readonly next: ChangePlace;
  readonly isAtEnd: boolean;
  /** The bound for a read from here on. */
  readonly bound: string;
}

/**
 * Rows from a place on, and the state of the stream at the same moment. `bound`: that of an earlier read. It lets
 * PostgreSQL leave out older partitions before it opens them.
 */
export async function readChanges(
  sql: Sql,
  from: ChangePlace,
  { rowsMax = ROWS_MAX, bound = NO_BOUND }: { readonly rowsMax?: number; readonly bound?: string } = {},
): Promise<ChangesRead> {
  const found = await sql.execute<ReadRow>(READ, [from.tick, from.row, rowsMax, bound]);
  const { epoch = '', newest: tick = 0, floor = 0, oldest, is_bounded: isBounded } = found[0] ?? {};
  if (isBounded === false) return readChanges(sql, from, { rowsMax });
  const stream = { epoch, tick, floor };
  const rows = found.filter((row): row is ReadRow & ChangeRow => row.tick !== null);
  const last = rows.at(-1);
  const afterRows = last === undefined ? from : { tick: last.tick, row: last.id + 1, item: 0 };
  if (rows.length === rowsMax)
    return { stream, rows, next: afterRows, isAtEnd: false, bound: oldest ?? bound };
  const examined = { tick: Math.min(from.tick + TICKS_MAX, tick + 1), row: 0, item: 0 };
  const next = examined.tick > afterRows.tick ? examined : afterRows;
  return { stream, rows, next, isAtEnd: next.tick > tick, bound: oldest ?? bound };
}

/** Ids of the types with these names, by name. */
export async function typesNamed(
  sql: Sql,
  table: 'job_type' | 'recipe_type',
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const rows = await sql.execute<{ name: string; ids: number[] }>(
    `select name, array_agg(id) as ids from ${table} where name = any($1::text[]) group by name`,
    [names],
  );
  return new Map(rows.map(({ name, ids }) => [name, ids]));
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
