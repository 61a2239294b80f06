/** What the keeper of history is told. */
import { address } from '../../kernel/mod.ts';

/** The one of a cluster. */
export const RETENTION = address<RetentionMessage>('retention', 'main');

export type RetentionMessage = { readonly type: 'wake' };
