/** What the keeper of statistics is told. */
import { address } from '../../kernel/mod.ts';

/** The one of a cluster. */
export const STATISTICS = address<StatisticsMessage>('statistics', 'main');

export type StatisticsMessage = { readonly type: 'wake' };
