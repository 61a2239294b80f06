// The numbers of files, jobs and recipes by spans of ten minutes of their other instants, when the first of each span
// was last modified, and the same by day: lists filtered by the time of the data, or of the creation of a file, counted
// all rows that match, and read all of them, or all rows before them, for the first page.

export const name = '0026-counts-by-instants';

/** Triggers also count what coordinators of the previous schema write, and fold. */
export const isBreaking = false;

/** By table, the columns of its counters in migration 0001, and the instants besides `last_modified`. */
const TABLES = {
  recipe: {
    facets: ['recipe_type_id', 'is_superseded', 'is_completed'],
    instants: ['source_started', 'source_ended'],
  },
  job: {
    facets: ['status', 'job_type_id', 'error_id', 'is_superseded'],
    instants: ['source_started', 'source_ended'],
  },
  file: {
    facets: ['file_type', 'media_type', 'job_type_id', 'recipe_type_id', 'job_output', 'recipe_node'],
    instants: ['created', 'data_started', 'data_ended', 'source_started', 'source_ended'],
  },
} as const;
type Table = keyof typeof TABLES;
/** In the order in which commits write to them. */
const NAMES = Object.keys(TABLES) as readonly Table[];

/** The beginning of the span of an instant. */
const spanOf = (instant: string) => `date_bin('10 minutes', ${instant}, 'epoch')`;
const spanFacets = (span: string) =>
  `jsonb_build_object('span', (extract(epoch from ${span}) / 600)::bigint)`;

/**
 * What rows with a sign add to all counters, made of one pass over the rows. Instants may be null. Rows that are deleted
 * leave `least` as it is: it says before when no row of a span was last modified, not when one was.
 */
function differencesOf(table: Table, rows: string): string {
  const facets = TABLES[table].facets.join(', ');
  const objects = TABLES[table].facets.map((column) => `'${column}', ${column}`).join(', ');
  const instants = ['last_modified', ...TABLES[table].instants];
  const kinds = instants.map((column) => {
    return `when grouping(${column}) = 0 then '${table}_${column === 'last_modified' ? 'time' : column}'`;
  });
  const hasNoSpan = `grouping(${instants.join(', ')}) = ${2 ** instants.length - 1}`;
  const span = `coalesce(${instants.join(', ')})`;
  const spans = instants.map((column) => `${spanOf(column)} as ${column}`).join(', ');
  return `select case ${kinds.join(' ')} else '${table}' end,
    case when ${hasNoSpan} then jsonb_build_object(${objects}) else ${spanFacets(span)} end, sum(sign),
    case when grouping(${TABLES[table].instants.join(', ')}) < ${2 ** (instants.length - 1) - 1} then min(least) end
  from (select ${facets}, ${spans}, sign, case when sign > 0 then last_modified end as least from ${rows}) as s
  group by grouping sets ((${facets}), ${instants.map((column) => `(${column})`).join(', ')})
  having sum(sign) <> 0 and (${hasNoSpan} or ${span} is not null)`;
}

/** The same of files by country: each file once for each of its countries. */
function countriesOf(rows: string): string {
  return `select 'file_country', jsonb_build_object('country', country, 'job_type_id', job_type_id), sum(sign), null
  from (
    select distinct r.id, c.country, r.job_type_id, r.sign from ${rows} cross join unnest(r.countries) as c (country)
  ) as s group by country, job_type_id having sum(sign) <> 0`;
}

function ofBatch(table: Table, rows: string, sign: 1 | -1, column = 'batch_id', isOther = ''): string {
  return `select '${table}_batch', jsonb_build_object('batch_id', ${column}), ${sign} * count(*), null
  from ${rows} where ${column} is not null ${isOther} group by ${column}`;
}

function functionOf(table: Table, event: string, counts: readonly string[]): string {
  return `create or replace function count_${table}_${event}() returns trigger language plpgsql as $$
begin
  insert into list_count_delta (kind, facets, count, least)
  ${counts.join('\n  union all\n  ')};
  return null;
end $$`;
}

