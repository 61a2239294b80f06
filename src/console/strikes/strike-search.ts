/** The order of the list of strikes, as its address holds it. */
import { orderOf, present, type Search } from '../search.ts';

const SORTS = ['title', 'is_paused', 'job__status', 'last_modified'] as const;
export type Sort = (typeof SORTS)[number];
export const DEFAULT_ORDER = 'title';

export interface StrikeSearch {
  readonly order?: Sort | `-${Sort}` | undefined;
}

export function readStrikeSearch(search: Search): StrikeSearch {
  return present<StrikeSearch>({ order: orderOf(search.order, SORTS) });
}
