/** What is opened on the page of a recipe, as in its address. */
import { idOf, present, type Search } from '../search.ts';

/** limit: recipes that are opened inside a graph by an address. */
const OPEN_MAX = 20;

export interface RecipeView {
  /** The ids of recipes that are opened inside the graph. */
  readonly open?: readonly string[] | undefined;
  /** The id of the recipe of the chain that is compared with the one before it. */
  readonly compared?: string | undefined;
}

export function readRecipeView(search: Search): RecipeView {
  const open = [search.open].flat().flatMap((one) => idOf(one) ?? []);
  return present<RecipeView>({
    open: open.length === 0 ? undefined : [...new Set(open)].slice(0, OPEN_MAX),
    compared: idOf(search.compared),
  });
}
