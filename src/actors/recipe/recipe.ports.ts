/** What the owner of a recipe tree needs of the world. */
import type { FileInfo } from '../../domain/file/file.ts';
import type { RecipeTree } from '../../domain/recipe/recipe.ts';
import type { ConditionAsk } from '../../domain/recipe/tree-changes.ts';
import type { ConditionAnswer } from '../../domain/recipe/tree-events.ts';
import type { RecipeTypeRevision } from '../../domain/recipe/type-revisions.ts';
import type { WorkspaceIds } from '../../domain/workspace/workspace-ids.ts';
import type { OwnedExecution } from '../task-results.ts';

/** What the first nodes of a recipe are made of. `files`: those of its input. */
export interface StartFacts {
  readonly plan: RecipeTypeRevision;
  readonly files: ReadonlyMap<number, FileInfo>;
  readonly workspaces: WorkspaceIds;
}

export interface RecipePorts {
  /** Whole trees by the ids of the roots that their chains began with. */
  loadRecipeTrees(chainIds: readonly number[]): Promise<ReadonlyMap<number, RecipeTree>>;
  /**
   * Chains of these shards that something may have been lost of; bounded. Those that something has just happened to
   * are left alone, unless the shards were taken over: then nobody is at work on them.
   */
  dueRecipes(shards: readonly number[], isTakenOver: boolean): Promise<readonly number[]>;
  /** Rejects for a revision that is not there. The facts of recipes that begin together are read together. */
  startFacts(request: {
    readonly recipeTypeRevId: number;
    readonly fileIds: readonly number[];
  }): Promise<StartFacts>;
  /** Null for a revision that is not there. */
  recipePlan(recipeTypeRevId: number): Promise<RecipeTypeRevision | null>;
  /** Runs the filters over the data, with the facts of the files. One answer an ask. */
  evaluateConditions(asks: readonly ConditionAsk[]): Promise<readonly ConditionAnswer[]>;
  /** Executions of these jobs that are RUNNING by their rows. */
  runningExecutions(jobIds: readonly number[]): Promise<readonly OwnedExecution[]>;
}
