/** Handles requests to reprocess the recipe of a chain: refused with a reason, done before, or done in this turn. */
import type { RecipeTree } from '../../domain/recipe/recipe.ts';
import { reprocess, reprocessProblem } from '../../domain/recipe/reprocess.ts';
import type { TreeChanges } from '../../domain/recipe/tree-changes.ts';
import type { RecipeTypeRevision } from '../../domain/recipe/type-revisions.ts';
import { askerOf, type Ctx, call, type ReplyTo, reply, save } from '../../kernel/mod.ts';
import { keepAnswer } from '../keyed-answer.ts';
import type { Reprocess, ReprocessAnswer } from './recipe.messages.ts';
import { effectsOfStop, type RecipeEffect, type ReprocessContext, recipePorts } from './tree-effects.ts';

/** Reads the revision; the outcome of the call brings the request back. */
export function beginReprocess(tree: RecipeTree, request: Reprocess, ctx: Ctx): RecipeEffect[] {
  const replyTo = askerOf(request, ctx) ?? request.replyTo ?? null;
  const known = settled(tree, request);
  if (known !== undefined) return answered(replyTo, known);
  const about = { request, replyTo };
  const outcomes = {
    done: 'recipeRevisionRead',
    failed: 'recipeRevisionFailed',
    evenIfReloaded: true,
    about,
  } as const;
  return [call(recipePorts.recipeRevision, request.recipeTypeRevId, outcomes)];
}

export function endReprocess(
  turn: TreeChanges,
  { request, replyTo }: ReprocessContext,
  revision: RecipeTypeRevision | null,
): RecipeEffect[] {
  const { tree } = turn;
  const known = settled(tree, request);
  if (known !== undefined) return answered(replyTo, known);
  const root = tree.recipes.get(tree.rootId);
  if (root === undefined || root.input === null || revision === null) {
    return answered(replyTo, problem('UNKNOWN_REVISION', 'revision_num', 'there is no such revision'));
  }
  const found = reprocessProblem({ revision: root.revision, input: root.input }, revision, request.forced);
  // In a batch, a recipe of which nothing changes becomes a recipe of the batch as it is.
  const isKept = found?.name === 'NOTHING_TO_REPROCESS' && request.batchId !== null;
  if (found !== undefined && !isKept) return answered(replyTo, { problem: found, isConflict: false });
  const { recipeId, forced, event, eventId, batchId, batchMemberId, batchPriority } = request;
  const order = { recipeId, revision, forced, eventId, batchId, batchMemberId, batchPriority };
  const stopped = reprocess(turn, order);
  return [
    ...(event === null ? [] : [save({ type: 'createEvents', events: [event] } as const)]),
    ...effectsOfStop(turn, stopped),
    ...keepAnswer(request),
    ...answered(replyTo, { recipeId }),
  ];
}

/**
 * The answer if nothing has to be done: the request, or one of its batch, was executed before, or the recipe is not the
 * current one.
 */
function settled(tree: RecipeTree, request: Reprocess): ReprocessAnswer | undefined {
  if (tree.recipes.has(request.recipeId)) return { recipeId: request.recipeId };
  const root = tree.recipes.get(tree.rootId);
  if (request.batchId !== null && root?.batchId === request.batchId) return { recipeId: root.id };
  // The recipe that was made for the batch may have been reprocessed before the batch got its answer.
  const made = request.batchMemberId === null ? madeFor(tree, request.batchId) : undefined;
  if (made !== undefined) return { recipeId: made };
  const isCurrent = root !== undefined && !root.isSuperseded && root.parentId === null;
  if (isCurrent && (request.batchId !== null || root.id === request.oldRecipeId)) return undefined;
  const by = successorOf(tree, request.oldRecipeId);
  const text = `the recipe ${request.oldRecipeId} is superseded${by === undefined ? '' : ` by recipe ${by}`}`;
  return { ...problem('SUPERSEDED', '', text), isConflict: true };
}

/** The recipe that replaced this one. */
function successorOf(tree: RecipeTree, recipeId: number): number | undefined {
  for (const recipe of tree.recipes.values()) if (recipe.supersededId === recipeId) return recipe.id;
  return undefined;
}

/** The recipe of the chain that was made for a batch of a previous batch. */
function madeFor(tree: RecipeTree, batchId: number | null): number | undefined {
  if (batchId === null) return undefined;
  for (const recipe of tree.recipes.values()) {
    if (recipe.parentId === null && recipe.batchId === batchId) return recipe.id;
  }
  return undefined;
}

function problem(name: string, path: string, description: string) {
  return { problem: { name, path, description }, isConflict: false };
}

function answered(replyTo: ReplyTo<ReprocessAnswer> | null, value: ReprocessAnswer): RecipeEffect[] {
  return replyTo === null ? [] : [reply(replyTo, value)];
}
