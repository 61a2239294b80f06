import fc from 'fast-check';
import t from 'tap';
import {
  checkJson,
  childPath,
  JSON_DEPTH_MAX,
  type Json,
  jsonEquals,
  shortened,
  textProblem,
} from '../../../src/domain/document/json-value.ts';
import { IssueList } from '../../../src/domain/validation.ts';

const pathsOf = (document: unknown): string[] => {
  const issues = new IssueList();
  checkJson(document, issues, 'BAD');
  return issues.errors.map(({ path }) => path);
};
const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
};

t.test('documents: any JSON that can be stored is accepted', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: true }), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!text.includes('\\u0000') && !text.includes('__proto__') && !/\\ud[89a-f]/.test(text));
      return pathsOf(value).length === 0;
    }),
  );
  t.strictSame(pathsOf(nested(JSON_DEPTH_MAX)), []);
});

t.test('documents: values that cannot be stored are reported at their paths', async (t) => {
  t.strictSame(pathsOf({ a: ['\u0000', { b: '\ud800' }] }).sort(), ['a[0]', 'a[1].b']);
  t.strictSame(pathsOf({ 'x\u0000': 1 }).length, 1);
  t.strictSame(pathsOf(JSON.parse('{"a": {"__proto__": {}}}')), ['a.__proto__']);
  t.strictSame(
    pathsOf({ a: Number.NaN, b: Number.POSITIVE_INFINITY, c: 1n, d: () => 1, e: Symbol('x'), f: undefined })
      .length,
    5,
  );
  t.equal(pathsOf(nested(JSON_DEPTH_MAX + 1)).length, 1);
  t.equal(pathsOf(nested(100_000)).length, 1);
  t.equal(pathsOf(new Array(600_000).fill(1)).length, 1);
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  t.equal(pathsOf(cyclic).length, 1);
});

t.test('documents: texts with a NUL or half a surrogate pair are refused', async (t) => {
  t.equal(textProblem('a😀'), undefined);
  for (const text of ['\u0000', 'a\ud800', '\udc00b', '\udc00\ud800']) t.type(textProblem(text), 'string');
});

t.test('documents: paths quote names that are not plain words, and shorten long ones', async (t) => {
  t.equal(childPath('', 'a'), 'a');
  t.equal(childPath('a', 3), 'a[3]');
  t.equal(childPath('a', 'b-c_1'), 'a.b-c_1');
  t.equal(childPath('a', 'b "c'), 'a["b \\"c"]');
  t.notMatch(childPath('a', `x\u0000\ud800${'y'.repeat(500)}`), /\p{Surrogate}/u);
  t.ok(childPath('', 'y '.repeat(500)).length < 120);
  t.equal(shortened('ok'), 'ok');
});

t.test('documents: equality is deep and ignores the order of members', async (t) => {
  t.ok(jsonEquals({ a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] }));
  const different: [Json, Json][] = [
    [1, '1'],
    [null, {}],
    [[], {}],
    [[1], [1, 2]],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [{}, { toString: 1 }],
    [true, 1],
  ];
  for (const [one, other] of different)
    t.notOk(jsonEquals(one, other) || jsonEquals(other, one), JSON.stringify([one, other]));
  fc.assert(
    fc.property(fc.jsonValue(), (value) => jsonEquals(value as Json, JSON.parse(JSON.stringify(value)))),
  );
});

t.test('documents: wrong values beyond the limit are counted without creating their paths', async (t) => {
  let made = 0;
  class Counted extends IssueList {
    override error(name: string, path: string, description: string): void {
      made += 1;
      super.error(name, path, description);
    }
  }
  const issues = new Counted();
  checkJson(new Array(200_000).fill('\u0000'), issues, 'BAD');
  t.equal(issues.errorCount, 200_000);
  t.equal(made, issues.errors.length - 1, 'only the listed ones');
});
