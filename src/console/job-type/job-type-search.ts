/** What the address of a job type's page holds. */
import { choiceOf, type Search } from '../search.ts';
import { type RevisionSearch, readRevisionSearch } from '../type-pages/revision-search.ts';

export const TABS = ['manifest', 'revisions', 'try', 'edit'] as const;

export interface JobTypeSearch extends RevisionSearch {
  readonly tab?: (typeof TABS)[number];
}

export function readJobTypeSearch(search: Search): JobTypeSearch {
  const tab = choiceOf(search.tab, TABS);
  return { ...readRevisionSearch(search), ...(tab === undefined ? {} : { tab }) };
}
