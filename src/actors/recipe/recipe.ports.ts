/** What the owner of a recipe tree needs of the world. */
import type { RecipeTree } from '../../domain/recipe/recipe.ts';
import type { RecipePlan } from '../../domain/recipe/recipe-plan.ts';
import type { ConditionAsk } from '../../domain/recipe/tree-changes.ts';
import type { ConditionAnswer } from '../../domain/recipe/tree-events.ts';
import type { OwnedExecution } from '../task-results.ts';

export interface RecipePorts {
  /** Whole trees by the ids of the roots that their chains began with. */
  loadRecipeTrees(chainIds: readonly number[]): Promise<ReadonlyMap<number, RecipeTree>>;
  /**
   * Chains of these shards that something may have been lost of; bounded. Those that something has just happened to
   * are left alone, unless the shards were taken over: then nobody is at work on them.
   */
  dueRecipes(shards: readonly number[], isTakenOver: boolean): Promise<readonly number[]>;
  /** Null for a revision that is not there. */
  recipePlan(recipeTypeRevId: number): Promise<RecipePlan | null>;
  /** Runs the filters over the data, with the facts of the files. One answer an ask. */
  evaluateConditions(asks: readonly ConditionAsk[]): Promise<readonly ConditionAnswer[]>;
  /** Executions of these jobs that are RUNNING by their rows. */
  runningExecutions(jobIds: readonly number[]): Promise<readonly OwnedExecution[]>;
}
