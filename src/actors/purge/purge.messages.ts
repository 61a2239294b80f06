/** Messages to the actor of one purge. Its key is the id of the purge. */
import { type Address, address } from '../../kernel/mod.ts';

export function purgeAddress(purgeId: number): Address<PurgeMessage> {
  return address('purge', String(purgeId));
}

/** Continues, if anything is left. */
export type PurgeMessage = { readonly type: 'wake' };
