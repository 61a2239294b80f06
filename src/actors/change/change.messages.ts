/** Messages to the actor that assigns positions in the stream of changes. */
import { address } from '../../kernel/mod.ts';

/** The only one of a cluster. */
export const CHANGES = address<ChangesMessage>('changes', 'main');

/** Something was committed. */
export type ChangesMessage = { readonly type: 'wake' };
