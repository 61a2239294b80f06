/** The ports of the owner of a recipe tree. */
import type { FileInfo } from '../../domain/file/file.ts';
import type { RecipeTree } from '../../domain/recipe/recipe.ts';
import type { ConditionAsk } from '../../domain/recipe/tree-changes.ts';
import type { ConditionAnswer } from '../../domain/recipe/tree-events.ts';
import type { RecipeTypeRevision } from '../../domain/recipe/type-revisions.ts';
import type { WorkspaceIds } from '../../domain/workspace/workspace-ids.ts';
import type { OwnedExecution } from '../task-results.ts';

/** The facts that a recipe's first nodes are created from. `files`: those of its input. */
export interface StartFacts {
  readonly revision: RecipeTypeRevision;
  readonly files: ReadonlyMap<number, FileInfo>;
  readonly workspaces: WorkspaceIds;
}

export interface RecipePorts {
  /** Whole trees by the ids of the roots that their chains began with. */
  loadRecipeTrees(chainIds: readonly number[]): Promise<ReadonlyMap<number, RecipeTree>>;
  /**
   * Chains of these shards for which a message may have been lost; bounded. Chains that have just changed are skipped,
   * unless the shards were taken over: then no coordinator works on them.
   */
  dueRecipes(shards: readonly number[], isTakenOver: boolean): Promise<readonly number[]>;
  /** Rejects for an unknown revision. Recipes that begin at the same time share a read. */
  startFacts(request: {
    readonly recipeTypeRevId: number;
    readonly fileIds: readonly number[];
  }): Promise<StartFacts>;
  /** Null for an unknown revision. */
  recipeRevision(recipeTypeRevId: number): Promise<RecipeTypeRevision | null>;
  /** Evaluates the filters on the data, with the facts of the files. One answer for each ask. */
  evaluateConditions(asks: readonly ConditionAsk[]): Promise<readonly ConditionAnswer[]>;
  /** Executions of these jobs whose rows are RUNNING. */
  runningExecutions(jobIds: readonly number[]): Promise<readonly OwnedExecution[]>;
}
