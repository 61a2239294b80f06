/** Search in logs: as lines come, whatever was dropped, and in what is unfinished. */
import t from 'tap';
import { LogLines } from '../../../src/console/job/log-lines.ts';
import { LogSearch, piecesOf } from '../../../src/console/job/log-search.ts';

const add = (log: LogLines, text: string) => log.add(Buffer.from(text));

t.test('log search: lines are found as they come, the unfinished last one too', async (t) => {
  const log = new LogLines();
  const search = new LogSearch('warn');
  add(log, 'a warning\nnothing\nWARN');
  t.strictSame(search.find(log), [0, 2]);
  add(log, 'ed\nnothing');
  t.strictSame(search.find(log), [0, 2]);
  add(log, ' but a warning\n');
  t.strictSame(search.find(log), [0, 2, 3], 'a line that went on is looked at again');
  add(log, '\rgone');
  t.strictSame(search.find(log), [0, 2, 3]);
});

t.test('log search: a progress bar that is overwritten is found by what it shows', async (t) => {
  const log = new LogLines();
  const search = new LogSearch('50 %');
  add(log, '\r50 %');
  t.strictSame(search.find(log), [0]);
  add(log, '\r51 %');
  t.strictSame(search.find(log), []);
});

t.test('log search: dropped lines are no longer found, and numbers stay those of the log', async (t) => {
  const log = new LogLines({ linesMax: 10, charsMax: 1_000 });
  const search = new LogSearch('line');
  for (let line = 0; line < 25; line += 1) add(log, `line ${line}\n`);
  t.strictSame(search.find(log), [15, 16, 17, 18, 19, 20, 21, 22, 23, 24]);
  add(log, 'other\n');
  t.equal(search.find(log)[0], 16);
});

t.test('log search: capital letters count only in a text that has some', async (t) => {
  const log = new LogLines();
  add(log, 'Error\nerror\n');
  t.strictSame(new LogSearch('error').find(log), [0, 1]);
  t.strictSame(new LogSearch('Error').find(log), [0]);
  t.strictSame(piecesOf('an Error, an error', 'error'), ['an ', 'Error', ', an ', 'error', '']);
  t.strictSame(piecesOf('plain', ''), ['plain']);
});
