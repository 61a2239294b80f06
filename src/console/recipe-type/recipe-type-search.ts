/** The parameters in the address of a recipe type's page. */
import { choiceOf, present, type Search } from '../search.ts';
import { type RevisionSearch, readRevisionSearch } from '../type-pages/revision-search.ts';

export const TABS = ['recipes', 'definition', 'revisions', 'try', 'edit'] as const;

export interface RecipeTypeSearch extends RevisionSearch {
  readonly tab?: (typeof TABS)[number] | undefined;
}

export function readRecipeTypeSearch(search: Search): RecipeTypeSearch {
  return present<RecipeTypeSearch>({ ...readRevisionSearch(search), tab: choiceOf(search.tab, TABS) });
}
