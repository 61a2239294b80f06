/** Messages to the retention actor. */
import { address } from '../../kernel/mod.ts';

/** There is one in a cluster. */
export const RETENTION = address<RetentionMessage>('retention', 'main');

export type RetentionMessage = { readonly type: 'wake' };
