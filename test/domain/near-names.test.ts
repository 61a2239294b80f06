/** The known name that is nearest to a mistyped one. */
import fc from 'fast-check';
import t from 'tap';
import { didYouMean, nearest, nearestOf } from '../../src/domain/near-names.ts';

t.test('near names: the meant name is found for typical mistakes', async (t) => {
  const rows: readonly (readonly [string, readonly string[], string | undefined])[] = [
    ['paused', ['is_active', 'is_paused', 'pause_reason'], 'is_paused'],
    ['statsu', ['page', 'status', 'order'], 'status'],
    ['media_typ', ['file_type', 'media_type'], 'media_type'],
    ['input_map', ['priority', 'inputMap'], 'inputMap'],
    ['pageSize', ['page', 'page_size'], 'page_size'],
    ['failed', ['QUEUED', 'FAILED'], 'FAILED'],
    ['dir-watch', ['objstore', 'dir-watcher'], 'dir-watcher'],
    ['job_id', ['job_type_ids', 'job_ids'], 'job_ids'],
    ['strike', ['scan_id', 'strike_id'], 'strike_id'],
    ['job_type_name', ['job_type__name', 'job_type_names'], 'job_type__name'],
    ['limit', ['page', 'page_size'], undefined],
    ['x', ['y'], undefined],
    ['', ['a'], undefined],
    ['x'.repeat(61), ['x'.repeat(60)], undefined],
  ];
  for (const [name, known, expected] of rows) t.equal(nearest(name, known), expected, name);
});

t.test('near names: a refusal ends with the nearest name, or with the known ones', async (t) => {
  t.equal(nearestOf('titel', ['title', 'name']), `; did you mean 'title'?`);
  t.equal(nearestOf('colour', ['title', 'name']), '; known are: title, name');
  t.equal(nearestOf('colour', []), '');
  t.equal(didYouMean('colour', ['title', 'name']), '');
  t.equal(didYouMean(5, ['5']), '', 'a value that is not a text is like no name');
  const many = Array.from({ length: 1_000 }, (_, index) => `parameter-${index}`);
  t.match(nearestOf('colour', many), /^; known are: parameter-0, .{300,420} …$/);
});

/** The edit distance, by the whole table; two neighbouring letters that change places count as one edit. */
function distance(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_, row) =>
    Array.from({ length: other.length + 1 }, (_, at) => (row === 0 ? at : at === 0 ? row : 0)),
  );
  const cell = (row: number, at: number): number => rows[row]?.[at] ?? 0;
  for (let row = 1; row <= one.length; row += 1) {
    for (let at = 1; at <= other.length; at += 1) {
      const cost = one[row - 1] === other[at - 1] ? 0 : 1;
      let value = Math.min(cell(row - 1, at) + 1, cell(row, at - 1) + 1, cell(row - 1, at - 1) + cost);
      const isSwapped = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      if (isSwapped) value = Math.min(value, cell(row - 2, at - 2) + 1);
      (rows[row] as number[])[at] = value;
    }
  }
  return cell(one.length, other.length);
}

/** How far a name is from another; infinity is not near. */
function measure(one: string, other: string): number {
  const own = distance(one, other);
  if (own <= Math.min(3, Math.floor(Math.max(one.length, other.length) / 3))) return own;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const isInside = short.length >= 4 && (long.startsWith(short) || long.endsWith(short));
  return isInside ? 3 + long.length - short.length : Number.POSITIVE_INFINITY;
}

t.test(
  'near names: a third of the letters may differ, at most three, or one begins or ends with the other',
  async (t) => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 14 });
    const known = fc.array(word, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(word, known, (name, names) => {
        const found = nearest(name, names);
        const least = Math.min(...names.map((one) => measure(name, one)));
        return (found === undefined ? Number.POSITIVE_INFINITY : measure(name, found)) === least;
      }),
      { numRuns: 10_000 },
    );
    t.pass('both agree');
  },
);
