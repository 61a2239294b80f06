/** Whether the page is as narrow as on a phone. */
import { useSyncExternalStore } from 'react';

const NARROW = matchMedia('(max-width: 700px)');

function listen(change: () => void): () => void {
  NARROW.addEventListener('change', change);
  return () => NARROW.removeEventListener('change', change);
}

export function useIsNarrow(): boolean {
  return useSyncExternalStore(listen, () => NARROW.matches);
}
