/** The decision after a failure, as a pure function. */
import t from 'tap';
import { decide } from '../../src/kernel/actor/supervisor.ts';

const POLICY = { timesMax: 3, windowMs: 1_000, backoffMs: 100, backoffMaxMs: 350 };

t.test('supervisor: pauses double up to their limit, and then the actor is suspended', async (t) => {
  let failuresMs: readonly number[] = [];
  const verdicts = [0, 10, 20, 30].map((nowMs) => {
    const verdict = decide(POLICY, failuresMs, nowMs);
    failuresMs = verdict.failuresMs;
    return [verdict.isSuspended, verdict.waitMs];
  });
  t.same(verdicts, [
    [false, 100],
    [false, 200],
    [false, 350],
    [true, 350],
  ]);
});

t.test('supervisor: failures older than the window are forgotten', async (t) => {
  const verdict = decide(POLICY, [0, 10, 20], 1_015);
  t.same(verdict, { isSuspended: false, waitMs: 200, failuresMs: [20, 1_015] });
});

t.test('supervisor: the number of remembered failures is bounded', async (t) => {
  let failuresMs: readonly number[] = [];
  for (let n = 0; n < 100; n++) failuresMs = decide(POLICY, failuresMs, n).failuresMs;
  t.ok(failuresMs.length <= POLICY.timesMax);
});
