/** Loads for owners of recipes: whole trees, and the roots that a reconciliation must wake. */
import type { RecipeNodeState, RecipeState, RecipeTree } from '../../domain/recipe/recipe.ts';
import { currentRoot, linkRecipes } from '../../domain/recipe/recipe-tree.ts';
import type { RecipeTypeRevision } from '../../domain/recipe/type-revisions.ts';
import { assert } from '../../lib/assert.ts';
import { workspaceCatalog } from '../catalog/facts.ts';
import type { RevisionCache } from '../catalog/revision-cache.ts';
import { fileInfos } from '../file/facts.ts';
import {
  DUE_MAX,
  fileIdsOf,
  JOB_STATE_COLUMNS,
  type JobStateRow,
  sourceOfRow,
  strayOwners,
  toJobState,
} from '../job/load.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { columnsOf, type Joined, type RowOf } from '../sql/table-rows.ts';
import { RecipeConditionEntity, RecipeEntity, RecipeNodeEntity } from './table.ts';

const RECIPE = columnsOf(RecipeEntity, 'r', [
  ...(['id', 'shard', 'chainId', 'parentId', 'parentNode', 'recipeTypeRevId', 'eventId', 'batchId'] as const),
  ...(['supersededRecipeId', 'configuration', 'input', 'sourceStarted', 'sourceEnded'] as const),
  ...(['sourceSensorClass', 'sourceSensor', 'sourceCollection', 'sourceTask'] as const),
  ...(['isCompleted', 'isSuperseded'] as const),
]);

type RecipeRow = RowOf<typeof RECIPE> & { readonly batchPriority: number | null };

const RECIPES = {
  name: 'tree_recipes',
  isKeyed: true,
  text: /* sql */ `
    select ${RECIPE.sql}, (b.configuration->>'priority')::int as "batchPriority"
    from recipe r left join batch b on b.id = r.batch_id
    where r.chain_id = any($1::bigint[])   -- = recipe_chain_idx
      -- the recipes of a closed purge have no owner any more
      and not exists (
        select from purge_tree m join purge p on p.id = m.purge_id
        where m.chain_id = r.chain_id and p.is_closed)   -- = purge_tree_chain_idx
    order by r.id`,
};

const NODE = columnsOf(RecipeNodeEntity, 'n', [
  ...(['recipeId', 'name', 'isOriginal', 'jobId', 'subRecipeId', 'conditionId'] as const),
]);
const CONDITION = columnsOf(RecipeConditionEntity, 'c', ['isProcessed', 'isAccepted', 'data']);

type NodeRow = RowOf<typeof NODE> & Joined<RowOf<typeof CONDITION>>;

const NODES = {
  name: 'tree_nodes',
  isKeyed: true,
  text: /* sql */ `
    select ${NODE.sql}, ${CONDITION.sql}
    from recipe_node n left join recipe_condition c on c.id = n.condition_id
    where n.recipe_id = any($1::bigint[])   -- = recipe_node_pkey`,
};

const JOBS = {
  name: 'tree_jobs',
  isKeyed: true,
  text: /* sql */ `
    select ${JOB_STATE_COLUMNS} from job where recipe_id = any($1::bigint[])   -- = job_recipe_idx`,
};

/**
 * Trees by the ids of the roots that their chains began with; unknown ones are left out. A constant number of
 * statements, however many. Superseded recipes are included, because reports of their jobs may still be repeated.
 */
