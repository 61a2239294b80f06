/** The line of progress of a demo, on screens, dumb terminals and pipes. */
import t from 'tap';
import { Progress } from '../../../src/cli/demo/progress.ts';

function written(isTTY: boolean, TERM: string): string {
  let text = '';
  const out = {
    isTTY,
    write(piece: string | Uint8Array): boolean {
      text += String(piece);
      return true;
    },
  };
  const progress = new Progress(out, { TERM });
  progress.show('1 of 2');
  progress.show('2 of 2');
  progress.end();
  return text;
}

t.test('progress: the line is overwritten on a screen only', async (t) => {
  t.equal(written(true, 'xterm'), '\r\u001b[2K1 of 2\r\u001b[2K2 of 2\n');
  for (const plain of [written(true, 'dumb'), written(false, 'xterm')]) {
    t.notOk(plain.includes('\u001b') || plain.includes('\r'), plain);
    t.match(plain, /2 of 2\n$/, 'the last line stays');
  }
});
