/** What a watch shows on a terminal. */
import t from 'tap';
import { WatchDisplay } from '../../../src/cli/watch/display.ts';

t.test('display: the failures come first in the line of counts, at any width', (t) => {
  const counts = {
    arrived: 1_200,
    waiting: 100,
    running: 10,
    done: 1_000,
    withoutProduct: 0,
    failed: 90,
    canceled: 0,
  };
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

t.test('display: the totals stay below what was shown, and name what is there', (t) => {
  const counts = { arrived: 3, waiting: 0, running: 0, done: 3, withoutProduct: 0, failed: 0, canceled: 0 };
  for (const [some, expected] of [
    [{}, '3 arrived, 3 done, 0 failed, 0 still running'],
    [
      { withoutProduct: 1, failed: 3, canceled: 1, running: 4, waiting: 5 },
      '3 arrived, 3 done (1 without product), 2 failed, 1 canceled, 4 still running, 5 waiting',
    ],
  ] as const) {
    let written = '';
    const write = (text: string): void => {
      written += text;
    };
    const screen = { write, isTerminal: true, hasColor: false, columns: () => 80 };
    const display = new WatchDisplay(screen);
    display.counts({ ...counts, ...some });
    written = '';
    display.totals({ ...counts, ...some });
    t.equal(written.replaceAll('\r\u001b[2K', ''), `${expected}\n`);
  }
  t.end();
});
