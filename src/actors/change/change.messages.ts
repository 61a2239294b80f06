/** What the giver of positions in the stream of changes is told. */
import { address } from '../../kernel/mod.ts';

/** The one of a cluster. */
export const CHANGES = address<ChangesMessage>('changes', 'main');

/** Something was committed. */
export type ChangesMessage = { readonly type: 'wake' };
