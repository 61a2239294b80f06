import t from 'tap';
import { heldResources, sharedMemMib } from '../../../src/domain/job/resources.ts';
import {
  type EnvironmentSources,
  inputMibOf,
  taskEnvironment,
} from '../../../src/domain/job/task-environment.ts';
import type { Manifest, ScalarResource } from '../../../src/domain/manifest/manifest.ts';
import { validateManifest } from '../../../src/domain/manifest/manifest-check.ts';

function manifestWith(scalar: readonly ScalarResource[], parameters: object = {}): Manifest {
  const checked = validateManifest({
    seedVersion: '1.0.0',
    job: {
      name: 'j',
      jobVersion: '1.0.0',
      packageVersion: '1.0.0',
      title: 'J',
      description: 'J',
      maintainer: { name: 'A', email: 'a@b' },
      timeout: 1,
      resources: { scalar },
      interface: parameters,
    },
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
  return checked.value;
}
const sources = (change: Partial<EnvironmentSources>): EnvironmentSources => ({
  manifest: manifestWith([]),
  inputMib: 0,
  filePaths: {},
  json: {},
  settings: {},
  outputDir: '/out',
  inputMetadata: undefined,
  ...change,
});

t.test(
  'task environment: the job’s disk size is what its manifest requests, and its node adds the input’s',
  async (t) => {
    const table: [ScalarResource[], number, object, string][] = [
      [
        [
          { name: 'cpus', value: 1.5 },
          { name: 'mem', value: 244 },
          { name: 'disk', value: 11, inputMultiplier: 4 },
        ],
        10_485_760,
        { cpus: 1.5, mem: 244, disk: 61, gpus: 0 },
        '51.0',
      ],
      [[], 0, { cpus: 0.25, mem: 128, disk: 0, gpus: 0 }, '0.0'],
      [[{ name: 'disk', value: 100 }], 62_914_561, { cpus: 0.25, mem: 128, disk: 161, gpus: 0 }, '100.0'],
      [
        [{ name: 'mem', value: 64, inputMultiplier: 2 }],
        1,
        { cpus: 0.25, mem: 128, disk: 1, gpus: 0 },
        '0.0',
      ],
      [[{ name: 'cpus', value: 0.1 }], 0, { cpus: 0.25, mem: 128, disk: 0, gpus: 0 }, '0.0'],
    ];
    for (const [scalar, bytes, held, disk] of table) {
      const manifest = manifestWith(scalar);
      const inputMib = inputMibOf(bytes);
      t.strictSame(heldResources(manifest, inputMib).resources, held);
      t.equal(taskEnvironment(sources({ manifest, inputMib })).get('ALLOCATED_DISK'), disk);
    }
  },
);

t.test('task environment: shared memory is an option of the container, not a resource', async (t) => {
  const manifest = manifestWith([{ name: 'sharedMem', value: 10.2, inputMultiplier: 1 }]);
  t.equal(sharedMemMib(manifest, 5), 16);
  t.equal(taskEnvironment(sources({ manifest, inputMib: 5 })).get('ALLOCATED_SHAREDMEM'), '16.0');
  t.equal(taskEnvironment(sources({})).has('ALLOCATED_SHAREDMEM'), false);
  t.equal(sharedMemMib(manifestWith([]), 5), 0);
  const enormous = [{ name: 'sharedMem', value: Number.MAX_SAFE_INTEGER, inputMultiplier: 1_000_000 }];
  t.equal(sharedMemMib(manifestWith(enormous), 1e6), 2 ** 40, 'its bytes stay below 2^63');
});

t.test(
  'task environment: inputs and settings have normalised names, and absent ones are unset',
  async (t) => {
    const manifest = manifestWith([{ name: 'my-licence', value: 2 }], {
      inputs: {
        files: [{ name: 'in-file' }, { name: 'gone', required: false }],
        json: [
          { name: 'text', type: 'string' },
          { name: 'flag', type: 'boolean' },
          { name: 'map', type: 'object' },
          { name: 'none', type: 'array' },
        ],
      },
      settings: [{ name: 'db-pass', secret: true }, { name: 'unset' }],
    });
    const environment = taskEnvironment(
      sources({
        manifest,
        filePaths: { 'in-file': '/in/a b.txt', unknown: '/x' },
        json: { text: 'a"b', flag: false, map: { a: [1, null] }, other: 1 },
        settings: { 'db-pass': 'secret', more: 'x' },
        inputMetadata: '/in/meta.json',
      }),
    );
    t.strictSame(Object.fromEntries([...environment].sort(([a], [b]) => (a < b ? -1 : 1))), {
      ALLOCATED_CPUS: '0.3',
      ALLOCATED_DISK: '0.0',
      ALLOCATED_GPUS: '0.0',
      ALLOCATED_MEM: '128.0',
      ALLOCATED_MY_LICENCE: '2.0',
      DB_PASS: 'secret',
      FLAG: 'false',
      IN_FILE: '/in/a b.txt',
      INPUT_METADATA: '/in/meta.json',
      MAP: '{"a":[1,null]}',
      OUTPUT_DIR: '/out',
      TEXT: 'a"b',
    });
  },
);
