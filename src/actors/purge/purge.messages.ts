/** What the actor of one purge is told. Its key is the id of the purge. */

export function purgeAddress(purgeId: number): { readonly kind: 'purge'; readonly key: string } {
  return { kind: 'purge', key: String(purgeId) };
}

/** Go on, if anything is left. */
export type PurgeMessage = { readonly type: 'wake' };
