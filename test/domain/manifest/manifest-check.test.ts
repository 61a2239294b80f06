import fc from 'fast-check';
import t from 'tap';
import { inputInterfaceOf, type Manifest, outputInterfaceOf } from '../../../src/domain/manifest/manifest.ts';
import { validateManifest } from '../../../src/domain/manifest/manifest-check.ts';

type Change = Record<string, unknown>;
const job = (change: Change = {}): Change => ({
  name: 'my-job',
  jobVersion: '1.0.0',
  packageVersion: '1.0.0-beta+5',
  title: 'My job',
  description: 'Counts',
  maintainer: { name: 'Ann', email: 'ann@example.com' },
  timeout: 3600,
  ...change,
});
const manifest = (change: Change = {}): Change => ({ seedVersion: '1.0.0', job: job(change) });
const withInterface = (change: Change): Change => manifest({ interface: change });

const errorsOf = (document: unknown): string[] => {
  const checked = validateManifest(document);
  return checked.ok ? [] : checked.errors.map((problem) => `${problem.name} ${problem.path}`);
};
const accepted = (document: unknown): Manifest => {
  const checked = validateManifest(document);
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
  return checked.value;
};
const J = 'JSON_VALIDATION_ERROR';
const COMMAND = '$INPUT_FILE $OUTPUT_DIR';

const FULL = manifest({
  tags: ['a'],
  maintainer: { name: 'A', email: 'a@b', organization: 'O', phone: '666-555-4321', url: 'http://x' },
  errors: [
    { category: 'data', code: 1, description: 'why', title: 'Bad Input' },
    { code: 2, name: 'two' },
    { code: 3 },
  ],
  interface: {
    command: COMMAND,
    inputs: {
      files: [{ name: 'INPUT_FILE', mediaTypes: ['image/png'], partial: true }],
      json: [{ name: 'N', type: 'integer' }],
    },
    mounts: [
      { name: 'REF', path: '/ref', mode: 'ro' },
      { name: 'M', path: '/m' },
    ],
    outputs: {
      files: [
        { name: 'OUT', mediaType: 'image/gif', pattern: '*_x.gif' },
        { name: 'OUT2', pattern: 'sub/*' },
      ],
      json: [
        { name: 'J', type: 'string', key: 'jk' },
        { name: 'K', type: 'array' },
      ],
    },
    settings: [{ name: 'DB', secret: true }, { name: 'URL' }],
  },
  resources: {
    scalar: [
      { name: 'cpus', value: 1.5 },
      { name: 'disk', value: 11, inputMultiplier: 4 },
    ],
  },
});

t.test('manifest: a valid one is accepted, with its defaults filled in', async (t) => {
  t.strictSame(accepted(FULL), {
    seedVersion: '1.0.0',
    job: {
      ...(FULL.job as Change),
      errors: [
        { code: 1, name: 'bad-input', title: 'Bad Input', description: 'why', category: 'data' },
        { code: 2, name: 'two', title: 'two', category: 'job' },
        { code: 3, name: 'error-3', title: 'error-3', category: 'job' },
      ],
      interface: {
        command: COMMAND,
        inputs: {
          files: [
            { name: 'INPUT_FILE', required: true, mediaTypes: ['image/png'], multiple: false, partial: true },
          ],
          json: [{ name: 'N', type: 'integer', required: true }],
        },
        outputs: {
          files: [
            { name: 'OUT', pattern: '*_x.gif', mediaType: 'image/gif', multiple: false, required: true },
            { name: 'OUT2', pattern: 'sub/*', multiple: false, required: true },
          ],
          json: [
            { name: 'J', type: 'string', key: 'jk', required: true },
            { name: 'K', type: 'array', key: 'K', required: true },
          ],
        },
        mounts: [
          { name: 'REF', path: '/ref', mode: 'ro' },
          { name: 'M', path: '/m', mode: 'ro' },
        ],
        settings: [
          { name: 'DB', secret: true },
          { name: 'URL', secret: false },
        ],
      },
    },
  });
});

t.test('manifest: optional fields may be absent, null or empty', async (t) => {
  const expected = accepted(manifest());
  t.strictSame(expected.job.interface.outputs, { files: [], json: [] });
  t.strictSame(expected.job.resources, { scalar: [] });
  t.strictSame(accepted(manifest({ resources: {}, interface: null, tags: null, errors: [] })), expected);
  t.strictSame(accepted(manifest({ interface: { inputs: {}, outputs: {} } })), expected);
});

