import fc from 'fast-check';
import t from 'tap';
import { compileExpression, compileNativeExpression } from '../../src/evaluator/expression.ts';

/** Far above the time of any accepted expression for one name, and far below that of a stalled one. */
const STALL_MS = 2_000;

const matches = (pattern: string, text: string): boolean => {
  const compiled = compileExpression(pattern);
  if (typeof compiled === 'string') throw new Error(`${pattern} ${compiled}`);
  return compiled.matches(text);
};

t.test('expression: a match begins at the start and need not reach the end', async (t) => {
  t.notOk(matches('txt', 'a.txt'));
  t.ok(matches('a', 'abc'));
  t.ok(matches('.*txt', 'a.txt.bak'));
  t.notOk(matches('.*txt$', 'a.txt.bak'));
  t.ok(matches('', 'anything'));
  t.notOk(matches('b|c', 'abc'), 'the anchor holds for every alternative');
  t.notOk(matches('(?m)^b', 'a\nb'), 'with the flag m as well');
  t.notOk(matches('A', 'a'));
  t.ok(matches('(?i)A.*', 'abc'));
  t.notOk(matches('.+b', 'a\nb'), 'a dot does not match a line feed');
  t.ok(matches('(?s).+b', 'a\nb'));
  t.ok(matches('\\A(?P<year>\\d{4})\\Z', '2024'));
});

t.test('expression: V8 runs patterns that it can run in linear time, and re2js the others', async (t) => {
  for (const pattern of ['.*h5', '(a+)+$', 'a|b', '[^/]*\\.tif', 'a{1,16}', '(?s).*', '(?P<n>x)']) {
    t.match(compileExpression(pattern), { isNative: true }, pattern);
    t.match(compileNativeExpression(pattern), { isNative: true }, pattern);
  }
  for (const pattern of ['(?i).*h5', 'a{1,17}', '(a{1,20}){1,20}', '(?i:a)b']) {
    t.match(compileExpression(pattern), { isNative: false }, pattern);
    t.equal(compileNativeExpression(pattern), undefined, pattern);
  }
});

t.test(
  'expression: patterns that are invalid or cannot run in linear time are refused with a reason',
  async (t) => {
    for (const pattern of [
      '*.h5',
      '(',
      'a)',
      '[',
      'a**',
      'a{2,1}',
      '(?P<n',
      '(?x)a',
      '\\',
      'x'.repeat(1001),
    ]) {
      t.type(compileExpression(pattern), 'string', pattern.slice(0, 10));
      t.equal(compileNativeExpression(pattern), undefined);
    }
    for (const pattern of ['(?=a)b', '(?!a)b', '(?<=a)b', '(a)\\1', '(?P<n>a)(?P=n)']) {
      t.match(compileExpression(pattern), /linear time/, pattern);
    }
    for (const pattern of [
      '(?i)(?:a?){1000}',
      '(?i)((a{1,9}){1,9}){1,9}',
      '((a{1,100}){1,100}){1,100}',
      'a{1,99999}',
    ]) {
      t.type(compileExpression(pattern), 'string', pattern);
    }
  },
);

t.test('expression: no accepted hostile pattern stalls on a long name', async (t) => {
  const patterns = [
    '(a+)+$',
    '(a|a)*$',
    '(a|aa)+$',
    '(.*)*$x',
    '(.*a){12}x',
    '(?i)(a+)+$',
    '(?i)(a|aa)+$',
    '(a{1,20}){1,20}$',
    '(?i)(a{1,20}){1,20}$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '.*.*.*.*.*.*.*.*.*.*=x',
    '(?s)(.|\\s)*x',
    '(?:a?){16}a{16}$',
    '(x+x+)+y',
    '(?m)(a*)*$b',
  ];
  let accepted = 0;
  for (const pattern of patterns) {
    const compiled = compileExpression(pattern);
    if (typeof compiled === 'string') continue;
    accepted += 1;
    for (const name of [`${'a'.repeat(255)}!`, `${'a'.repeat(999)}!`, `${'x'.repeat(1000)}`]) {
      const startedMs = performance.now();
      compiled.matches(name);
      t.ok(performance.now() - startedMs < STALL_MS, `${pattern} on ${name.length} characters`);
    }
  }
  t.ok(accepted >= 12, `${accepted} of them are accepted`);
});

t.test('expression: no random pattern stalls or throws', async (t) => {
  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '\\w', 'aa', '^', '$', '(?i)', '\\b');
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      atom,
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => one + other),
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(${one}|${other})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{1,9}', '{3,30}', '*?'))
        .map(([one, repeat]) => `(${one})${repeat}`),
    ),
  }));
  let slowestMs = 0;
  fc.assert(
    fc.property(pattern, (text) => {
      const startedMs = performance.now();
      const compiled = compileExpression(text);
      if (typeof compiled !== 'string') compiled.matches(`${'ab'.repeat(127)}!`);
      slowestMs = Math.max(slowestMs, performance.now() - startedMs);
    }),
    { numRuns: 1_500 },
  );
  t.ok(slowestMs < STALL_MS, `${Math.round(slowestMs)} ms for the slowest`);
});

t.test('expression: translated patterns match the same names as in Python', async (t) => {
  const cases: [string, string, boolean][] = [
    ['[]a]+b', ']a]b', true],
    ['[^]a]b', 'xb', true],
    ['[^]a]b', ']b', false],
    ['a{,2}b', 'aab', true],
    ['a{,2}b', 'aaab', false],
    ['a(?#comment)b', 'ab', true],
    ['(?P<a>x)(?P<b>y)', 'xy', true],
    ['.*\\.h5\\Z', 'a.h5', true],
    ['.*\\.h5\\Z', 'a.h5x', false],
    ['(?i)FOO.*', 'foo1.txt', true],
    ['(?i)[A-C]+\\Z', 'abC', true],
  ];
  for (const [pattern, text, expected] of cases)
    t.equal(matches(pattern, text), expected, `${pattern} on ${text}`);
});
