import fc from 'fast-check';
import t from 'tap';
import { type DataFilter, FILTER_CONDITIONS, FILTER_TYPES } from '../../../src/domain/filter/filter.ts';
import {
  evaluateFilter,
  type FileFacts,
  type FilterData,
} from '../../../src/domain/filter/filter-evaluate.ts';
import { checkFilter } from '../../support/filters.ts';

type Change = Record<string, unknown>;
const filterOf = (entries: readonly Change[], all = true): DataFilter => {
  const checked = checkFilter({ filters: entries, all });
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
  return checked.value;
};
const file = (change: Partial<FileFacts> = {}): FileFacts => {
  return { fileName: 'a.txt', mediaType: 'text/plain', dataTypes: [], metaData: null, ...change };
};
const data = (json: Change, files: FilterData['files'] = {}): FilterData => ({
  json: json as FilterData['json'],
  files,
});
const accepts = (entry: Change, examined: FilterData): boolean => {
  return evaluateFilter(filterOf([{ name: 'A', ...entry }]), examined).isAccepted;
};
const value = (type: string, condition: string, values: unknown[], input: unknown): boolean => {
  return accepts({ type, condition, values }, data({ A: input }));
};
const onFiles = (entry: Change, ...files: FileFacts[]): boolean => accepts(entry, data({}, { A: files }));

t.test(
  'filter: order conditions compare the first value with the incoming data, in this order',
  async (t) => {
    const table: [string, number, boolean][] = [
      ['<', 50, false],
      ['<', 100, false],
      ['<', 150, true],
      ['<=', 50, false],
      ['<=', 100, true],
      ['<=', 150, true],
      ['>', 50, true],
      ['>', 100, false],
      ['>', 150, false],
      ['>=', 50, true],
      ['>=', 100, true],
      ['>=', 150, false],
      ['==', 100, true],
      ['==', 99, false],
      ['!=', 100, false],
      ['!=', 99, true],
    ];
    for (const [condition, input, expected] of table) {
      t.equal(value('integer', condition, [100], input), expected, `100 ${condition} ${input}`);
      t.equal(value('number', condition, ['1e2', 'ignored'], input), expected, `a text that spells 100`);
    }
    t.equal(value('integer', '>=', [10], 10), true);
  },
);

t.test('filter: between includes its ends, and the smaller one must come first', async (t) => {
  t.equal(value('integer', 'between', [0, 100], 100), true);
  t.equal(value('integer', 'between', [0, 100], 0), true);
  t.equal(value('integer', 'between', [0, 100], 101), false);
  t.equal(value('integer', 'between', [5, 1], 3), false);
  t.equal(value('integer', 'between', [0], 0), false);
});

t.test('filter: in, not in and == match whole values, and contains matches a part', async (t) => {
  t.equal(value('string', 'in', ['orange', 'apple'], 'pineapple'), false);
  t.equal(value('string', 'in', ['orange', 'apple'], 'apple'), true);
  t.equal(value('string', 'not in', ['orange', 'apple'], 'pineapple'), true);
  t.equal(value('string', 'not in', ['orange'], 'orange'), false);
  t.equal(value('string', '==', ['Orange'], 'orange'), false, 'case matters');
  t.equal(value('string', 'contains', ['x', 'app'], 'pineapple'), true);
  t.equal(value('string', 'contains', ['x'], 'pineapple'), false);
  t.equal(value('boolean', '==', [true], true), true);
  t.equal(value('boolean', '!=', [true], true), false);
});

t.test('filter: a value of another type than the filter’s does not pass', async (t) => {
  t.equal(value('integer', '<', [0], '10'), false);
  t.equal(value('integer', '!=', [0], '10'), false);
  t.equal(value('integer', '<', [0], 1.5), false);
  t.equal(value('integer', '<', [0], true), false);
  t.equal(value('number', '!=', [0], null), false);
  t.equal(value('string', '!=', ['a'], 5), false);
  t.equal(value('boolean', '!=', [true], 0), false);
  t.equal(value('object', 'subset of', [{}], []), false);
  t.equal(value('number', '<', ['x'], 10), false, 'a filter value that is not a number matches nothing');
  t.equal(value('number', '==', [null], 0), false);
});

