/** What a watch shows on a terminal. */
import t from 'tap';
import { WatchDisplay } from '../../../src/cli/watch/display.ts';

t.test('display: the failures come first in the line of counts, at any width', (t) => {
  const counts = { arrived: 1_200, waiting: 100, running: 10, done: 1_000, failed: 90 };
  for (const [columns, expected] of [
    [120, '90 failed, 1000 done, 10 running, 100 waiting, 1200 arrived   (Ctrl-C ends)'],
    [70, '90 failed, 1000 done, 10 running, 100 waiting, 1200 arrived'],
    [40, '90 failed, 1000 done, 10 running'],
    [12, '90 failed'],
  ] as const) {
    let written = '';
    const write = (text: string): void => {
      written += text;
    };
    new WatchDisplay({ write, isTerminal: true, hasColor: false, columns: () => columns }).counts(counts);
    t.equal(written, `\r\u001b[2K${expected}`, `${columns} columns`);
  }
  t.end();
});
