/**
 * One purge: executed piece by piece until nothing is left, with a pause while it has to wait. Its state is in rows, so
 * any activation continues where the last one was.
 *
 * poll: the reconciliation wakes every purge that is not done.
 */
import { call, type Done, defineActor, type Failed, portsOf, stay, stop, timer } from '../../kernel/mod.ts';
import { FROM_ITS_ROW, wakeDue } from '../periodic-reconcile.ts';
import type { PurgeMessage } from './purge.messages.ts';
import type { PurgePorts, PurgeProgress } from './purge.ports.ts';

const RETRY_MS = 2_000;

interface PurgeState {
  readonly purgeId: number;
  /** Whether a piece, or the pause after it, is in progress. */
  isBusy: boolean;
}

type Inbox =
  | PurgeMessage
  | { readonly type: 'next' }
  | Done<'purgeAdvanced', PurgeProgress>
  | Failed<'advancePurgeFailed'>;

const { advancePurge } = portsOf<PurgePorts>();

const advance = (purgeId: number) =>
  call(advancePurge, purgeId, {
    done: 'purgeAdvanced',
    failed: 'advancePurgeFailed',
    evenIfReloaded: true,
  });

export const purgeActor = defineActor<PurgeState, Inbox, PurgePorts, never>({
  kind: 'purge',
  mailboxMax: 100,
  idleMs: 60_000,
  turnMax: 10,
  supervise: FROM_ITS_ROW,
  reconcile: wakeDue(10_000, (ports, shards) => ports.duePurges(shards)),
  async load(keys) {
    return new Map(keys.map((key) => [key, { purgeId: Number(key), isBusy: false }]));
  },
  receive(state, message) {
    if (state === undefined) return stay(state);
    switch (message.type) {
      case 'wake':
        if (state.isBusy) return stay(state);
        state.isBusy = true;
        return stay(state, advance(state.purgeId));
      case 'next':
        return stay(state, advance(state.purgeId));
      case 'purgeAdvanced': {
        const { isDone, pauseMs } = message.result;
        if (isDone) return stay(state, stop());
        if (pauseMs === 0) return stay(state, advance(state.purgeId));
        return stay(state, timer('next', pauseMs, { type: 'next' }));
      }
      case 'advancePurgeFailed':
        return stay(state, timer('next', RETRY_MS, { type: 'next' }));
    }
  },
});
