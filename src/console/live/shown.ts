/** What a query shows, as its `meta`: changes of these kinds of objects make it out of date. */
import type { Shown } from './cache.ts';

/** Figures that no change announces are read again so often, in ms. */
export const FIGURES_MS = 5_000;
export const MINUTES_MS = 60_000;

/** With an id: only changes of this object of the first kind, and of what belongs to it. */
export const shows = (kinds: Shown['kinds'], id?: number): { readonly meta: { readonly shown: Shown } } => ({
  meta: { shown: id === undefined ? { kinds } : { kinds, id } },
});
