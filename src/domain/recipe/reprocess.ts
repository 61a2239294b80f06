/**
 * Reprocessing: a new recipe replaces the root of a tree, in one commit. Unchanged nodes are carried over: the new
 * recipe holds the same jobs, sub-recipes and processed conditions, whatever their state. Changed, forced and removed
 * nodes are superseded, and their unfinished jobs are canceled. The evaluation creates new nodes.
 */
import { assert } from '../../lib/assert.ts';
import { type Data, validateDataFor } from '../data/data.ts';
import type { DataDocument, JobState } from '../job/job.ts';
import { isLive, isWaiting } from '../job/job-machine.ts';
import { jobInputOf } from '../job/queueing.ts';
import type { Problem } from '../validation.ts';
import { advance } from './advance.ts';
import { ALL_FORCED, type ForcedNodes, NOTHING_FORCED } from './forced-nodes.ts';
import type { RecipeNodeState, RecipeState, RecipeTree } from './recipe.ts';
import { changesAnything, diffDefinitions, type NodeDiff, type RecipeDiff } from './recipe-diff.ts';
import { inputOf } from './recipe-graph.ts';
import { addNode, createSubRecipe } from './recipe-nodes.ts';
import { TreeChanges, TreeProgress } from './tree-changes.ts';
import type { Stopped } from './tree-events.ts';
import type { RecipeTypeRevision } from './type-revisions.ts';

export interface ReprocessOrder {
  /** The id of the new recipe. */
  readonly recipeId: number;
  readonly revision: RecipeTypeRevision;
  readonly forced: ForcedNodes;
  /** The event exists, or is created in the same turn. */
  readonly eventId: number;
  readonly batchId: number | null;
  readonly batchMemberId: number | null;
  readonly batchPriority: number | null;
}

/** The differences between two revisions for recipes that are reprocessed. */
export function diffRevisions(
  previous: RecipeTypeRevision,
  next: RecipeTypeRevision,
  forced: ForcedNodes,
): RecipeDiff {
  return diffDefinitions(previous.definition, next.definition, forced);
}

/** Why a recipe can't be reprocessed; undefined if it can. The paths are those of a request. */
export function reprocessProblem(
  previous: { readonly revision: RecipeTypeRevision; readonly input: DataDocument },
  next: RecipeTypeRevision,
  forced: ForcedNodes,
): Problem | undefined {
  const diff = diffRevisions(previous.revision, next, forced);
  const [reason] = diff.reasons;
  if (!diff.can_be_reprocessed) {
    const description = reason?.description ?? 'the definition has changed incompatibly';
    return { name: 'CANNOT_BE_REPROCESSED', path: 'revision_num', description };
  }
  const fitting = validateDataFor(previous.input as Data, inputOf(next));
  if (!fitting.ok) {
    const texts = fitting.errors.map((error) => error.description).join('; ');
    const description = `the input of the recipe does not fit the revision: ${texts}`;
    return { name: 'CANNOT_BE_REPROCESSED', path: 'revision_num', description };
  }
  if (changesAnything(diff)) return undefined;
  const description = 'nothing has changed and nothing is forced: every node would be kept';
  return { name: 'NOTHING_TO_REPROCESS', path: 'forced_nodes', description };
}

/** Reprocesses a recipe. `reprocessProblem` must have found that the revision takes the recipe's input. */
export function reprocess(turn: TreeChanges, order: ReprocessOrder): Stopped {
  const { tree } = turn;
  const old = tree.recipes.get(tree.rootId);
  assert(old?.input != null && !old.isSuperseded, `the tree ${tree.chainId} has no current root`);
  const input = validateDataFor(old.input as Data, inputOf(order.revision));
  assert(input.ok, `the input of recipe ${old.id} does not fit`);
  const next = addRoot(turn, old, order, input.value);
  tree.rootId = next.id;
  const stopped: JobState[] = [];
  carry(turn, old, next, order.forced, stopped);
  supersedeRecipe(turn, old);
  turn.progress.begin();
  advance(turn);
  return { jobIds: stopped.map((job) => job.id), liveJobIds: stopped.map((job) => job.id) };
}

