/** Sentences that describe filters. */
import t from 'tap';
import type { Filter } from '../../../src/domain/filter/filter.ts';
import { evaluateFilter } from '../../../src/domain/filter/filter-evaluate.ts';
import { filterSentence, readableFilter } from '../../../src/domain/filter/filter-words.ts';

const filter = (fields: Partial<Filter>): Filter => ({
  ...{ name: 'WORDS', type: 'integer', condition: '>', values: [100], all_fields: true, all_files: false },
  ...fields,
});

t.test('filter words: every condition and type has a sentence, and a long one is cut', async (t) => {
  const object = { name: 'INFO', type: 'object' } as const;
  const file = { name: 'FILE', values: ['a', 'b'] } as const;
  const rows: readonly (readonly [Partial<Filter>, string])[] = [
    [{}, '100 > WORDS'],
    [{ condition: '<' }, '100 < WORDS'],
    [{ condition: '<=', values: [' 1e2 '] }, '100 <= WORDS'],
    [{ condition: '>=' }, '100 >= WORDS'],
    [{ condition: '==', type: 'string', values: ['a'] }, '"a" == WORDS'],
    [{ condition: '!=', type: 'boolean', values: [true] }, 'true != WORDS'],
    [{ condition: 'between', values: [1, 5] }, '1 <= WORDS <= 5'],
    [{ condition: 'in', values: [1, 2] }, 'WORDS is 1 or 2'],
    [{ condition: 'not in', values: [1, 2, 3, 4, 5] }, 'WORDS is not 1 or 2 or 3 or one of 2 more'],
    [{ condition: 'contains', type: 'string', values: ['ab'] }, 'WORDS contains "ab"'],
    [{ ...object, condition: 'subset of', values: [{ a: 1 }] }, 'every item of INFO is in {"a":1}'],
    [{ ...object, condition: 'superset of', values: [{ a: 1 }] }, 'every item of {"a":1} is in INFO'],
    [
      { ...file, type: 'filename', condition: 'contains' },
      'the name of FILE contains "a" or "b", for at least one file',
    ],
    [
      { ...file, type: 'media-type', condition: 'in', all_files: true },
      'the media type of FILE is "a" or "b", for every file',
    ],
    [{ ...file, type: 'data-type', condition: '==' }, '"a" == any label of FILE, for at least one file'],
    [{ ...file, type: 'data-type', condition: '!=' }, '"a" != each label of FILE, for at least one file'],
    [
      { ...object, condition: '<', fields: [['a', 'b'], ['c']], values: [[1], [2]], all_fields: false },
      '1 < INFO.a.b or 2 < INFO.c',
    ],
    [
      { name: 'FILE', type: 'meta-data', condition: '==', fields: [['k']], values: [['v']] },
      '"v" == FILE.k, for at least one file',
    ],
  ];
  for (const [fields, expected] of rows) t.equal(filterSentence(filter(fields)), `passes when ${expected}`);
  const long = filterSentence(filter({ condition: 'in', type: 'string', values: ['x'.repeat(10_000)] }));
  t.ok(long.length < 200, 'a long value is cut');
});

t.test('filter words: the comparison in the sentence holds exactly if the filter passes', async (t) => {
  const holds: Readonly<Record<string, (one: number, other: number) => boolean>> = {
    '<': (one, other) => one < other,
    '<=': (one, other) => one <= other,
    '>': (one, other) => one > other,
    '>=': (one, other) => one >= other,
    '==': (one, other) => one === other,
    '!=': (one, other) => one !== other,
  };
  for (const condition of ['<', '<=', '>', '>=', '==', '!='] as const) {
    for (const words of [99, 100, 101]) {
      const [, left, sign, right] =
        /^passes when (\S+) (\S+) (\S+)$/.exec(filterSentence(filter({ condition }))) ?? [];
      const value = (side = '') => (side === 'WORDS' ? words : Number(side));
      const data = { files: {}, json: { WORDS: words } };
      const { isAccepted } = evaluateFilter({ filters: [filter({ condition })], all: true }, data);
      t.equal(
        holds[sign ?? '']?.(value(left), value(right)),
        isAccepted,
        `${words}: ${left} ${sign} ${right}`,
      );
    }
  }
});

t.test(
  'filter words: as people read it, the value of the recipe stands on the left of every sign',
  async (t) => {
    const file = { name: 'TEXT', all_files: true } as const;
    const rows: readonly (readonly [Partial<Filter>, string])[] = [
      [{ condition: '<', values: [' 1e2 '] }, 'in.X > 100'],
      [{ condition: '>=' }, 'in.X <= 100'],
      [{ condition: 'between', values: [1, 5] }, '1 <= in.X <= 5'],
      [
        { ...file, type: 'media-type', condition: '==', values: ['text/plain'] },
        'the media type of in.X == "text/plain", for every file',
      ],
      [
        { ...file, type: 'meta-data', condition: '>', values: [[-5]], fields: [['geo', 'lat']] },
        'in.X.meta.geo.lat < -5, for every file',
      ],
      [{ type: 'object', condition: '>', values: [[5]], fields: [['a']] }, 'in.X.a < 5'],
    ];
    for (const [fields, words] of rows) t.equal(readableFilter(filter(fields), 'in.X'), words);
  },
);
