/** Many timers served by one timer of the clock. */
import t from 'tap';
import { Timers } from '../../src/kernel/timers.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

t.test(
  'timers: they fire in the order of their times, and those of one time in the order of their setting',
  async (t) => {
    const clock = new VirtualClock();
    const timers = new Timers(clock);
    const rung: string[] = [];
    for (const [name, afterMs] of [
      ['c', 30],
      ['a', 10],
      ['b', 20],
      ['a2', 10],
    ] as const) {
      timers.set(afterMs, () => void rung.push(name));
    }
    await clock.advance(25);
    t.same(rung, ['a', 'a2', 'b']);
    await clock.advance(25);
    t.same(rung, ['a', 'a2', 'b', 'c']);
  },
);

t.test('timers: after random cancels the remaining ones fire, each at its time', async (t) => {
  const clock = new VirtualClock();
  const timers = new Timers(clock);
  let seed = 7;
  const random = (max: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % max;
  };
  const expected: number[] = [];
  const rung: number[] = [];
  const handles = Array.from({ length: 500 }, () => {
    const atMs = random(1_000);
    return { atMs, handle: timers.set(atMs, () => void rung.push(clock.monotonicMs() === atMs ? atMs : -1)) };
  });
  for (const { atMs, handle } of handles) {
    if (random(2) === 0) {
      expected.push(atMs);
      continue;
    }
    timers.cancel(handle);
    timers.cancel(handle); // once more does no harm
  }
  await clock.advance(1_000);
  t.same(
    rung,
    expected.sort((a, b) => a - b),
  );
});

t.test('timers: one timer of the clock serves them all, and none is left after close', async (t) => {
  const clock = new VirtualClock();
  const timers = new Timers(clock);
  for (let n = 0; n < 100; n++) timers.set(n, () => {});
  t.equal(clock.timerCount, 1);
  timers.close();
  t.equal(clock.timerCount, 0);
  timers.set(1, () => t.fail('closed'));
  await clock.advance(10);
});