t.test('manifest: its input and output interfaces follow from its inputs and outputs', async (t) => {
  const full = accepted(FULL);
  t.strictSame(inputInterfaceOf(full), {
    files: [{ name: 'INPUT_FILE', media_types: ['image/png'], required: true, multiple: false }],
    json: [{ name: 'N', type: 'integer', required: true }],
  });
  t.strictSame(outputInterfaceOf(full), {
    files: [
      { name: 'OUT', media_types: ['image/gif'], required: true, multiple: false },
      { name: 'OUT2', media_types: ['application/octet-stream'], required: true, multiple: false },
    ],
    json: [
      { name: 'J', type: 'string', required: true },
      { name: 'K', type: 'array', required: true },
    ],
  });
});

t.test('manifest: every missing required field is reported', async (t) => {
  const inJob = [
    `${J} job.name`,
    `${J} job.jobVersion`,
    `${J} job.packageVersion`,
    `${J} job.title`,
    `${J} job.description`,
    `${J} job.maintainer`,
    `${J} job.maintainer.name`,
    `${J} job.maintainer.email`,
    `${J} job.timeout`,
  ];
  t.strictSame(errorsOf({}), [`${J} seedVersion`, `${J} job`, ...inJob], 'at all levels at once');
  t.strictSame(errorsOf({ seedVersion: '1.0.0', job: {} }), inJob);
  t.strictSame(errorsOf({ seedVersion: '1.0.0', job: 'x' }), [`${J} job`, ...inJob]);
  t.strictSame(errorsOf(manifest({ maintainer: {} })), [
    `${J} job.maintainer.name`,
    `${J} job.maintainer.email`,
  ]);
  const items = {
    inputs: { files: [{}], json: [{}] },
    outputs: { files: [{}], json: [{}] },
    mounts: [{}],
    settings: [{}],
  };
  t.strictSame(errorsOf(manifest({ interface: items, resources: { scalar: [{}] }, errors: [{}] })), [
    `${J} job.resources.scalar[0].name`,
    `${J} job.resources.scalar[0].value`,
    `${J} job.interface.inputs.files[0].name`,
    `${J} job.interface.inputs.json[0].name`,
    `${J} job.interface.inputs.json[0].type`,
    `${J} job.interface.outputs.files[0].name`,
    `${J} job.interface.outputs.files[0].pattern`,
    `${J} job.interface.outputs.json[0].name`,
    `${J} job.interface.outputs.json[0].type`,
    `${J} job.interface.mounts[0].name`,
    `${J} job.interface.mounts[0].path`,
    `${J} job.interface.settings[0].name`,
    `${J} job.errors[0].code`,
  ]);
});

t.test('manifest: members that the standard does not know are refused in every object', async (t) => {
  const extra = { extra: 1 };
  const document = {
    ...manifest({
      ...extra,
      maintainer: { name: 'A', email: 'b', ...extra },
      resources: { scalar: [{ name: 'mem', value: 1, ...extra }], ...extra },
      errors: [{ code: 1, ...extra }],
      interface: {
        ...extra,
        inputs: {
          files: [{ name: 'A', ...extra }],
          json: [{ name: 'B', type: 'string', ...extra }],
          ...extra,
        },
        outputs: {
          files: [{ name: 'C', pattern: '*', ...extra }],
          json: [{ name: 'D', type: 'string', ...extra }],
          ...extra,
        },
        mounts: [{ name: 'E', path: '/e', ...extra }],
        settings: [{ name: 'F', ...extra }],
      },
    }),
    ...extra,
  };
  const paths = errorsOf(document);
  t.equal(paths.length, 15);
  t.ok(paths.every((path) => path.startsWith(J) && path.endsWith('extra')));
});

