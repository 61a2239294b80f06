import fc from 'fast-check';
import t from 'tap';
import {
  fullConfiguration,
  type JobConfiguration,
  outputWorkspaceOf,
  queuedPriority,
  splitSecrets,
  withJobConfiguration,
  withRecipeConfiguration,
} from '../../../src/domain/job/job-config.ts';
import {
  validateJobConfiguration,
  validateJobTypeConfiguration,
  validateRecipeConfiguration,
} from '../../../src/domain/job/job-config-check.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { validateManifest } from '../../../src/domain/manifest/manifest-check.ts';
import type { WorkspaceFacts } from '../../../src/domain/workspace/workspace-config.ts';

const checkedManifest = validateManifest({
  seedVersion: '1.0.0',
  job: {
    name: 'j',
    jobVersion: '1.0.0',
    packageVersion: '1.0.0',
    title: 'J',
    description: 'J',
    maintainer: { name: 'A', email: 'a@b' },
    timeout: 1,
    interface: {
      outputs: {
        files: [
          { name: 'OUT', pattern: '*' },
          { name: 'MAYBE', pattern: '*', required: false },
        ],
      },
      mounts: [{ name: 'REF', path: '/ref' }],
      settings: [{ name: 'URL' }, { name: 'PASS', secret: true }],
    },
  },
});
if (!checkedManifest.ok) throw new Error('the manifest of this test is wrong');
const MANIFEST: Manifest = checkedManifest.value;
const WORKSPACES = new Map<string, WorkspaceFacts>([
  ['products', { brokerType: 'host', isActive: true }],
  ['old', { brokerType: 'host', isActive: false }],
]);
const FULL = {
  mounts: { REF: { type: 'host', host_path: '/data/ref' } },
  output_workspaces: { default: 'products' },
  settings: { URL: 'u', PASS: 'p' },
};
const check = (document: unknown): { errors: string[]; warnings: string[] } => {
  const checked = validateJobTypeConfiguration(document, MANIFEST, WORKSPACES);
  const list = (problems: readonly { name: string; path: string }[]): string[] =>
    problems.map((problem) => `${problem.name} ${problem.path}`);
  return { errors: checked.ok ? [] : list(checked.errors), warnings: list(checked.warnings) };
};
const errorsOf = (change: Record<string, unknown>): string[] => check({ ...FULL, ...change }).errors;

t.test('job configuration: a valid one is accepted, with its defaults filled in', async (t) => {
  t.strictSame(validateJobTypeConfiguration({ ...FULL, version: '7' }, MANIFEST, WORKSPACES), {
    ok: true,
    warnings: [],
    value: { ...FULL, output_workspaces: { default: 'products', outputs: {} }, priority: 100 },
  });
  const mounts = { REF: { type: 'volume' } };
  t.match(validateJobTypeConfiguration({ ...FULL, mounts }, MANIFEST, WORKSPACES), {
    value: { mounts: { REF: { type: 'volume', driver: '', driver_opts: {} } } },
  });
});

t.test('job configuration: every file output needs a workspace that exists', async (t) => {
  const missing = [
    'MISSING_WORKSPACE output_workspaces.outputs.OUT',
    'MISSING_WORKSPACE output_workspaces.outputs.MAYBE',
  ];
  for (const document of [
    undefined,
    null,
    {},
    { output_workspaces: {} },
    { output_workspaces: { default: '' } },
  ]) {
    t.strictSame(check(document).errors, missing);
  }
  t.strictSame(errorsOf({ output_workspaces: { outputs: { OUT: 'products' } } }), missing.slice(1));
  t.strictSame(errorsOf({ output_workspaces: { default: 'nowhere', outputs: { OUT: 'none' } } }), [
    'INVALID_WORKSPACE output_workspaces.default',
    'INVALID_WORKSPACE output_workspaces.outputs.OUT',
  ]);
});

