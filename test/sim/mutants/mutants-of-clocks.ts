/** Seeded bugs in what guards against clocks that are stepped: of leases, and of instants. */
import { AgentClock } from '../../../src/domain/node/agent-clock.ts';
import { MemoryCluster } from '../../support/fakes/memory-leases.ts';
import type { Seams } from '../coordinator/coordinator.ts';
import type { Mutant } from './seams.ts';

/** An expiry is believed however far in the future it is. */
class Believing extends MemoryCluster {
  protected override cutImpossible(): void {
    // Nothing is cut.
  }
}

/** instants of agents are taken as they are reported. */
class Trusting extends AgentClock {
  override learn(): void {
    // Nothing is learned.
  }
}

/** Owners continue for longer than what they renewed lasts. */
const overlong: Seams = {
  options: (options) => ({ ...options, leases: { ...options.leases, ttlMs: 2 * options.leases.ttlMs } }),
};

export const CLOCKS: readonly Mutant[] = [
  {
    bug: 'leases that expire far in the future are believed',
    seams: { cluster: (nowMs) => new Believing(nowMs) },
    from: 5,
  },
  { bug: 'owners believe their leases for too long', seams: overlong, from: 3 },
  { bug: "instants are on coordinators' own clocks", seams: { clock: (_, host) => host }, from: 5 },
  {
    bug: 'instants of a job are not clamped to what it did before',
    seams: {
      prepared: (store) => {
        store.lockedRows = (rows) => rows.map((row) => ({ ...row, lastStatusChange: 0 }));
      },
    },
    from: 1,
  },
  {
    bug: "instants of agents are not set to the database's clock",
    seams: { agentClock: () => new Trusting() },
    from: 7,
  },
  {
    bug: 'instants of agents are stored in any order',
    seams: {
      prepared: (store) => {
        store.storedPhases = ({ phases }) => phases;
      },
    },
    from: 1,
  },
];
