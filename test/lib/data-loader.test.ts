import t from 'tap';
import { dataLoader, shared } from '../../src/lib/data-loader.ts';

/** A read that the test answers. */
function byHand() {
  const asked: { keys: readonly number[]; answer: (found: [number, string][]) => void; fail: () => void }[] =
    [];
  const read = (keys: readonly number[]): Promise<ReadonlyMap<number, string>> =>
    new Promise((resolve, reject) => {
      asked.push({
        keys,
        answer: (found) => resolve(new Map(found)),
        fail: () => reject(new Error('no store')),
      });
    });
  return { asked, read };
}

const settled = (): Promise<void> => new Promise((wake) => setImmediate(wake));

t.test('data loader: the first call reads at once, and calls during a read share the next one', async (t) => {
  const { asked, read } = byHand();
  const find = dataLoader(read, { lanes: 1 });
  const first = find(1);
  t.same(
    asked.map(({ keys }) => keys),
    [[1]],
  );
  const rest = [find(2), find(3), find(2), find(1)];
  t.equal(asked.length, 1, 'none of them gets the result of the older read');
  asked[0]?.answer([[1, 'old']]);
  t.equal(await first, 'old');
  await settled();
  t.same(asked[1]?.keys, [2, 3, 1], 'each key once');
  asked[1]?.answer([
    [1, 'new'],
    [2, 'two'],
  ]);
  t.same(await Promise.all(rest), ['two', undefined, 'two', 'new']);
});

t.test('data loader: the number of keys of a read is limited', async (t) => {
  const { asked, read } = byHand();
  const find = dataLoader(read, { lanes: 1, keysMax: 2 });
  const all = [0, 1, 2, 3].map((key) => find(key));
  for (const keys of [[0], [1, 2], [3]]) {
    await settled();
    t.same(asked.at(-1)?.keys, keys);
    asked.at(-1)?.answer(keys.map((key) => [key, `${key}`]));
  }
  t.same(await Promise.all(all), ['0', '1', '2', '3']);
});

t.test('data loader: a failed read concerns only its own callers', async (t) => {
  const { asked, read } = byHand();
  const find = dataLoader(read, { lanes: 1 });
  const first = find(1);
  const second = find(2);
  asked[0]?.fail();
  await t.rejects(first, { message: 'no store' });
  await settled();
  asked[1]?.answer([[2, 'two']]);
  t.equal(await second, 'two');
});

t.test('shared: callers during a read share the next one', async (t) => {
  let reading = 0;
  const waiting: (() => void)[] = [];
  const read = shared(() => new Promise<number>((resolve) => waiting.push(() => resolve(++reading))));
  const [first, second, third] = [read(), read(), read()];
  waiting[0]?.();
  t.equal(await first, 1);
  await settled();
  t.equal(waiting.length, 2);
  waiting[1]?.();
  t.same(await Promise.all([second, third]), [2, 2]);
});