t.test('job configuration: malformed values of every section are reported', async (t) => {
  const I = 'INVALID_CONFIGURATION';
  t.strictSame(errorsOf({ mounts: [] }), [`${I} mounts`]);
  t.strictSame(errorsOf({ mounts: { REF: 5 } }), [`${I} mounts.REF`, `${I} mounts.REF.type`]);
  t.strictSame(errorsOf({ mounts: { REF: {} } }), [`${I} mounts.REF.type`]);
  t.strictSame(errorsOf({ mounts: { REF: { type: 'host' } } }), [`${I} mounts.REF.host_path`]);
  t.strictSame(errorsOf({ mounts: { REF: { type: 'host', host_path: 'rel' } } }), [
    'HOST_ABSOLUTE_PATH mounts.REF.host_path',
  ]);
  t.strictSame(errorsOf({ mounts: { REF: { type: 'host', host_path: '/' } } }), [
    'HOST_ABSOLUTE_PATH mounts.REF.host_path',
  ]);
  t.strictSame(errorsOf({ mounts: { REF: { type: 'host', host_path: '/a', driver: 'x' } } }), [
    `${I} mounts.REF.driver`,
  ]);
  t.strictSame(errorsOf({ mounts: { REF: { type: 'volume', host_path: '/a' } } }), [
    `${I} mounts.REF.host_path`,
  ]);
  t.strictSame(errorsOf({ mounts: { REF: { type: 'volume', driver_opts: { a: 1 } } } }), [
    `${I} mounts.REF.driver_opts.a`,
  ]);
  for (const log_limit of [0, 257, 1.5, '16']) t.strictSame(errorsOf({ log_limit }), [`${I} log_limit`]);
  t.strictSame(errorsOf({ log_limit: 256 }), []);
  for (const product_path of ['', 'OWN', 1]) t.strictSame(errorsOf({ product_path }), [`${I} product_path`]);
  for (const product_path of ['own', 'long']) t.strictSame(errorsOf({ product_path }), []);
  t.strictSame(errorsOf({ priority: 0 }), ['INVALID_PRIORITY priority']);
  t.strictSame(errorsOf({ priority: 1.5 }), [`${I} priority`]);
  t.strictSame(errorsOf({ priority: '5' }), [`${I} priority`]);
  t.strictSame(errorsOf({ settings: { URL: null, PASS: 5 } }), [
    'INVALID_SETTING settings.URL',
    'INVALID_SETTING settings.PASS',
  ]);
  t.strictSame(errorsOf({ output_workspaces: { default: 'products', more: 1 } }), [
    `${I} output_workspaces.more`,
  ]);
  t.strictSame(errorsOf({ version: '1.0' }), ['INVALID_VERSION version']);
  t.strictSame(errorsOf({ more: 1 }), [`${I} more`]);
  t.strictSame(check([]).errors[0], `${I} `);
  t.strictSame(errorsOf({ settings: { URL: 'a\u0000' } }), [`${I} settings.URL`]);
});

t.test('job configuration: missing and unknown mounts, settings and outputs cause warnings', async (t) => {
  const { errors, warnings } = check({
    mounts: { NEW: { type: 'volume' } },
    output_workspaces: { default: 'old', outputs: { NOPE: 'products' } },
    settings: { OTHER: 'x' },
  });
  t.strictSame(errors, []);
  t.strictSame(warnings, [
    'DEPRECATED_WORKSPACE output_workspaces.default',
    'UNKNOWN_MOUNT mounts.NEW',
    'UNKNOWN_SETTING settings.OTHER',
    'UNKNOWN_OUTPUT output_workspaces.outputs.NOPE',
    'MISSING_MOUNT mounts.REF',
    'MISSING_SETTING settings.URL',
    'MISSING_SETTING settings.PASS',
  ]);
  const kept = validateJobTypeConfiguration(
    { ...FULL, settings: { URL: 'u' } },
    MANIFEST,
    WORKSPACES,
    new Set(['PASS']),
  );
  t.strictSame(kept.warnings, [], 'a secret that is stored already is not missing');
});

const BASE: JobConfiguration = fullConfiguration({
  mounts: { REF: { type: 'volume', driver: 'd', driver_opts: {} } },
  output_workspaces: { default: 'products', outputs: { OUT: 'old' } },
  priority: 7,
  settings: { URL: 'u' },
});

