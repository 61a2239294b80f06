import { mock } from 'node:test';
import t from 'tap';
import { FurtherFiles } from './further-files.ts';

const LOOK_MS = 1_000;

t.test('further files: one begins at each look that finds room, and four run at most', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const running: PromiseWithResolvers<boolean>[] = [];
  const begin = (): Promise<boolean> => {
    const one = Promise.withResolvers<boolean>();
    running.push(one);
    return one.promise;
  };
  let hasRoom = false;
  const further = new FurtherFiles(begin, { isThere: () => hasRoom }, LOOK_MS);
  mock.timers.tick(LOOK_MS);
  t.equal(running.length, 0, 'no room');
  hasRoom = true;
  mock.timers.tick(LOOK_MS);
  t.equal(running.length, 1);
  mock.timers.tick(5 * LOOK_MS);
  t.equal(running.length, 4, 'no more at once');

  running[0]?.resolve(true);
  await new Promise(setImmediate);
  mock.timers.tick(LOOK_MS);
  t.equal(running.length, 5, 'one in the place of one that has ended');

  let isOver = false;
  const over = further.end().then(() => {
    isOver = true;
  });
  mock.timers.tick(LOOK_MS);
  for (const one of running.slice(0, 4)) one.resolve(true);
  await new Promise(setImmediate);
  t.notOk(isOver, 'one still runs');
  running[4]?.resolve(true);
  await over;
  t.equal(running.length, 5, 'none begins after the end');
});
