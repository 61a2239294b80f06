import t from 'tap';
import { EventWatermark } from '../../../node-agent/monitor/event-watermark.ts';

/** A clock that is moved by hand; the wall clock may be set apart from it. */
function makeClock() {
  let monotonicMs = 0;
  let offsetMs = 1_000_000;
  let run: (() => void) | undefined;
  return {
    nowMs: () => monotonicMs + offsetMs,
    monotonicMs: () => monotonicMs,
    timer: (_: number, task: () => void) => {
      run = task;
      return () => {
        run = undefined;
      };
    },
    isTicking: () => run !== undefined,
    set: (ms: number) => {
      offsetMs += ms;
    },
    tick: async () => {
      monotonicMs += 20;
      run?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

t.test('watermark: the watermark follows the clock, one poll behind', async (t) => {
  const clock = makeClock();
  const watermark = new EventWatermark(clock);
  watermark.join(() => undefined);
  t.equal(watermark.watermarkMs, undefined, 'not at first');
  await clock.tick();
  t.equal(watermark.watermarkMs, 1_000_020);
  await clock.tick();
  t.equal(watermark.watermarkMs, 1_000_040);
});

t.test('watermark: a wall clock that is set makes no watermark until it runs evenly again', async (t) => {
  for (const stepMs of [-500, 500]) {
    const clock = makeClock();
    const watermark = new EventWatermark(clock);
    watermark.join(() => undefined);
    await clock.tick();
    clock.set(stepMs);
    await clock.tick();
    t.equal(watermark.watermarkMs, undefined);
    await clock.tick();
    t.equal(watermark.watermarkMs, clock.nowMs());
  }
});

t.test('watermark: many events in one poll are a flood, as many in several polls are not', async (t) => {
  const clock = makeClock();
  const watermark = new EventWatermark(clock, 10);
  let floods = 0;
  watermark.join(() => {
    floods += 1;
  });
  for (let n = 0; n < 9; n += 1) watermark.noteEvent();
  await clock.tick();
  for (let n = 0; n < 9; n += 1) watermark.noteEvent();
  t.equal(floods, 0);
  await clock.tick();
  for (let n = 0; n < 30; n += 1) watermark.noteEvent();
  t.equal(floods, 1, 'reported once a poll');
});

t.test('watermark: it is idle while nothing is watched', async (t) => {
  const clock = makeClock();
  const watermark = new EventWatermark(clock);
  const leave = [watermark.join(() => undefined), watermark.join(() => undefined)];
  leave[0]?.();
  t.equal(clock.isTicking(), true);
  leave[1]?.();
  t.equal(clock.isTicking(), false);
  t.equal(watermark.watermarkMs, undefined);
});