export interface ReprocessPreview {
  /**
   * Names of the new recipe's nodes that are created, and of those that are kept. Nodes in neither wait for a
   * condition.
   */
  readonly made: readonly string[];
  readonly kept: readonly string[];
  readonly newJobs: number;
  readonly newRecipes: number;
  readonly supersededJobs: number;
  /** Unfinished jobs, which would be canceled. */
  readonly canceledJobIds: readonly number[];
}

/** What `reprocess` would do. Changes `tree`, so the caller passes a copy. */
export function previewReprocess(tree: RecipeTree, order: ReprocessOrder, nowMs: number): ReprocessPreview {
  let id = Number.MAX_SAFE_INTEGER;
  const turn = new TreeChanges(new TreeProgress(tree), { nowMs, newId: () => --id });
  const { jobIds } = reprocess(turn, order);
  const nodes = [...(tree.recipes.get(order.recipeId)?.nodes ?? [])];
  return {
    made: nodes.filter(([, node]) => node.isOriginal).map(([name]) => name),
    kept: nodes.filter(([, node]) => !node.isOriginal).map(([name]) => name),
    newJobs: turn.jobs.length,
    newRecipes: turn.recipes.length,
    supersededJobs: turn.supersededJobs.length,
    canceledJobIds: jobIds,
  };
}

function addRoot(turn: TreeChanges, old: RecipeState, order: ReprocessOrder, input: Data): RecipeState {
  const { tree } = turn;
  const { revision, eventId, batchId, batchMemberId, batchPriority } = order;
  const measured = jobInputOf(input, tree.files);
  const id = order.recipeId;
  const next: RecipeState = {
    ...{ id, parentId: null, parentNode: null, recipeIds: [id], revision, eventId, batchId, batchPriority },
    configuration: old.configuration,
    supersededId: old.id,
    nodes: new Map(),
    input: measured.input,
    source: measured.source,
    isCompleted: false,
    isSuperseded: false,
  };
  tree.recipes.set(id, next);
  turn.recipes.push({
    ...{ id, shard: tree.shard, rootId: id, chainId: tree.chainId, parentId: null, parentNode: null },
    ancestorIds: [],
    recipeTypeId: revision.recipeTypeId,
    recipeTypeRevId: revision.recipeTypeRevId,
    ...{ eventId, batchId, batchMemberId },
    ingestId: null,
    supersededRecipeId: old.id,
    configuration: old.configuration,
    input: measured,
    atMs: turn.nowMs,
  });
  return next;
}

/** Handles every node of the old recipe. `stopped` collects jobs that may have a running execution. */
function carry(
  turn: TreeChanges,
  old: RecipeState,
  next: RecipeState,
  forced: ForcedNodes,
  stopped: JobState[],
): void {
  const diff = diffRevisions(old.revision, next.revision, forced);
  for (const [name, state] of old.nodes) {
    const node = diff.nodes[name];
    assert(node !== undefined, `the node '${name}' of recipe ${old.id} is in no definition`);
    const sub = state.kind === 'recipe' ? next.revision.subRecipes.get(name) : undefined;
    if (diff.can_be_reprocessed && node.status === 'UNCHANGED' && !node.reprocess_new_node) {
      keep(turn, next, name, state);
    } else if (state.kind === 'recipe' && sub !== undefined && isOnlyInside(node, diff)) {
      const inside = recipeOf(turn, state.recipeId);
      const fresh = createSubRecipe(turn, next, name, sub);
      carry(turn, inside, fresh, forcedInside(forced, name), stopped);
      supersedeRecipe(turn, inside);
    } else {
      supersede(turn, state, node.status === 'DELETED', stopped);
    }
  }
}

function forcedInside(forced: ForcedNodes, name: string): ForcedNodes {
  if (forced.all) return ALL_FORCED;
  const { sub_recipes: inside = {} } = forced;
  return (Object.hasOwn(inside, name) ? inside[name] : undefined) ?? NOTHING_FORCED;
}

/**
 * Whether a sub-recipe is created again only because it was itself forced or changed: its unchanged nodes can then be
 * kept.
 */
