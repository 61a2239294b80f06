/** The parameters in the address of a job type's page. */
import { choiceOf, present, type Search } from '../search.ts';
import { type RevisionSearch, readRevisionSearch } from '../type-pages/revision-search.ts';

export const TABS = ['manifest', 'revisions', 'try', 'edit'] as const;

export interface JobTypeSearch extends RevisionSearch {
  readonly tab?: (typeof TABS)[number] | undefined;
}

export function readJobTypeSearch(search: Search): JobTypeSearch {
  return present<JobTypeSearch>({ ...readRevisionSearch(search), tab: choiceOf(search.tab, TABS) });
}
