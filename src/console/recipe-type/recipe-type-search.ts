/** What the address of a recipe type's page holds. */
import { choiceOf, type Search } from '../search.ts';
import { type RevisionSearch, readRevisionSearch } from '../type-pages/revision-search.ts';

export const TABS = ['recipes', 'definition', 'revisions', 'edit'] as const;

export interface RecipeTypeSearch extends RevisionSearch {
  readonly tab?: (typeof TABS)[number] | undefined;
}

export function readRecipeTypeSearch(search: Search): RecipeTypeSearch {
  // Undefined takes the place of a part that does not exist: the router keeps what is not named here.
  return { ...readRevisionSearch(search), tab: choiceOf(search.tab, TABS) };
}
