// The numbers of files, ingests, jobs and recipes by spans of ten minutes in which they were last modified, those of
// files by country, and open recipes by state: lists filtered by these counted, or read, all rows that match.

export const name = '0023-counts-by-time';

/** Triggers also count what coordinators of the previous schema write. */
export const isBreaking = false;

/** By table, the columns of its counters in migration 0001; those of batches are apart. */
const FACETS = {
  recipe: ['recipe_type_id', 'is_superseded', 'is_completed'],
  job: ['status', 'job_type_id', 'error_id', 'is_superseded'],
  file: ['file_type', 'media_type', 'job_type_id', 'recipe_type_id', 'job_output', 'recipe_node'],
  ingest: ['status', 'strike_id', 'scan_id'],
} as const;
type Table = keyof typeof FACETS;
/** In the order in which commits write to them. */
const TABLES = Object.keys(FACETS) as readonly Table[];

const SPAN = `date_bin('10 minutes', last_modified, 'epoch')`;
const SPAN_FACETS = `jsonb_build_object('span', (extract(epoch from span) / 600)::bigint)`;

/** The differences that rows with a sign make. Both counters are made of one pass over the rows. */
function differencesOf(table: Table, rows: string): string {
  const columns = FACETS[table].join(', ');
  const facets = FACETS[table].map((column) => `'${column}', ${column}`).join(', ');
  return `select case when grouping(span) = 0 then '${table}_time' else '${table}' end,
    case when grouping(span) = 0 then ${SPAN_FACETS} else jsonb_build_object(${facets}) end, sum(sign)
  from (select ${columns}, ${SPAN} as span, sign from ${rows}) as s
  group by grouping sets ((${columns}), (span)) having sum(sign) <> 0`;
}

/** The same of files by country: each file once for each of its countries. */
function countriesOf(rows: string): string {
  return `select 'file_country', jsonb_build_object('country', country, 'job_type_id', job_type_id), sum(sign)
  from (
    select distinct r.id, c.country, r.job_type_id, r.sign from ${rows} cross join unnest(r.countries) as c (country)
  ) as s group by country, job_type_id having sum(sign) <> 0`;
}

function ofBatch(table: Table, rows: string, sign: 1 | -1, column = 'batch_id', isOther = ''): string {
  return `select '${table}_batch', jsonb_build_object('batch_id', ${column}), ${sign} * count(*)
  from ${rows} where ${column} is not null ${isOther} group by ${column}`;
}

function functionOf(table: Table, event: string, counts: readonly string[]): string {
  return `create or replace function count_${table}_${event}() returns trigger language plpgsql as $$
begin
  insert into list_count_delta (kind, facets, count)
  ${counts.join('\n  union all\n  ')};
  return null;
end $$`;
}

const ADDED = '(select *, 1 as sign from added) as r';
const REMOVED = '(select *, -1 as sign from removed) as r';
const CHANGED = '(select *, 1 as sign from added union all select *, -1 as sign from removed) as r';

function functionsOf(table: Table): string[] {
  const counts = (rows: string) => [
    differencesOf(table, rows),
    ...(table === 'file' ? [countriesOf(rows)] : []),
  ];
  const batches = (rows: string, sign: 1 | -1) => (table === 'ingest' ? [] : [ofBatch(table, rows, sign)]);
  const isOther = 'and live_batch_id is distinct from batch_id';
  return [
    functionOf(table, 'insert', [...counts(ADDED), ...batches('added', 1)]),
    functionOf(table, 'update', counts(CHANGED)),
    functionOf(table, 'delete', [
      ...counts(REMOVED),
      ...batches('removed', -1),
      ...(table === 'job' ? [ofBatch(table, 'removed', -1, 'live_batch_id', isOther)] : []),
    ]),
  ];
}

/** What the new counters would have counted by now. */
const COUNT = [
  ...TABLES.map(
    (table) => `select '${table}_time', ${SPAN_FACETS}, count(*)
      from (select ${SPAN} as span from ${table}) as s group by span`,
  ),
  countriesOf('(select *, 1 as sign from file) as r'),
].map((counts) => `insert into list_count (kind, facets, count) ${counts}`);

export const up: readonly string[] = [
  `create index list_count_span_idx on list_count (kind, (((facets ->> 'span'))::bigint))`,
  /* sql */ `create index recipe_state_idx on recipe ((case when is_completed then 'COMPLETED'
    when jobs_failed > 0 then 'FAILED' when jobs_running > 0 then 'RUNNING' when jobs_queued > 0 then 'QUEUED'
    when jobs_blocked > 0 then 'BLOCKED' when jobs_canceled > 0 then 'CANCELED' else 'PENDING' end),
    last_modified, id) where not is_completed`,
  // Nothing is written between the new triggers and the count.
  `lock table ${TABLES.join(', ')} in share row exclusive mode`,
  ...TABLES.flatMap(functionsOf),
  ...COUNT,
];
