/**
 * What owners of jobs read of the simulated database: trees of recipes, jobs without one, what a reconciliation must
 * wake.
 */
import type { OwnedExecution } from '../../../../src/actors/task-results.ts';
import type { FileInfo } from '../../../../src/domain/file/file.ts';
import type { DataDocument, JobState } from '../../../../src/domain/job/job.ts';
import type { StandaloneJob } from '../../../../src/domain/job/standalone-job.ts';
import type { RecipeNodeState, RecipeState, RecipeTree } from '../../../../src/domain/recipe/recipe.ts';
import type { RecipeDefinition } from '../../../../src/domain/recipe/recipe-definition.ts';
import { currentRoot, linkRecipes } from '../../../../src/domain/recipe/recipe-tree.ts';
import type { JobTypeRevision, RecipeTypeRevision } from '../../../../src/domain/recipe/type-revisions.ts';
import type { WorkspaceIds } from '../../../../src/domain/workspace/workspace-ids.ts';
import { assert } from '../../../../src/lib/assert.ts';
import type { Table } from '../table.ts';
import type { JobRow, PurgeMemberRow, RecipeNodeRow, RecipeRow, Tables } from '../tables.ts';
import { fileInfoOf } from './loads.ts';

/** Revisions of types, by id. */
export interface Revisions {
  readonly jobs: ReadonlyMap<number, JobTypeRevision>;
  readonly recipes: ReadonlyMap<number, RecipeTypeRevision>;
}

export function workspaceIds(tables: Tables): WorkspaceIds {
  const all = [...tables.workspaces.rows.values()];
  return {
    byName: new Map(all.map((one) => [one.name, one.id])),
    byUuid: new Map(all.map((one) => [one.uuid, one.id])),
  };
}

function toJobState(row: JobRow): JobState {
  return {
    id: row.id,
    jobTypeId: row.jobTypeId,
    jobTypeRevId: row.jobTypeRevId,
    recipeId: row.recipeId,
    recipeNode: row.recipeNode,
    recipeIds: row.recipeIds,
    batchId: row.batchId,
    eventId: row.eventId,
    configuration: row.configuration,
    isSuperseded: row.isSuperseded,
    supersededJobId: row.supersededJobId ?? null,
    requestPosition: row.requestPosition,
    status: row.status,
    exeNum: row.exeNum,
    maxTries: row.maxTries,
    queuedMs: row.exeNum === 0 ? null : row.queuedMs,
    source: row.input?.source ?? null,
    input: row.input?.input ?? null,
    output: row.output,
  };
}

export function startFacts(
  tables: Tables,
  revisions: Revisions,
  recipeTypeRevId: number,
  fileIds: readonly number[],
) {
  const revision = revisions.recipes.get(recipeTypeRevId);
  assert(revision !== undefined, `there is no revision ${recipeTypeRevId}`);
  const files = filesOf(tables, [{ files: { ALL: fileIds }, json: {} }]);
  return { revision, files, workspaces: workspaceIds(tables) };
}

function filesOf(tables: Tables, documents: Iterable<DataDocument | null>): Map<number, FileInfo> {
  const files = new Map<number, FileInfo>();
  for (const document of documents) {
    for (const id of Object.values(document?.files ?? {}).flat()) {
      const row = tables.files.get(id);
      if (row !== undefined) files.set(id, fileInfoOf(row));
    }
  }
  return files;
}

/** What a purge has closed is nobody's any more. */
function isClosed(tables: Tables, members: Table<PurgeMemberRow>, key: number): boolean {
  return members.where((one) => one.key === key && tables.purges.at(one.purgeId).isClosed).length > 0;
}

export function loadJobs(
  tables: Tables,
  revisions: Revisions,
  ids: readonly number[],
): Map<number, StandaloneJob> {
  const loaded = new Map<number, StandaloneJob>();
  for (const id of ids) {
    const row = tables.jobs.get(id);
    const revision = revisions.jobs.get(row?.jobTypeRevId ?? 0);
    if (row?.owner.kind !== 'job' || revision === undefined) continue;
    if (isClosed(tables, tables.purgeJobs, id)) continue;
    const job = toJobState(row);
    loaded.set(id, { job, revision, files: filesOf(tables, [job.input]), workspaces: workspaceIds(tables) });
  }
  return loaded;
}

export function loadRecipeTrees(
  tables: Tables,
  revisions: Revisions,
  chainIds: readonly number[],
): Map<number, RecipeTree> {
  const trees = new Map<number, RecipeTree>();
  for (const chainId of chainIds) {
    if (isClosed(tables, tables.purgeTrees, chainId)) continue;
    const rows = tables.recipes.withKey(chainId).sort((a, b) => a.id - b.id);
    const root = rows.find((one) => one.id === chainId);
    if (root !== undefined) trees.set(chainId, treeOf(tables, revisions, root, rows));
  }
  return trees;
}

function treeOf(
  tables: Tables,
  revisions: Revisions,
  root: RecipeRow,
  rows: readonly RecipeRow[],
): RecipeTree {
  const recipes = new Map(rows.map((row) => [row.id, toRecipe(tables, row, revisions)]));
  for (const [id, recipe] of recipes) {
    for (const node of tables.recipeNodes.withKey(id)) recipe.nodes.set(node.name, toNode(tables, node));
  }
  linkRecipes(recipes);
  const jobs = rows.flatMap((row) => tables.jobs.withKey(row.id).map(toJobState));
  return {
    chainId: root.id,
    rootId: currentRoot(recipes)?.id ?? root.id,
    shard: root.shard,
    recipes,
    jobs: new Map(jobs.map((job) => [job.id, job])),
    revisions: new Map(),
    files: filesOf(tables, [
      ...[...recipes.values()].map((one) => one.input),
      ...jobs.flatMap((job) => [job.input, job.output]),
    ]),
    workspaces: workspaceIds(tables),
  };
}

