/** Rows for lists whose values differ in every column that lists show, nulls among them. */
import { type StoreWorld, storeWorld } from '../../../store/store-world.ts';
import { fillLists } from './list-rows.ts';

/** Rows in each of the lists that grow. */
export const ROWS = 24;

/** Values that differ, and nulls, in all columns that lists show. */
const VARY = /* sql */ `
  insert into job_type_rev (job_type_id, revision_num, container_image, manifest, created)
    select id, 2, 'x', '{}', now() from job_type where name = 'type-a';
  insert into recipe_type (name, title, description, definition, revision_num, created, last_modified)
    values ('recipe-b', 'rB', 'B', '{}', 2, now(), now());
  insert into recipe_type_rev (recipe_type_id, revision_num, definition, created)
    select id, 2, '{}', now() from recipe_type where name = 'recipe-b';
  update workspace set base_url = 'https://files.example/' || name || '/' where name = 'out';
  update job_type set is_active = name = 'type-a', is_paused = name = 'type-b', is_published = name = 'type-a',
    description = upper(name), icon_code = 'f' || id, unmet_resources = 'gpus ' || id where not is_system;
  update event set type = case when id % 2 = 0 then 'USER' else 'BATCH' end, occurred = now() - id * interval '1 s';
  insert into batch (id, shard, title, description, recipe_type_id, recipe_type_rev_id, event_id, definition,
      root_batch_id, superseded_batch_id, is_superseded, is_creation_done, recipes_estimated, created, superseded,
      last_modified)
    select i, 1, case when i % 5 > 0 then 'Title ' || i % 3 end, 'about ' || i, rev.recipe_type_id, rev.id, i, '{}',
      greatest(i - i % 2, 1), nullif(i % 4, 0), i % 2 = 0, i % 3 = 0, i % 6, now() - i * interval '1 s', now(), now()
    from generate_series(1, ${ROWS}) i
    join recipe_type rt on rt.name = case when i % 2 = 0 then 'recipe-a' else 'recipe-b' end
    join recipe_type_rev rev on rev.recipe_type_id = rt.id;
  insert into batch_count_delta (batch_id, at, node, jobs_total, jobs_failed, recipes_total)
    select i, now(), '', i % 5, i % 3, i % 4 from generate_series(1, ${ROWS}) i;
  update job set batch_id = nullif(job.id % 7, 0), status = case when job.id % 3 = 0 then 'FAILED' else 'COMPLETED' end,
    node_id = (select min(id) + job.id % 2 from node where job.id % 3 > 0),
    error_id = (select id from error where name = case job.id % 3 when 0 then 'bad-data' when 1 then 'unknown' end),
    job_type_id = rev.job_type_id, job_type_rev_id = rev.id, input_file_size = job.id % 4,
    superseded_job_id = nullif(job.id % 5, 0), queued = job.created,
    started = case when job.id % 2 = 0 then job.created end
    from job_type_rev rev where rev.id = (select max(id) - job.id % 3 from job_type_rev);
  update recipe set batch_id = nullif(id % 7, 0), parent_id = case when id % 3 = 0 then id - 1 end,
    superseded_recipe_id = case when id % 4 = 0 then id - 1 end, jobs_total = id % 5, completed = created,
    recipe_type_id = (select recipe_type_id from recipe_type_rev where revision_num = 1 + recipe.id % 2
      and recipe_type_id in (select id from recipe_type where name like 'recipe-%')),
    recipe_type_rev_id = (select id from recipe_type_rev where revision_num = 1 + recipe.id % 2
      and recipe_type_id in (select id from recipe_type where name like 'recipe-%'));
  update file set batch_id = nullif(id % 7, 0), job_id = nullif(id % 3, 0), job_exe_id = nullif(id % 3, 0),
    workspace_id = (select min(id) + file.id % 2 from workspace), geometry = 'POINT (' || id % 4 || ' 1)',
    center_point = 'POINT (' || id % 3 || ' 1)', is_deleted = id % 2 = 0, deleted = created,
    is_parsed = id % 2 = 0, parsed = case when id % 2 = 0 then created end,
    recipe_type_id = (select max(id) - file.id % 2 from recipe_type);
  insert into strike (id, shard, name, title, description, configuration, workspace_id, job_id, created, last_modified)
    select i, 1, 'strike-' || i, 'S' || -i, 'd' || i, '{}', w.id, 4 - i, now(), now()
    from generate_series(1, 3) i, workspace w where w.name = 'in';
  insert into scan (id, shard, name, title, description, configuration, workspace_id, job_id, dry_run_job_id, created,
      last_modified)
    select i, 1, 'scan-' || i, 'C' || -i, 'd' || i, '{}', w.id, 8 - i, 12 - i, now(), now()
    from generate_series(1, 3) i, workspace w where w.name = 'in';
  update ingest set strike_id = case when id % 2 = 0 then id % 3 + 1 end,
    scan_id = case when id % 2 = 1 then id % 3 + 1 end, job_id = nullif(id % 4, 0), reason = 'r' || id % 3,
    new_workspace_id = (select max(id) from workspace where ingest.id % 3 = 0), bytes_transferred = id % 5,
    source_file_id = case when id % 4 > 0 then ${ROWS} + 1 - id end, new_file_path = 'n/' || id % 4`;

/** A store with these rows. */
export async function variedLists(t: { teardown(handler: () => Promise<void>): void }): Promise<StoreWorld> {
  const world = await storeWorld(t);
  await fillLists(world, ROWS);
  for (const statement of VARY.split(/;\s*\n/)) await world.rows(statement);
  return world;
}
