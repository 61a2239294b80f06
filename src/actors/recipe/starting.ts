/**
 * The start of a recipe. The facts for its first nodes are read before anything is saved; then the recipe, its nodes
 * and the first jobs are one commit, and its owner continues with the state in memory. Saving the recipe first and its
 * nodes in the next turn cost an additional commit, an update of its row and a read of its tree.
 */
import { beginningOf } from '../../domain/recipe/recipe-beginning.ts';
import { beginRecipe } from '../../domain/recipe/start-recipe.ts';
import type { TreeChanges } from '../../domain/recipe/tree-changes.ts';
import { askerOf, type Ctx, call, type KernelFailure, type ReplyTo, reply, save } from '../../kernel/mod.ts';
import { keepAnswer } from '../keyed-answer.ts';
import { announcementOf } from '../task-results.ts';
import type { RecipeMessage, StartAnswer } from './recipe.messages.ts';
import type { StartFacts } from './recipe.ports.ts';
import { effectsOf, type RecipeEffect, recipePorts, type StartContext } from './tree-effects.ts';

type Start = Extract<RecipeMessage, { type: 'start' }>;

export function beginStart(message: Start, ctx: Ctx): RecipeEffect[] {
  const { event, recipe, answer } = message;
  const fileIds = inputFiles(recipe);
  const { recipeTypeRevId } = recipe;
  const about = { event, recipe, answer, replyTo: askerOf(message, ctx) ?? null };
  const outcomes = {
    done: 'startFactsRead',
    failed: 'startFactsFailed',
    evenIfReloaded: true,
    about,
  } as const;
  return [call(recipePorts.startFacts, { recipeTypeRevId, fileIds }, outcomes)];
}

/** Why the recipe cannot start: a purge has removed a file of its input since it was requested. */
export function lackingFile({ recipe }: StartContext, { files }: StartFacts): KernelFailure | undefined {
  const fileId = inputFiles(recipe).find((id) => !files.has(id));
  if (fileId === undefined) return undefined;
  return { code: 'FILE_NOT_FOUND', message: `there is no file ${fileId}: it was purged` };
}

function inputFiles(recipe: Start['recipe']): readonly number[] {
  return Object.values(recipe.input?.input.files ?? {}).flat();
}

/** Creates a recipe that does not exist yet. Returns the turn, with the new tree, and the effects. */
export function endStart(
  { event, recipe, answer, replyTo }: StartContext,
  { revision, files, workspaces }: StartFacts,
  ctx: Ctx,
): { readonly turn: TreeChanges; readonly effects: readonly RecipeEffect[] } {
  const around = { files, workspaces, nowMs: ctx.nowMs, newId: (kind: string) => ctx.newId(kind) };
  const turn = beginRecipe(revision, recipe, null, around);
  const begun = beginningOf(turn);
  const saved = save({ type: 'createEvents', events: [event] } as const);
  return {
    turn,
    effects: [
      saved,
      ...effectsOf(turn, announcementOf({ answer })),
      ...keepAnswer({ answer }),
      ...answerStart(replyTo, { begun }),
    ],
  };
}

export function answerStart(replyTo: ReplyTo<StartAnswer> | null, answer: StartAnswer): RecipeEffect[] {
  return replyTo === null ? [] : [reply(replyTo, answer)];
}
