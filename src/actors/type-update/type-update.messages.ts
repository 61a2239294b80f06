/** What the actor of type updates is told. */
import { type AnsweredWith, address, type Confirmed } from '../../kernel/mod.ts';

/** The one of a cluster: requests are worked off in their order. */
export const TYPE_UPDATES = address<TypeUpdateMessage>('type_update', 'main');

/** Go on, if anything is left. Told, or asked. */
export type TypeUpdateMessage = AnsweredWith<Confirmed> & { readonly type: 'wake' };
