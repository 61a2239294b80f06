/** Lines of logs: carriage returns, control sequences, and bounded memory. */
import t from 'tap';
import { LogLines } from '../../../src/console/job/log-lines.ts';

const linesOf = (log: LogLines) => Array.from({ length: log.length }, (_, index) => log.line(index));
const added = (texts: readonly string[], log = new LogLines()) => {
  for (const text of texts) log.add(Buffer.from(text));
  return log;
};

t.test('log lines: a line that comes in pieces is one line', async (t) => {
  t.strictSame(linesOf(added(['one\ntw', 'o\n', 'three'])), ['one', 'two', 'three']);
  const bytes = Buffer.from('ä\n');
  const log = new LogLines();
  log.add(bytes.subarray(0, 1));
  log.add(bytes.subarray(1));
  t.strictSame(linesOf(log), ['ä']);
});

t.test('log lines: a progress bar is one line', async (t) => {
  const steps = Array.from({ length: 10_000 }, (_, step) => `\r${step} of 10000`);
  t.strictSame(linesOf(added([...steps, '\ndone\r\n', 'next'])), ['9999 of 10000', 'done', 'next']);
});

t.test('log lines: control sequences are no text', async (t) => {
  t.strictSame(linesOf(added(['\u001b[31mred\u001b[0m \u001b]0;title\u0007plain\u0000\ttab\n'])), [
    'red plain\ttab',
  ]);
});

t.test('log lines: a line that is too long is cut beside characters and sequences', async (t) => {
  for (const [begun, end] of [
    ['\u001b', '[31m'],
    ['\u001b[', '31m'],
    ['\u001b[3', '1m'],
    ['\u001b[1;3', '1m'],
  ] as const) {
    const before = 'x'.repeat(4_096 - begun.length);
    const log = added([`${before}${begun}${end}red\u001b[0m plain\n`]);
    t.strictSame(linesOf(log), [before, 'red plain'], JSON.stringify(begun));
    t.match(log.styled(1), /m/, 'it keeps its look');
  }
  const before = 'x'.repeat(4_095);
  t.strictSame(linesOf(added([`${before}😀y\n`])), [before, '😀y']);
  const endless = added([`${'x'.repeat(4_090)}\u001b[${'0'.repeat(200_000)}`]);
  t.ok(endless.length > 40, 'a sequence without an end is cut as well');
});

t.test('log lines: the last lines are kept, and the dropped ones are counted', async (t) => {
  const log = new LogLines({ linesMax: 100, charsMax: 1_000 });
  for (let line = 0; line < 10_000; line += 1) log.add(Buffer.from(`line ${line}\n`));
  t.equal(log.length, 100);
  t.equal(log.dropped, 9_900);
  t.equal(log.line(0), 'line 9900');
  t.equal(log.line(99), 'line 9999');
  log.add(Buffer.from('x'.repeat(10_000)));
  t.ok(log.length <= 2, 'a long line is cut, and counts by its characters');
});
