/**
 * What the owner of a recipe tree is told. Its key is the id of the root recipe; after reprocessing, that of the root
 * that the chain began with.
 */
import type { NewEvent } from '../../domain/event.ts';
import type { ForcedNodes } from '../../domain/recipe/forced-nodes.ts';
import type { NewRecipe } from '../../domain/recipe/recipe.ts';
import type { RecipeBeginning } from '../../domain/recipe/recipe-beginning.ts';
import type { Problem } from '../../domain/validation.ts';
import { type Address, type AnsweredWith, address, type ReplyTo } from '../../kernel/mod.ts';
import type { Keyed } from '../keyed-answer.ts';
import type { CancelJobs, Forget, RequeueJobs, TaskEnded } from '../owner.messages.ts';

export function recipeAddress(chainId: number): Address<RecipeMessage> {
  return address('recipe', String(chainId));
}

/** Has a new recipe take the place of the current one. Asked; repeats change nothing. */
export interface Reprocess extends Keyed, AnsweredWith<ReprocessAnswer> {
  readonly type: 'reprocess';
  /** Must be the current one, unless a batch asks: then any of the chain stands for it. */
  readonly oldRecipeId: number;
  /** The id of the new recipe. */
  readonly recipeId: number;
  readonly recipeTypeRevId: number;
  readonly forced: ForcedNodes;
  readonly eventId: number;
  /** To be created; null = it exists. */
  readonly event: NewEvent | null;
  readonly batchId: number | null;
  readonly batchMemberId: number | null;
  readonly batchPriority: number | null;
  /** Who asked, when the message was put off. */
  readonly replyTo?: ReplyTo<ReprocessAnswer>;
}

export type ReprocessAnswer =
  /** The recipe that is current now. */
  | { readonly recipeId: number }
  /** Nothing was done. `isConflict`: for what the recipe has become, not for what was asked. */
  | { readonly problem: Problem; readonly isConflict: boolean };

/** The recipe as the commit left it that made it with its first nodes. */
export interface StartAnswer {
  /** Absent: it was there already. */
  readonly begun?: RecipeBeginning | undefined;
}

export type RecipeMessage =
  /** Asked with `isNew`: a validated root recipe with its input. Answered once it is saved. */
  | (Keyed &
      AnsweredWith<StartAnswer> & {
        readonly type: 'start';
        readonly event: NewEvent;
        readonly recipe: NewRecipe;
      })
  /** Rows changed that memory should know of, or something may have been lost. */
  | { readonly type: 'wake' }
  | Reprocess
  | TaskEnded
  | Forget
  | CancelJobs
  | RequeueJobs;
