// How many files, jobs and recipes each batch has, for lists by batch: kept as the other counts of lists are (0013), but
// apart from them, which are all read for one count. Not breaking: the triggers count what an older coordinator writes as
// well.

export const name = '0023-batch-list-counts';

export const isBreaking = false;

const INDEX = /* sql */ `
create index list_count_batch_idx on list_count (kind, ((facets->>'batch_id')::bigint));
`;

/** Facets as 0013 has them. */
const FACETS = {
  file: ['file_type', 'media_type', 'job_type_id', 'recipe_type_id', 'job_output', 'recipe_node'],
  job: ['status', 'job_type_id', 'error_id', 'is_superseded'],
  recipe: ['recipe_type_id', 'is_superseded', 'is_completed'],
} as const;

function counted(table: keyof typeof FACETS): string {
  const list = FACETS[table].join(', ');
  const facets = `jsonb_build_object(${FACETS[table].map((column) => `'${column}', ${column}`).join(', ')})`;
  const batch = (id: string) => `'${table}_batch', jsonb_build_object('batch_id', ${id})`;
  const byBatch = (sum: string, from: string) =>
    `select ${batch('batch_id')}, ${sum} from ${from} where batch_id is not null group by batch_id`;
  const counts = (event: string, sum: string, from: string) => `
create or replace function count_${table}_${event}() returns trigger language plpgsql as $$
begin
  insert into list_count_delta (kind, facets, count)
  select '${table}', ${facets}, ${sum} from ${from} group by ${list}
  union all ${byBatch(sum, from)};
  return null;
end $$;`;
  // What a row's batch is hardly ever changes: of a change of anything else, no trigger is told.
  return `
create function count_${table}_batch_change() returns trigger language plpgsql as $$
begin
  insert into list_count_delta (kind, facets, count)
  select ${batch('c.id')}, c.sign from (values (old.batch_id, -1), (new.batch_id, 1)) as c (id, sign)
  where c.id is not null;
  return null;
end $$;
create trigger ${table}_count_batch after update of batch_id on ${table} for each row
  when (old.batch_id is distinct from new.batch_id) execute function count_${table}_batch_change();
${counts('insert', 'count(*)', 'added')}
${counts('delete', '-count(*)', 'removed')}
insert into list_count (kind, facets, count) ${byBatch('count(*)', table)};`;
}

/** Statements of this migration, in order. Making a trigger keeps writers out while the rows are counted. */
export const up: readonly string[] = [INDEX, counted('file'), counted('job'), counted('recipe')];