t.test('filter: one matching file is enough, unless all_files is set', async (t) => {
  const contains = { type: 'filename', condition: 'contains', values: ['abc'] };
  const files = [file({ fileName: 'xabcx.txt' }), file({ fileName: 'y.txt' })];
  t.equal(onFiles(contains, ...files), true);
  t.equal(onFiles({ ...contains, all_files: true }, ...files), false);
  t.equal(onFiles({ type: 'media-type', condition: '!=', values: ['text/plain'] }, file()), false);
  t.equal(onFiles({ type: 'media-type', condition: 'not in', values: ['text/plain'] }, file()), false);
  t.equal(
    onFiles(
      { type: 'media-type', condition: '!=', values: ['text/plain'] },
      file(),
      file({ mediaType: 'a/b' }),
    ),
    true,
  );
  t.equal(onFiles({ ...contains, values: ['xabcx.txt'], all_files: true }, ...files), false);
  t.equal(onFiles(contains), false, 'a parameter without files');
});

t.test('filter: one matching data type of a file passes a condition and fails a negated one', async (t) => {
  const tagged = file({ dataTypes: ['red', 'blue'] });
  const on = (condition: string, ...values: string[]): boolean =>
    onFiles({ type: 'data-type', condition, values }, tagged);
  t.strictSame(
    [on('==', 'blue'), on('==', 'green'), on('in', 'x', 'red'), on('contains', 'lu')],
    [true, false, true, true],
  );
  t.strictSame(
    [on('!=', 'blue'), on('!=', 'green'), on('not in', 'x', 'red'), on('not in', 'x')],
    [false, true, false, true],
  );
  t.equal(onFiles({ type: 'data-type', condition: '!=', values: ['x'] }, file()), true);
  t.equal(onFiles({ type: 'data-type', condition: '==', values: ['x'] }, file()), false);
});

t.test('filter: subset and superset compare the members of an object by their whole values', async (t) => {
  const meta = (condition: string, first: unknown, metaData: FileFacts['metaData']): boolean => {
    return onFiles({ type: 'meta-data', condition, values: [first] }, file({ metaData }));
  };
  t.equal(meta('subset of', { foo: 10 }, {}), true);
  t.equal(meta('subset of', { foo: 10 }, null), true);
  t.equal(meta('subset of', { foo: 10, b: 1 }, { foo: 10 }), true);
  t.equal(meta('subset of', { foo: 10 }, { foo: 11 }), false);
  t.equal(meta('subset of', { foo: 10 }, { bar: 10 }), false);
  t.equal(meta('superset of', { foo: { a: [1] } }, { foo: { a: [1] }, x: 1 }), true);
  t.equal(
    meta('superset of', { foo: { a: 1 } }, { foo: { a: 1, b: 2 } }),
    false,
    'nested values are compared whole',
  );
  t.equal(value('object', 'superset of', [{ foo: 10 }], { foo: 10, x: 1 }), true);
  t.equal(value('object', 'superset of', [5], { foo: 10 }), false);
  t.equal(meta('superset of', { toString: 1 }, {}), false);
});

t.test('filter: the nth path of fields is compared with the nth values', async (t) => {
  const between = { type: 'meta-data', condition: 'between', values: [[0, 100]], fields: [['a', 'b']] };
  t.equal(onFiles(between, file({ metaData: { a: { b: 7 } } })), true);
  t.equal(onFiles(between, file({ metaData: { a: {} } })), false);
  t.equal(onFiles(between, file({ metaData: { a: 'text' } })), false, 'a text has no fields');
  const two = { type: 'object', condition: '==', values: [[1], [2]], fields: [['x'], ['y']] };
  t.equal(accepts(two, data({ A: { x: 1, y: 2 } })), true);
  t.equal(accepts(two, data({ A: { x: 1, y: 1 } })), false);
  t.equal(accepts({ ...two, all_fields: false }, data({ A: { x: 1, y: 1 } })), true);
  t.equal(
    accepts({ ...two, all_files: true }, data({ A: { x: 1, y: 1 } })),
    false,
    'all_files does not change all_fields',
  );
});

t.test('filter: a missing field counts as null and passes no order condition', async (t) => {
  const field = (condition: string, values: unknown[]): boolean => {
    return accepts({ type: 'object', condition, values: [values], fields: [['gone']] }, data({ A: {} }));
  };
  t.strictSame(
    [field('==', [null]), field('==', [0]), field('!=', [0]), field('!=', [null])],
    [true, false, true, false],
  );
  t.strictSame([field('in', [null]), field('not in', [1])], [true, true]);
  for (const condition of ['<', '<=', '>', '>=', 'between', 'contains', 'subset of', 'superset of']) {
    t.equal(field(condition, [0, 0]), false, condition);
  }
  const inherited = accepts(
    { type: 'object', condition: '!=', values: [[null]], fields: [['constructor', 'name']] },
    data({ A: {} }),
  );
  t.equal(inherited, false);
});