t.test('job configuration: a section of a job replaces the section of its job type', async (t) => {
  const merged = withJobConfiguration(BASE, {
    settings: { X: 'x' },
    output_workspaces: { default: 'old', outputs: {} },
  });
  t.strictSame(merged, { ...BASE, settings: { X: 'x' }, output_workspaces: { default: 'old', outputs: {} } });
});

t.test(
  'job configuration: entries of a recipe replace those of the same name, if the job knows the name',
  async (t) => {
    const merged = withRecipeConfiguration(
      BASE,
      {
        settings: { URL: 'new', OTHER: 'x' },
        output_workspaces: { default: '', outputs: { MAYBE: 'products', NOPE: 'x' } },
      },
      MANIFEST,
    );
    t.strictSame(merged, {
      mounts: BASE.mounts,
      output_workspaces: { default: 'products', outputs: { OUT: 'old', MAYBE: 'products' } },
      priority: 7,
      settings: { URL: 'new' },
    });
    t.equal(withRecipeConfiguration(BASE, { priority: 3 }, MANIFEST).priority, 3);
    t.equal(withRecipeConfiguration({ ...BASE, log_limit: 5 }, {}, MANIFEST).log_limit, 5);
    t.equal(withRecipeConfiguration({ ...BASE, log_limit: 5 }, { log_limit: 7 }, MANIFEST).log_limit, 7);
    t.equal(withRecipeConfiguration({ ...BASE, product_path: 'own' }, {}, MANIFEST).product_path, 'own');
    const long = { product_path: 'long' } as const;
    t.equal(withRecipeConfiguration({ ...BASE, product_path: 'own' }, long, MANIFEST).product_path, 'long');
    t.strictSame(withRecipeConfiguration(BASE, {}, MANIFEST), BASE);
  },
);

t.test(
  'job configuration: the priority of a requeue precedes that of the batch, and that the configured one',
  async (t) => {
    t.equal(queuedPriority(BASE, {}), 7);
    t.equal(queuedPriority(BASE, { batch: 5 }), 5);
    t.equal(queuedPriority(BASE, { batch: 5, requeue: 9 }), 9);
  },
);

t.test('job configuration: an output goes to its own workspace, or else to the default one', async (t) => {
  t.equal(outputWorkspaceOf(BASE, 'OUT'), 'old');
  t.equal(outputWorkspaceOf(BASE, 'constructor'), 'products');
  t.equal(outputWorkspaceOf(fullConfiguration({}), 'OUT'), undefined);
});

t.test('job configuration: secret settings are separated from the others', async (t) => {
  t.strictSame(splitSecrets(MANIFEST, { URL: 'u', PASS: 'p', OTHER: 'o' }), {
    settings: { URL: 'u', OTHER: 'o' },
    secrets: { PASS: 'p' },
  });
});

t.test(
  'job configuration: those of jobs and recipes are checked against the manifests of the jobs',
  async (t) => {
    const ok = validateJobConfiguration({ priority: 5 }, BASE, MANIFEST, WORKSPACES);
    t.strictSame(ok, { ok: true, value: { priority: 5 }, warnings: [] });
    t.match(validateJobConfiguration({ output_workspaces: {} }, BASE, MANIFEST, WORKSPACES), {
      ok: false,
      errors: [{ name: 'MISSING_WORKSPACE' }, { name: 'MISSING_WORKSPACE' }],
    });
    t.match(validateRecipeConfiguration({ output_workspaces: { default: 'nope' } }, [MANIFEST], WORKSPACES), {
      ok: false,
      errors: [{ name: 'INVALID_WORKSPACE', path: 'output_workspaces.default' }],
    });
    t.match(validateRecipeConfiguration({ settings: { URL: 'x', N: 'y' } }, [MANIFEST], WORKSPACES), {
      ok: true,
      warnings: [{ name: 'UNKNOWN_SETTING', path: 'settings.N' }],
    });
  },
);

t.test('job configuration: no JSON value makes validation throw', async () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.constantFrom('mounts', 'output_workspaces', 'settings', 'priority'),
      (value, key) => {
        check(value);
        check({ [key]: value });
        check({ [key]: { REF: value, default: value, outputs: value } });
      },
    ),
  );
});
