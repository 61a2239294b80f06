/**
 * Assigns positions in the stream of changes, one actor per cluster. After a commit it assigns positions to the changes
 * that became visible. It pauses between two ticks, so that one tick covers many commits.
 *
 * poll: changes without a report (a lost wake-up, a change of the catalog) are found by the next tick, four times a
 * second; after a crash the reconciliation wakes the actor.
 */
import {
  type CallEffect,
  call,
  type Done,
  defineActor,
  type Failed,
  portsOf,
  stay,
  timer,
} from '../../kernel/mod.ts';
import { oneOfCluster } from '../periodic-reconcile.ts';
import { CHANGES, type ChangesMessage } from './change.messages.ts';
import type { ChangesPorts } from './change.ports.ts';

/** The shortest pause between two ticks. */
const PAUSE_MS = 20;
const POLL_MS = 250;

interface ChangesState {
  phase: 'idle' | 'ticking' | 'pausing';
  /** Something was committed during the pause or since the current tick began. */
  isWoken: boolean;
}

type Outcome = Done<'tickAdded', unknown> | Failed<'tickFailed'>;
type Inbox = ChangesMessage | { readonly type: 'next' } | Outcome;

const ports = portsOf<ChangesPorts>();
const addTick = call(ports.addTick, undefined, {
  done: 'tickAdded',
  failed: 'tickFailed',
  evenIfReloaded: true,
});
const next = (afterMs: number) => timer('next', afterMs, { type: 'next' } as const);

export const changesActor = defineActor<ChangesState, Inbox, ChangesPorts, never>({
  ...oneOfCluster(CHANGES, 1_000),
  mailboxMax: 1_000,
  turnMax: 100,
  async load(keys) {
    return new Map(keys.map((key) => [key, { phase: 'idle' as const, isWoken: false }]));
  },
  receive(state, message) {
    if (state === undefined) return stay(state);
    switch (message.type) {
      case 'wake':
        if (state.phase !== 'idle') {
          state.isWoken = true;
          return stay(state);
        }
        return stay(state, ...begin(state));
      case 'next':
        if (state.phase === 'ticking') return stay(state);
        if (state.phase === 'idle' || state.isWoken) return stay(state, ...begin(state));
        state.phase = 'idle';
        return stay(state, next(POLL_MS));
      case 'tickAdded':
      case 'tickFailed':
        // The poll retries a failed tick.
        state.phase = 'pausing';
        return stay(state, next(PAUSE_MS));
    }
  },
});

function begin(state: ChangesState): readonly CallEffect<Outcome>[] {
  state.phase = 'ticking';
  state.isWoken = false;
  return [addTick];
}
