/** What the keeper of statistics is told. */

/** The one of a cluster. */
export const STATISTICS = { kind: 'statistics', key: 'main' } as const;

export type StatisticsMessage = { readonly type: 'wake' };
