import fc from 'fast-check';
import t from 'tap';
import {
  acceptedInterface,
  type DataFilter,
  numberOf,
  validateFilterFor,
} from '../../../src/domain/filter/filter.ts';
import type { Interface } from '../../../src/domain/interface/interface.ts';
import { checkFilter } from '../../support/filters.ts';

type Change = Record<string, unknown>;
const entry = (change: Change = {}): Change => ({
  name: 'A',
  type: 'integer',
  condition: '<',
  values: [1],
  ...change,
});
const problemsOf = (...filters: unknown[]): { errors: string[]; warnings: string[] } => {
  const checked = checkFilter({ filters });
  const list = (problems: readonly { name: string; path: string }[]): string[] =>
    problems.map((problem) => `${problem.name} ${problem.path.replace('filters[0].', '')}`);
  return { errors: checked.ok ? [] : list(checked.errors), warnings: list(checked.warnings) };
};
const errorsOf = (change: Change): string[] => problemsOf(entry(change)).errors;
const S = 'INVALID_DATA_FILTER';

t.test('filter: defaults are filled in, and the version is dropped', async (t) => {
  t.strictSame(checkFilter({ version: '7', filters: [entry()] }), {
    ok: true,
    warnings: [],
    value: { all: true, filters: [{ ...entry(), all_fields: true, all_files: false }] },
  });
  t.strictSame(checkFilter({}), { ok: true, warnings: [], value: { filters: [], all: true } });
});

t.test('filter: each missing field has a problem name of its own', async (t) => {
  t.strictSame(problemsOf({}).errors, [
    'MISSING_NAME name',
    'MISSING_TYPE type',
    'MISSING_CONDITION condition',
    'MISSING_VALUES values',
  ]);
  t.strictSame(errorsOf({ name: null }), ['MISSING_NAME name']);
});

t.test('filter: malformed documents are refused with every path', async (t) => {
  for (const document of [null, [], 'x', undefined]) {
    const checked = checkFilter(document);
    t.match(checked, { ok: false, errors: [{ name: S, path: '' }] });
  }
  t.match(checkFilter({ filters: {}, all: 1, more: 2, version: '1' }), {
    errors: [{ path: 'version' }, { path: 'filters' }, { path: 'all' }, { path: 'more' }],
  });
  t.strictSame(problemsOf(5).errors, [`${S} filters[0]`, ...problemsOf({}).errors], 'and the missing fields');
  t.strictSame(errorsOf({ more: 1 }), [`${S} more`]);
  t.strictSame(errorsOf({ name: 5 }), [`${S} name`]);
  t.strictSame(errorsOf({ type: 'date' }), [`${S} type`]);
  t.strictSame(errorsOf({ values: 5 }), [`${S} values`]);
  t.strictSame(errorsOf({ values: [] }), [`${S} values`]);
  t.strictSame(errorsOf({ all_files: 'x', all_fields: 1 }), [`${S} all_fields`, `${S} all_files`]);
});

t.test('filter: the type array is refused, because it has no condition', async (t) => {
  t.strictSame(errorsOf({ type: 'array' }), ['INVALID_TYPE type']);
});

t.test('filter: each type allows only its own conditions', async (t) => {
  const C = ['INVALID_CONDITION condition'];
  t.strictSame(errorsOf({ condition: '=' }), C);
  t.strictSame(errorsOf({ condition: 5 }), C);
  const table: Record<string, string[]> = {
    string: ['==', '!=', 'in', 'not in', 'contains'],
    filename: ['==', '!=', 'in', 'not in', 'contains'],
    'media-type': ['==', '!=', 'in', 'not in', 'contains'],
    'data-type': ['==', '!=', 'in', 'not in', 'contains'],
    integer: ['<', '<=', '>', '>=', '==', '!=', 'between', 'in', 'not in'],
    number: ['<', '<=', '>', '>=', '==', '!=', 'between', 'in', 'not in'],
    boolean: ['==', '!='],
    object: ['subset of', 'superset of'],
    'meta-data': ['subset of', 'superset of'],
  };
  const all = [
    '<',
    '<=',
    '>',
    '>=',
    '==',
    '!=',
    'between',
    'in',
    'not in',
    'contains',
    'subset of',
    'superset of',
  ];
  for (const [type, allowed] of Object.entries(table)) {
    for (const condition of all) {
      t.strictSame(
        errorsOf({ type, condition, values: [1, 2] }),
        allowed.includes(condition) ? [] : C,
        `${type} ${condition}`,
      );
      const withFields = errorsOf({ type, condition, values: [[1]], fields: [['a']] });
      const isObject = type === 'object' || type === 'meta-data';
      t.strictSame(
        withFields,
        isObject || allowed.includes(condition) ? [] : C,
        `${type} ${condition} with fields`,
      );
    }
  }
});

t.test('filter: fields are paths of names, one for each array of values', async (t) => {
  const object = { type: 'object', condition: '==' };
  t.strictSame(errorsOf({ ...object, values: [[1], [2]], fields: [['a', 'b'], ['c']] }), []);
  t.strictSame(errorsOf({ ...object, values: [[1]], fields: [['a'], ['b']] }), ['INVALID_FIELDS fields']);
  t.strictSame(errorsOf({ ...object, values: [1], fields: [['a']] }), ['INVALID_FIELDS values[0]']);
  t.strictSame(errorsOf({ ...object, values: [[1]], fields: [] }), [`${S} fields`, 'INVALID_FIELDS fields']);
  t.strictSame(errorsOf({ ...object, values: [[1]], fields: [[]] }), [`${S} fields[0]`]);
  t.strictSame(errorsOf({ ...object, values: [[1]], fields: [[1]] }), [`${S} fields[0]`]);
  t.strictSame(errorsOf({ ...object, values: [[1]], fields: ['a'] }), [`${S} fields[0]`]);
});

