import t from 'tap';
import { validateManifest } from '../../../src/domain/manifest/manifest-check.ts';

type Change = Record<string, unknown>;
const manifest = (change: Change): Change => ({
  seedVersion: '1.0.0',
  job: {
    name: 'my-job',
    jobVersion: '1.0.0',
    packageVersion: '1.0.0',
    title: 'My job',
    description: 'Counts',
    maintainer: { name: 'Ann', email: 'ann@example.com' },
    timeout: 3600,
    ...change,
  },
});
const withInterface = (change: Change): Change => manifest({ interface: change });
const errorsOf = (document: unknown): string[] => {
  const checked = validateManifest(document);
  return checked.ok ? [] : checked.errors.map((problem) => `${problem.name} ${problem.path}`);
};

t.test('manifest: names that would become the same environment variable are refused', async (t) => {
  const collides = (change: Change): string[] => errorsOf(manifest(change));
  const N = 'NAME_COLLISION_ERROR';
  t.strictSame(
    collides({ interface: { inputs: { files: [{ name: 'my-in' }] }, settings: [{ name: 'MY_IN' }] } }),
    [`${N} job.interface.settings[0].name`],
  );
  t.strictSame(
    collides({ interface: { inputs: { files: [{ name: 'a' }], json: [{ name: 'A', type: 'string' }] } } }),
    [`${N} job.interface.inputs.json[0].name`],
  );
  for (const name of [
    'output-dir',
    'INPUT_METADATA',
    'scale_job_id',
    'SCALE-EXE-NUM',
    'millrace-job-id',
    'MILLRACE_BATCH_ID',
  ]) {
    t.strictSame(
      collides({ interface: { settings: [{ name }] } }),
      [`${N} job.interface.settings[0].name`],
      name,
    );
  }
  t.strictSame(
    collides({
      resources: { scalar: [{ name: 'mem', value: 1 }] },
      interface: { settings: [{ name: 'allocated-mem' }] },
    }),
    [`${N} job.interface.settings[0].name`],
  );
  t.strictSame(
    collides({
      resources: {
        scalar: [
          { name: 'sharedMem', value: 1 },
          { name: 'sharedmem', value: 2 },
        ],
      },
    }),
    [`${N} job.resources.scalar[1].name`],
  );
});

t.test('manifest: duplicate mounts, outputs and errors and invalid mount paths are refused', async (t) => {
  const mount = (name: string, path: string): Change => ({ name, path });
  t.strictSame(errorsOf(withInterface({ mounts: [mount('a', '/a'), mount('a', '/b')] })), [
    'DUPLICATE_MOUNT_NAMES job.interface.mounts[1].name',
  ]);
  t.strictSame(errorsOf(withInterface({ mounts: [mount('a', '/a'), mount('b', '/a')] })), [
    'INVALID_MOUNT_PATH job.interface.mounts[1].path',
  ]);
  for (const path of ['data/ref', '/', '/a/../..', './a']) {
    t.strictSame(errorsOf(withInterface({ mounts: [mount('a', path)] })), [
      'INVALID_MOUNT_PATH job.interface.mounts[0].path',
    ]);
  }
  const outputs = {
    files: [
      { name: 'o', pattern: '*' },
      { name: 'o', pattern: 'x' },
    ],
    json: [{ name: 'o', type: 'string' }],
  };
  t.strictSame(errorsOf(withInterface({ outputs })), [
    'DUPLICATE_OUTPUT_NAMES job.interface.outputs.files[1].name',
    'DUPLICATE_OUTPUT_NAMES job.interface.outputs.json[0].name',
  ]);
  t.strictSame(
    errorsOf(
      manifest({
        errors: [
          { code: 1, name: 'e' },
          { code: 2, name: 'e' },
          { code: 1, name: 'f' },
        ],
      }),
    ),
    ['DUPLICATE_ERROR_NAMES job.errors[1].name', 'DUPLICATE_ERROR_CODES job.errors[2].code'],
  );
});

t.test(
  'manifest: a collision is reported at its path in the document, also behind malformed entries',
  async (t) => {
    const settings = [{ name: 'a.b' }, 5, { name: 'X' }, { name: 'x' }];
    t.strictSame(errorsOf(withInterface({ settings })), [
      'JSON_VALIDATION_ERROR job.interface.settings[0].name',
      'JSON_VALIDATION_ERROR job.interface.settings[1]',
      'JSON_VALIDATION_ERROR job.interface.settings[1].name',
      'NAME_COLLISION_ERROR job.interface.settings[3].name',
    ]);
  },
);

t.test('manifest: no input, output, mount or setting is called __proto__', async (t) => {
  const name = '__proto__';
  const items: readonly (readonly [string, Change])[] = [
    ['inputs.files[0].name', { inputs: { files: [{ name }] } }],
    ['inputs.json[0].name', { inputs: { json: [{ name, type: 'string' }] } }],
    ['outputs.files[0].name', { outputs: { files: [{ name, pattern: '*' }] } }],
    ['outputs.json[0].name', { outputs: { json: [{ name, type: 'string', key: 'k' }] } }],
    ['outputs.json[0].key', { outputs: { json: [{ name: 'n', type: 'string', key: name }] } }],
    ['mounts[0].name', { mounts: [{ name, path: '/x' }] }],
    ['settings[0].name', { settings: [{ name }] }],
  ];
  for (const [path, change] of items)
    t.strictSame(errorsOf(withInterface(change)), [`JSON_VALIDATION_ERROR job.interface.${path}`]);
  const checked = validateManifest(withInterface({ settings: [{ name }] }));
  t.match(!checked.ok && checked.errors[0]?.description, /other than __proto__, not '__proto__'/);
});
