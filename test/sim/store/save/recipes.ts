/** Recipes of a group. What it adds to counters, inputs and ends is worked out by the real store's pending rows. */
import type { JobStatus } from '../../../../src/domain/job/job.ts';
import type { NewRecipe, NewRecipeNode } from '../../../../src/domain/recipe/recipe.ts';
import type { BatchCounts } from '../../../../src/store/batch/counts.ts';
import type { PendingJobs } from '../../../../src/store/job/pending-rows.ts';
import {
  type Counter as Column,
  type PendingRecipe,
  pendingRecipes,
} from '../../../../src/store/recipe/pending-rows.ts';
import type { Group } from '../../../../src/store/sql/group.ts';
import type { Counter, RecipeRow, Tables } from '../tables.ts';
import { violated } from '../violated.ts';
import { checkFiles } from './jobs.ts';

/** New recipes with what the group adds to them. Answers the pending rows of those that were there before. */
export function createRecipes(
  tables: Tables,
  group: Group,
  jobs: PendingJobs,
  batches: BatchCounts,
): readonly PendingRecipe[] {
  const pendingRows = pendingRecipes(group, jobs);
  const created = group.items('createRecipes', (change) => change.recipes);
  for (const recipe of created) {
    const { id, parentId, batchId } = recipe;
    checkKeys(tables, recipe, created);
    const pending = pendingRows.take(id);
    const { counts, completedMs, supersededMs, input, atMs } = pending;
    const row: RecipeRow = {
      ...recipe,
      input: input ?? recipe.input,
      counts: added({}, counts),
      isCompleted: completedMs !== null,
      isSuperseded: supersededMs !== null,
      lastModifiedMs: Math.max(recipe.atMs, atMs),
    };
    if (!tables.recipes.insert(row)) violated('recipe_pkey');
    if (batchId === null || parentId !== null) continue;
    batches.addRecipe(batchId, row.lastModifiedMs, counts, { isNew: true, isCompleted: row.isCompleted });
  }
  return pendingRows.rest;
}

function checkKeys(tables: Tables, recipe: NewRecipe, created: readonly NewRecipe[]): void {
  const { ingestId, parentId, batchId, batchMemberId = null } = recipe;
  const isTop = (one: RecipeRow) => one.parentId === null;
  const isOfIngest = (one: RecipeRow) => one.ingestId === ingestId && isTop(one);
  if (ingestId !== null && parentId === null && tables.recipes.where(isOfIngest).length > 0)
    violated('recipe_ingest_key');
  const isOfMember = (one: RecipeRow) => one.batchId === batchId && one.batchMemberId === batchMemberId;
  if (batchId !== null && batchMemberId !== null && tables.recipes.where(isOfMember).length > 0)
    violated('recipe_batch_member_key');
  const isBelow = parentId === null || created.some((one) => one.id === parentId);
  if (!isBelow && tables.recipes.get(parentId) === undefined) violated('recipe_parent_id_fkey');
}

/** The columns of counters, as laws and loads here know them. */
function counterOf(column: Column): Counter {
  if (column === 'sub_recipes_total') return 'subTotal';
  if (column === 'sub_recipes_completed') return 'subCompleted';
  const status = column.slice('jobs_'.length);
  return status === 'total' ? 'total' : (status.toUpperCase() as JobStatus);
}

function added(before: RecipeRow['counts'], add: ReadonlyMap<Column, number>): RecipeRow['counts'] {
  const counts = { ...before };
  for (const [column, by] of add) {
    const name = counterOf(column);
    counts[name] = (counts[name] ?? 0) + by;
  }
  return counts;
}

/** Counters, inputs, ends and supersedes, hard. */
export function updateRecipes(
  tables: Tables,
  group: Group,
  updates: readonly PendingRecipe[],
  batches: BatchCounts,
): void {
  for (const { id, atMs, counts, completedMs, supersededMs, input, guarded } of updates) {
    const row = tables.recipes.get(id);
    const isOpen =
      row !== undefined &&
      (completedMs === null || !row.isCompleted) &&
      (input === null || row.input === null) &&
      (supersededMs === null || !row.isSuperseded);
    if (!isOpen) {
      for (const turn of guarded) group.refuse(turn, `recipe ${id} is not open`);
      continue;
    }
    tables.recipes.put({
      ...row,
      input: input ?? row.input,
      counts: added(row.counts, counts),
      isCompleted: row.isCompleted || completedMs !== null,
      isSuperseded: row.isSuperseded || supersededMs !== null,
      lastModifiedMs: Math.max(row.lastModifiedMs, atMs),
    });
    if (row.parentId === null && row.batchId !== null)
      batches.addRecipe(row.batchId, atMs, counts, { isNew: false, isCompleted: completedMs !== null });
  }
  group.throwIfRefused();
}

/** Conditions, their outcomes, and what the nodes of recipes are. */
export function writeRecipeNodes(tables: Tables, group: Group): void {
  for (const { id, recipeId, nodeName } of group.items('createConditions', (change) => change.conditions)) {
    if (tables.recipes.get(recipeId) === undefined) violated('recipe_condition_recipe_id_fkey');
    const row = { id, recipeId, nodeName, isProcessed: false, isAccepted: false, data: null };
    if (!tables.conditions.insert(row)) violated('recipe_condition_pkey');
  }
  for (const node of group.items('createRecipeNodes', (change) => change.nodes)) {
    checkNode(tables, node);
    if (!tables.recipeNodes.insert({ ...node, id: `${node.recipeId}/${node.name}` }))
      violated('recipe_node_pkey');
  }
  for (const { change, turn } of group.placed('processConditions')) {
    for (const { conditionId, isAccepted, data } of change.outcomes) {
      const row = tables.conditions.get(conditionId);
      if (row === undefined || row.isProcessed) group.refuse(turn, `condition ${conditionId} is processed`);
      else tables.conditions.put({ ...row, isProcessed: true, isAccepted, data });
    }
  }
  group.throwIfRefused();
}

function checkNode(tables: Tables, { recipeId, jobId, subRecipeId, conditionId }: NewRecipeNode): void {
  const { recipes, jobs, conditions } = tables;
  if (recipes.get(recipeId) === undefined) violated('recipe_node_recipe_id_fkey');
  if (jobId !== null && jobs.get(jobId) === undefined) violated('recipe_node_job_id_fkey');
  if (subRecipeId !== null && recipes.get(subRecipeId) === undefined)
    violated('recipe_node_sub_recipe_id_fkey');
  if (conditionId !== null && conditions.get(conditionId) === undefined)
    violated('recipe_node_condition_id_fkey');
}

/** Inputs of recipes, once the sources of the same group are in. */
export function checkInputs(tables: Tables, group: Group): void {
  const inputs = [
    ...group.items('createRecipes', (change) => change.recipes).map(({ input }) => input),
    ...group.items('setRecipeInputs', (change) => change.inputs),
  ];
  for (const input of inputs) checkFiles(tables, input?.input.files ?? {}, 'recipe_input_file_file_id_fkey');
}
