/** Decides which changes put a grid of recipes out of date. */
import type { AnswerOf, Change } from '../../client/operations.ts';

export type Grid = AnswerOf<'get', '/v6/recipe-types/{name}/grid/'>;

/**
 * Changes of the shown recipes and of their jobs and conditions, and new recipes of the type. A change inside an inner
 * recipe does not name the shown recipe: if the type has nodes with recipes, any change may concern the grid.
 */
export function isInGrid(change: Change, typeId: number, { recipes, nodes }: Grid): boolean {
  if (change.recipe_type_id === typeId) return true;
  const recipeId = change.kind === 'recipe' ? change.id : change.recipe_id;
  return recipes.some(({ id }) => id === recipeId) || nodes.some(({ node_type }) => node_type === 'recipe');
}
