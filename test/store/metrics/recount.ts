/** The counters of lists, and what counting the rows gives. */
import {
  COUNTED_BATCH_FILES,
  COUNTED_BATCH_JOBS,
  COUNTED_BATCH_RECIPES,
  COUNTED_FILES,
  COUNTED_INGESTS,
  COUNTED_JOBS,
  COUNTED_RECIPES,
} from '../../../src/store/metrics/list-counts.ts';

type Query = (text: string) => Promise<unknown>;

const LISTS = [COUNTED_FILES, COUNTED_INGESTS, COUNTED_JOBS, COUNTED_RECIPES];
const OF_BATCHES = [COUNTED_BATCH_FILES, COUNTED_BATCH_JOBS, COUNTED_BATCH_RECIPES];

/** Statements that count the rows of a table, for `kind`, `facets` and `count`. */
export const RECOUNTS: readonly { readonly table: string; readonly text: string }[] = [
  ...[...LISTS, ...OF_BATCHES].map(({ kind, facets }) => {
    const names = Object.keys(facets).map((column) => column.slice(column.indexOf('.') + 1));
    const object = names.map((name) => `'${name}', ${name}`).join(', ');
    const table = kind.replace('_batch', '');
    const where = table === kind ? '' : 'where batch_id is not null';
    const text = `select '${kind}' as kind, jsonb_build_object(${object}) as facets, count(*)::int as count
      from ${table} ${where} group by ${names.join(', ')}`;
    return { table, text };
  }),
  ...['file', 'ingest', 'job', 'recipe'].map((table) => ({
    table,
    text: `select '${table}_time' as kind,
      jsonb_build_object('span', floor(extract(epoch from last_modified) / 600)::int) as facets, count(*)::int as count
      from ${table} group by 2`,
  })),
  {
    table: 'file',
    text: `select 'file_country' as kind,
      jsonb_build_object('country', country, 'job_type_id', job_type_id) as facets, count(distinct id)::int as count
      from file, unnest(countries) as u (country) group by 2`,
  },
];

/** All counters that are not zero, or those whose kind matches a pattern. */
export const countedBy = (rows: Query, kinds = '') =>
  rows(`select kind, facets, sum(count)::int as count from (
      select kind, facets, count from list_count union all select kind, facets, count from list_count_delta) as c
    where kind ~ '${kinds}' group by 1, 2 having sum(count) <> 0 order by 1, 2`);

/** The same from the rows. */
export const recountedBy = (rows: Query, kinds = '') =>
  rows(`select * from (${RECOUNTS.map(({ text }) => text).join(' union all ')}) as c
    where kind ~ '${kinds}' order by 1, 2`);
