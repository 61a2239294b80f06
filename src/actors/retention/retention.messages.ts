/** What the keeper of history is told. */

/** The one of a cluster. */
export const RETENTION = { kind: 'retention', key: 'main' } as const;

export type RetentionMessage = { readonly type: 'wake' };
