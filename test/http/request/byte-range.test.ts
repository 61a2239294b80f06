import t from 'tap';
import { byteRange } from '../../../src/http/request/byte-range.ts';

const ROWS: readonly (readonly [string | undefined, number, unknown])[] = [
  ['bytes=0-0', 10, { start: 0, end: 0 }],
  ['bytes=2-5', 10, { start: 2, end: 5 }],
  ['bytes=2-', 10, { start: 2, end: 9 }],
  ['bytes=2-99', 10, { start: 2, end: 9 }],
  ['bytes=-3', 10, { start: 7, end: 9 }],
  ['bytes=-99', 10, { start: 0, end: 9 }],
  ['BYTES= 2 - 5 ', 10, { start: 2, end: 5 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=10-20', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-5', 0, 'unsatisfiable'],
  [undefined, 10, undefined],
  ['', 10, undefined],
  ['bytes=', 10, undefined],
  ['bytes=-', 10, undefined],
  ['bytes=5-2', 10, undefined],
  ['bytes=0-1,3-4', 10, undefined],
  ['items=0-1', 10, undefined],
  ['bytes=x-1', 10, undefined],
  ['bytes=1.5-3', 10, undefined],
  [`bytes=${'9'.repeat(40)}-`, 10, undefined],
  [`bytes=-${'9'.repeat(40)}`, 10, undefined],
];

t.test('byte range: one range within the content is served; any other header gets the whole', async (t) => {
  for (const [header, size, expected] of ROWS)
    t.strictSame(byteRange(header, size), expected, `${header} of ${size}`);
});
