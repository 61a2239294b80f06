/** Messages to the actor of type updates. */
import { type AnsweredWith, address, type Confirmed } from '../../kernel/mod.ts';

/** There is one in a cluster, because requests are executed in order. */
export const TYPE_UPDATES = address<TypeUpdateMessage>('type_update', 'main');

/** Continues, if anything is left. A tell or an ask. */
export type TypeUpdateMessage = AnsweredWith<Confirmed> & { readonly type: 'wake' };
