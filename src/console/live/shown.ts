/** The `meta` of a query: the kinds of objects whose changes put it out of date. */
import type { Change } from '../../client/operations.ts';

export interface Shown {
  readonly kinds: readonly Change['kind'][];
  /** Only changes of this object of the first kind, and of objects that belong to it. */
  readonly id?: number;
  /** Only changes for which this returns true, given the query's data. */
  readonly isOf?: ((change: Change, read: unknown) => boolean) | undefined;
}

/** How often figures are read again that the stream of changes does not have, in ms. */
export const FIGURES_MS = 5_000;
export const MINUTES_MS = 60_000;

/**
 * With an id: only changes of this object of the first kind, and of objects that belong to it. With a function: only
 * changes for which it returns true, given the query's data.
 */
export const shows = <T = never>(
  kinds: Shown['kinds'],
  only?: number | ((change: Change, read: T) => boolean),
): { readonly meta: { readonly shown: Shown } } => ({
  meta: {
    shown: {
      kinds,
      ...(typeof only === 'number' ? { id: only } : {}),
      ...(typeof only === 'function' ? { isOf: only as Shown['isOf'] } : {}),
    },
  },
});

/** Whether a change may put a query out of date. `read`: the query's data, if there is any. */
export function concerns({ kinds, id, isOf }: Shown, change: Change, read?: unknown): boolean {
  if (!kinds.includes(change.kind)) return false;
  if (isOf !== undefined && read !== undefined) return isOf(change, read);
  if (id === undefined) return true;
  const [first] = kinds;
  if (change.kind === first) return change.id === id;
  return first === 'job' ? change.job_id === id : first === 'recipe' ? change.recipe_id === id : true;
}