export async function loadRecipeTrees(
  sql: Sql,
  revisions: RevisionCache,
  chainIds: readonly number[],
): Promise<ReadonlyMap<number, RecipeTree>> {
  const recipes = await sql.execute<RecipeRow>(RECIPES, [idArray(chainIds)]);
  if (recipes.length === 0) return new Map();
  const ids = [idArray(recipes.map((row) => row.id))];
  const [nodes, jobRows, workspaces, revisionById] = await Promise.all([
    sql.execute<NodeRow>(NODES, ids),
    sql.execute<JobStateRow>(JOBS, ids),
    workspaceCatalog(sql),
    revisions.recipeRevisions(recipes.map((row) => row.recipeTypeRevId)),
  ]);
  const chainOf = new Map(recipes.map((row) => [row.id, row.chainId]));
  const trees = new Map<number, RecipeTree>();
  for (const row of recipes) {
    if (row.id !== row.chainId) continue;
    trees.set(row.id, {
      chainId: row.id,
      rootId: row.id,
      shard: row.shard,
      recipes: new Map(),
      jobs: new Map(),
      revisions: new Map(),
      files: new Map(),
      workspaces,
    });
  }
  const treeOf = (recipeId: number): RecipeTree => {
    const tree = trees.get(chainOf.get(recipeId) ?? 0);
    assert(tree !== undefined, `recipe ${recipeId} has no root`);
    return tree;
  };
  addRecipes(recipes, revisionById, treeOf);
  for (const node of nodes) {
    treeOf(node.recipeId).recipes.get(node.recipeId)?.nodes.set(node.name, toNode(node));
  }
  for (const tree of trees.values()) {
    linkRecipes(tree.recipes);
    tree.rootId = currentRoot(tree.recipes)?.id ?? tree.rootId;
  }
  for (const row of jobRows) treeOf(row.recipeId ?? 0).jobs.set(row.id, toJobState(row));
  await addRevisions(revisions, trees);
  await addFiles(sql, trees);
  return trees;
}

function addRecipes(
  rows: readonly RecipeRow[],
  revisionById: ReadonlyMap<number, RecipeTypeRevision>,
  treeOf: (recipeId: number) => RecipeTree,
): void {
  for (const row of rows) {
    const revision = revisionById.get(row.recipeTypeRevId);
    assert(revision !== undefined, `recipe ${row.id} has no revision`);
    const state: RecipeState = {
      id: row.id,
      parentId: row.parentId,
      parentNode: row.parentNode,
      recipeIds: [row.id],
      revision,
      eventId: row.eventId,
      batchId: row.batchId,
      batchPriority: row.batchPriority,
      supersededId: row.supersededRecipeId,
      configuration: row.configuration,
      nodes: new Map(),
      input: row.input,
      source: row.input === null ? null : sourceOfRow(row),
      isCompleted: row.isCompleted,
      isSuperseded: row.isSuperseded,
    };
    treeOf(row.id).recipes.set(row.id, state);
  }
}

function toNode(row: NodeRow): RecipeNodeState {
  const isOriginal = row.isOriginal;
  if (row.jobId !== null) return { kind: 'job', jobId: row.jobId, isOriginal };
  if (row.subRecipeId !== null) return { kind: 'recipe', recipeId: row.subRecipeId, isOriginal };
  assert(row.conditionId !== null, `node '${row.name}' of recipe ${row.recipeId} is nothing`);
  return {
    kind: 'condition',
    conditionId: row.conditionId,
    isOriginal,
    isProcessed: row.isProcessed === true,
    isAccepted: row.isAccepted === true,
    data: row.data,
  };
}

/** Adds the revisions of jobs that differ from those in their recipe's revision. They are few. */
async function addRevisions(revisions: RevisionCache, trees: ReadonlyMap<number, RecipeTree>): Promise<void> {
  const others = [...trees.values()].flatMap((tree) => {
    const jobs = [...tree.jobs.values()].filter(({ recipeId, recipeNode, jobTypeRevId }) => {
      const revision = tree.recipes.get(recipeId ?? 0)?.revision.jobs.get(recipeNode ?? '');
      return revision !== undefined && revision.jobTypeRevId !== jobTypeRevId;
    });
    return jobs.map(({ jobTypeRevId }) => ({ tree, jobTypeRevId }));
  });
  if (others.length === 0) return;
  const found = await revisions.jobRevisions(others.map((one) => one.jobTypeRevId));
  for (const { tree, jobTypeRevId } of others) {
    const revision = found.get(jobTypeRevId);
    if (revision !== undefined) tree.revisions.set(jobTypeRevId, revision);
  }
}

async function addFiles(sql: Sql, trees: ReadonlyMap<number, RecipeTree>): Promise<void> {
  const idsByTree = [...trees.values()].map((tree) => {
    const documents = [
      ...[...tree.recipes.values()].map((recipe) => recipe.input),
      ...[...tree.jobs.values()].flatMap((job) => [job.input, job.output]),
    ];
    return { tree, ids: fileIdsOf(documents) };
  });
  const files = await fileInfos(
    sql,
    idsByTree.flatMap(({ ids }) => [...ids]),
  );
  for (const { tree, ids } of idsByTree) {
    for (const id of ids) {
      const file = files.get(id);
      if (file !== undefined) tree.files.set(id, file);
    }
  }
}

