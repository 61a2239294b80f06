/**
 * Rows of a database lost, doubled or changed behind everybody's back: neither references nor triggers look. Damage
 * that is already there is what an audit is for.
 */
import { until } from '../../harness/until.ts';
import type { Installation } from '../installation.ts';

export type Undo = () => Promise<void>;
type Row = Readonly<Record<string, unknown>>;

const FAR = 1_000_000;

async function rowsOf(all: Installation, table: string, where: string): Promise<readonly Row[]> {
  const found = await all.database.ask<{ row: Row }>(
    `select to_jsonb(t) as row from "${table}" t where ${where}`,
  );
  if (found.length === 0) throw new Error(`nothing to damage: ${table} where ${where}`);
  return found.map(({ row }) => row);
}

/** Some rows in the place of others, all at once. Resolves with what undoes it. */
async function swap(
  all: Installation,
  table: string,
  old: readonly Row[],
  now: readonly Row[],
): Promise<Undo> {
  const document = (rows: readonly Row[]) => `'${JSON.stringify(rows).replaceAll("'", "''")}'::jsonb`;
  const stored = await all.database.unguarded<{ row: Row }>([
    `delete from "${table}" t where to_jsonb(t) in (select jsonb_array_elements(${document(old)}))`,
    `insert into "${table}" select * from jsonb_populate_recordset(null::"${table}", ${document(now)})
     returning to_jsonb("${table}") as row`,
  ]);
  const rows = stored.map(({ row }) => row);
  return async () => void (await swap(all, table, rows, old));
}

export async function removeRows(all: Installation, table: string, where: string): Promise<Undo> {
  return swap(all, table, await rowsOf(all, table, where), []);
}

export async function changeRows(all: Installation, table: string, where: string, patch: Row): Promise<Undo> {
  const rows = await rowsOf(all, table, where);
  return swap(
    all,
    table,
    rows,
    rows.map((row) => ({ ...row, ...patch })),
  );
}

const TOO_MANY = 1_000_000;

/**
 * Counts of the table are too high by a million. The service may continue counting meanwhile: what it adds stays, now
 * and when this is undone.
 */
export async function inflateCounts(
  all: Installation,
  { table, column, where }: { readonly table: string; readonly column: string; readonly where: string },
): Promise<Undo> {
  const add = (amount: number, rows: string) =>
    all.database.ask<{ row: Row }>(
      `update "${table}" t set ${column} = ${column} + ${amount} where ${rows} returning to_jsonb(t) as row`,
    );
  // What has just been counted may still wait to be added up.
  await until(`there are counts: ${table}`, async () => (await add(TOO_MANY, where)).length > 0);
  // Rows that have appeared since were never inflated.
  return async () => void (await add(-TOO_MANY, `${where} and ${column} >= ${TOO_MANY / 2}`));
}

export async function doubleRow(all: Installation, table: string, where: string, patch: Row): Promise<Undo> {
  const [first] = await rowsOf(all, table, where);
  return swap(all, table, [], [{ ...first, id: Number(first?.id) + FAR, ...patch }]);
}
