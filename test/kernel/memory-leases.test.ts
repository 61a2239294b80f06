/** The leases in memory, which simulations use, pass the conformance suite. */
import t from 'tap';
import { leaseConformance } from '../conformance/leases.ts';
import { MemoryCluster } from '../support/fakes/memory-leases.ts';

leaseConformance(t, 'memory leases', async () => {
  let nowMs = 0;
  const cluster = new MemoryCluster(() => nowMs);
  return {
    port: () => cluster.port(),
    pass: async (ms) => {
      nowMs += ms;
    },
  };
});