t.test('manifest: malformed values are reported for every field', async (t) => {
  const cases: [Change, string[]][] = [
    [{ name: 'my_job' }, ['job.name']],
    [{ name: '' }, ['job.name']],
    [{ name: 'x'.repeat(51) }, ['job.name']],
    [{ name: 'validation' }, ['job.name']],
    [{ name: 'system-failures' }, ['job.name']],
    [{ jobVersion: '1.0' }, ['job.jobVersion']],
    [{ jobVersion: 1 }, ['job.jobVersion']],
    [{ packageVersion: '1.0.0.0' }, ['job.packageVersion']],
    [{ title: '' }, ['job.title']],
    [{ title: 5 }, ['job.title']],
    [{ tags: 'a' }, ['job.tags']],
    [{ tags: [5, '', 'x'.repeat(51)] }, ['job.tags[0]', 'job.tags[1]', 'job.tags[2]']],
    [{ timeout: 0 }, ['job.timeout']],
    [{ timeout: -5 }, ['job.timeout']],
    [{ timeout: 1.5 }, ['job.timeout']],
    [{ timeout: '60' }, ['job.timeout']],
    [{ timeout: 3e9 }, ['job.timeout']],
    [{ maintainer: 'Ann' }, ['job.maintainer', 'job.maintainer.name', 'job.maintainer.email']],
    [{ resources: [] }, ['job.resources']],
    [{ resources: { scalar: [{ name: 'mem', value: -1 }] } }, ['job.resources.scalar[0].value']],
    [{ resources: { scalar: [{ name: 'mem', value: '1' }] } }, ['job.resources.scalar[0].value']],
    [{ resources: { scalar: [{ name: 'm m', value: 1 }] } }, ['job.resources.scalar[0].name']],
    [
      { resources: { scalar: [{ name: 'mem', value: 1, inputMultiplier: -1 }] } },
      ['job.resources.scalar[0].inputMultiplier'],
    ],
    [{ resources: { scalar: [{ name: 'GPUs', value: 0.5 }] } }, ['job.resources.scalar[0].value']],
    [{ errors: [{ code: 0 }] }, ['job.errors[0].code']],
    [{ errors: [{ code: '1' }] }, ['job.errors[0].code']],
    [{ errors: [{ code: 1, name: 'a b' }] }, ['job.errors[0].name']],
    [{ errors: [{ code: 1, category: 'SYSTEM' }] }, ['job.errors[0].category']],
    [{ errors: {} }, ['job.errors']],
    [{ interface: { command: 5 } }, ['job.interface.command']],
    [{ interface: { inputs: { files: {} } } }, ['job.interface.inputs.files']],
    [{ interface: { inputs: { files: [{ name: 'a.b' }] } } }, ['job.interface.inputs.files[0].name']],
    [
      { interface: { inputs: { files: [{ name: 'a', multiple: 'yes' }] } } },
      ['job.interface.inputs.files[0].multiple'],
    ],
    [
      { interface: { inputs: { json: [{ name: 'a', type: 'float' }] } } },
      ['job.interface.inputs.json[0].type'],
    ],
    [
      { interface: { outputs: { files: [{ name: 'a', pattern: '/x' }] } } },
      ['job.interface.outputs.files[0].pattern'],
    ],
    [
      { interface: { outputs: { files: [{ name: 'a', pattern: 'b/../*' }] } } },
      ['job.interface.outputs.files[0].pattern'],
    ],
    [{ interface: { mounts: [{ name: 'a', path: '/a', mode: 'w' }] } }, ['job.interface.mounts[0].mode']],
    [{ interface: { settings: [{ name: 'a', secret: 1 }] } }, ['job.interface.settings[0].secret']],
    [{ description: 'a\u0000b' }, ['job.description']],
    [{ tags: ['\udc00'] }, ['job.tags[0]']],
  ];
  for (const [change, paths] of cases) {
    t.strictSame(
      errorsOf(manifest(change)),
      paths.map((path) => `${J} ${path}`),
      JSON.stringify(change),
    );
  }
  for (const version of ['0.1.0', '1.0', 1, '2.0.0']) {
    t.strictSame(errorsOf({ ...manifest(), seedVersion: version }), [`${J} seedVersion`]);
  }
  for (const document of [null, undefined, [], 'x', 7]) t.strictSame(errorsOf(document), [`${J} `]);
});

t.test('manifest: errors with the same title get different names', async (t) => {
  const errors = accepted(
    manifest({
      errors: [
        { code: 1, title: 'Bad' },
        { code: 2, title: 'Bad' },
        { code: 3, title: '!' },
      ],
    }),
  ).job.errors;
  t.strictSame(
    errors.map(({ name }) => name),
    ['bad', 'bad-2', 'error-3'],
  );
});

t.test('manifest: nonstandard resources cause warnings', async (t) => {
  const checked = validateManifest(
    manifest({
      resources: {
        scalar: [
          { name: 'sharedMem', value: 1 },
          { name: 'licences', value: 1 },
        ],
      },
    }),
  );
  t.match(checked, {
    ok: true,
    warnings: [{ name: 'NONSTANDARD_RESOURCE', path: 'job.resources.scalar[1].name' }],
  });
  t.equal(checked.warnings.length, 1);
});

t.test('manifest: a resource cannot have a name that every object has', async (t) => {
  for (const name of ['constructor', 'Constructor', '__proto__'])
    t.match(
      validateManifest(manifest({ resources: { scalar: [{ name, value: 1 }] } })),
      { errors: [{ path: 'job.resources.scalar[0].name', description: `'${name}' is no usable name` }] },
      name,
    );
});

t.test('manifest: no JSON value anywhere makes validation throw', async () => {
  const keys = ['name', 'tags', 'maintainer', 'resources', 'interface', 'errors', 'timeout'] as const;
  const parts = ['inputs', 'outputs', 'mounts', 'settings', 'command'] as const;
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...keys), fc.constantFrom(...parts), (value, key, part) => {
      validateManifest(value);
      validateManifest(manifest({ [key]: value }));
      validateManifest(withInterface({ [part]: value }));
      validateManifest(withInterface({ [part]: { files: [value], json: [value] } }));
      validateManifest(withInterface({ [part]: [value] }));
    }),
  );
});
