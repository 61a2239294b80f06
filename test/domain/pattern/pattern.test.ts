import fc from 'fast-check';
import t from 'tap';
import { translatePattern } from '../../../src/domain/pattern/pattern.ts';

t.test('pattern: syntax that both languages share is unchanged', async (t) => {
  for (const source of [
    '',
    '.*h5',
    'a|b',
    '^a{2,3}$',
    '[a-z]+\\.txt',
    '(?:x)?',
    '\\d\\w\\s\\b',
    '[\\]x]',
    '{',
    'a{2}',
    '(?=a)',
    '\\/\\.',
  ]) {
    t.strictSame(translatePattern(source), { source, flags: '' }, source);
  }
});

t.test('pattern: groups, references, anchors, classes and repeats are rewritten', async (t) => {
  const cases: Record<string, string> = {
    '(?P<year>\\d{4})_(?P=year)': '(?<year>\\d{4})_\\k<year>',
    '\\Aabc\\Z': '^abc$',
    '[]a]b': '[\\]a]b',
    '[^]a]b': '[^\\]a]b',
    'a{,3}': 'a{0,3}',
    'a(?#note)b': 'ab',
    '\\a': '\\x07',
    '[(?P<x>]': '[(?P<x>]',
    '[{,3}]': '[{,3}]',
    '[\\a]': '[\\x07]',
  };
  for (const [pattern, source] of Object.entries(cases))
    t.strictSame(translatePattern(pattern), { source, flags: '' }, pattern);
});

t.test('pattern: flags at the beginning become flags of the expression', async (t) => {
  t.strictSame(translatePattern('(?i)abc'), { source: 'abc', flags: 'i' });
  t.strictSame(translatePattern('(?is)(?mu)abc'), { source: 'abc', flags: 'ism' });
  t.strictSame(
    translatePattern('a(?i)'),
    { source: 'a(?i)', flags: '' },
    'the engine refuses them elsewhere',
  );
});

t.test('pattern: syntax without a translation is refused with a reason', async (t) => {
  for (const pattern of [
    '(?x)a b',
    '(?L)a',
    'a\\',
    '\\q',
    '\\p{Lu}',
    '\\U0001F600',
    '[\\Z]',
    '(?m)\\Aa',
    '(?m)a\\Z',
    'x'.repeat(1001),
  ]) {
    t.type(translatePattern(pattern), 'string', pattern.slice(0, 20));
  }
});

t.test('pattern: no text makes translation throw or grow without bound', async () => {
  const unit = fc.constantFrom(...'abAZ\\[]()?P<>=:{},*+.^$|#i0');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), (pattern) => {
      const translated = translatePattern(pattern);
      return typeof translated === 'string' || translated.source.length <= pattern.length * 3;
    }),
    { numRuns: 5_000 },
  );
});
