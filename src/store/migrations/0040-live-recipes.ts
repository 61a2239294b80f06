// Which recipe a job lives on in that a later recipe has carried over, and that recipe's batch. Null: it is in the recipe that
// it was made for. Not breaking: a coordinator of the version before counts carried jobs right, but does not note where they
// live on; they are found under their original recipe until they are carried over again.

export const name = '0040-live-recipes';

export const isBreaking = false;

const COLUMNS = /* sql */ `
alter table job add column live_recipe_id bigint, add column live_batch_id bigint;
create index job_live_recipe_idx on job (live_recipe_id) where live_recipe_id is not null;
create index job_live_batch_idx on job (live_batch_id, last_modified, id) where live_batch_id is not null;
`;

/** Lists by batch have these jobs as well (0023): each is counted once under either batch. */
const COUNTS = /* sql */ `
create function count_job_live_batch_change() returns trigger language plpgsql as $$
begin
  insert into list_count_delta (kind, facets, count)
  select 'job_batch', jsonb_build_object('batch_id', c.id), c.sign
  from (values (old.live_batch_id, -1), (new.live_batch_id, 1)) as c (id, sign)
  where c.id is not null and c.id is distinct from new.batch_id;
  return null;
end $$;
create trigger job_count_live_batch after update of live_batch_id on job for each row
  when (old.live_batch_id is distinct from new.live_batch_id) execute function count_job_live_batch_change();
create or replace function count_job_delete() returns trigger language plpgsql as $$
begin
  insert into list_count_delta (kind, facets, count)
  select 'job', jsonb_build_object('status', status, 'job_type_id', job_type_id, 'error_id', error_id,
    'is_superseded', is_superseded), -count(*)
  from removed group by status, job_type_id, error_id, is_superseded
  union all
  select 'job_batch', jsonb_build_object('batch_id', batch_id), -count(*)
  from removed where batch_id is not null group by batch_id
  union all
  select 'job_batch', jsonb_build_object('batch_id', live_batch_id), -count(*)
  from removed where live_batch_id is not null and live_batch_id is distinct from batch_id group by live_batch_id;
  return null;
end $$;
`;

/** Jobs of a chain's superseded roots that the current root, or a recipe below it, holds. */
const CARRIED = /* sql */ `
update job j set live_recipe_id = holder.id, live_batch_id = root.batch_id
from recipe root
join recipe holder on holder.chain_id = root.chain_id and not holder.is_superseded
join recipe_node n on n.recipe_id = holder.id
where root.parent_id is null and not root.is_superseded and root.superseded_recipe_id is not null
  and j.id = n.job_id and exists (select from recipe own where own.id = j.recipe_id and own.root_id <> root.id);
`;

/** Statements of this migration, in order. */
export const up: readonly string[] = [COLUMNS, COUNTS, CARRIED];