/** After this time without a change, the message that should have advanced the recipe counts as lost. */
const QUIET_MS = 30_000;
/**
 * The former owner's clock may have been ahead of ours by this much. If its last change is later than that, the
 * database's clock has stepped back since, and it is unknown how long ago the change was.
 */
const CLOCKS_APART_MS = 60_000;

/** Roots without queued, running, failed or canceled jobs that are not completed either. */
const IDLE_ROOTS = {
  name: 'idle_roots',
  text: /* sql */ `
    select chain_id as id from recipe
    where shard = any($1::smallint[]) and parent_id is null and not is_completed and not is_superseded
      and jobs_queued = 0 and jobs_running = 0 and jobs_failed = 0 and jobs_blocked = 0 and jobs_canceled = 0
      and (last_modified < to_timestamp($2 / 1000.0)   -- = recipe_idle_idx
        or last_modified >= to_timestamp($3 / 1000.0))
    limit ${DUE_MAX}`,
};

/**
 * Roots with a condition whose parents are all complete, but that is not evaluated. A definition may have a thousand
 * conditions and more than a megabyte: it is read once a revision, not once a condition.
 */
const READY_CONDITIONS = {
  name: 'ripe_conditions',
  text: /* sql */ `
    with unprocessed as materialized (
      select recipe_id, node_name from recipe_condition where not is_processed),   -- = recipe_condition_open_idx
    open as materialized (
      select r.id as recipe_id, r.recipe_type_rev_id as rev_id, c.node_name, root.chain_id
      from unprocessed c
      join recipe r on r.id = c.recipe_id
      join recipe root on root.chain_id = r.chain_id and root.parent_id is null   -- = recipe_chain_idx
      where not r.is_superseded and root.shard = any($1::smallint[]) and not root.is_completed
        and not root.is_superseded
        and (root.last_modified < to_timestamp($2 / 1000.0) or root.last_modified >= to_timestamp($3 / 1000.0))),
    node as materialized (
      select rev.id as rev_id, n.key as name, n.value -> 'dependencies' as parents
      from recipe_type_rev rev, jsonb_each(rev.definition -> 'nodes') n
      where rev.id in (select rev_id from open))
    select distinct c.chain_id as id
    from open c
    left join node on node.rev_id = c.rev_id and node.name = c.node_name
    where not exists (
        select from jsonb_array_elements(node.parents) as parent
        -- as a value, so that each parent is looked up by its key, and not all nodes of the recipe are read
        where not coalesce((
          select j.status = 'COMPLETED' or s.is_completed
            or (k.is_processed and k.is_accepted = coalesce((parent ->> 'acceptance')::boolean, true))
          from recipe_node n   -- = recipe_node_pkey
          left join job j on j.id = n.job_id
          left join recipe s on s.id = n.sub_recipe_id
          left join recipe_condition k on k.id = n.condition_id
          where n.recipe_id = c.recipe_id and n.name = parent ->> 'name'), false))
    limit ${DUE_MAX}`,
};

/**
 * Roots for which a message may have been lost. `isTakenOver`: the shards were just taken over, and no owner is at
 * work.
 */
export async function dueRecipes(
  sql: Sql,
  shards: readonly number[],
  nowMs: number,
  isTakenOver = false,
): Promise<readonly number[]> {
  const aheadMs = nowMs + CLOCKS_APART_MS;
  const params = [idArray(shards), isTakenOver ? aheadMs : nowMs - QUIET_MS, aheadMs];
  const [idle, ready, stray] = await Promise.all([
    sql.execute<{ id: number }>(IDLE_ROOTS, params),
    sql.execute<{ id: number }>(READY_CONDITIONS, params),
    strayOwners(sql, 'recipe', shards),
  ]);
  return [...new Set([...idle.map((row) => row.id), ...ready.map((row) => row.id), ...stray])].slice(
    0,
    DUE_MAX,
  );
}