t.test('filter: all filters or any one must pass, and an empty list accepts nothing', async (t) => {
  const yes = { name: 'A', type: 'integer', condition: '==', values: [1] };
  const no = { ...yes, values: [2] };
  const absent = { ...yes, name: 'B' };
  const run = (entries: Change[], all: boolean): boolean =>
    evaluateFilter(filterOf(entries, all), data({ A: 1 })).isAccepted;
  t.strictSame([run([yes, yes], true), run([yes, no], true), run([yes, absent], true)], [true, false, false]);
  t.strictSame([run([no, yes], false), run([absent, yes], false), run([no, no], false)], [true, true, false]);
  t.strictSame([run([], true), run([], false)], [false, false]);
});

t.test(
  'filter: a file filter fails a JSON parameter and the reverse, with at most ten reasons',
  async (t) => {
    t.equal(accepts({ type: 'filename', condition: '==', values: ['x'] }, data({ A: 'x' })), false);
    t.equal(onFiles({ type: 'string', condition: '==', values: ['a.txt'] }, file()), false);
    const verdict = evaluateFilter(
      filterOf([{ name: 'A', type: 'integer', condition: '<', values: [1] }]),
      data({ A: 'x' }),
    );
    t.match(verdict, { isAccepted: false, reasons: [/^A "x" is not of type 'integer'$/] });
    const many = Array.from({ length: 50 }, () => ({
      name: 'Z',
      type: 'integer',
      condition: '<',
      values: [1],
    }));
    t.equal(evaluateFilter(filterOf(many, false), data({})).reasons.length, 10);
  },
);

// The reference below is written from the contract's table alone: one long if-chain, no sharing with the
// code.
const same = (one: unknown, other: unknown): boolean => {
  const sorted = (x: unknown): unknown => {
    if (Array.isArray(x)) return ['list', ...x.map(sorted)];
    if (typeof x !== 'object' || x === null) return x;
    return [
      'map',
      ...Object.entries(x)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([k, v]) => [k, sorted(v)]),
    ];
  };
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
};
const comparable = (a: unknown, b: unknown): boolean =>
  typeof a === typeof b && (typeof a === 'number' || typeof a === 'string');
function referenceCondition(condition: string, values: unknown[], input: unknown): boolean {
  const first = values[0] as never;
  const incoming = input as never;
  if (condition === '<') return comparable(first, incoming) && first < incoming;
  if (condition === '<=') return comparable(first, incoming) && first <= incoming;
  if (condition === '>') return comparable(first, incoming) && first > incoming;
  if (condition === '>=') return comparable(first, incoming) && first >= incoming;
  if (condition === '==') return same(first, incoming);
  if (condition === '!=') return !same(first, incoming);
  if (condition === 'in') return values.filter((one) => same(one, incoming)).length > 0;
  if (condition === 'not in') return values.filter((one) => same(one, incoming)).length === 0;
  if (condition === 'between') {
    const second = values[1] as never;
    return (
      values.length > 1 &&
      comparable(first, incoming) &&
      comparable(second, incoming) &&
      first <= incoming &&
      incoming <= second
    );
  }
  if (condition === 'contains') {
    if (typeof input === 'string')
      return values.some((one) => typeof one === 'string' && input.indexOf(one) >= 0);
    if (Array.isArray(input)) return input.some((item) => values.some((one) => same(one, item)));
    if (input === null || typeof input !== 'object') return false;
    return Object.keys(input).some((key) => values.includes(key));
  }
  const [part, whole] = condition === 'subset of' ? [input, first] : [first, input];
  const maps = [part, whole].every((x) => typeof x === 'object' && x !== null && !Array.isArray(x));
  if (!maps) return false;
  const entries = new Map(Object.entries(whole as object));
  return Object.entries(part as object).every(
    ([key, one]) => entries.has(key) && same(entries.get(key), one),
  );
}
function referenceEntry(
  entry: Change,
  examined: { json: Change; files: Record<string, FileFacts[]> },
): boolean {
  const {
    name,
    type,
    condition,
    values,
    fields,
    all_files: allFiles,
    all_fields: allFields,
  } = entry as never;
  const inObject = (object: Change): boolean => {
    if (fields === undefined) return referenceCondition(condition, values, object);
    const results = (fields as string[][]).map((path, n) => {
      let at: unknown = object;
      for (const key of path) {
        const isMap = typeof at === 'object' && at !== null && !Array.isArray(at);
        at = isMap ? (new Map(Object.entries(at as object)).get(key) ?? null) : null;
      }
      return referenceCondition(condition, (values as unknown[][])[n] ?? [], at);
    });
    return allFields === false ? results.includes(true) : !results.includes(false);
  };
  if (['filename', 'media-type', 'data-type', 'meta-data'].includes(type)) {
    const files = new Map(Object.entries(examined.files)).get(name) ?? [];
    const results = files.map((one) => {
      if (type === 'filename') return referenceCondition(condition, values, one.fileName);
      if (type === 'media-type') return referenceCondition(condition, values, one.mediaType);
      if (type === 'meta-data') return inObject({ ...(one.metaData ?? {}) });
      const positive = { '!=': '==', 'not in': 'in' }[condition as string];
      if (positive !== undefined)
        return !one.dataTypes.some((tag) => referenceCondition(positive, values, tag));
      return one.dataTypes.some((tag) => referenceCondition(condition, values, tag));
    });
    if (results.length === 0) return false;
    return allFiles === true ? !results.includes(false) : results.includes(true);
  }
  const input = new Map(Object.entries(examined.json)).get(name);
  if (type === 'object')
    return typeof input === 'object' && input !== null && !Array.isArray(input) && inObject(input as Change);
  const right = type === 'integer' ? typeof input === 'number' && input % 1 === 0 : typeof input === type;
  return right && referenceCondition(condition, values, input);
}

