/** The filters and the order of the lists of types, as in their addresses. */
import { choiceOf, orderOf, type Search, textOf } from '../search.ts';

export const ACTIVE = ['active', 'deprecated'] as const;
const SORTS = ['name', 'title', 'revision_num', 'created', 'last_modified'] as const;
export type Sort = (typeof SORTS)[number];
export const DEFAULT_ORDER = 'name';

export interface TypeSearch {
  readonly keyword?: string;
  readonly active?: (typeof ACTIVE)[number];
  readonly order?: Sort | `-${Sort}`;
}

/** Reads the filters of an address; unknown names and wrong values are left out. */
export function readTypeSearch(search: Search): TypeSearch {
  const all = {
    keyword: textOf(search.keyword),
    active: choiceOf(search.active, ACTIVE),
    order: orderOf(search.order, SORTS),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** The filters as parameters of the interface. */
export function typeQuery({ keyword, active, order }: TypeSearch) {
  return {
    order: [order ?? DEFAULT_ORDER],
    ...(keyword === undefined ? {} : { keyword: [keyword] }),
    ...(active === undefined ? {} : { is_active: active === 'active' }),
  };
}
