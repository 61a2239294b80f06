/** Recipes of a group: new ones, their inputs and ends, and the counters of those that contain them. */
import type { Group } from '../../../src/store/group.ts';
import type { JobDrafts } from '../../../src/store/job-drafts.ts';
import type { Counter, RecipeRow, Tables } from './tables.ts';
import { violated } from './violated.ts';

/** New recipes, and what the group's jobs and recipes add to counters. */
export function createRecipes(tables: Tables, group: Group, jobs: JobDrafts): void {
  const created = group.items('createRecipes', (change) => change.recipes);
  for (const recipe of created) {
    const { ingestId, parentId } = recipe;
    const isTaken =
      ingestId !== null &&
      parentId === null &&
      tables.recipes.where((one) => one.ingestId === ingestId && one.parentId === null).length > 0;
    if (isTaken) violated('recipe_ingest_key');
    const isBelow = parentId === null || created.some((one) => one.id === parentId);
    if (!isBelow && tables.recipes.get(parentId) === undefined) violated('recipe_parent_id_fkey');
    const row: RecipeRow = {
      ...recipe,
      counts: {},
      isCompleted: false,
      isSuperseded: false,
      lastModifiedMs: recipe.atMs,
    };
    if (!tables.recipes.insert(row)) violated('recipe_pkey');
  }
  for (const { ancestorIds, atMs } of created) {
    for (const id of ancestorIds) count(tables, id, { subTotal: 1 }, atMs);
  }
  for (const job of jobs.changed) {
    if (job.before === job.status) continue;
    const left: Partial<Record<Counter, number>> = job.before === null ? { total: 1 } : { [job.before]: -1 };
    for (const id of job.recipeIds) count(tables, id, { ...left, [job.status]: 1 }, job.atMs);
  }
}

function count(
  tables: Tables,
  id: number,
  add: Readonly<Partial<Record<Counter, number>>>,
  atMs: number,
): void {
  const row = tables.recipes.get(id);
  if (row === undefined) return;
  const counts = { ...row.counts };
  for (const name of Object.keys(add) as Counter[]) counts[name] = (counts[name] ?? 0) + (add[name] ?? 0);
  tables.recipes.put({ ...row, counts, lastModifiedMs: Math.max(row.lastModifiedMs, atMs) });
}

/** Inputs and ends, hard. */
export function updateRecipes(tables: Tables, group: Group): void {
  for (const { change, turn } of group.of('setRecipeInputs')) {
    for (const { recipeId, atMs, ...input } of change.inputs) {
      const row = tables.recipes.get(recipeId);
      if (row === undefined || row.input !== null) group.refuse(turn, `recipe ${recipeId} has its input`);
      else tables.recipes.put({ ...row, input, lastModifiedMs: Math.max(row.lastModifiedMs, atMs) });
    }
  }
  for (const { change, turn } of group.of('completeRecipes')) {
    for (const { recipeId, ancestorIds, atMs } of change.recipes) {
      const row = tables.recipes.get(recipeId);
      if (row === undefined || row.isCompleted) group.refuse(turn, `recipe ${recipeId} is completed`);
      else {
        const lastModifiedMs = Math.max(row.lastModifiedMs, atMs);
        tables.recipes.put({ ...row, isCompleted: true, lastModifiedMs });
      }
      for (const id of ancestorIds) count(tables, id, { subCompleted: 1 }, atMs);
    }
  }
  group.throwIfRefused();
}

/** Conditions, their outcomes, and what the nodes of recipes are. */
export function writeRecipeNodes(tables: Tables, group: Group): void {
  for (const { id, recipeId, nodeName } of group.items('createConditions', (change) => change.conditions)) {
    const row = { id, recipeId, nodeName, isProcessed: false, isAccepted: false, data: null };
    if (!tables.conditions.insert(row)) violated('recipe_condition_pkey');
  }
  for (const node of group.items('createRecipeNodes', (change) => change.nodes)) {
    if (!tables.recipeNodes.insert({ ...node, id: `${node.recipeId}/${node.name}` }))
      violated('recipe_node_pkey');
  }
  for (const { change, turn } of group.of('processConditions')) {
    for (const { conditionId, isAccepted, data } of change.outcomes) {
      const row = tables.conditions.get(conditionId);
      if (row === undefined || row.isProcessed) group.refuse(turn, `condition ${conditionId} is processed`);
      else tables.conditions.put({ ...row, isProcessed: true, isAccepted, data });
    }
  }
  group.throwIfRefused();
}
