/** Links the recipes of a tree through their nodes. If several recipes hold one, only one of them is not superseded. */
import type { RecipeState } from './recipe.ts';

/** Sets `recipeIds` of every recipe, and `parentId` of those that another one holds. */
export function linkRecipes(recipes: ReadonlyMap<number, RecipeState>): void {
  const holders = new Map<number, RecipeState[]>();
  for (const recipe of recipes.values()) {
    for (const node of recipe.nodes.values()) {
      if (node.kind !== 'recipe') continue;
      const known = holders.get(node.recipeId);
      if (known === undefined) holders.set(node.recipeId, [recipe]);
      else known.push(recipe);
    }
  }
  for (const recipe of recipes.values()) {
    const above = new Set([recipe.id]);
    for (const id of above) for (const holder of holders.get(id) ?? []) above.add(holder.id);
    recipe.recipeIds = [...above];
    const current = holders.get(recipe.id)?.find((holder) => !holder.isSuperseded);
    if (current !== undefined) recipe.parentId = current.id;
  }
}

/** The root that is not superseded; undefined when there is none. */
export function currentRoot(recipes: ReadonlyMap<number, RecipeState>): RecipeState | undefined {
  for (const recipe of recipes.values()) if (recipe.parentId === null && !recipe.isSuperseded) return recipe;
  return undefined;
}
