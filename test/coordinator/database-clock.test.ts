import t from 'tap';
import { DatabaseClock } from '../../src/coordinator/database-clock.ts';

/** A host whose clocks the test sets. */
function host(nowMs: number) {
  const at = { nowMs, monotonicMs: 500 };
  const clock = {
    nowMs: () => at.nowMs,
    monotonicMs: () => at.monotonicMs,
    timer: () => () => undefined,
    soon: (run: () => void) => run(),
  };
  return { at, clock: new DatabaseClock(clock) };
}

t.test('database clock: the first reading corrects a host that is hours off', async (t) => {
  const { at, clock } = host(10_000_000);
  t.equal(clock.nowMs(), 10_000_000, 'until then only the host’s time is known');
  at.monotonicMs = 600;
  clock.learn({ databaseMs: 1_000, askedMs: 590, answeredMs: 600 });
  t.ok(clock.nowMs() >= 1_000 && clock.nowMs() <= 1_010);
  at.nowMs = 77_000_000;
  at.monotonicMs = 700;
  t.ok(clock.nowMs() >= 1_100 && clock.nowMs() <= 1_110, 'it does not follow jumps of the host');
});

t.test('database clock: a slow reading that agrees with the clock changes nothing', async (t) => {
  const { at, clock } = host(0);
  clock.learn({ databaseMs: 1_000, askedMs: 500, answeredMs: 500 });
  at.monotonicMs = 4_500;
  clock.learn({ databaseMs: 3_000, askedMs: 1_500, answeredMs: 4_500 });
  t.equal(clock.nowMs(), 5_000);
});

t.test('database clock: steps of the database’s clock are followed in both directions', async (t) => {
  const { at, clock } = host(0);
  for (const databaseMs of [1_000_000, 2_000_000, 500_000]) {
    at.monotonicMs += 100;
    clock.learn({ databaseMs, askedMs: at.monotonicMs - 20, answeredMs: at.monotonicMs });
    const now = clock.nowMs();
    t.ok(now >= databaseMs && now <= databaseMs + 20, `${now}`);
  }
});
