/**
 * One purge: has piece after piece done until nothing is left, with a pause where somebody is waited for. Its truth is
 * in rows; whoever goes on with it, and however often, goes on where it was.
 *
 * poll: the sweep wakes every purge that is not done.
 */
import { call, type Done, defineActor, type Failed, portsOf, stay, stop, timer } from '../../kernel/mod.ts';
import { FROM_ITS_ROW, wakeDue } from '../periodic-reconcile.ts';
import type { PurgeMessage } from './purge.messages.ts';
import type { PurgePorts, PurgeProgress } from './purge.ports.ts';

const RETRY_MS = 2_000;

interface PurgeState {
  readonly purgeId: number;
  /** A piece is under way, or its pause. */
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
  receive(cell, message) {
    if (cell === undefined) return stay(cell);
    switch (message.type) {
      case 'wake':
        if (cell.isBusy) return stay(cell);
        cell.isBusy = true;
        return stay(cell, advance(cell.purgeId));
      case 'next':
        return stay(cell, advance(cell.purgeId));
      case 'purgeAdvanced': {
        const { isDone, pauseMs } = message.result;
        if (isDone) return stay(cell, stop());
        if (pauseMs === 0) return stay(cell, advance(cell.purgeId));
        return stay(cell, timer('next', pauseMs, { type: 'next' }));
      }
      case 'advancePurgeFailed':
        return stay(cell, timer('next', RETRY_MS, { type: 'next' }));
    }
  },
});
