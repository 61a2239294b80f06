/** What the address of a recipe type's page holds. */
import { choiceOf, type Search } from '../search.ts';
import { type RevisionSearch, readRevisionSearch } from '../type-pages/revision-search.ts';

export const TABS = ['recipes', 'definition', 'revisions', 'edit'] as const;

export interface RecipeTypeSearch extends RevisionSearch {
  readonly tab?: (typeof TABS)[number];
}

export function readRecipeTypeSearch(search: Search): RecipeTypeSearch {
  const tab = choiceOf(search.tab, TABS);
  return { ...readRevisionSearch(search), ...(tab === undefined ? {} : { tab }) };
}
