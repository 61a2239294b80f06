/** Which changes a grid of recipes shows. */
import type { AnswerOf, Change } from '../../client/operations.ts';

export type Grid = AnswerOf<'get', '/v6/recipe-types/{name}/grid/'>;

/**
 * Changes of its recipes and of what is in them, and new recipes of its type. What changes inside a recipe that is a
 * node does not name the recipe that the grid shows: with such nodes, any change may be one of them.
 */
export function isInGrid(change: Change, typeId: number, { recipes, nodes }: Grid): boolean {
  if (change.recipe_type_id === typeId) return true;
  const recipeId = change.kind === 'recipe' ? change.id : change.recipe_id;
  return recipes.some(({ id }) => id === recipeId) || nodes.some(({ node_type }) => node_type === 'recipe');
}
