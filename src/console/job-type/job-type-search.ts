/** What the address of a job type's page holds. */
import { choiceOf, type Search } from '../search.ts';
import { type RevisionSearch, readRevisionSearch } from '../type-pages/revision-search.ts';

export const TABS = ['manifest', 'revisions', 'try', 'edit'] as const;

export interface JobTypeSearch extends RevisionSearch {
  readonly tab?: (typeof TABS)[number] | undefined;
}

export function readJobTypeSearch(search: Search): JobTypeSearch {
  // Undefined takes the place of a part that does not exist: the router keeps what is not named here.
  return { ...readRevisionSearch(search), tab: choiceOf(search.tab, TABS) };
}
