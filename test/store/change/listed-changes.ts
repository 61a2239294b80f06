/** The changes that the stream of changes lists, read from its rows. */
import type { ChangePlace } from '../../../src/domain/change/cursor.ts';
import { type ChangeRow, readChanges } from '../../../src/store/change/read.ts';
import type { StoreWorld } from '../store-world.ts';

export interface ListedChange {
  readonly kind: string;
  readonly id: number;
  readonly version: number;
  readonly what: string;
  readonly from: string | null;
  readonly to: string | null;
}

type Item = [id: number, version: number, what: string, from: string | null, to: string | null];

export function listedChanges(rows: readonly ChangeRow[]): ListedChange[] {
  return rows.flatMap(({ kind, items }) =>
    (JSON.parse(items) as Item[]).map(([id, version, what, from, to]) => ({
      kind,
      id,
      version,
      what,
      from,
      to,
    })),
  );
}

/** All rows from a place on, a few at a time, and where to continue. */
export async function readAll(
  world: StoreWorld,
  from: ChangePlace,
): Promise<{ readonly rows: readonly ChangeRow[]; readonly next: ChangePlace }> {
  const rows: ChangeRow[] = [];
  for (let next = from; ; ) {
    const page = await readChanges(world.db.sql, next, { rowsMax: 7 });
    if (page.rows.length === 0) return { rows, next };
    rows.push(...page.rows);
    next = page.next;
  }
}
