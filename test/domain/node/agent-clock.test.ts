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

/** The start of a task, converted, if the agent says 2,000 for it. */
function startOf(clock: AgentClock): unknown {
  const phases = [{ phase: 'main', startedMs: 2_000, endedMs: 2_005, timedOut: false }] as const;
  const converted = clock.translated(makeUpdate(1, 1, { phases }), 1_000_000);
  return (converted as typeof converted & { readonly phases: readonly { startedMs: number }[] }).phases[0]
    ?.startedMs;
}

t.test('agent clock: a message that is long in transit changes no times', async (t) => {
  const clock = new AgentClock();
  t.equal(startOf(clock), 2_000, 'a clock that was never told is right');
  clock.learn(1_000, 61_010);
  clock.learn(6_000, 66_001);
  t.equal(startOf(clock), 62_001, 'the message that was in transit for the shortest time');
  clock.learn(11_000, 72_500);
  t.equal(startOf(clock), 62_001);
});

t.test('agent clock: a clock that is set is followed at once', async (t) => {
  const clock = new AgentClock();
  clock.learn(1_000, 61_000);
  clock.learn(60_000, 66_000);
  t.equal(startOf(clock), 8_000, 'forward');
  clock.learn(5_000, 71_000);
  t.equal(startOf(clock), 68_000, 'back');
});

t.test('agent clock: a clock that goes slowly is followed', async (t) => {
  const clock = new AgentClock();
  for (let beat = 0; beat < 10; beat += 1) clock.learn(5_000 * beat, 60_000 + 5_100 * beat);
  t.equal(startOf(clock), 62_400, 'as six messages ago');
});