t.test("filter: evaluation agrees with an independent implementation of the contract's table", async (t) => {
  const scalar = fc.oneof(
    fc.integer({ min: -2, max: 2 }),
    fc.constantFrom('a', 'b', 'ab', ''),
    fc.boolean(),
    fc.constant(null),
  );
  const key = fc.constantFrom('a', 'b');
  const tree = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 2 }),
    fc.dictionary(key, scalar, { maxKeys: 2 }),
    fc.dictionary(key, fc.dictionary(key, scalar, { maxKeys: 2 }), { maxKeys: 2 }),
  );
  const map = fc.dictionary(key, fc.oneof(scalar, fc.dictionary(key, scalar, { maxKeys: 2 })), {
    maxKeys: 2,
  });
  const name = fc.constantFrom('J', 'F', 'none');
  const flags = { all_files: fc.boolean(), all_fields: fc.boolean() };
  const plain = fc.record({
    name,
    type: fc.constantFrom(...FILTER_TYPES),
    condition: fc.constantFrom(...FILTER_CONDITIONS),
    values: fc.array(fc.oneof(tree, map), { minLength: 1, maxLength: 3 }),
    ...flags,
  });
  const pair = fc.tuple(
    fc.array(key, { minLength: 1, maxLength: 2 }),
    fc.array(tree, { minLength: 1, maxLength: 2 }),
  );
  const deep = fc
    .record({
      name,
      type: fc.constantFrom('object', 'meta-data'),
      condition: fc.constantFrom(...FILTER_CONDITIONS),
      pairs: fc.array(pair, { minLength: 1, maxLength: 2 }),
      ...flags,
    })
    .map(({ pairs, ...rest }) => ({
      ...rest,
      fields: pairs.map(([path]) => path),
      values: pairs.map(([, list]) => list),
    }));
  const facts = fc.record({
    fileName: fc.constantFrom('a', 'ab', 'b'),
    mediaType: fc.constantFrom('a', 'b'),
    dataTypes: fc.uniqueArray(fc.constantFrom('a', 'b', 'ab'), { maxLength: 2 }),
    metaData: fc.option(map),
  });
  const examined = fc.record({
    json: fc.record({ J: fc.oneof(tree, map) }),
    files: fc.record({ F: fc.array(facts, { maxLength: 3 }) }),
  });
  let [runs, accepted] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(fc.oneof(plain, deep), { maxLength: 3 }),
      fc.boolean(),
      examined,
      (entries, all, subject) => {
        const checked = checkFilter({ filters: entries, all });
        const valid = checked.ok ? entries : [];
        fc.pre(checked.ok);
        const results = valid.map((entry) => referenceEntry(entry, subject as never));
        const expected = results.length > 0 && (all ? !results.includes(false) : results.includes(true));
        runs += 1;
        accepted += expected ? 1 : 0;
        return (
          evaluateFilter((checked as { value: DataFilter }).value, subject as never as FilterData)
            .isAccepted === expected
        );
      },
    ),
    { numRuns: 10_000, maxSkipsPerRun: 1_000 },
  );
  t.ok(accepted > runs / 50, `${accepted} of ${runs} were accepted`);
});
