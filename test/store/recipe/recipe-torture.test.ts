/**
 * The rows in memory that recipe tests run on are held to the real ones: what a random recipe committed there is
 * committed here, and must load as the same tree, with counters that a recount confirms.
 */
import t from 'tap';
import type { RecipeTypeRevision } from '../../../src/domain/recipe/type-revisions.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { RevisionCache } from '../../../src/store/catalog/revision-cache.ts';
import { loadRecipeTrees } from '../../../src/store/recipe/load.ts';
import { ROOT, SOURCES, TortureStory } from '../../actors/recipe/torture/story.ts';
import { makeEvent, makeSource } from '../make.ts';
import { NOW, type StoreWorld, storeWorld } from '../store-world.ts';

const SEEDS = 4;

/** The types of a revision and of those below it, as rows. */
async function saveRevision(world: StoreWorld, revision: RecipeTypeRevision): Promise<void> {
  for (const job of revision.jobs.values()) {
    await world.rows(
      `insert into job_type (id, name, version, title, container_image, max_tries, configuration, created,
         last_modified)
       values ($1, $2, $3, 'T', $4, $5, $6, now(), now())`,
      [
        job.jobTypeId,
        job.jobTypeName,
        job.jobTypeVersion,
        job.containerImage,
        job.maxTries,
        job.configuration,
      ],
    );
    await world.rows(
      `insert into job_type_rev (id, job_type_id, revision_num, container_image, manifest, created)
       values ($1, $2, 1, $3, $4, now())`,
      [job.jobTypeRevId, job.jobTypeId, job.containerImage, job.manifest],
    );
  }
  for (const sub of revision.subRecipes.values()) await saveRevision(world, sub);
  await world.rows(
    `insert into recipe_type (id, name, title, definition, created, last_modified)
     values ($1, $2, 'T', $3, now(), now())`,
    [revision.recipeTypeId, revision.recipeTypeName, revision.definition],
  );
  await world.rows(
    `insert into recipe_type_rev (id, recipe_type_id, revision_num, definition, created)
     values ($1, $2, 1, $3, now())`,
    [revision.recipeTypeRevId, revision.recipeTypeId, revision.definition],
  );
}

async function replay(world: StoreWorld, story: TortureStory): Promise<void> {
  await ensureBuiltins(world.db.sql, NOW);
  await saveRevision(world, story.revision);
  await world.apply({ type: 'createEvents', events: [makeEvent(5)] });
  for (const { id, fileName } of SOURCES) {
    const source = await makeSource(world, { id, fileName, size: 1_048_577, workspaceId: world.ids.in });
    await world.apply({ type: 'createSourceFiles', files: [source] });
  }
  for (const group of story.groups) await world.apply(...group);
}

/** A tree as far as decisions read it. */
function seen(
  tree: Awaited<ReturnType<typeof loadRecipeTrees>> extends ReadonlyMap<number, infer T> ? T : never,
) {
  const recipes = [...tree.recipes.values()].map((recipe) => ({
    ...{ id: recipe.id, parentId: recipe.parentId, parentNode: recipe.parentNode, input: recipe.input },
    ...{ recipeIds: recipe.recipeIds, isCompleted: recipe.isCompleted, rev: recipe.revision.recipeTypeRevId },
    nodes: [...recipe.nodes].map(([name, node]) => [name, nodeSeen(node)]).sort(byName),
  }));
  const jobs = [...tree.jobs.values()].map((job) => ({
    ...{ id: job.id, status: job.status, exeNum: job.exeNum, maxTries: job.maxTries, input: job.input },
    ...{ output: job.output, recipeIds: job.recipeIds, node: job.recipeNode, source: job.source },
  }));
  return { recipes: recipes.sort((a, b) => a.id - b.id), jobs: jobs.sort((a, b) => a.id - b.id) };
}

const byName = ([a]: readonly unknown[], [b]: readonly unknown[]) => (String(a) < String(b) ? -1 : 1);

function nodeSeen(node: object): object {
  const { reason: _, ...rest } = node as { reason?: unknown };
  return rest;
}

const COUNTERS = /* sql */ `
  select r.id, r.jobs_total, r.jobs_pending, r.jobs_blocked, r.jobs_queued, r.jobs_running, r.jobs_failed,
    r.jobs_completed, r.jobs_canceled, r.sub_recipes_total, r.sub_recipes_completed
  from recipe r order by r.id`;
const RECOUNT = /* sql */ `
  with recursive below as (
    select id as top, id, is_completed from recipe
    union all select b.top, r.id, r.is_completed from below b join recipe r on r.parent_id = b.id)
  select r.id, count(j.id) as jobs_total, ${[
    'pending',
    'blocked',
    'queued',
    'running',
    'failed',
    'completed',
    'canceled',
  ]
    .map((status) => `count(*) filter (where j.status = upper('${status}')) as jobs_${status}`)
    .join(', ')},
    (select count(*) from below where top = r.id and id <> r.id) as sub_recipes_total,
    (select count(*) from below where top = r.id and id <> r.id and is_completed) as sub_recipes_completed
  from recipe r left join job j on j.recipe_id in (select id from below where top = r.id)
  group by r.id order by r.id`;

t.test('recipe torture: the real store holds the same rows as the one in memory', async (t) => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const story = new TortureStory(seed * 31);
    await story.start();
    await story.play(30);
    if (seed % 2 === 0) await story.finish();
    await story.world.system.stop();
    const world = await storeWorld(t);
    await replay(world, story);

    const trees = await loadRecipeTrees(world.db.sql, new RevisionCache(world.db.sql), [ROOT]);
    const [found, wanted] = [trees.get(ROOT), story.world.rows.loadTree(ROOT)];
    if (found === undefined || wanted === undefined) throw new Error('no tree');
    t.strictSame(seen(found), seen(wanted), `seed ${story.seed}: ${story.groups.length} groups`);
    t.strictSame(await world.rows(COUNTERS), await world.rows(RECOUNT), `seed ${story.seed}: counters`);
    const products = await world.rows(
      `select p.id, array(select a.ancestor_id from file_ancestry a where a.descendant_id = p.id and a.is_direct
         order by 1) as parents from file p where p.file_type = 'PRODUCT' order by p.id`,
    );
    const direct = story.world.rows.tables.products
      .map(({ id, jobId }) => {
        const files = Object.values(story.world.rows.tables.jobs.get(jobId)?.input?.input.files ?? {}).flat();
        return { id, parents: [...new Set(files)].sort((a, b) => a - b) };
      })
      .sort((a, b) => a.id - b.id);
    t.strictSame(products, direct, `seed ${story.seed}: products`);
  }
});
