/** Colours of logs: sequences become the console's own classes, beside what is found in a line. */
import t from 'tap';
import { segmentsOf } from '../../../src/console/job/log-colors.ts';
import { LogLines } from '../../../src/console/job/log-lines.ts';

function shown(text: string, search = ''): readonly string[] {
  const log = new LogLines();
  log.add(Buffer.from(text));
  return Array.from({ length: log.length }, (_, index) =>
    segmentsOf(log.line(index), log.styled(index), search)
      .map((one) =>
        one.isMatch ? `<${one.text}>` : one.className ? `[${one.className} ${one.text}]` : one.text,
      )
      .join(''),
  );
}

t.test('log colours: text is in the colours and emphasis that its program gave it', async (t) => {
  for (const [text, expected] of [
    ['plain', 'plain'],
    ['\u001b[31mred\u001b[0m plain', '[log-red red] plain'],
    ['\u001b[1;32mok\u001b[m', '[log-green log-bold ok]'],
    [
      '\u001b[4;9;3mx\u001b[24my',
      '[log-italic log-underline log-strikethrough x][log-italic log-strikethrough y]',
    ],
    ['\u001b[90mgrey\u001b[39m, \u001b[2mdim', '[log-grey grey], [log-dim dim]'],
    ['\u001b[38;5;196mred\u001b[38;5;244mgrey\u001b[38;5;999mnone', '[log-red red]greynone'],
    ['\u001b[38;2;20;40;200mblue\u001b[38;2;230;230;10myellow', '[log-blue blue][log-yellow yellow]'],
    ['\u001b[41mon a ground\u001b[8m and hidden', 'on a ground and hidden'],
    ['\u001b[2K\u001b[1Gmoved \u001b]0;title\u0007titled', 'moved titled'],
    ['a\u001b[3 \u001bcut', 'a[3 cut'],
  ] as const) {
    t.strictSame(shown(text), [expected], JSON.stringify(text));
  }
});

t.test('log colours: they last beyond the end of a line, until they are reset', async (t) => {
  const lines = shown('\u001b[33mone\ntwo\u001b[1m\nthree\u001b[0m\nfour\n\u001b[0;31mfive\n\u001b[0msix');
  t.strictSame(lines, [
    '[log-yellow one]',
    '[log-yellow two]',
    '[log-yellow log-bold three]',
    'four',
    '[log-red five]',
    'six',
  ]);
});

t.test('log colours: what is found is marked across colours', async (t) => {
  t.strictSame(shown('a \u001b[31mred\u001b[0mdish fox', 'reddish'), ['a <red><dish> fox']);
  t.strictSame(shown('\u001b[31mredred\u001b[0m', 'ed'), ['[log-red r]<ed>[log-red r]<ed>']);
});

t.test('log colours: sequences that are never reset take bounded memory', async (t) => {
  const log = new LogLines({ linesMax: 10, charsMax: 10_000 });
  for (let line = 0; line < 1_000; line += 1) log.add(Buffer.from(`\u001b[3${line % 8}mline ${line}\n`));
  t.equal(log.length, 10);
  t.equal(log.line(9), 'line 999');
  t.ok((log.styled(9) ?? '').length < 200);
  log.add(Buffer.from(`\u001b[${'1;'.repeat(2_000)}1mlong\n`));
  t.equal(log.line(9), 'long');
  t.ok((log.styled(9) ?? '').length < 200, 'a long sequence is left out');
  log.add(Buffer.from('\u001b[0m\nplain'));
  t.equal(log.styled(log.length - 1), undefined);
});