/** What is inserted and deleted. */
function functionsOf(table: Table): string[] {
  const counts = (rows: string, sign: 1 | -1) => {
    const signed = `(select *, ${sign} as sign from ${rows}) as r`;
    const countries = table === 'file' ? [countriesOf(signed)] : [];
    return [differencesOf(table, signed), ...countries, ofBatch(table, rows, sign)];
  };
  const isOther = 'and live_batch_id is distinct from batch_id';
  const ofLive = table === 'job' ? [ofBatch(table, 'removed', -1, 'live_batch_id', isOther)] : [];
  return [
    functionOf(table, 'insert', counts('added', 1)),
    functionOf(table, 'delete', [...counts('removed', -1), ...ofLive]),
  ];
}

/** Few updates change these instants: with them, each update of a job took 7 us longer (load 2). */
function changesOf(table: Table): string[] {
  const { instants } = TABLES[table];
  const values = instants.flatMap((column) => [
    `('${table}_${column}', ${spanOf(`old.${column}`)}, -1, null)`,
    `('${table}_${column}', ${spanOf(`new.${column}`)}, 1, new.last_modified)`,
  ]);
  const isChanged = instants.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');
  return [
    functionOf(table, 'instants', [
      `select kind, ${spanFacets('span')}, sum(sign), min(least)
  from (values ${values.join(', ')}) as v (kind, span, sign, least) where span is not null group by kind, span`,
    ]),
    `create trigger ${table}_count_instants after update of last_modified, ${instants.join(', ')} on ${table}
      for each row when (${isChanged} or old.last_modified > new.last_modified)
      execute function count_${table}_instants()`,
  ];
}

/** What the new counters would have counted by now, in one pass over each table: nothing is written meanwhile. */
const COUNT = NAMES.map((table) => {
  const { instants } = TABLES[table];
  const kinds = instants.map((column) => `when grouping(${column}) = 0 then '${table}_${column}'`);
  const spans = instants.map((column) => `${spanOf(column)} as ${column}`);
  const span = `coalesce(${instants.join(', ')})`;
  return /* sql */ `
    insert into list_count (kind, facets, count, least)
    select case ${kinds.join(' ')} end, ${spanFacets(span)}, count(*), min(least)
    from (select ${spans.join(', ')}, last_modified as least from ${table} where ${span} is not null) as s
    group by grouping sets (${instants.map((column) => `(${column})`).join(', ')}) having ${span} is not null`;
});

/** Counters by span are added up by day. */
function addDays(rows: string): string {
  return /* sql */ `
  insert into list_day_count as l (kind, day, count, least)
  select kind, floor((facets->>'span')::float8 / 144)::bigint as day, sum(count), min(least) from ${rows}
  where facets ? 'span' group by kind, day order by kind, day
  on conflict (kind, day) do update set count = l.count + excluded.count, least = least(l.least, excluded.least)`;
}

/** Differences are deleted by the statement that folds them; that of the previous schema adds up only their counts. */
const FOLDED = /* sql */ `create function count_folded() returns trigger language plpgsql as $$
begin
  ${addDays('folded')};
  update list_count as l set least = least(l.least, f.least)
  from (select kind, facets, min(least) as least from folded where least is not null
    group by kind, facets order by kind, facets) as f
  where l.kind = f.kind and l.facets = f.facets and (l.least is null or l.least > f.least);   -- = list_count_pkey
  return null;
end $$`;

export const up: readonly string[] = [
  // Nothing is written between the new triggers and the counts.
  `lock table ${NAMES.join(', ')} in share row exclusive mode`,
  ...NAMES.flatMap((table) => [...functionsOf(table), ...changesOf(table)]),
  ...COUNT,
  `create table list_day_count (
    kind text not null, day bigint not null, count bigint not null, least timestamptz, primary key (kind, day))`,
  FOLDED,
  /* sql */ `create trigger list_count_folded after delete on list_count_delta referencing old table as folded
    for each statement execute function count_folded()`,
  // Nothing is folded since the trigger is there, which waited for what was being folded.
  addDays('list_count'),
];
