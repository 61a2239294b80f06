/** Recipes: the state that the owner of a tree keeps, and its rows. */
import type { FileInfo } from '../file/file.ts';
import type { DataDocument, JobState, SourceInfo } from '../job/job.ts';
import type { WorkspaceIds } from '../workspace/workspace-ids.ts';
import type { JobTypeRevision, RecipeTypeRevision } from './type-revisions.ts';

export interface NewRecipe {
  readonly id: number;
  readonly shard: number;
  readonly rootId: number;
  /** The first root of its chain of reprocessed recipes, whose actor owns it; absent: itself. */
  readonly chainId?: number;
  readonly parentId: number | null;
  readonly parentNode: string | null;
  /** Containing recipes, nearest first, without itself: their sub_recipes_total grows. */
  readonly ancestorIds: readonly number[];
  readonly recipeTypeId: number;
  readonly recipeTypeRevId: number;
  readonly eventId: number;
  readonly batchId: number | null;
  /** The member of the batch's dataset that it was created for: at most one recipe for each batch and member. */
  readonly batchMemberId?: number | null;
  /** The ingest that started it (root recipes only): at most one recipe for each ingest. */
  readonly ingestId: number | null;
  readonly supersededRecipeId: number | null;
  /** The number of carried-over sub-recipes that it holds from the beginning, and of those inside them. */
  readonly carried?: { readonly total: number; readonly completed: number };
  readonly configuration: Readonly<Record<string, unknown>> | null;
  /** Null for a sub-recipe that waits for its parents. */
  readonly input: RecipeInputData | null;
  readonly atMs: number;
}

export interface RecipeInputData {
  readonly input: DataDocument;
  readonly inputFileSizeMib: number;
  readonly source: SourceInfo;
}

export interface RecipeInput extends RecipeInputData {
  readonly recipeId: number;
  readonly atMs: number;
}

export interface NewCondition {
  readonly id: number;
  readonly recipeId: number;
  readonly nodeName: string;
  readonly atMs: number;
}

export interface ConditionOutcome {
  readonly conditionId: number;
  readonly isAccepted: boolean;
  /** The data that was checked, which is the output of the condition. */
  readonly data: DataDocument;
  /** Why it was not accepted, as a sentence; null if it was. */
  readonly reason: string | null;
  readonly atMs: number;
}

/** Exactly one of the three ids is given. */
export interface NewRecipeNode {
  readonly recipeId: number;
  readonly name: string;
  readonly jobId: number | null;
  readonly subRecipeId: number | null;
  readonly conditionId: number | null;
  readonly isOriginal: boolean;
}

/** A job that newer recipes hold as well: from now on it also changes their counters. */
export interface SharedJob {
  readonly jobId: number;
  /** The recipe that holds the job itself and is not superseded, and the batch of that recipe's root. */
  readonly liveRecipeId: number;
  readonly liveBatchId: number | null;
  /** The recipes that hold it now, and those that contain them. */
  readonly recipeIds: readonly number[];
  /** Batches of those that are top-level: it counts in their metrics as well. */
  readonly batchIds: readonly number[];
  readonly atMs: number;
}

export interface RecipeEnd {
  readonly recipeId: number;
  /** Containing recipes, nearest first: their sub_recipes_completed grows. */
  readonly ancestorIds: readonly number[];
  readonly atMs: number;
}

export type RecipeNodeState =
  | { readonly kind: 'job'; readonly jobId: number; readonly isOriginal: boolean }
  | { readonly kind: 'recipe'; readonly recipeId: number; readonly isOriginal: boolean }
  | {
      readonly kind: 'condition';
      readonly conditionId: number;
      readonly isOriginal: boolean;
      isProcessed: boolean;
      isAccepted: boolean;
      data: DataDocument | null;
    };

/** One recipe in memory. */
export interface RecipeState {
  readonly id: number;
  /** The recipe that holds it and is not superseded; null for a root. */
  parentId: number | null;
  readonly parentNode: string | null;
  /** Itself first, then all that contain it, including superseded ones that share it. */
  recipeIds: readonly number[];
  readonly revision: RecipeTypeRevision;
  readonly eventId: number;
  readonly batchId: number | null;
  /** The priority of its batch; null: none. */
  readonly batchPriority: number | null;
  /** The recipe that it reprocesses. */
  readonly supersededId: number | null;
  readonly configuration: Readonly<Record<string, unknown>> | null;
  readonly nodes: Map<string, RecipeNodeState>;
  input: DataDocument | null;
  source: SourceInfo | null;
  isCompleted: boolean;
  isSuperseded: boolean;
}

/**
 * A root recipe with all recipes below it, and those that it superseded, whose jobs it may share: the state of the
 * recipe actor.
 */
export interface RecipeTree {
  /** The first root of the chain: the actor's key. */
  readonly chainId: number;
  /** The root that is not superseded. */
  rootId: number;
  /** The shard of the actor that owns the tree. */
  readonly shard: number;
  readonly recipes: Map<number, RecipeState>;
  readonly jobs: Map<number, JobState>;
  /** By id of a job type's revision: for jobs whose revision differs from that in their recipe's revision. */
  readonly revisions: Map<number, JobTypeRevision>;
  /** Every file that is an input of its recipes or jobs, or an output of its jobs. */
  readonly files: Map<number, FileInfo>;
  /** All workspaces at the time when the tree was loaded. */
  readonly workspaces: WorkspaceIds;
}
