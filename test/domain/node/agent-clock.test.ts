/** Times of an agent's reports on the database's clock; test/rpc/agent-gateway.test.ts has more, over gRPC. */
import t from 'tap';
import { AgentClock } from '../../../src/domain/node/agent-clock.ts';
import { makeUpdate } from '../../support/worlds/node-world.ts';

t.test('agent clock: task updates in one message get the same times as sent alone', async (t) => {
  const clock = new AgentClock();
  clock.learn(1_000, 61_000);
  const update = (id: number, startedMs: number) =>
    makeUpdate(id, id, { phases: [{ phase: 'main', startedMs, endedMs: startedMs + 5, timedOut: false }] });
  const updates = [update(1, 2_000), update(2, 9_000_000)];
  const alone = updates.map((one) => clock.translated(one, 70_000));
  t.match(alone, [{ phases: [{ startedMs: 62_000 }] }, { phases: [{ startedMs: 70_000 }] }]);
  t.strictSame(clock.translated({ type: 'taskUpdates', updates }, 70_000), {
    ...{ type: 'taskUpdates', updates: alone },
  });
});
