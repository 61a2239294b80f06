/** The part of a file's lineage that is shown, as in the address of its page. */
import { choiceOf, type Search } from '../search.ts';

export const DIRECTIONS = ['both', 'ancestors', 'descendants'] as const;
export const DIRECTION_WORDS = {
  both: 'Both ways',
  ancestors: 'Ancestors',
  descendants: 'Descendants',
} as const;
export const DEPTHS = ['1', '2', '3', '5', '10', '20'] as const;

export interface LineageSearch {
  readonly direction?: (typeof DIRECTIONS)[number] | undefined;
  /** The number of jobs between the file and the farthest shown files. */
  readonly depth?: (typeof DEPTHS)[number] | undefined;
}

export const DEFAULT_LINEAGE = { direction: 'both', depth: '3' } as const;

export function readLineageSearch(search: Search): LineageSearch {
  const direction = choiceOf(search.direction, DIRECTIONS);
  const depth = choiceOf(search.depth, DEPTHS);
  return {
    ...(direction === undefined ? {} : { direction }),
    ...(depth === undefined ? {} : { depth }),
  };
}
