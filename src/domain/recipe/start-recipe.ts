/**
 * A root recipe's first rows: the recipe and every node that depends on no condition; jobs that have their input are
 * queued at once. Strikes and scans use it for files that they ingested, after which the recipe actor continues; the
 * recipe actor uses it for other recipes.
 */
import type { Change } from '../changes.ts';
import type { FileInfo } from '../file/file.ts';
import type { FileFacts } from '../filter/filter-evaluate.ts';
import type { DataDocument } from '../job/job.ts';
import { jobInputOf, type QueuedEntry } from '../job/queueing.ts';
import type { WorkspaceIds } from '../workspace/workspace-ids.ts';
import { advance } from './advance.ts';
import type { NewRecipe, RecipeState, RecipeTree } from './recipe.ts';
import { TreeChanges, TreeProgress } from './tree-changes.ts';
import type { RecipeTypeRevision } from './type-revisions.ts';

export interface RecipeRequest {
  /** The id of the new recipe, from the caller's ids. */
  readonly recipeId: number;
  /** `shardOf('recipe', String(recipeId))`. */
  readonly shard: number;
  /** The event exists, or is created in the same turn. */
  readonly eventId: number;
  readonly batchId: number | null;
  /** The member of the batch's dataset that it is for; absent: none. */
  readonly batchMemberId?: number;
  /** The priority of the batch; absent: none. */
  readonly batchPriority?: number | null;
  /** The ingest that starts it: at most one recipe for each ingest. */
  readonly ingestId: number | null;
  /** The recipe's own configuration (part of a job configuration); null = none. */
  readonly configuration: Readonly<Record<string, unknown>> | null;
  /** Valid for the revision's input interface. */
  readonly input: DataDocument;
}

/** The data that starting a recipe needs. `files` has every file of the input. */
export interface RecipeContext {
  readonly files: ReadonlyMap<number, FileInfo>;
  /** Those of the files that the same commit records: conditions on them are evaluated at once. Absent: none. */
  readonly newFiles?: ReadonlyMap<number, FileFacts>;
  readonly workspaces: WorkspaceIds;
  readonly nowMs: number;
  /** Fresh ids; kinds `job`, `recipe`, `recipe_condition`. */
  newId(idKind: string): number;
}

export interface StartedRecipe {
  /** In the order in which they are to be saved. */
  readonly changes: readonly Change[];
  /** Queued jobs, which are announced to the scheduler after the commit. */
  readonly queued: readonly QueuedEntry[];
  /** Whether `recipe/<id>` must be woken, because a condition is to be evaluated. */
  readonly needsWake: boolean;
}

export function startRecipe(
  revision: RecipeTypeRevision,
  request: RecipeRequest,
  context: RecipeContext,
): StartedRecipe {
  const input = jobInputOf(request.input, context.files);
  const recipe: NewRecipe = {
    id: request.recipeId,
    shard: request.shard,
    rootId: request.recipeId,
    parentId: null,
    parentNode: null,
    ancestorIds: [],
    recipeTypeId: revision.recipeTypeId,
    recipeTypeRevId: revision.recipeTypeRevId,
    eventId: request.eventId,
    batchId: request.batchId,
    batchMemberId: request.batchMemberId ?? null,
    ingestId: request.ingestId,
    supersededRecipeId: null,
    configuration: request.configuration,
    input,
    atMs: context.nowMs,
  };
  const turn = beginRecipe(revision, recipe, request.batchPriority ?? null, context);
  return { changes: turn.toChanges(), queued: turn.queued, needsWake: turn.asks.length > 0 };
}

/**
 * As `startRecipe`, for the actor that continues with the tree: the turn that creates the recipe and its first nodes.
 */
export function beginRecipe(
  revision: RecipeTypeRevision,
  recipe: NewRecipe,
  batchPriority: number | null,
  context: RecipeContext,
): TreeChanges {
  const turn = new TreeChanges(new TreeProgress(treeOf(revision, recipe, batchPriority, context)), context);
  turn.recipes.push(recipe);
  advance(turn);
  return turn;
}

function treeOf(
  revision: RecipeTypeRevision,
  recipe: NewRecipe,
  batchPriority: number | null,
  context: RecipeContext,
): RecipeTree {
  const root: RecipeState = {
    id: recipe.id,
    parentId: null,
    parentNode: null,
    recipeIds: [recipe.id],
    revision,
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
    files: new Map(context.files),
    workspaces: context.workspaces,
  };
}
