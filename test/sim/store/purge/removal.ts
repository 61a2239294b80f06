/** The rows of a purge in the simulated database, removed kind by kind; keys refuse what somebody still names. */

import { addRemoved, type Removed } from '../../../../src/store/retention/row-removal.ts';
import type { Table } from '../table.ts';
import type { PurgeDbRow, PurgeMemberRow, RecipeRow, Tables } from '../tables.ts';
import { bury } from '../tombstones.ts';
import { filesOf, findStrays, takeMembers } from './finds.ts';

/** Somebody names what was to go. */
export class KeyViolated extends Error {
  override readonly name = 'KeyViolated';
}

interface Step {
  readonly members: (tables: Tables) => Table<PurgeMemberRow>;
  readonly remove: (tables: Tables, key: number, sourceId: number) => Removed;
}

const STEPS: readonly Step[] = [
  { members: (tables) => tables.purgeTrees, remove: removeTreeParts },
  { members: (tables) => tables.purgeTrees, remove: removeTreeRecipes },
  { members: (tables) => tables.purgeJobs, remove: removeJobParts },
  { members: (tables) => tables.purgeFiles, remove: removeFileParts },
  { members: (tables) => tables.purgeFiles, remove: removeProduct },
  { members: (tables) => tables.purgeJobs, remove: removeJob },
];

export function removeMore(tables: Tables, row: PurgeDbRow): void {
  const step = STEPS[row.step];
  if (step === undefined) {
    removeSource(tables, row);
    return;
  }
  const keys = takeMembers(step.members(tables), row.id, row.round);
  if (keys.length === 0) {
    tables.purges.patch(row.id, { step: row.step + 1, round: row.round + 1 });
    return;
  }
  let { removed } = row;
  for (const key of keys) removed = addRemoved(removed, step.remove(tables, key, row.fileId));
  tables.purges.patch(row.id, { removed });
}

function removeAll<R extends { readonly id: number | string }>(table: Table<R>, rows: readonly R[]): number {
  for (const { id } of rows) table.delete(id);
  return rows.length;
}

function removeTreeParts(tables: Tables, chain: number): Removed {
  let [nodes, conditions] = [0, 0];
  for (const { id } of tables.recipes.withKey(chain)) {
    nodes += removeAll(tables.recipeNodes, tables.recipeNodes.withKey(id));
    conditions += removeAll(
      tables.conditions,
      tables.conditions.where((one) => one.recipeId === id),
    );
  }
  return { recipe_nodes: nodes, conditions };
}

function removeTreeRecipes(tables: Tables, chain: number): Removed {
  const rows = tables.recipes.withKey(chain);
  if (rows.some(({ id }) => tables.recipeNodes.withKey(id).length > 0)) throw new KeyViolated('recipe_node');
  for (const row of rows) {
    if (row.batchId !== null && row.parentId === null) uncount(tables, row.batchId, row);
  }
  return { recipes: removeAll(tables.recipes, rows) };
}

/** The batch counts the recipe no more, nor what is in it. */
function uncount(tables: Tables, batchId: number, { counts, isCompleted }: RecipeRow): void {
  const id = `${batchId}/`;
  const sums: Record<string, number> = { ...tables.batchCounts.get(id)?.sums };
  const take = (name: string, by: number): void => {
    sums[name] = (sums[name] ?? 0) - by;
  };
  take('recipes_total', 1 + (counts.subTotal ?? 0));
  take('recipes_completed', (isCompleted ? 1 : 0) + (counts.subCompleted ?? 0));
  for (const [name, count] of Object.entries(counts)) {
    if (!name.startsWith('sub')) take(`jobs_${name.toLowerCase()}`, count);
  }
  tables.batchCounts.put({ id, batchId, node: '', sums });
}

function removeJobParts(tables: Tables, jobId: number): Removed {
  const job = tables.jobs.get(jobId);
  // Its links to inputs go with what it did: the job itself names no file any more.
  if (job?.input != null) tables.jobs.patch(jobId, { input: null });
  return { job_executions: removeAll(tables.executions, tables.executions.withKey(jobId)) };
}

function removeFileParts(tables: Tables, fileId: number): Removed {
  const lines = tables.ancestry.where((one) => one.ancestorId === fileId || one.descendantId === fileId);
  const members = tables.members.where((one) => filesOf(one.data).includes(fileId));
  return {
    ancestry_links: removeAll(tables.ancestry, lines),
    dataset_members: removeAll(tables.members, members),
  };
}

function checkFile(tables: Tables, fileId: number): void {
  const isUsed =
    tables.jobs.where((one) => filesOf(one.input?.input).includes(fileId)).length > 0 ||
    tables.recipes.where((one) => filesOf(one.input?.input).includes(fileId)).length > 0 ||
    tables.ancestry.where((one) => one.ancestorId === fileId || one.descendantId === fileId).length > 0;
  if (isUsed) throw new KeyViolated('file');
}

function removeProduct(tables: Tables, fileId: number, sourceId: number): Removed {
  if (fileId === sourceId || tables.files.get(fileId) === undefined) return {};
  checkFile(tables, fileId);
  tables.files.delete(fileId);
  return { product_files: 1 };
}

function removeJob(tables: Tables, jobId: number): Removed {
  if (tables.jobs.get(jobId) === undefined) return {};
  const isUsed =
    tables.executions.withKey(jobId).length > 0 ||
    tables.files.where((one) => one.jobId === jobId).length > 0 ||
    tables.recipeNodes.where((one) => one.jobId === jobId).length > 0 ||
    tables.ingests.where((one) => one.jobId === jobId).length > 0;
  if (isUsed) throw new KeyViolated('job');
  tables.jobs.delete(jobId);
  return { jobs: 1 };
}

function removeSource(tables: Tables, row: PurgeDbRow): void {
  const { id, fileId } = row;
  const ingests = tables.ingests.where((one) => one.sourceFileId === fileId);
  if (ingests.length > 0) {
    for (const ingest of ingests) bury(tables, id, ingest);
    let removed = addRemoved(row.removed, { ingests: removeAll(tables.ingests, ingests) });
    for (const { jobId } of ingests) {
      if (jobId === null) continue;
      removed = addRemoved(removed, removeJobParts(tables, jobId));
      removed = addRemoved(removed, removeJob(tables, jobId));
    }
    tables.purges.patch(id, { removed });
    return;
  }
  if (findStrays(tables, id, fileId)) {
    tables.purges.patch(id, { phase: 'find', round: row.round + 1, step: 0 });
    return;
  }
  const parts = removeFileParts(tables, fileId);
  checkFile(tables, fileId);
  tables.files.delete(fileId);
  for (const table of [tables.purgeFiles, tables.purgeJobs, tables.purgeTrees])
    removeAll(table, table.withKey(id));
  const removed = addRemoved(addRemoved(row.removed, parts), { source_files: 1 });
  tables.purges.patch(id, { phase: 'done', reason: null, removed });
}
