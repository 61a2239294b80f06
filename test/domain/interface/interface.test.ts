import fc from 'fast-check';
import t from 'tap';
import { validateConnection } from '../../../src/domain/interface/connection.ts';
import {
  EMPTY_INTERFACE,
  type Interface,
  interfaceOf,
  parametersOf,
  validateInterface,
} from '../../../src/domain/interface/interface.ts';

const errorsOf = (document: unknown): string[] => {
  const checked = validateInterface(document);
  return checked.ok ? [] : checked.errors.map((problem) => `${problem.name} ${problem.path}`);
};
const I = 'INVALID_INTERFACE';

t.test('interface: defaults are filled in, and the version is dropped', async (t) => {
  const checked = validateInterface({
    version: '6',
    files: [{ name: 'In-put_A' }],
    json: [{ name: 'N', type: 'integer' }],
  });
  t.strictSame(checked.ok && checked.value, {
    files: [{ name: 'In-put_A', media_types: [], required: true, multiple: false }],
    json: [{ name: 'N', type: 'integer', required: true }],
  });
  for (const document of [undefined, null, {}, { files: null, json: [] }]) {
    t.strictSame(validateInterface(document), { ok: true, value: EMPTY_INTERFACE, warnings: [] });
  }
});

t.test('interface: every problem is reported at its path', async (t) => {
  t.strictSame(errorsOf([]), [`${I} `]);
  t.strictSame(errorsOf({ files: {}, json: 'x', more: 1, version: 7 }), [
    `${I} version`,
    `${I} files`,
    `${I} json`,
    `${I} more`,
  ]);
  t.strictSame(
    errorsOf({
      files: [
        5,
        {},
        { name: 'a1' },
        { name: '' },
        { name: 'a', required: 1, multiple: 'x', media_types: [1], type: 'x' },
      ],
    }),
    [
      `${I} files[0]`,
      `${I} files[0].name`,
      `${I} files[1].name`,
      `${I} files[2].name`,
      `${I} files[3].name`,
      `${I} files[4].media_types[0]`,
      `${I} files[4].required`,
      `${I} files[4].multiple`,
      `${I} files[4].type`,
    ],
  );
  t.strictSame(
    errorsOf({
      json: [{ name: 'a' }, { name: 'b', type: 'float' }, { name: 'c', type: 'string', multiple: true }],
    }),
    [`${I} json[0].type`, `${I} json[1].type`, `${I} json[2].multiple`],
  );
  t.strictSame(errorsOf({ files: [{ name: 'a' }, { name: 'a' }], json: [{ name: 'a', type: 'string' }] }), [
    'DUPLICATE_INPUT files[1].name',
    'DUPLICATE_INPUT json[0].name',
  ]);
});

t.test('interface: no JSON value makes validation throw', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      validateInterface(value);
      validateInterface({ files: value, json: [value] });
    }),
  );
});

t.test('interface: an interface made of its parameters by name is equal to the original', async (t) => {
  const value: Interface = {
    files: [{ name: 'constructor', media_types: ['a/b'], required: false, multiple: true }],
    json: [{ name: 'N', type: 'array', required: true }],
  };
  t.strictSame(interfaceOf(parametersOf(value)), value);
});

const file = (change: object = {}): Interface['files'][number] => {
  return { name: 'A', media_types: [], required: true, multiple: false, ...change };
};
const json = (change: object = {}): Interface['json'][number] => ({
  name: 'A',
  type: 'integer',
  required: true,
  ...change,
});
const feed = (given: Partial<Interface>, taken: Partial<Interface>): string[] => {
  const checked = validateConnection({ ...EMPTY_INTERFACE, ...given }, { ...EMPTY_INTERFACE, ...taken });
  const warnings = checked.warnings.map(({ name }) => `warning ${name}`);
  return checked.ok ? warnings : [...checked.errors.map(({ name }) => name), ...warnings];
};

t.test(
  'connection: an input of several files accepts one or several, an input of one file only one',
  async (t) => {
    t.strictSame(feed({ files: [file()] }, { files: [file()] }), []);
    t.strictSame(feed({ files: [file()] }, { files: [file({ multiple: true })] }), []);
    t.strictSame(feed({ files: [file({ multiple: true })] }, { files: [file()] }), ['NO_MULTIPLE_FILES']);
  },
);

t.test('connection: a required input needs a source that is required as well', async (t) => {
  t.strictSame(feed({}, { files: [file()], json: [json({ name: 'B' })] }), [
    'PARAM_REQUIRED',
    'PARAM_REQUIRED',
  ]);
  t.strictSame(feed({}, { files: [file({ required: false })] }), []);
  t.strictSame(feed({ files: [file({ required: false })] }, { files: [file()] }), ['PARAM_REQUIRED']);
  t.strictSame(feed({ files: [file({ required: false })] }, { files: [file({ required: false })] }), []);
});

t.test('connection: kinds and JSON types must be the same', async (t) => {
  t.strictSame(feed({ json: [json()] }, { files: [file()] }), ['MISMATCHED_PARAM_TYPE']);
  t.strictSame(feed({ files: [file()] }, { json: [json()] }), ['MISMATCHED_PARAM_TYPE']);
  t.strictSame(feed({ json: [json()] }, { json: [json({ type: 'number' })] }), ['MISMATCHED_JSON_TYPE']);
});

t.test(
  'connection: media types that the input does not list cause a warning, unless it lists none',
  async (t) => {
    const text = file({ media_types: ['text/plain'] });
    t.strictSame(feed({ files: [text] }, { files: [file()] }), []);
    t.strictSame(feed({ files: [text] }, { files: [file({ media_types: ['image/png'] })] }), [
      'warning MISMATCHED_MEDIA_TYPES',
    ]);
    t.strictSame(
      feed({ files: [text] }, { files: [file({ media_types: ['image/png', 'text/plain'] })] }),
      [],
    );
  },
);

t.test('interface: no parameter is called __proto__', async (t) => {
  t.strictSame(errorsOf({ files: [{ name: '__proto__' }], json: [{ name: '__proto__', type: 'string' }] }), [
    `${I} files[0].name`,
    `${I} json[0].name`,
  ]);
});
