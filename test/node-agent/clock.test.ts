/** Time for the agent: what waits for something or for time, whichever comes first. */
import t from 'tap';
import { atMost, systemClock } from '../../node-agent/clock.ts';
import { agentBench } from '../support/agent/agent-bench.ts';
import { eventually } from '../support/agent/eventually.ts';
import { makeLaunch, shell } from '../support/agent/make-launch.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const virtual = () => {
  const clock = new VirtualClock();
  const pending = new Set<object>();
  const after = (delayMs: number, call: () => void) => {
    const one = {};
    pending.add(one);
    const cancel = clock.timer(delayMs, () => {
      pending.delete(one);
      call();
    });
    return () => {
      pending.delete(one);
      cancel();
    };
  };
  return {
    clock,
    pending,
    agentClock: { nowMs: () => clock.nowMs(), bootMs: () => clock.monotonicMs(), after },
  };
};

t.test('atMost: a promise that settles in time leaves no timer, however it settles', async (t) => {
  const { pending, agentClock } = virtual();
  await atMost(agentClock, 1_000, Promise.resolve());
  t.equal(pending.size, 0);
  await t.rejects(atMost(agentClock, 1_000, Promise.reject(new Error('no'))), /no/);
  t.equal(pending.size, 0);
});

t.test('atMost: a promise that does not settle in time is abandoned', async (t) => {
  const { clock, pending, agentClock } = virtual();
  let isOver = false;
  const waiting = atMost(agentClock, 1_000, new Promise(() => undefined)).then(() => {
    isOver = true;
  });
  await clock.advance(999);
  t.equal(isOver, false);
  await clock.advance(1);
  await waiting;
  t.equal(pending.size, 0);
});

t.test('agent: tasks that have ended leave no timer behind', async (t) => {
  const { after } = systemClock;
  const long = new Set<object>();
  systemClock.after = (delayMs, call) => {
    const cancel = after(delayMs, call);
    const one = {};
    if (delayMs >= 300_000) long.add(one);
    return () => {
      long.delete(one);
      cancel();
    };
  };
  t.teardown(() => {
    systemClock.after = after;
  });
  const bench = await agentBench(t);
  await bench.start();
  await bench.coordinator.connected();
  for (let id = 1; id <= 5; id++) bench.coordinator.send(makeLaunch(id, { command: shell('true') }));
  for (let id = 1; id <= 5; id++) await bench.coordinator.update(id);
  await eventually(() => bench.foldersOfTasks().length === 0, 'all are forgotten');
  t.ok(long.size <= 2, `${long.size} pending: the session and the look at leftovers have one each`);
});
