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

/** By table, the instants besides `last_modified` by whose spans its rows are counted. */
const INSTANTS: Readonly<Record<string, readonly string[]>> = {
  file: ['created', 'data_started', 'data_ended', 'source_started', 'source_ended'],
  ingest: [],
  job: ['source_started', 'source_ended'],
  recipe: ['source_started', 'source_ended'],
};

/** Statements that count the rows of a table, for `kind`, `facets`, `count` and `least`. */
export const RECOUNTS: readonly { readonly table: string; readonly text: string }[] = [
  ...[...LISTS, ...OF_BATCHES].map(({ kind, facets }) => {
    const names = Object.keys(facets).map((column) => column.slice(column.indexOf('.') + 1));
    const object = names.map((name) => `'${name}', ${name}`).join(', ');
    const table = kind.replace('_batch', '');
    const where = table === kind ? '' : 'where batch_id is not null';
    const text = `select '${kind}' as kind, jsonb_build_object(${object}) as facets, count(*)::int as count,
        null::timestamptz as least
      from ${table} ${where} group by ${names.join(', ')}`;
    return { table, text };
  }),
  ...Object.entries(INSTANTS).flatMap(([table, instants]) =>
    ['last_modified', ...instants].map((column) => ({
      table,
      text: `select '${table}_${column === 'last_modified' ? 'time' : column}' as kind,
        jsonb_build_object('span', floor(extract(epoch from ${column}) / 600)::int) as facets, count(*)::int as count,
        ${column === 'last_modified' ? 'null::timestamptz' : 'min(last_modified)'} as least
        from ${table} where ${column} is not null group by 2`,
    })),
  ),
  {
    table: 'file',
    text: `select 'file_country' as kind,
      jsonb_build_object('country', country, 'job_type_id', job_type_id) as facets, count(distinct id)::int as count,
        null::timestamptz as least
      from file, unnest(countries) as u (country) group by 2`,
  },
];

/** The folded counters of spans by day, from those of spans. */
export const RECOUNTED_DAYS = `select kind, floor((facets->>'span')::float8 / 144)::int as day,
    sum(count)::int as count, min(least) as least
  from list_count where facets ? 'span' group by 1, 2 having sum(count) <> 0`;

/** All counters that are not zero, or those whose kind matches a pattern. */
export const countedBy = (rows: Query, kinds = '') =>
  rows(`select kind, facets, sum(count)::int as count from (
      select kind, facets, count from list_count union all select kind, facets, count from list_count_delta) as c
    where kind ~ '${kinds}' group by 1, 2 having sum(count) <> 0 order by 1, 2`);

/** The same from the rows. */
export const recountedBy = (rows: Query, kinds = '') =>
  rows(`select kind, facets, count from (${RECOUNTS.map(({ text }) => text).join(' union all ')}) as c
    where kind ~ '${kinds}' order by 1, 2`);

/** Counters that claim that the first of their rows was last modified later than it was: it would not be listed. */
export const lateLeast = (rows: Query) =>
  rows(`with c as (
      select kind, facets, min(least) as least from (
        select kind, facets, least from list_count union all select kind, facets, least from list_count_delta) as a
      group by 1, 2)
    select r.kind, r.facets, r.least, c.least as claimed
    from (${RECOUNTS.map(({ text }) => text).join(' union all ')}) as r left join c using (kind, facets)
    where r.least is not null and (c.least is null or c.least > r.least)`);
