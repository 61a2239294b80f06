/** Messages to the actor that assigns positions in the stream of changes. */
import { address } from '../../kernel/mod.ts';

/** The address of the one actor of a cluster. */
export const CHANGES = address<ChangesMessage>('changes', 'main');

/** Sent after a commit. */
export type ChangesMessage = { readonly type: 'wake' };
