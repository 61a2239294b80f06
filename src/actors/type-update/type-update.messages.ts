/** What the actor of type updates is told. */

/** The one of a cluster: requests are worked off in their order. */
export const TYPE_UPDATES = { kind: 'type_update', key: 'main' } as const;

/** Go on, if anything is left. Answered `{}` where somebody asks. */
export type TypeUpdateMessage = { readonly type: 'wake' };
