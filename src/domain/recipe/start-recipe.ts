/**
 * A root recipe's first rows: itself and every node that needs no condition, its root jobs queued at once.
 * For whoever starts one in a turn of its own: a strike, for a file it ingested, after which the recipe actor goes on;
 * or the recipe actor, when it is asked.
 */
import type { Change } from '../changes.ts';
import type { FileInfo } from '../file/file.ts';
import type { DataDocument } from '../job/job.ts';
import { jobInputOf, type QueuedEntry } from '../job/queueing.ts';
import type { WorkspaceIds } from '../workspace/workspace-ids.ts';
import { advance } from './advance.ts';
import type { NewRecipe, RecipeState, RecipeTree } from './recipe.ts';
import { progressOf, TreeChanges } from './tree-changes.ts';
import type { RecipeTypeRevision } from './type-revisions.ts';

export interface RecipeRequest {
  /** The id of the new recipe, from the caller's ids. */
  readonly recipeId: number;
  /** `shardOf('recipe', String(recipeId))`. */
  readonly shard: number;
  /** Exists, or is created in the same turn. */
  readonly eventId: number;
  readonly batchId: number | null;
  /** The member of the batch's dataset that it is for; absent: none. */
  readonly batchMemberId?: number;
  /** What the batch says of priorities; absent: nothing. */
  readonly batchPriority?: number | null;
  /** The ingest that starts it: there is at most one recipe an ingest. */
  readonly ingestId: number | null;
  /** The recipe's own configuration (part of a job configuration); null = none. */
  readonly configuration: Readonly<Record<string, unknown>> | null;
  /** Valid for the plan's input interface. */
  readonly input: DataDocument;
}

/** What starting draws on. `files` has every file of the input. */
export interface RecipeSurroundings {
  readonly files: ReadonlyMap<number, FileInfo>;
  readonly workspaces: WorkspaceIds;
  readonly nowMs: number;
  /** Fresh ids; kinds `job`, `recipe`, `recipe_condition`. */
  newId(idKind: string): number;
}

export interface StartedRecipe {
  /** In the order in which they are to be saved. */
  readonly changes: readonly Change[];
  /** What to tell the scheduler after the commit. */
  readonly queued: readonly QueuedEntry[];
  /** Whether `recipe/<id>` must be woken: a condition is to be evaluated. */
  readonly needsWake: boolean;
}

export function startRecipe(
  plan: RecipeTypeRevision,
  request: RecipeRequest,
  around: RecipeSurroundings,
): StartedRecipe {
  const input = jobInputOf(request.input, around.files);
  const recipe: NewRecipe = {
    id: request.recipeId,
    shard: request.shard,
    rootId: request.recipeId,
    parentId: null,
    parentNode: null,
    ancestorIds: [],
    recipeTypeId: plan.recipeTypeId,
    recipeTypeRevId: plan.recipeTypeRevId,
    eventId: request.eventId,
    batchId: request.batchId,
    batchMemberId: request.batchMemberId ?? null,
    ingestId: request.ingestId,
    supersededRecipeId: null,
    configuration: request.configuration,
    input,
    atMs: around.nowMs,
  };
  const turn = beginRecipe(plan, recipe, request.batchPriority ?? null, around);
  return { changes: turn.toChanges(), queued: turn.queued, needsWake: turn.asks.length > 0 };
}

/** The same for whoever goes on with it: the changes of a turn that makes the recipe with its first nodes. */
export function beginRecipe(
  plan: RecipeTypeRevision,
  recipe: NewRecipe,
  batchPriority: number | null,
  around: RecipeSurroundings,
): TreeChanges {
  const turn = new TreeChanges(progressOf(treeOf(plan, recipe, batchPriority, around)), around);
  turn.recipes.push(recipe);
  advance(turn);
  return turn;
}

function treeOf(
  plan: RecipeTypeRevision,
  recipe: NewRecipe,
  batchPriority: number | null,
  around: RecipeSurroundings,
): RecipeTree {
  const root: RecipeState = {
    id: recipe.id,
    parentId: null,
    parentNode: null,
    recipeIds: [recipe.id],
    plan,
    eventId: recipe.eventId,
    batchId: recipe.batchId,
    batchPriority,
    supersededId: null,
    configuration: recipe.configuration,
    nodes: new Map(),
    input: recipe.input?.input ?? null,
    source: recipe.input?.source ?? null,
    isCompleted: false,
    isSuperseded: false,
  };
  return {
    chainId: recipe.id,
    rootId: recipe.id,
    shard: recipe.shard,
    recipes: new Map([[root.id, root]]),
    jobs: new Map(),
    revisions: new Map(),
    files: new Map(around.files),
    workspaces: around.workspaces,
  };
}
