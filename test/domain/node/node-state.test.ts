import t from 'tap';
import { LOST_AFTER_MS, OFFLINE_AFTER_MS, pulseOf } from '../../../src/domain/node/node-state.ts';

t.test(
  'pulse of a node: at least three heartbeats fit in before an agent counts as offline, and then as lost',
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

t.test('pulse of a node: with a setting of 0 there are still at most ten heartbeats a second', async (t) => {
  t.same(pulseOf(0), { heartbeatMs: 100, offlineAfterMs: 400 });
});
