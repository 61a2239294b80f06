/** Worked examples of the processing interface: resources, a recipe, filters, names of problems. */
import t from 'tap';
import { recipesOfOne } from '../../src/domain/batch/batch-input.ts';
import { validateDatasetDefinition } from '../../src/domain/dataset/dataset.ts';
import { evaluateFilter, type FilterData } from '../../src/domain/filter/filter-evaluate.ts';
import { validateJobTypeConfiguration } from '../../src/domain/job/job-config-check.ts';
import { heldResources } from '../../src/domain/job/resources.ts';
import { inputMibOf, taskEnvironment } from '../../src/domain/job/task-environment.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { validateManifest } from '../../src/domain/manifest/manifest-check.ts';
import {
  type DefinitionLookups,
  validateDefinition,
} from '../../src/domain/recipe/recipe-definition-check.ts';
import { checkFilter } from '../support/filters.ts';
import { TreeWorld } from '../support/worlds/tree-world.ts';
import { makeManifest, makeRecipeRevision } from '../support/worlds/type-revisions.ts';

const MIB = 1_048_576;

t.test('worked examples: jobs hold the documented resources and get the documented disk size', async (t) => {
  const scalar = (name: string, value: number, inputMultiplier?: number) =>
    inputMultiplier === undefined ? { name, value } : { name, value, inputMultiplier };
  const cases = [
    [[scalar('cpus', 1.5), scalar('mem', 244), scalar('disk', 11, 4)], 10 * MIB, [1.5, 244, 61], '51.0'],
    [[], 0, [0.25, 128, 0], '0.0'],
    [[scalar('disk', 100)], 60 * MIB + 1, [0.25, 128, 161], '100.0'],
    [[scalar('mem', 64, 2)], 1, [0.25, 128, 1], '0.0'],
    [[scalar('cpus', 0.1)], 0, [0.25, 128, 0], '0.0'],
    [[scalar('disk', 0, 1.1), scalar('mem', 200.5, 1)], 10 * MIB, [0.25, 211, 21], '11.0'],
  ] as const;
  for (const [scalars, bytes, [cpus, mem, disk], allocated] of cases) {
    const manifest: Manifest = makeManifest({ resources: { scalar: scalars } });
    const inputMib = inputMibOf(bytes);
    t.match(heldResources(manifest, inputMib).resources, { cpus, mem, disk, gpus: 0 });
    const paths = { filePaths: {}, json: {}, settings: {}, outputDir: '/out', inputMetadata: undefined };
    const environment = taskEnvironment({ manifest, inputMib, ...paths });
    t.equal(environment.get('ALLOCATED_DISK'), allocated, `${bytes} bytes`);
  }
});

t.test('worked examples: a recipe with both results of a condition advances as documented', async (t) => {
  const examined = { files: [], json: [] };
  const nodes = ['A', 'B', 'C', 'D', 'E', 'F'];
  const world = new TreeWorld(
    makeRecipeRevision({
      A: {},
      B: { after: ['A'] },
      C: { after: ['A'], condition: examined },
      D: { after: [{ name: 'C', acceptance: true }] },
      E: { after: [{ name: 'C', acceptance: false }] },
      F: { after: ['D'] },
    }),
  );
  const waiting = ['unprocessed', 'absent', 'absent', 'absent', 'open'];
  t.strictSame(world.walk(...nodes), ['QUEUED', 'PENDING', ...waiting]);
  world.fail('A');
  t.strictSame(world.walk(...nodes), ['FAILED', 'BLOCKED', ...waiting]);
  world.requeue('A');
  t.strictSame(world.walk(...nodes), ['QUEUED', 'PENDING', ...waiting]);
  t.equal(world.rows.tables.jobs.size, 2, 'only jobs that exist are counted');
  // Its condition has no filters and therefore accepts nothing.
  world.complete('A');
  const refused = ['refused', 'absent', 'QUEUED', 'absent', 'open'];
  t.strictSame(world.walk(...nodes), ['COMPLETED', 'QUEUED', ...refused]);
  t.equal(world.rows.tables.jobs.size, 3);
  world.complete('B');
  world.complete('E');
  const ended = ['COMPLETED', 'COMPLETED', 'refused', 'absent', 'COMPLETED', 'absent', 'complete'];
  t.strictSame(world.walk(...nodes), ended);
});

