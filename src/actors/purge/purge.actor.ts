/**
 * One purge: has piece after piece done until nothing is left, with a pause where somebody is waited for. Its truth is
 * in rows; whoever goes on with it, and however often, goes on where it was.
 *
 * poll: the sweep wakes every purge that is not done.
 */
import { type Called, type CallFailed, call, defineActor, stay, stop, timer } from '../../kernel/mod.ts';
import { FROM_ITS_ROW, wakeDue } from '../standing-work.ts';
import type { PurgeMessage } from './purge.messages.ts';
import type { PurgePorts, PurgeProgress } from './purge.ports.ts';

const RETRY_MS = 2_000;

interface Cell {
  readonly purgeId: number;
  /** A piece is under way, or its pause. */
  isBusy: boolean;
}

type Tag = { readonly about: 'piece' };
type Inbox = PurgeMessage | { readonly type: 'next' } | Called<Tag, PurgeProgress> | CallFailed<Tag>;

const TAG: Tag = { about: 'piece' };

export const purgeActor = defineActor<Cell, Inbox, PurgePorts, never>({
  kind: 'purge',
  mailboxMax: 100,
  idleMs: 60_000,
  turnMax: 10,
  supervise: FROM_ITS_ROW,
  sweep: wakeDue(10_000, (ports, shards) => ports.duePurges(shards)),
  async load(keys) {
    return new Map(keys.map((key) => [key, { purgeId: Number(key), isBusy: false }]));
  },
  receive(cell, message, ctx) {
    if (cell === undefined) return stay<Cell>(cell);
    switch (message.type) {
      case 'wake':
        if (cell.isBusy) return stay(cell);
        cell.isBusy = true;
        return stay(cell, call('advancePurge', cell.purgeId, TAG));
      case 'next':
        return stay(cell, call('advancePurge', cell.purgeId, TAG));
      case 'called': {
        const { isDone, pauseMs } = message.result;
        if (isDone) return stay(cell, stop());
        if (pauseMs === 0) return stay(cell, call('advancePurge', cell.purgeId, TAG));
        return stay(cell, timer('next', pauseMs, { type: 'next' }));
      }
      case 'callFailed':
        ctx.count('purge_failed');
        return stay(cell, timer('next', RETRY_MS, { type: 'next' }));
    }
  },
});