t.test('filter: values that can never match cause warnings, not errors', async (t) => {
  t.strictSame(problemsOf(entry({ values: ['x', '5', 5, null, {}] })), {
    errors: [],
    warnings: ['VALUE_ERROR values[0]', 'VALUE_ERROR values[3]', 'VALUE_ERROR values[4]'],
  });
  t.strictSame(problemsOf(entry({ condition: 'between' })).warnings, ['VALUE_ERROR values']);
  t.strictSame(problemsOf(entry({ type: 'string', condition: '==', values: [5] })).warnings, []);
  t.strictSame(problemsOf(entry({ values: [[5]], fields: [['a']] })).warnings, ['UNUSED_FIELDS fields']);
});

t.test(
  'filter: a text counts as a number if it spells a decimal one, and long texts take linear time',
  async (t) => {
    const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
    const around = fc.constantFrom('', ' ', '\n\t', '\ufeff');
    fc.assert(
      fc.property(number, around, around, (value, before, after) => {
        t.equal(numberOf(`${before}${value}${after}`), Object.is(value, -0) ? 0 : value);
      }),
      { numRuns: 200 },
    );
    for (const [text, value] of Object.entries({ '.5': 0.5, '5.': 5, '+1E2': 100, '007': 7 })) {
      t.equal(numberOf(text), value, text);
    }
    for (const text of [
      '',
      ' ',
      '.',
      '+',
      '1 2',
      '1_000',
      '0x10',
      '0b1',
      '0O7',
      '1n',
      'NaN',
      '-Infinity',
      '1e400',
    ]) {
      t.equal(numberOf(text), undefined, text);
    }
    // In quadratic time these would take hours.
    t.equal(numberOf(`${'1'.repeat(2_000_000)}x`), undefined);
    t.equal(numberOf(' '.repeat(2_000_000)), undefined);
  },
);

const INTERFACE: Interface = {
  files: [{ name: 'F', media_types: [], required: false, multiple: true }],
  json: (['array', 'boolean', 'integer', 'number', 'object', 'string'] as const).map((type) => ({
    name: type,
    type,
    required: false,
  })),
};
const suits = (name: string, type: string): string[] => {
  const checked = checkFilter({
    filters: [
      entry({ name, type, condition: type === 'object' || type === 'meta-data' ? 'subset of' : '==' }),
    ],
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
  const result = validateFilterFor(checked.value, INTERFACE);
  return result.ok ? [] : result.errors.map((problem) => `${problem.name} ${problem.path}`);
};

t.test('filter: its type must suit the parameter that it examines', async (t) => {
  const fileTypes = ['filename', 'media-type', 'data-type', 'meta-data'];
  const jsonTypes = ['integer', 'number', 'string', 'boolean', 'object'];
  const M = ['MISMATCHED_TYPE filters[0].type'];
  for (const type of fileTypes) {
    t.strictSame(suits('F', type), [], type);
    for (const { name } of INTERFACE.json) t.strictSame(suits(name, type), M, `${name} ${type}`);
  }
  for (const type of jsonTypes) {
    t.strictSame(suits('F', type), M, type);
    t.strictSame(suits('array', type), M);
    for (const name of jsonTypes) {
      const areNumbers = [name, type].every((one) => one === 'integer' || one === 'number');
      t.strictSame(suits(name, type), name === type || areNumbers ? [] : M, `${name} ${type}`);
    }
  }
});

t.test('filter: filters of unknown parameters and parameters without a filter cause warnings', async (t) => {
  const checked = checkFilter({ filters: [entry({ name: 'X' })] });
  const warnings = checked.ok ? validateFilterFor(checked.value, INTERFACE).warnings : [];
  t.strictSame(
    warnings.map(({ name }) => name),
    ['UNMATCHED_FILTER', 'UNMATCHED_PARAMETERS'],
  );
});

t.test(
  'filter: behind an accepted condition its parameters are required if all filters must pass',
  async (t) => {
    const filter = (all: boolean): DataFilter => {
      const checked = checkFilter({
        all,
        filters: [entry({ name: 'F', type: 'filename', condition: '==' })],
      });
      if (!checked.ok) throw new Error('the filter of this test is wrong');
      return checked.value;
    };
    t.strictSame(
      acceptedInterface(INTERFACE, filter(true)).files.map(({ required }) => required),
      [true],
    );
    t.strictSame(acceptedInterface(INTERFACE, filter(false)), INTERFACE);
  },
);

t.test('filter: no JSON value makes validation throw', async () => {
  const keys = ['name', 'type', 'condition', 'values', 'fields', 'all_files'] as const;
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...keys), (value, key) => {
      checkFilter(value);
      checkFilter({ filters: value });
      const checked = checkFilter({ filters: [entry({ [key]: value })] });
      if (checked.ok) validateFilterFor(checked.value, INTERFACE);
    }),
  );
});