function toRecipe(tables: Tables, row: RecipeRow, revisions: Revisions): RecipeState {
  const revision = revisions.recipes.get(row.recipeTypeRevId);
  if (revision === undefined) throw new Error(`recipe ${row.id} has no revision`);
  return {
    id: row.id,
    parentId: row.parentId,
    parentNode: row.parentNode,
    recipeIds: [row.id],
    revision,
    eventId: row.eventId,
    batchId: row.batchId,
    batchPriority: tables.batches.get(row.batchId ?? 0)?.configuration.priority ?? null,
    supersededId: row.supersededRecipeId,
    configuration: row.configuration,
    nodes: new Map(),
    input: row.input?.input ?? null,
    source: row.input?.source ?? null,
    isCompleted: row.isCompleted,
    isSuperseded: row.isSuperseded,
  };
}

function toNode(tables: Tables, node: RecipeNodeRow): RecipeNodeState {
  const { isOriginal } = node;
  if (node.jobId !== null) return { kind: 'job', jobId: node.jobId, isOriginal };
  if (node.subRecipeId !== null) return { kind: 'recipe', recipeId: node.subRecipeId, isOriginal };
  const conditionId = node.conditionId ?? 0;
  const { isProcessed, isAccepted, data } = tables.conditions.at(conditionId);
  return { kind: 'condition', conditionId, isOriginal, isProcessed, isAccepted, data };
}

export function runningExecutions(tables: Tables, jobIds: readonly number[]): OwnedExecution[] {
  return tables.executions
    .where((one) => one.status === 'RUNNING' && jobIds.includes(one.jobId))
    .map(({ id: executionId, jobId, exeNum, nodeId }) => ({ jobId, executionId, exeNum, nodeId }))
    .sort((a, b) => a.executionId - b.executionId);
}

/** Owners of jobs with an execution that continues without them. */
export function strayOwners(tables: Tables, kind: 'recipe' | 'job', shards: readonly number[]): number[] {
  const owners = tables.executions
    .where((one) => one.status === 'RUNNING')
    .flatMap((one) => {
      const job = tables.jobs.at(one.jobId);
      const isStray = job.status !== 'RUNNING' || job.exeNum !== one.exeNum;
      return isStray && job.owner.kind === kind && shards.includes(job.shard) ? [job.owner.key] : [];
    });
  return [...new Set(owners)].sort((a, b) => a - b);
}

const QUIET_MS = 30_000;
const CLOCKS_APART_MS = 60_000;

export function dueRecipes(
  tables: Tables,
  revisions: Revisions,
  shards: readonly number[],
  { nowMs, isTakenOver }: { readonly nowMs: number; readonly isTakenOver: boolean },
): number[] {
  const beforeMs = isTakenOver ? nowMs + CLOCKS_APART_MS : nowMs - QUIET_MS;
  const isOpen = (root: RecipeRow) =>
    shards.includes(root.shard) &&
    root.parentId === null &&
    !root.isCompleted &&
    !root.isSuperseded &&
    (root.lastModifiedMs < beforeMs || root.lastModifiedMs >= nowMs + CLOCKS_APART_MS);
  const roots = tables.recipes.where(isOpen);
  const chains = new Map(roots.map((root) => [root.chainId ?? root.rootId, root]));
  const ripe = tables.conditions
    .where((one) => !one.isProcessed && isRipe(tables, revisions, one.recipeId, one.nodeName))
    .map((one) => tables.recipes.at(one.recipeId))
    .filter((recipe) => !recipe.isSuperseded)
    .map((recipe) => recipe.chainId ?? recipe.rootId)
    .filter((chain) => chains.has(chain));
  const idle = roots.filter(isIdle).map((root) => root.chainId ?? root.rootId);
  return [...new Set([...idle, ...ripe, ...strayOwners(tables, 'recipe', shards)])];
}

function isIdle({ counts }: RecipeRow): boolean {
  const moving = ['QUEUED', 'RUNNING', 'FAILED', 'BLOCKED', 'CANCELED'] as const;
  return moving.every((status) => (counts[status] ?? 0) === 0);
}

function isRipe(tables: Tables, revisions: Revisions, recipeId: number, name: string): boolean {
  const recipe = tables.recipes.at(recipeId);
  const definition = revisions.recipes.get(recipe.recipeTypeRevId)?.definition as unknown as RecipeDefinition;
  const dependencies = definition?.nodes[name]?.dependencies ?? [];
  return dependencies.every((parent) => {
    const node = tables.recipeNodes.get(`${recipeId}/${parent.name}`);
    if (node === undefined) return false;
    if (node.jobId !== null) return tables.jobs.get(node.jobId)?.status === 'COMPLETED';
    if (node.subRecipeId !== null) return tables.recipes.get(node.subRecipeId)?.isCompleted === true;
    const condition = tables.conditions.get(node.conditionId ?? 0);
    return condition?.isProcessed === true && condition.isAccepted === (parent.acceptance ?? true);
  });
}
