/** What the owner of a recipe tree is told. Its key is the id of the root recipe. */
import type { NewEvent } from '../../domain/event.ts';
import type { NewRecipe } from '../../domain/recipe/recipe.ts';
import type { CancelJobs, RequeueJobs, TaskEnded } from '../owner.messages.ts';

export function recipeAddress(rootId: number): { readonly kind: 'recipe'; readonly key: string } {
  return { kind: 'recipe', key: String(rootId) };
}

export type RecipeMessage =
  /** Asked with `isNew`: a validated root recipe with its input. Answered `{}`; its nodes follow. */
  | {
      readonly type: 'start';
      readonly event: NewEvent;
      readonly recipe: NewRecipe;
    }
  /** Rows changed that memory should know of, or something may have been lost. */
  | { readonly type: 'wake' }
  | TaskEnded
  | CancelJobs
  | RequeueJobs;
