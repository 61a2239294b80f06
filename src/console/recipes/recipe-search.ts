/**
 * The filters and the order of the list of recipes, in its address and as parameters of the interface.
 */
import type { QueryOf } from '../../client/operations.ts';
import { choiceOf, idOf, orderOf, present, RANGES, type Search, textOf } from '../search.ts';

export type RecipeQuery = Omit<QueryOf<'get', '/v6/recipes/'>, 'page' | 'page_size' | 'fields'>;

export const STATES = ['open', 'failed', 'completed', 'superseded'] as const;
const SORTS = [
  ...(['id', 'recipe_type', 'jobs_failed', 'jobs_total', 'created', 'last_modified'] as const),
] as const;
export type Sort = (typeof SORTS)[number];
export const DEFAULT_ORDER = '-last_modified';

export interface RecipeSearch {
  readonly type?: string | undefined;
  readonly state?: (typeof STATES)[number] | undefined;
  readonly changed?: (typeof RANGES)[number] | undefined;
  readonly batch?: string | undefined;
  /** The recipe that contains the listed ones. */
  readonly root?: string | undefined;
  readonly order?: Sort | `-${Sort}` | undefined;
}

/** Reads the filters of an address; unknown names and wrong values are left out. */
export function readRecipeSearch(search: Search): RecipeSearch {
  return present<RecipeSearch>({
    type: textOf(search.type),
    state: choiceOf(search.state, STATES),
    changed: choiceOf(search.changed, RANGES),
    batch: idOf(search.batch),
    root: idOf(search.root),
    order: orderOf(search.order, SORTS),
  });
}

export function recipeQuery({ type, state, changed, batch, root, order }: RecipeSearch): RecipeQuery {
  return {
    order: [order ?? DEFAULT_ORDER],
    ...(type === undefined ? {} : { recipe_type_name: [type] }),
    ...(state === 'open' ? { is_completed: false, is_superseded: false } : {}),
    ...(state === 'failed' ? { state: ['FAILED'], is_superseded: false } : {}),
    ...(state === 'completed' ? { is_completed: true } : {}),
    ...(state === 'superseded' ? { is_superseded: true } : {}),
    ...(changed === undefined ? {} : { started: changed }),
    ...(batch === undefined ? {} : { batch_id: [Number(batch)] }),
    ...(root === undefined ? {} : { root_recipe_id: [Number(root)] }),
  };
}
