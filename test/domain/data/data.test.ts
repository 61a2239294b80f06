import fc from 'fast-check';
import t from 'tap';
import { type Data, isOfType, validateData, validateDataFor } from '../../../src/domain/data/data.ts';
import type { Interface } from '../../../src/domain/interface/interface.ts';

const errorsOf = (document: unknown): string[] => {
  const checked = validateData(document);
  return checked.ok ? [] : checked.errors.map((problem) => `${problem.name} ${problem.path}`);
};
const INTERFACE: Interface = {
  files: [
    { name: 'ONE', media_types: [], required: true, multiple: false },
    { name: 'MANY', media_types: [], required: false, multiple: true },
  ],
  json: [
    { name: 'N', type: 'integer', required: true },
    { name: 'O', type: 'object', required: false },
  ],
};
const errorsFor = (data: Partial<Data>): string[] => {
  const checked = validateDataFor({ files: {}, json: {}, ...data }, INTERFACE);
  return checked.ok ? [] : checked.errors.map((problem) => `${problem.name} ${problem.path}`);
};

t.test('data: files by id and JSON values are accepted, and null counts as absent', async (t) => {
  const checked = validateData({
    version: '7',
    files: { A: [1, 2], B: null },
    json: { C: 0, D: null, E: false },
  });
  t.strictSame(checked, {
    ok: true,
    warnings: [],
    value: { files: { A: [1, 2] }, json: { C: 0, E: false } },
  });
  t.strictSame(validateData({}), { ok: true, warnings: [], value: { files: {}, json: {} } });
});

t.test('data: malformed data is refused with every path', async (t) => {
  for (const document of [null, undefined, [], 'x', 5]) t.strictSame(errorsOf(document), ['INVALID_DATA ']);
  t.strictSame(errorsOf({ files: [], json: 'x', more: 1 }), [
    'INVALID_DATA files',
    'INVALID_DATA json',
    'INVALID_DATA more',
  ]);
  for (const ids of [[], 5, '1', {}]) {
    t.strictSame(errorsOf({ files: { A: ids } }), ['INVALID_DATA files.A'], JSON.stringify(ids));
  }
  for (const id of ['1', 1.5, 0, -1, 2 ** 60, null, [], {}]) {
    t.strictSame(errorsOf({ files: { A: [7, id] } }), ['INVALID_DATA files.A[1]'], JSON.stringify(id));
  }
  t.strictSame(errorsOf({ files: { A: [1] }, json: { A: 1 } }), ['DUPLICATE_VALUE json.A']);
  t.strictSame(errorsOf({ json: { A: { b: ['x\u0000'] } } }), ['INVALID_DATA json.A.b[0]']);
  t.strictSame(errorsOf({ json: JSON.parse('{"__proto__": 1}') }), ['INVALID_DATA json.__proto__']);
  t.strictSame(errorsOf({ version: '1.0' }), ['INVALID_DATA version']);
});

t.test('data: parameters that the interface does not have are dropped', async (t) => {
  const data: Data = { files: { ONE: [1], X: [2] }, json: { N: 1, Y: 'y', O: {} } };
  t.strictSame(validateDataFor(data, INTERFACE), {
    ok: true,
    warnings: [],
    value: { files: { ONE: [1] }, json: { N: 1, O: {} } },
  });
});

t.test('data: a missing or unsuitable value is reported for its parameter', async (t) => {
  t.strictSame(errorsFor({}), ['PARAM_REQUIRED files.ONE', 'PARAM_REQUIRED json.N']);
  t.strictSame(errorsFor({ files: { N: [1] }, json: { ONE: 1 } }), [
    'MISMATCHED_PARAM_TYPE files.N',
    'MISMATCHED_PARAM_TYPE json.ONE',
  ]);
  t.strictSame(errorsFor({ files: { ONE: [1, 2], MANY: [1, 2] }, json: { N: 1 } }), [
    'MULTIPLE_FILES files.ONE',
  ]);
  t.strictSame(errorsFor({ files: { ONE: [] }, json: { N: 1 } }), ['NO_FILES files.ONE']);
  t.strictSame(errorsFor({ files: { ONE: [1] }, json: { N: '1', O: [] } }), [
    'INVALID_JSON_TYPE json.N',
    'INVALID_JSON_TYPE json.O',
  ]);
});

t.test('data: a value has the type that JSON gives it, and a whole number is also an integer', async (t) => {
  t.ok(isOfType(1, 'integer') && isOfType(1, 'number') && isOfType(1.5, 'number') && isOfType('', 'string'));
  t.ok(isOfType([], 'array') && isOfType({}, 'object') && isOfType(false, 'boolean'));
  for (const [value, type] of [
    [true, 'integer'],
    [1.5, 'integer'],
    ['1', 'number'],
    [[], 'object'],
    [null, 'object'],
    [null, 'string'],
    [{}, 'array'],
  ] as const) {
    t.notOk(isOfType(value, type), `${JSON.stringify(value)} ${type}`);
  }
});

t.test('data: no JSON value makes validation throw', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const checked = validateData({ files: { ONE: value }, json: { N: value } });
      if (checked.ok) validateDataFor(checked.value, INTERFACE);
      validateData(value);
    }),
  );
});
