/**
 * Messages to the owner of a recipe tree. Its key is the id of the root recipe; after reprocessing, that of the root
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

/** Replaces the current recipe by a new one. An ask; repeats change nothing. */
export interface Reprocess extends Keyed, AnsweredWith<ReprocessAnswer> {
  readonly type: 'reprocess';
  /** Must be the current one, except in a request of a batch, which may name any recipe of the chain. */
  readonly oldRecipeId: number;
  /** The id of the new recipe. */
  readonly recipeId: number;
  readonly recipeTypeRevId: number;
  readonly forced: ForcedNodes;
  readonly eventId: number;
  /** To be created; null: it exists. */
  readonly event: NewEvent | null;
  readonly batchId: number | null;
  readonly batchMemberId: number | null;
  readonly batchPriority: number | null;
  /** The asker, if the message was deferred. */
  readonly replyTo?: ReplyTo<ReprocessAnswer>;
}

export type ReprocessAnswer =
  /** The current recipe. */
  | { readonly recipeId: number }
  /** Nothing was done. `isConflict`: because of the recipe's state, not because of the request. */
  | { readonly problem: Problem; readonly isConflict: boolean };

/** The state of the recipe in the commit that created it with its first nodes. */
export interface StartAnswer {
  /** Absent: it already existed. */
  readonly begun?: RecipeBeginning | undefined;
}

export type RecipeMessage =
  /** An ask with `isNew`: a validated root recipe with its input. Answered once it is saved. */
  | (Keyed &
      AnsweredWith<StartAnswer> & {
        readonly type: 'start';
        readonly event: NewEvent;
        readonly recipe: NewRecipe;
      })
  /** Rows have changed, or a message may have been lost. */
  | { readonly type: 'wake' }
  | Reprocess
  | TaskEnded
  | Forget
  | CancelJobs
  | RequeueJobs;
