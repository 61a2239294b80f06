/**
 * Updates recipe types to new revisions of the types inside them: requests one after another in their order, page by
 * page until nothing is left. Its state is in rows, so any activation continues where the last one was.
 *
 * poll: the reconciliation wakes it while a request is not done.
 */
import {
  call,
  type Done,
  defineActor,
  type Failed,
  portsOf,
  shardOf,
  stay,
  stop,
  timer,
} from '../../kernel/mod.ts';
import { answer } from '../defer-until-reload.ts';
import { FROM_ITS_ROW } from '../periodic-reconcile.ts';
import { TYPE_UPDATES, type TypeUpdateMessage } from './type-update.messages.ts';
import type { TypeUpdatePorts } from './type-update.ports.ts';

/** The pause between two pages, in which waiting transactions get the catalog's lock first. */
const PAUSE_MS = 20;
const RETRY_MS = 2_000;

interface TypeUpdateState {
  /** Whether a page, or the pause after it, is in progress. */
  isBusy: boolean;
  /** A request may have been saved since the page began. */
  isWoken: boolean;
}

type Inbox =
  | TypeUpdateMessage
  | { readonly type: 'next' }
  | Done<'pageDone', boolean>
  | Failed<'advanceTypeUpdatesFailed'>;

const { advanceTypeUpdates } = portsOf<TypeUpdatePorts>();

const NEXT_PAGE = call(advanceTypeUpdates, undefined, {
  done: 'pageDone',
  failed: 'advanceTypeUpdatesFailed',
  evenIfReloaded: true,
});

export const typeUpdateActor = defineActor<TypeUpdateState, Inbox, TypeUpdatePorts, never>({
  kind: TYPE_UPDATES.kind,
  mailboxMax: 1_000,
  idleMs: 60_000,
  turnMax: 10,
  supervise: FROM_ITS_ROW,
  reconcile: {
    everyMs: 5_000,
    async find(shards, ports) {
      if (!shards.includes(shardOf(TYPE_UPDATES.kind, TYPE_UPDATES.key))) return [];
      return (await ports.hasTypeUpdates()) ? [{ key: TYPE_UPDATES.key, message: { type: 'wake' } }] : [];
    },
  },
  async load(keys) {
    return new Map(keys.map((key) => [key, { isBusy: false, isWoken: false }]));
  },
  receive(state, message, ctx) {
    if (state === undefined) return stay(state);
    switch (message.type) {
      case 'wake': {
        const answered = answer(message, ctx, {});
        state.isWoken = state.isBusy;
        if (state.isBusy) return stay(state, ...answered);
        state.isBusy = true;
        return stay(state, ...answered, NEXT_PAGE);
      }
      case 'next':
        state.isWoken = false;
        return stay(state, NEXT_PAGE);
      case 'pageDone':
        if (message.result && !state.isWoken) return stay(state, stop());
        return stay(state, timer('next', PAUSE_MS, { type: 'next' }));
      case 'advanceTypeUpdatesFailed':
        return stay(state, timer('next', RETRY_MS, { type: 'next' }));
    }
  },
});
