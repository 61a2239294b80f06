import t from 'tap';
import type { IdPort } from '../../src/kernel/mod.ts';
import { idBlocks } from '../../src/store/ids.ts';

/** Counts calls; gives out ascending ids; fails while `isDown`. */
function counting(): IdPort & { calls: [string, number][]; isDown: boolean } {
  let next = 1;
  return {
    calls: [],
    isDown: false,
    async reserve(idKind, n) {
      this.calls.push([idKind, n]);
      if (this.isDown) throw new Error('down');
      const first = next;
      next += n;
      return Array.from({ length: n }, (_, index) => first + index);
    },
  };
}

t.test('id blocks: requests at once get different ids in order, a block at a time', async (t) => {
  const port = counting();
  const ids = idBlocks(port);
  const given = await Promise.all(Array.from({ length: 100 }, () => ids.reserve('job', 1)));
  t.strictSame(
    given.flat().sort((a, b) => a - b),
    Array.from({ length: 100 }, (_, index) => index + 1),
  );
  t.equal(port.calls.length, 4);
});

t.test('id blocks: other kinds and numbers are asked for as they are', async (t) => {
  const port = counting();
  const ids = idBlocks(port);
  t.strictSame(await ids.reserve('workspace', 1), [1]);
  t.strictSame(await ids.reserve('job', 3), [2, 3, 4]);
  t.strictSame(port.calls, [
    ['workspace', 1],
    ['job', 3],
  ]);
});

t.test('id blocks: a failure reaches all who wait, and the next one tries again', async (t) => {
  const port = counting();
  const ids = idBlocks(port);
  port.isDown = true;
  const [one, other] = await Promise.allSettled([ids.reserve('job', 1), ids.reserve('job', 1)]);
  t.equal(one?.status, 'rejected');
  t.equal(other?.status, 'rejected');
  port.isDown = false;
  t.strictSame(await ids.reserve('job', 1), [1]);
});
