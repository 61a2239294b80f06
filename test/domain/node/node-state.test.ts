import t from 'tap';
import { LOST_AFTER_MS, OFFLINE_AFTER_MS, pulseOf } from '../../../src/domain/node/node-state.ts';

t.test(
  'pulse of a node: an agent speaks several times before it counts as offline, and so as lost',
  async (t) => {
    t.same(pulseOf(LOST_AFTER_MS), { heartbeatMs: 2_000, offlineAfterMs: OFFLINE_AFTER_MS });
    t.same(pulseOf(2_000), { heartbeatMs: 500, offlineAfterMs: 2_000 });
    for (const lostAfterMs of [1_000, 2_000, 5_000, 8_000, 60_000, 3_600_000]) {
      const { heartbeatMs, offlineAfterMs } = pulseOf(lostAfterMs);
      t.ok(3 * heartbeatMs <= offlineAfterMs, `${lostAfterMs}: three beats fit in`);
      t.ok(offlineAfterMs <= lostAfterMs, `${lostAfterMs}: offline before lost`);
    }
  },
);

t.test(
  'pulse of a node: a setting of nothing makes no storm of heartbeats, nor silence of every agent',
  async (t) => {
    t.same(pulseOf(0), { heartbeatMs: 100, offlineAfterMs: 400 });
  },
);
