/**
 * A recipe that begins. What its first nodes are made of is read before anything is saved; then it, they and the first
 * jobs are one commit, and its owner goes on with what it has in memory. Saved alone at first, with its nodes by the
 * next turn, a recipe cost a commit, an update of its row and the reading of its tree more.
 */
import type { Change } from '../../domain/changes.ts';
import { beginningOf } from '../../domain/recipe/recipe-beginning.ts';
import { beginRecipe } from '../../domain/recipe/start-recipe.ts';
import type { TreeChanges } from '../../domain/recipe/tree-changes.ts';
import { type Ctx, call, type Effect, type ReplyTo, reply, save } from '../../kernel/mod.ts';
import { keepAnswer } from '../keyed-answer.ts';
import type { RecipeMessage, StartAnswer } from './recipe.messages.ts';
import type { StartFacts } from './recipe.ports.ts';
import { effectsOf, type RecipeTag } from './tree-effects.ts';

type Start = Extract<RecipeMessage, { type: 'start' }>;
export type StartTag = Extract<RecipeTag, { about: 'start' }>;

export function beginStart({ event, recipe, answer }: Start, ctx: Ctx): Effect<Change>[] {
  const fileIds = Object.values(recipe.input?.input.files ?? {}).flat();
  const { recipeTypeRevId } = recipe;
  const tag: RecipeTag = { about: 'start', event, recipe, answer, replyTo: ctx.replyTo ?? null };
  return [call('startFacts', { recipeTypeRevId, fileIds }, tag)];
}

/** Nobody has started it meanwhile. Answers the turn, which has the new tree, and what is to be done. */
export function endStart(
  { event, recipe, answer, replyTo }: StartTag,
  { plan, files, workspaces }: StartFacts,
  ctx: Ctx,
): { readonly turn: TreeChanges; readonly effects: readonly Effect<Change>[] } {
  const around = { files, workspaces, nowMs: ctx.nowMs, newId: (kind: string) => ctx.newId(kind) };
  const turn = beginRecipe(plan, recipe, null, around);
  const begun = beginningOf(turn);
  const saved = save<Change>({ type: 'createEvents', events: [event] });
  return {
    turn,
    effects: [saved, ...effectsOf(turn), ...keepAnswer({ answer }), ...answerStart(replyTo, { begun })],
  };
}

export function answerStart(replyTo: ReplyTo | null, answer: StartAnswer): Effect<Change>[] {
  return replyTo === null ? [] : [reply(replyTo, answer)];
}
