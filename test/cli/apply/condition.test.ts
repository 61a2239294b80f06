/** Conditions of the short form mean what they read like: held against the service's own evaluation. */
import fc from 'fast-check';
import t from 'tap';
import { type Condition, type Operator, parseCondition } from '../../../src/cli/apply/short/condition.ts';
import { type Subject, translateCondition } from '../../../src/cli/apply/short/condition-filter.ts';
import { readFilter } from '../../../src/domain/filter/filter.ts';
import { evaluateFilter } from '../../../src/domain/filter/filter-evaluate.ts';
import { IssueList } from '../../../src/domain/validation.ts';

const NUMBER: Subject = { kind: 'json', type: 'number', required: true };
const TEXT: Subject = { kind: 'json', type: 'string', required: true };

function accepts(text: string, subject: Subject, value: number | string): boolean {
  const condition = parseCondition(text) as Condition;
  const translated = translateCondition(condition, () => subject);
  if (!('inputs' in translated)) throw new Error(`${text}: ${JSON.stringify(translated)}`);
  const issues = new IssueList();
  const filter = readFilter(issues, translated.dataFilter, '');
  if (!issues.ok) throw new Error(`${text}: ${JSON.stringify(issues.errors)}`);
  const name = translated.inputs[0]?.name ?? '';
  return evaluateFilter(filter, { files: {}, json: { [name]: value } }).isAccepted;
}

const MEANING: Readonly<Partial<Record<Operator, (data: number, value: number) => boolean>>> = {
  '<': (data, value) => data < value,
  '<=': (data, value) => data <= value,
  '>': (data, value) => data > value,
  '>=': (data, value) => data >= value,
  '==': (data, value) => data === value,
  '!=': (data, value) => data !== value,
};

t.test('conditions: comparisons with numbers are read from left to right', async (t) => {
  const small = fc.integer({ min: -5, max: 5 });
  fc.assert(
    fc.property(fc.constantFrom(...Object.entries(MEANING)), small, small, ([sign, means], data, value) => {
      return accepts(`count.WORDS ${sign} ${value}`, NUMBER, data) === means(data, value);
    }),
  );
  t.ok(accepts('count.WORDS between 1 and 3', NUMBER, 3));
  t.notOk(accepts('count.WORDS between 1 and 3', NUMBER, 4));
  t.ok(accepts('count.WORDS in [1, 2]', NUMBER, 2));
  t.ok(accepts('count.WORDS not in [1, 2]', NUMBER, 3));
});

t.test('conditions: texts, lists and several comparisons are translated', async (t) => {
  t.ok(accepts(`count.MODE == "it's"`, TEXT, `it's`));
  t.ok(accepts(`count.MODE contains 'as'`, TEXT, 'fast'));
  t.ok(accepts(`count.MODE contains ['x', 'as']`, TEXT, 'fast'));
  t.notOk(accepts(`count.MODE == 'a' and count.MODE == 'b'`, TEXT, 'a'));
  t.ok(accepts(`count.MODE == 'a' or count.MODE == 'b'`, TEXT, 'b'));
});

t.test('conditions: parameters are named after their sources, without digits, each once', async (t) => {
  const text = `a1.OUT2 > 1 and a2.OUT1 > 1 and a1.OUT2 < 9 and in.A_B == 3`;
  const translated = translateCondition(parseCondition(text) as Condition, () => NUMBER);
  t.ok('inputs' in translated);
  if (!('inputs' in translated)) return;
  t.same(
    translated.inputs.map(({ name }) => name),
    ['a-OUT', 'a-OUT-b', 'in-A_B'],
  );
});

t.test('conditions: the properties of files that a condition may compare are translated', async (t) => {
  const text = `in.TEXT.name contains 'a' and in.TEXT.media_type == 'text/plain' and in.TEXT.meta.origin."my key" >= 5`;
  const file: Subject = { kind: 'file', multiple: false, required: true };
  t.match(
    translateCondition(parseCondition(text) as Condition, () => file),
    {
      interface: { files: [{ name: 'in-TEXT' }] },
      dataFilter: {
        filters: [
          { name: 'in-TEXT', type: 'filename', condition: 'contains', values: ['a'] },
          { name: 'in-TEXT', type: 'media-type', condition: '==', values: ['text/plain'] },
          { type: 'meta-data', condition: '<=', values: [[5]], fields: [['origin', 'my key']] },
        ],
      },
    },
  );
});

t.test('conditions: no text makes the parser throw', async (t) => {
  const piece = fc.constantFrom(
    'count.WORDS',
    '>',
    'and',
    'or',
    'in',
    'not',
    '[',
    ']',
    ',',
    '1',
    '"a"',
    'between',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece).map((all) => all.join(' ')),
  );
  fc.assert(
    fc.property(text, (one) => {
      const parsed = parseCondition(one);
      return 'comparisons' in parsed || (parsed.offset >= 0 && parsed.offset <= one.length);
    }),
    { numRuns: 5_000 },
  );
  t.pass();
});
