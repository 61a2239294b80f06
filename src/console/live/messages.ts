/** The messages between tabs and the worker that they share. */
import type { Change } from '../../client/operations.ts';

/** `waiting`: not connected yet. `lost`: connecting again. `ended`: the session is no longer valid. */
export type LiveState = 'waiting' | 'live' | 'lost' | 'ended';

export type ToWorker =
  /** A tab with a page of this account. */
  | { readonly type: 'hello'; readonly account: string }
  | { readonly type: 'logout' }
  | { readonly type: 'bye' };

export type ToTab =
  | { readonly type: 'state'; readonly state: LiveState }
  | { readonly type: 'changes'; readonly changes: readonly Change[] }
  /** Changes may have been missed: everything that is shown must be read again. */
  | { readonly type: 'gap' }
  /** Somebody else, or nobody, is logged in now. */
  | { readonly type: 'account' };