t.test('worked examples: data filters accept the documented data', async (t) => {
  const json = (value: unknown): FilterData => ({ files: {}, json: { P: value as never } });
  const file = (over: object) => ({
    fileName: 'x',
    mediaType: 'text/plain',
    dataTypes: [],
    metaData: null,
    ...over,
  });
  const files = (...list: object[]): FilterData => ({ files: { P: list.map(file) }, json: {} });
  const two = files({ fileName: 'xabcx.txt' }, { fileName: 'y.txt' });
  const deep = { condition: 'between', values: [[0, 100]], fields: [['a', 'b']] };
  const cases: readonly (readonly [object, FilterData, boolean])[] = [
    [{ type: 'integer', condition: '<', values: [100] }, json(50), false],
    [{ type: 'integer', condition: '<', values: [100] }, json(101), true],
    [{ type: 'integer', condition: '>=', values: [10] }, json(10), true],
    [{ type: 'integer', condition: 'between', values: [0, 100] }, json(100), true],
    [{ type: 'integer', condition: 'between', values: [5, 1] }, json(3), false],
    [{ type: 'string', condition: 'in', values: ['orange', 'apple'] }, json('pineapple'), false],
    [{ type: 'filename', condition: 'contains', values: ['abc'] }, two, true],
    [{ type: 'filename', condition: 'contains', values: ['abc'], all_files: true }, two, false],
    [{ type: 'media-type', condition: '!=', values: ['text/plain'] }, files({}), false],
    [{ type: 'meta-data', condition: 'subset of', values: [{ foo: 10 }] }, files({ metaData: {} }), true],
    [{ type: 'object', condition: 'superset of', values: [{ foo: 10 }] }, json({ foo: 10, x: 1 }), true],
    [{ type: 'meta-data', ...deep }, files({ metaData: { a: { b: 7 } } }), true],
    [{ type: 'meta-data', ...deep }, files({ metaData: { a: {} } }), false],
    [{ type: 'integer', condition: '==', values: [1] }, { files: {}, json: {} }, false],
  ];
  for (const [entry, data, isAccepted] of cases) {
    const checked = checkFilter({ filters: [{ name: 'P', ...entry }] });
    if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
    t.equal(evaluateFilter(checked.value, data).isAccepted, isAccepted, JSON.stringify(entry));
  }
  const empty = checkFilter({ filters: [] });
  t.equal(empty.ok && evaluateFilter(empty.value, json(1)).isAccepted, false);
});

t.test('worked examples: problems have the documented names', async (t) => {
  const names = (checked: { ok: boolean; errors?: readonly { name: string }[] }) =>
    (checked.errors ?? []).map(({ name }) => name);
  const { job, seedVersion } = makeManifest();
  const withInterface = (over: object) => ({
    seedVersion,
    job: { ...job, interface: { ...job.interface, ...over } },
  });
  const inputs = { files: [{ name: 'my-in' }], json: [] };
  const collision = withInterface({ inputs, settings: [{ name: 'MY_IN' }] });
  t.strictSame(names(validateManifest(collision)), ['NAME_COLLISION_ERROR']);
  const mounted = withInterface({ mounts: [{ name: 'REF', path: 'data/ref' }] });
  t.strictSame(names(validateManifest(mounted)), ['INVALID_MOUNT_PATH']);
  const twice = {
    parameters: { files: [{ name: 'F' }] },
    global_parameters: { json: [{ name: 'F', type: 'string' }] },
  };
  t.ok(names(validateDatasetDefinition(twice)).includes('NAME_COLLISION_ERROR'));
});

