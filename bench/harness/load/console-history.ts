/** Bulk data for the pages of the console: many types, two large batches, a type of many nodes with much history. */
import type { StoreWorld } from '../../../test/store/store-world.ts';
import { withClient } from '../durability.ts';
import { fillHistory, JOBS_PER_RECIPE } from './list-history.ts';

/** The last recipes of the type that all recipes are of have so many nodes; a page shows as many recipes. */
export const WIDE_RECIPES = 25;
/** Nodes of a layer; each depends on one of the layer before it. */
const LAYER = 30;
/** The batches that the rows of histories name. */
const BATCHES = [42, 43];

export interface ConsoleSizes {
  readonly jobs: number;
  /** Job types, and as many recipe types. */
  readonly types: number;
  /** How many nodes the type's newest revision has. */
  readonly nodes: number;
}

function definitionOf(nodes: number, nameOf: (index: number) => string): string {
  const type = { job_type_name: 'type-a', job_type_version: '1.0.0', job_type_revision: 1 };
  const names = Array.from({ length: nodes }, (_, index) => nameOf(index));
  const entries = names.map((name, index) => [
    name,
    {
      dependencies: index < LAYER ? [] : [{ name: names[index - LAYER] }],
      ...{ input: {}, node_type: { node_type: 'job', ...type } },
    },
  ]);
  const files = [{ name: 'FILE', required: true, multiple: false, media_types: [] }];
  return JSON.stringify({ input: { files, json: [] }, nodes: Object.fromEntries(entries) });
}

const stepName = (index: number): string => `step ${String(index + 1).padStart(3, '0')}`;

/** `jobs` jobs in a tenth as many recipes and files, and the rest. */
export async function fillConsole(world: StoreWorld, { jobs, types, nodes }: ConsoleSizes): Promise<void> {
  await fillHistory(world, 'console', { finished: jobs, live: 0 });
  await world.rows(`select setval(pg_get_serial_sequence('event', 'id'), max(id)) from event`);
  const { ids } = world;
  const short = definitionOf(JOBS_PER_RECIPE, (index) => (index === 0 ? 'node' : `node ${index}`));
  const wide = definitionOf(nodes, stepName);
  await withClient(world.url, async (client) => {
    const run = (text: string, values: readonly unknown[] = []) => client.query(text, [...values]);
    await run(
      `with added as (
         insert into job_type (name, version, title, container_image, is_published, created, last_modified)
         select 'many-' || i, '1.0.0', 'Many ' || i, 'image:a', true, now(), now() from generate_series(1, $1::int) i
         returning id)
       insert into job_type_rev (job_type_id, revision_num, container_image, manifest, created)
       select added.id, 1, r.container_image, r.manifest, now() from added join job_type_rev r on r.id = $2`,
      [types, ids.rev],
    );
    await run(
      `with added as (
         insert into recipe_type (name, title, definition, created, last_modified)
         select 'many-' || i, 'Many ' || i, $2, now(), now() from generate_series(1, $1::int) i returning id),
       revised as (
         insert into recipe_type_rev (recipe_type_id, revision_num, definition, created)
         select id, 1, $2, now() from added)
       insert into recipe_type_job_type (recipe_type_id, job_type_id) select id, $3 from added`,
      [types, short, ids.type],
    );
    await run('update recipe_type_rev set definition = $2 where id = $1', [ids.recipeRev, short]);
    await run(
      `update recipe_type set definition = $2, revision_num = 2, last_modified = now() where id = $1`,
      [ids.recipeType, wide],
    );
    await run(
      `insert into recipe_type_rev (recipe_type_id, revision_num, definition, created) values ($1, 2, $2, now())`,
      [ids.recipeType, wide],
    );
    await run(
      `insert into batch (id, shard, title, recipe_type_id, recipe_type_rev_id, event_id, definition, root_batch_id,
         is_creation_done, recipes_estimated, created, last_modified)
       select id, 1, 'Batch ' || id, $2, $3, 1, '{}', id, true, 1, now(), now() from unnest($1::bigint[]) id`,
      [BATCHES, ids.recipeType, ids.recipeRev],
    );
    await addWideRecipes(run, ids, nodes);
    await run(
      'analyze job_type, job_type_rev, recipe_type, recipe_type_rev, recipe_type_job_type, recipe, job, recipe_node',
    );
  });
}

/** One job in a hundred has failed. */
async function addWideRecipes(
  run: (text: string, values: readonly unknown[]) => Promise<unknown>,
  ids: StoreWorld['ids'],
  nodes: number,
): Promise<void> {
  await run(
    `insert into recipe (id, shard, root_id, chain_id, recipe_type_id, recipe_type_rev_id, event_id, is_completed,
       jobs_total, jobs_completed, jobs_failed, created, completed, last_modified)
     select next.id, 1, next.id, next.id, $1, rev.id, 1, true, $2, $2 - $2 / 100, $2 / 100, now(), now(), now()
     from generate_series(1, ${WIDE_RECIPES}) i, recipe_type_rev rev,
       lateral (select nextval('recipe_id_seq') + i - i as id) next
     where rev.recipe_type_id = $1 and rev.revision_num = 2`,
    [ids.recipeType, nodes],
  );
  await run(
    `with added as (
       insert into job (shard, owner_kind, owner_key, job_type_id, job_type_rev_id, event_id, recipe_id, recipe_node,
         recipe_ids, status, max_tries, priority, num_exes, created, queued, started, ended, last_status_change,
         last_modified)
       select 1, 'recipe', r.id, $2, $3, 1, r.id, 'step ' || lpad(i::text, 3, '0'), array[r.id],
         case when i % 100 = 0 then 'FAILED' else 'COMPLETED' end, 3, 1, 1,
         now(), now(), now(), now() + i * interval '1 second', now(), now()
       from recipe r join recipe_type_rev rev on rev.id = r.recipe_type_rev_id, generate_series(1, $4::int) i
       where r.recipe_type_id = $1 and rev.revision_num = 2
       returning id, recipe_id, recipe_node)
     insert into recipe_node (recipe_id, name, job_id) select recipe_id, recipe_node, id from added`,
    [ids.recipeType, ids.type, ids.rev, nodes],
  );
}