function isOnlyInside(node: NodeDiff, diff: RecipeDiff): boolean {
  const own = ['RECIPE_TYPE_CHANGE', 'RECIPE_TYPE_REVISION_CHANGE'];
  const isUpstreamNew = node.dependencies.some(({ name }) => diff.nodes[name]?.reprocess_new_node === true);
  return diff.can_be_reprocessed && !isUpstreamNew && node.changes.every(({ name }) => own.includes(name));
}

/** Carries a node over. A condition that is not processed yet is created again, because it has nothing to keep. */
function keep(turn: TreeChanges, next: RecipeState, name: string, state: RecipeNodeState): void {
  if (state.kind === 'condition') {
    if (state.isProcessed) addNode(turn, next, name, { ...state, isOriginal: false });
    return;
  }
  addNode(turn, next, name, { ...state, isOriginal: false });
  if (state.kind === 'job') {
    share(turn, state.jobId, next, next.id);
    return;
  }
  const top = recipeOf(turn, state.recipeId);
  top.parentId = next.id;
  const inside = below(turn, top);
  for (const recipe of inside) {
    recipe.recipeIds = [...recipe.recipeIds, ...next.recipeIds];
    for (const node of recipe.nodes.values()) {
      if (node.kind === 'job') share(turn, node.jobId, next, recipe.id);
    }
  }
  turn.carry(next.id, inside.length, inside.filter((recipe) => recipe.isCompleted).length);
}

/**
 * From now on the job counts in `next`, too. `liveRecipeId`: `next`, or the carried-over recipe below it with the job.
 */
function share(turn: TreeChanges, jobId: number, next: RecipeState, liveRecipeId: number): void {
  const job = jobOf(turn, jobId);
  const { recipeIds, batchId: liveBatchId } = next;
  const isAtTop = next.parentId === null && next.id === liveRecipeId;
  const batchIds = isAtTop && liveBatchId !== null ? [liveBatchId] : [];
  job.recipeIds = [...job.recipeIds, ...recipeIds];
  turn.shared.push({ jobId, liveRecipeId, liveBatchId, recipeIds, batchIds, atMs: turn.nowMs });
}

/** The recipe and all below it. */
function below(turn: TreeChanges, top: RecipeState): readonly RecipeState[] {
  const found = [top];
  for (let index = 0; index < found.length; index += 1) {
    for (const node of found[index]?.nodes.values() ?? []) {
      if (node.kind === 'recipe') found.push(recipeOf(turn, node.recipeId));
    }
  }
  return found;
}

function supersede(turn: TreeChanges, state: RecipeNodeState, isDeleted: boolean, stopped: JobState[]): void {
  if (state.kind === 'job') {
    const job = jobOf(turn, state.jobId);
    const wasLive = isLive(job.status);
    if (wasLive || isWaiting(job.status)) turn.apply(job, { type: 'cancelRequested' });
    if (wasLive) stopped.push(job);
    job.isSuperseded = true;
    turn.supersededJobs.push({ jobId: job.id, atMs: turn.nowMs });
    if (isDeleted) turn.unpublished.push({ jobId: job.id, atMs: turn.nowMs });
  } else if (state.kind === 'recipe') {
    const recipe = recipeOf(turn, state.recipeId);
    for (const node of recipe.nodes.values()) supersede(turn, node, isDeleted, stopped);
    supersedeRecipe(turn, recipe);
  }
}

function supersedeRecipe(turn: TreeChanges, recipe: RecipeState): void {
  recipe.isSuperseded = true;
  turn.supersededRecipes.push({ recipeId: recipe.id, atMs: turn.nowMs });
}

function recipeOf(turn: TreeChanges, id: number): RecipeState {
  const recipe = turn.tree.recipes.get(id);
  assert(recipe !== undefined, `recipe ${id} is not in the tree ${turn.tree.chainId}`);
  return recipe;
}

function jobOf(turn: TreeChanges, id: number): JobState {
  const job = turn.tree.jobs.get(id);
  assert(job !== undefined, `job ${id} is not in the tree ${turn.tree.chainId}`);
  return job;
}
