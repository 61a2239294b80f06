/** Lines of a service's log as people see them. */
import t from 'tap';
import { wordsOf } from '../../../src/cli/watch/log-words.ts';

t.test('log words: warnings are sentences, other lines of the log are left out', (t) => {
  const line = (entry: object) =>
    JSON.stringify({ time: '2026-11-28T10:00:00.000Z', name: 'millrace-up', ...entry });
  for (const [text, expected] of [
    [line({ level: 'info', event: 'start_waits' }), undefined],
    ['', undefined],
    ['node: bad option: --nothing', 'node: bad option: --nothing'],
    ['null', 'null'],
    [
      line({
        level: 'warn',
        event: 'disk_full',
        what: 'the embedded database',
        error: { message: 'no space left' },
      }),
      'disk full: the embedded database: no space left',
    ],
    [
      line({ level: 'warn', event: 'start_waits', what: 'the database', reason: 'it recovers' }),
      'start waits: the database: it recovers',
    ],
    [line({ level: 'error', event: 'stopped' }), 'stopped'],
  ] as const)
    t.equal(wordsOf(text), expected, text);
  t.end();
});
