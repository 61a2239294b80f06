/** What a query shows, as its `meta`: changes of these kinds of objects make it out of date. */
import type { Change } from '../../client/operations.ts';

export interface Shown {
  readonly kinds: readonly Change['kind'][];
  /** Only changes of this object of the first kind, and of objects that belong to it. */
  readonly id?: number;
  /** Only changes that it finds to be of what the query has read. */
  readonly isOf?: ((change: Change, read: unknown) => boolean) | undefined;
}

/** Figures that no change announces are read again so often, in ms. */
export const FIGURES_MS = 5_000;
export const MINUTES_MS = 60_000;

/**
 * With an id: only changes of this object of the first kind, and of what belongs to it. With a function: only changes
 * that it finds to be of what the query has read.
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

/** Whether a change may change what a query shows. `read`: what it has read, if anything. */
export function concerns({ kinds, id, isOf }: Shown, change: Change, read?: unknown): boolean {
  if (!kinds.includes(change.kind)) return false;
  if (isOf !== undefined && read !== undefined) return isOf(change, read);
  if (id === undefined) return true;
  const [first] = kinds;
  if (change.kind === first) return change.id === id;
  return first === 'job' ? change.job_id === id : first === 'recipe' ? change.recipe_id === id : true;
}
