import t from 'tap';
import { type IdPort, SHARD_COUNT } from '../../src/kernel/mod.ts';
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

t.test('id blocks: concurrent requests get different ids in order, a block at a time', async (t) => {
  const port = counting();
  const ids = idBlocks(port, () => []);
  const given = await Promise.all(Array.from({ length: 100 }, () => ids.reserve('event', 1)));
  t.strictSame(
    given.flat().sort((a, b) => a - b),
    Array.from({ length: 100 }, (_, index) => index + 1),
  );
  t.equal(port.calls.length, 4);
});

t.test('id blocks: other kinds and large numbers are requested directly', async (t) => {
  const port = counting();
  const ids = idBlocks(port, () => []);
  t.strictSame(await ids.reserve('workspace', 1), [1]);
  t.strictSame(await ids.reserve('job', 3), [2, 3, 4]);
  t.strictSame(port.calls, [
    ['workspace', 1],
    ['job', 3],
  ]);
});

t.test('id blocks: a failure reaches all who wait, and the next one tries again', async (t) => {
  const port = counting();
  const ids = idBlocks(port, () => []);
  port.isDown = true;
  const [one, other] = await Promise.allSettled([ids.reserve('event', 1), ids.reserve('event', 1)]);
  t.equal(one?.status, 'rejected');
  t.equal(other?.status, 'rejected');
  port.isDown = false;
  t.strictSame(await ids.reserve('event', 1), [1]);
});

const ALL = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);

t.test('id blocks: a coordinator that holds all shards gives ids in order, without gaps', async (t) => {
  const port = counting();
  const ids = idBlocks(port, () => ALL);
  const given: number[] = [];
  for (let count = 0; count < 200; count += 1) given.push(...(await ids.reserve('job', 1)));
  t.strictSame(
    given,
    Array.from({ length: 200 }, (_, index) => index + 1),
  );
  t.equal(port.calls.length, Math.ceil(200 / SHARD_COUNT), 'a statement a stripe');
});

t.test('id blocks: ids belong to held shards, however few, and take few statements', async (t) => {
  for (const held of [[7], [0, 63], ALL.filter((shard) => shard % 3 === 1)]) {
    const port = counting();
    const ids = idBlocks(port, () => held);
    const given = await Promise.all(Array.from({ length: 96 }, () => ids.reserve('recipe', 1)));
    t.equal(new Set(given.flat()).size, 96);
    t.strictSame(
      given.flat().filter((id) => !held.includes(id % SHARD_COUNT)),
      [],
    );
    t.ok(port.calls.length <= 3, `${port.calls.length} statements for 96 ids`);
  }
});

t.test('id blocks: a shard that was released is not used any more, and an acquired one is', async (t) => {
  const port = counting();
  let held = [1, 2, 3];
  const ids = idBlocks(port, () => held);
  t.strictSame(await ids.reserve('batch', 1), [1]);
  held = [3, 4];
  t.strictSame(await ids.reserve('batch', 1), [3]);
  t.strictSame(await ids.reserve('batch', 1), [4]);
  t.equal(port.calls.length, 1);
});

t.test('id blocks: a coordinator without shards gets ids too', async (t) => {
  const ids = idBlocks(counting(), () => []);
  t.strictSame(await ids.reserve('job_request', 1), [1]);
  t.strictSame(await ids.reserve('job_request', 1), [2]);
});
