import t from 'tap';
import { FileQueue } from './queue.ts';

const TIMES = { 'test/b.test.ts': 4, 'test/a.test.ts': 4, 'test/e2e/c.test.ts': 9, 'test/e2e/d.test.ts': 1 };

function orderOf(lane: number, files: readonly string[]): readonly string[] {
  const queue = new FileQueue(files, TIMES);
  return files.map(() => queue.take(lane) ?? 'none');
}

t.test('queue: lanes begin with files that are busy or that wait, the longest first', async (t) => {
  const files = [...Object.keys(TIMES), 'test/new.test.ts'];
  const busy = ['test/new.test.ts', 'test/a.test.ts', 'test/b.test.ts'];
  const waiting = ['test/e2e/c.test.ts', 'test/e2e/d.test.ts'];
  t.strictSame(orderOf(0, files), [...busy, ...waiting]);
  t.strictSame(orderOf(1, files), [...waiting, ...busy]);
});

t.test('queue: each file is taken once', async (t) => {
  const files = Object.keys(TIMES);
  const queue = new FileQueue(files, TIMES);
  const taken = files.map((_, lane) => queue.take(lane));
  t.strictSame(taken.sort(), files.toSorted());
  t.equal(queue.take(0), undefined);
  t.equal(queue.take(1), undefined);
});