t.test(
  'worked examples: a batch with three members has the documented numbers of recipes and jobs',
  async (t) => {
    const revision = makeRecipeRevision({
      J1: {},
      J2: { after: ['J1'] },
      R: { after: ['J2'], sub: makeRecipeRevision({ J: {} }) },
    });
    t.equal(3 * recipesOfOne(revision), 6);
    const { tables } = new TreeWorld(revision).rows;
    t.strictSame([3 * tables.recipes.size, 3 * tables.jobs.size], [6, 9]);
  },
);

t.test(
  'worked examples: configurations that do not suit their manifest get the documented problems',
  async (t) => {
    const workspaces = new Map([['products', { isActive: true } as never]]);
    const check = (configuration: object) => {
      const checked = validateJobTypeConfiguration(configuration, makeManifest(), workspaces);
      const named = ({ name, path }: { name: string; path: string }) => [name, path];
      return { errors: checked.ok ? [] : checked.errors.map(named), warnings: checked.warnings.map(named) };
    };
    const missing = ['MISSING_WORKSPACE', 'output_workspaces.outputs.OUT'];
    t.strictSame(check({}).errors, [missing]);
    const unknown = ['INVALID_WORKSPACE', 'output_workspaces.default'];
    t.strictSame(check({ output_workspaces: { default: 'nowhere' } }).errors, [unknown]);
    const doubtful = check({ output_workspaces: { default: 'products' }, settings: { X: '1' } });
    t.strictSame(doubtful, { errors: [], warnings: [['UNKNOWN_SETTING', 'settings.X']] });
  },
);

t.test(
  'worked examples: definitions whose nodes do not fit together get the documented problems',
  async (t) => {
    const takesText = { files: [], json: [{ name: 'S', type: 'string' as const, required: false }] };
    const gives = { files: [], json: [{ name: 'N', type: 'integer' as const, required: true }] };
    const revisions = new Map([[1, { inputs: takesText, outputs: gives }]]);
    const lookups: DefinitionLookups = {
      jobTypes: new Map([['work 1.0.0', { isActive: true, latestRevision: 1, revisions }]]),
      recipeTypes: new Map([
        [
          'inner',
          {
            ...{ isActive: true, latestRevision: 1, contains: new Set<string>() },
            revisions: new Map([[1, { input: { files: [], json: [] } }]]),
          },
        ],
      ]),
    };
    const work = { node_type: 'job', job_type_name: 'work', job_type_version: '1.0.0' };
    const inner = { node_type: 'recipe', recipe_type_name: 'inner' };
    const node = (node_type: object, after: readonly string[] = [], input: object = {}) => ({
      ...{ node_type, input, dependencies: after.map((name) => ({ name })) },
    });
    const from = (source: string) => ({ S: { type: 'dependency', node: source, output: 'N' } });
    const problems = (nodes: object, input: object = {}) => {
      const checked = validateDefinition({ input, nodes }, lookups);
      return checked.ok ? [] : checked.errors.map(({ name, path }) => [name, path]);
    };
    const ofRecipe = { S: { type: 'recipe', input: 'N' } };
    const numbers = { json: [{ name: 'N', type: 'integer' }] };
    t.strictSame(problems({ a: node(work, [], ofRecipe) }, numbers), [['NODE_INTERFACE', 'nodes.a.input.S']]);
    const stranger = problems({ a: node(work), b: node(work, [], from('a')) });
    t.ok(stranger.some(([name, path]) => name === 'NODE_INTERFACE' && path === 'nodes.b.input.S.node'));
    const circle = problems({ a: node(work, ['b']), b: node(work, ['a']) });
    t.strictSame(circle, [['CIRCULAR_DEPENDENCY', 'nodes']]);
    const fromRecipe = problems({ r: node(inner), a: node(work, ['r'], from('r')) });
    t.strictSame(fromRecipe, [['CONNECTION_INVALID_NODE', 'nodes.a.input.S.node']]);
  },
);
