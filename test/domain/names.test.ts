import fc from 'fast-check';
import t from 'tap';
import { nameFromTitle, nameProblems, nameWithSuffix } from '../../src/domain/names.ts';

t.test('names: a title becomes an ASCII slug of at most 30 characters', async (t) => {
  t.equal(nameFromTitle('My Scan Process', 'scan'), 'my-scan-process');
  t.equal(nameFromTitle('  Ünder_score -- & more!  ', 'scan'), 'under-score-more');
  t.equal(nameFromTitle('ＦＵＬＬ width', 'scan'), 'full-width');
  t.equal(nameFromTitle('x'.repeat(50), 'scan'), 'x'.repeat(30));
  t.equal(nameFromTitle('abcdefghij abcdefghij abcdefgh ij', 'scan'), 'abcdefghij-abcdefghij-abcdefgh');
});

t.test('names: the name of a title without an ASCII letter or digit is the stem', async (t) => {
  for (const title of ['', '   ', '日本語', '!!!', '- _ -', '\u0000', '\ud800']) {
    t.equal(nameFromTitle(title, 'workspace'), 'workspace', JSON.stringify(title));
  }
});

t.test(
  'names: a title that would read like an id, or hide a route, gives a name after the stem',
  async (t) => {
    t.equal(nameFromTitle('2026', 'scan'), 'scan-2026');
    t.equal(nameFromTitle('2026-11-28', 'scan'), 'scan-2026-11-28');
    t.equal(nameFromTitle('Validation', 'strike'), 'strike-validation');
    t.equal(nameFromTitle('9'.repeat(60), 'workspace').length, 30);
  },
);

t.test(
  'names: a suffix has 19 hexadecimal digits, and the whole name has at most 50 characters',
  async (t) => {
    const bytes = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 255]);
    t.equal(nameWithSuffix('my-scan', bytes), 'my-scan-010203040506070809f');
    t.equal(nameWithSuffix('x'.repeat(30), bytes).length, 50);
  },
);

t.test('names: a name has only lower-case letters, digits and dashes, whatever the title', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (title) => {
      const name = nameFromTitle(title, 'stem');
      return name.length <= 30 && nameProblems(name).length === 0;
    }),
  );
});
