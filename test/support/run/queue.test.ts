import { setImmediate as afterOthers } from 'node:timers/promises';
import t from 'tap';
import { FileQueue } from './queue.ts';

const TIMES = { 'test/b.test.ts': 4, 'test/a.test.ts': 4, 'test/e2e/c.test.ts': 9, 'test/e2e/d.test.ts': 1 };

// Not as one word, because the queue reads the text of this file too.
const BROWSER = `needs${'Browser'}()`;
const HOSTS = `needs${'Hosts'}()`;

function queueOf(files: readonly string[], texts: Readonly<Record<string, string>> = {}): FileQueue {
  return new FileQueue(files, TIMES, (file) => texts[file] ?? '');
}

async function orderOf(lane: number, files: readonly string[]): Promise<readonly string[]> {
  const queue = queueOf(files);
  const order: string[] = [];
  for (const _ of files) order.push((await queue.take(lane)) ?? 'none');
  return order;
}

t.test('queue: lanes begin with files that are busy or that wait, the longest first', async (t) => {
  const files = [...Object.keys(TIMES), 'test/new.test.ts'];
  const busy = ['test/new.test.ts', 'test/a.test.ts', 'test/b.test.ts'];
  const waiting = ['test/e2e/c.test.ts', 'test/e2e/d.test.ts'];
  t.strictSame(await orderOf(0, files), [...busy, ...waiting]);
  t.strictSame(await orderOf(1, files), [...waiting, ...busy]);
});

t.test('queue: each file is taken once', async (t) => {
  const files = Object.keys(TIMES);
  const queue = queueOf(files);
  const taken = await Promise.all(files.map((_, lane) => queue.take(lane)));
  t.strictSame(taken.sort(), files.toSorted());
  t.equal(await queue.take(0), undefined);
  t.equal(await queue.take(1), undefined);
});

t.test('queue: a browser starts when no file adds interfaces any more', async (t) => {
  const files = ['test/a.test.ts', 'test/b.test.ts', 'test/e2e/c.test.ts', 'test/e2e/d.test.ts'];
  const queue = queueOf(files, {
    'test/a.test.ts': `t.test('a', ${BROWSER}, f);`,
    'test/e2e/d.test.ts': `const options = ${HOSTS};`,
  });
  t.equal(await queue.take(0), 'test/b.test.ts', 'the browser is left out');
  t.equal(await queue.take(1), 'test/e2e/d.test.ts', 'others wait for it, so it is the first');
  t.equal(await queue.take(1), 'test/e2e/c.test.ts');
  let taken: string | undefined;
  const last = queue.take(0).then((file) => {
    taken = file;
  });
  queue.ended('test/b.test.ts');
  queue.ended('test/e2e/c.test.ts');
  await afterOthers();
  t.equal(taken, undefined);
  queue.ended('test/e2e/d.test.ts');
  await last;
  t.equal(taken, 'test/a.test.ts');
  t.equal(await queue.take(0), undefined);
});

t.test('queue: a browser that adds interfaces itself does not wait', async (t) => {
  const queue = queueOf(['test/a.test.ts'], { 'test/a.test.ts': `${BROWSER} ${HOSTS}` });
  t.equal(await queue.take(0), 'test/a.test.ts');
});
