/** The shown part of the flow, as in the address of the page. */
import { choiceOf, present, type Search, textOf } from '../search.ts';

/** Ranges by their names in addresses: ISO 8601 durations before now. */
export const RANGES = ['PT1H', 'P1D', 'P7D'] as const;
export const RANGE_WORDS = { PT1H: 'Last hour', P1D: 'Last day', P7D: 'Last 7 days' } as const;
export const DEFAULT_RANGE = 'PT1H';

export interface FlowSearch {
  readonly range?: (typeof RANGES)[number] | undefined;
  /** The key of the node whose flow is shown. */
  readonly at?: string | undefined;
}

export function readFlowSearch(search: Search): FlowSearch {
  return present<FlowSearch>({ range: choiceOf(search.range, RANGES), at: textOf(search.at) });
}
