/** Messages to the actor of type updates. */
import { type AnsweredWith, address, type Confirmed } from '../../kernel/mod.ts';

/** There is one in a cluster, because requests are worked off in their order. */
export const TYPE_UPDATES = address<TypeUpdateMessage>('type_update', 'main');

/** Continue, if anything is left. Told, or asked. */
export type TypeUpdateMessage = AnsweredWith<Confirmed> & { readonly type: 'wake' };
