/** The order of the list of workspaces, as its address holds it. */
import { orderOf, present, type Search } from '../search.ts';

const SORTS = ['name', 'title', 'is_active', 'last_modified'] as const;
export type Sort = (typeof SORTS)[number];
export const DEFAULT_ORDER = 'title';

export interface WorkspaceSearch {
  readonly order?: Sort | `-${Sort}` | undefined;
}

export function readWorkspaceSearch(search: Search): WorkspaceSearch {
  return present<WorkspaceSearch>({ order: orderOf(search.order, SORTS) });
}
