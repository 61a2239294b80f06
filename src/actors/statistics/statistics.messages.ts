/** Messages to the statistics actor. */
import { address } from '../../kernel/mod.ts';

/** There is one in a cluster. */
export const STATISTICS = address<StatisticsMessage>('statistics', 'main');

export type StatisticsMessage = { readonly type: 'wake' };
