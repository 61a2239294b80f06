/**
 * The number of rows of a list, without counting them. Triggers (migrations 0001, 0023, 0026) append the differences of
 * each statement, by the columns that lists are filtered by most, and separately by batch, by country and by spans of
 * ten minutes of each instant; folding adds them up, and adds spans up by day. For other conditions rows are counted.
 */
import type { CountedBy } from '../sql/counted.ts';
import type { Sql } from '../sql/sql.ts';
import { FOLDED_AT_ONCE, foldInRounds } from './folding.ts';

function facetsOf(alias: string, types: Readonly<Record<string, 'text' | 'bigint' | 'boolean'>>) {
  const entries = Object.entries(types).map(([name, type]) => {
    return [`${alias}.${name}`, `(c.facets->>'${name}')::${type}`] as const;
  });
  return Object.fromEntries(entries);
}

export const COUNTED_FILES: CountedBy = {
  kind: 'file',
  facets: facetsOf('f', {
    file_type: 'text',
    media_type: 'text',
    job_type_id: 'bigint',
    recipe_type_id: 'bigint',
    job_output: 'text',
    recipe_node: 'text',
  }),
};

/** Files by each of their countries. */
export const COUNTED_COUNTRY_FILES: CountedBy = {
  kind: 'file_country',
  facets: {
    ...facetsOf('f', { job_type_id: 'bigint' }),
    'f.countries': `array[c.facets->>'country']`,
  },
};

export const COUNTED_INGESTS: CountedBy = {
  kind: 'ingest',
  facets: facetsOf('i', { status: 'text', strike_id: 'bigint', scan_id: 'bigint' }),
};

export const COUNTED_JOBS: CountedBy = {
  kind: 'job',
  facets: facetsOf('j', {
    status: 'text',
    job_type_id: 'bigint',
    error_id: 'bigint',
    is_superseded: 'boolean',
  }),
};

export const COUNTED_RECIPES: CountedBy = {
  kind: 'recipe',
  facets: facetsOf('r', { recipe_type_id: 'bigint', is_superseded: 'boolean', is_completed: 'boolean' }),
};

/** Rows of a batch, by batch: there are too many batches for a count of all rows to add them up. */
function ofBatches(kind: CountedBy['kind'], alias: string): CountedBy {
  return { kind, facets: facetsOf(alias, { batch_id: 'bigint' }) }; // = list_count_batch_idx
}

export const COUNTED_BATCH_FILES = ofBatches('file_batch', 'f');
export const COUNTED_BATCH_JOBS = ofBatches('job_batch', 'j');
export const COUNTED_BATCH_RECIPES = ofBatches('recipe_batch', 'r');

const FOLD = {
  name: 'fold_list_counts',
  text: /* sql */ `
    with taken as (
      delete from list_count_delta where id in (
        select id from list_count_delta order by id limit ${FOLDED_AT_ONCE} for update skip locked)
      returning kind, facets, count, least),
    folded as (
      insert into list_count as l (kind, facets, count, least)
      select kind, facets, sum(count), min(least) from taken group by 1, 2
      having sum(count) <> 0 or min(least) is not null order by 1, 2
      on conflict (kind, facets) do update   -- = list_count_pkey
        set count = l.count + excluded.count, least = least(l.least, excluded.least))
    select count(*) as count from taken`,
};

/**
 * If two fold at once, the removal of a row can be folded before its insertion, so that a counter of other rows is zero
 * for a moment: it is kept as long as it has differences, because it also says when those rows were last modified.
 */
const REMOVE_ZEROS = /* sql */ `
  delete from list_count as l where l.count = 0   -- = list_count_zero_idx
    and not exists (select from list_count_delta as d where d.kind = l.kind and d.facets = l.facets)`;

/** Adds the appended rows to the counters, a trigger to those of days, and removes zero counters. */
export async function foldListCounts(sql: Sql): Promise<void> {
  await foldInRounds(sql, FOLD);
  await sql.execute(REMOVE_ZEROS);
}
