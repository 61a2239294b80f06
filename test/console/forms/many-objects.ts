/** More objects of each kind than a call answers: copies of the rows of one object. */
import type { Test } from 'tap';
import { openDatabase } from '../../../src/store/database.ts';
import { LOG } from '../../store/store-world.ts';
import type { ConsoleWorld } from '../console-world.ts';
import { filledPages } from '../pages/addresses-of-pages.ts';

/** More than the largest page of a list has. */
export const MANY = 1_100;
/** The titles of all end with their number. */
export const LAST = 'Copy 1100';

/** What a copy has of its own; `n` is its number. */
const NAMED = `'name', 'copy-' || n, 'title', 'Copy ' || n`;
const COPIES = {
  workspace: `${NAMED}, 'uuid', gen_random_uuid()`,
  // The copies of a strike have its job, so they are paused.
  strike: `${NAMED}, 'is_paused', true`,
  job_type: NAMED,
  job_type_rev: `'job_type_id', (one.job_type_id + n * 1000)`,
  recipe_type: NAMED,
  recipe_type_rev: `'recipe_type_id', (one.recipe_type_id + n * 1000)`,
  dataset: `'title', 'Copy ' || n`,
  batch: `'title', 'Copy ' || n, 'root_batch_id', one.id + n * 1000`,
};
const CHOSEN = {
  job_type: `one.name = 'copy'`,
  job_type_rev: `job_type_id = (select id from job_type where name = 'copy')`,
  recipe_type_rev: `recipe_type_id = (select min(id) from recipe_type where not is_system)`,
} as const;

/** The ids of copies are those of the first object, and thousands. */
export async function makeMany(t: Test, world: ConsoleWorld): Promise<void> {
  await filledPages(t, world);
  const db = await openDatabase({ url: world.database, log: LOG });
  try {
    for (const [table, own] of Object.entries(COPIES)) {
      const chosen = (CHOSEN as Readonly<Record<string, string>>)[table] ?? defaultOf(table);
      await db.sql.execute(
        `insert into ${table} select (jsonb_populate_record(null::${table},
             to_jsonb(one) || jsonb_build_object('id', one.id + n * 1000, ${own}))).*
           from ${table} one cross join generate_series(1, ${MANY}) n where ${chosen}`,
      );
    }
  } finally {
    await db.close();
  }
}

const defaultOf = (table: string): string =>
  `one.id = (select min(id) from ${table}${table === 'recipe_type' ? ' where not is_system' : ''})`;
