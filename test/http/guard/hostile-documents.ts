/** Documents as large as their limits let them be, in which everything has to do with everything else. */
import type { Facts } from '../../e2e/hostile/samples.ts';
import { LONE_TYPE } from '../../support/worlds/guarded-service.ts';
import { word } from './hostile-bodies.ts';

export interface HostileDocument {
  readonly what: string;
  readonly method: 'POST' | 'PATCH';
  readonly target: string;
  readonly route: string;
  readonly body: unknown;
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const map = (count: number, make: (index: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(times(count, (index) => [`n${index}`, make(index)]));

export function hostileDocuments(facts: Facts): readonly HostileDocument[] {
  return [
    ...definitions(facts),
    ...manifests(),
    ...configurations(facts),
    ...datasets(facts),
    ...batches(facts),
    ...rules(facts),
    ...notifications(),
  ];
}

const JOB = { node_type: 'job', job_type_name: 'demo-describe', job_type_version: '1.0.0' };
const FILE = { INPUT_FILE: { type: 'recipe', input: 'FILE' } };
const INPUT = { files: [{ name: 'FILE' }] };
const node = (dependencies: readonly number[], more: object = {}) => ({
  dependencies: dependencies.map((index) => ({ name: `n${index}` })),
  input: FILE,
  node_type: JOB,
  ...more,
});
const parameters = (count: number, prefix = 'p') =>
  times(count, (index) => ({ name: `${prefix}-${word(index)}`, type: 'integer', required: false }));
const condition = (count: number, filterCount: number) => ({
  node_type: 'condition',
  interface: { files: [], json: parameters(count) },
  data_filter: {
    filters: times(filterCount, (index) => {
      return { name: `p-${word(index % count)}`, type: 'integer', condition: '<', values: [1] };
    }),
    all: true,
  },
});

function definitions({ recipeType }: Facts): HostileDocument[] {
  const made: readonly (readonly [string, object])[] = [
    ['a cycle of all nodes', { nodes: map(1_000, (index) => node([(index + 1) % 1_000])) }],
    ['every node depends on all before it', { nodes: map(240, (index) => node(times(index, (i) => i))) }],
    ['every node depends on every other', { nodes: map(240, () => node(times(240, (i) => i))) }],
    ['a chain', { nodes: map(1_000, (index) => node(index === 0 ? [] : [index - 1])) }],
    [
      'half of the nodes are conditions, and the others wait for all of them',
      {
        nodes: {
          ...map(300, () => ({ dependencies: [], input: {}, node_type: condition(1, 1) })),
          ...Object.fromEntries(times(300, (i) => [`j${i}`, node(times(300, (j) => j))])),
        },
      },
    ],
    [
      'one node takes thousands of inputs',
      { nodes: { a: node([], { input: map(10_000, () => FILE.INPUT_FILE) }) } },
    ],
    [
      'thousands of connections to one output of a wide condition',
      {
        nodes: {
          n0: { dependencies: [], input: {}, node_type: condition(1_000, 1_000) },
          n1: node([0], {
            input: map(9_000, () => ({ type: 'dependency', node: 'n0', output: `p-${word(999)}` })),
          }),
        },
      },
    ],
    [
      'a condition with thousands of parameters, inputs and filters',
      {
        nodes: {
          n0: {
            dependencies: [],
            input: Object.fromEntries(
              times(1_000, (i) => [`p-${word(i)}`, { type: 'recipe', input: `p-${word(i)}` }]),
            ),
            node_type: condition(1_000, 1_000),
          },
        },
        input: { files: [], json: parameters(1_000) },
      },
    ],
    [
      'filters that nobody takes part in',
      {
        nodes: {
          n0: {
            dependencies: [],
            input: {},
            node_type: { ...condition(1_000, 1), interface: { json: parameters(1_000, 'q') } },
          },
        },
      },
    ],
    [
      'a thousand unknown job types',
      { nodes: map(1_000, (index) => node([], { node_type: { ...JOB, job_type_name: `none-${index}` } })) },
    ],
    [
      'a thousand sub-recipes',
      {
        nodes: map(1_000, () => ({
          dependencies: [],
          input: { FILE: { type: 'recipe', input: 'FILE' } },
          node_type: { node_type: 'recipe', recipe_type_name: recipeType },
        })),
      },
    ],
    ['inputs of equal names', { input: { files: times(1_000, () => ({ name: 'FILE' })) }, nodes: {} }],
    [
      'a filter of thousands of fields',
      {
        nodes: {
          n0: {
            ...{ dependencies: [], input: {} },
            node_type: {
              node_type: 'condition',
              interface: { json: [{ name: 'p', type: 'object' }] },
              data_filter: {
                filters: times(20, () => ({
                  ...{ name: 'p', type: 'object', condition: '<' },
                  ...{ fields: times(5_000, () => ['a']), values: times(5_000, () => [1]) },
                })),
              },
            },
          },
        },
      },
    ],
  ];
  return made.flatMap(([what, definition]) => {
    const body = { title: 'Hostile', definition: { input: INPUT, ...definition } };
    return [
      { what, method: 'POST', target: '/v6/recipe-types/', route: '/v6/recipe-types/', body },
      {
        ...{ what, method: 'POST', target: '/v6/recipe-types/validation/' },
        ...{ route: '/v6/recipe-types/validation/', body: { ...body, name: recipeType } },
      },
      {
        ...{ what, method: 'PATCH', target: `/v6/recipe-types/${LONE_TYPE}/` },
        ...{ route: '/v6/recipe-types/{name}/', body },
      },
    ];
  });
}

function manifestOf(more: object): object {
  const job = {
    ...{ name: 'hostile', jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'H', description: 'H' },
    ...{ maintainer: { name: 'A', email: 'a@example.com' }, timeout: 60, ...more },
  };
  return { container_image: 'hostile:1', manifest: { seedVersion: '1.0.0', job } };
}

function manifests(): HostileDocument[] {
  const equal = times(1_000, () => ({ name: 'A' }));
  const others = times(1_000, (index) => ({ name: `A${index}` }));
  const interfaceOf = (items: readonly object[]) => ({
    command: `run ${'$A '.repeat(10_000)}`,
    inputs: { files: items, json: items.map((item) => ({ ...item, type: 'string' })) },
    outputs: {
      files: items.map((item) => ({ ...item, pattern: '*' })),
      json: items.map((item) => ({ ...item, type: 'string' })),
    },
    mounts: items.map((item) => ({ ...item, path: '/a' })),
    settings: items,
  });
  const errors = times(1_000, (index) => ({ code: index + 1, title: 'The same title everywhere' }));
  const made: readonly (readonly [string, object])[] = [
    ['thousands of items of equal names', { interface: interfaceOf(equal) }],
    ['thousands of items', { interface: interfaceOf(others), errors }],
    [
      'thousands of resources',
      { resources: { scalar: times(1_000, (index) => ({ name: `r${index}`, value: 1 })) } },
    ],
    ['thousands of errors of one name', { errors: times(1_000, () => ({ code: 1, name: 'same' })) }],
  ];
  return made.flatMap(([what, more]) => {
    const body = manifestOf(more);
    return [
      { what, method: 'POST', target: '/v6/job-types/validation/', route: '/v6/job-types/validation/', body },
      { what, method: 'POST', target: '/v6/job-types/', route: '/v6/job-types/', body },
    ];
  });
}

function configurations({ jobTypeId, recipeTypeId, archive, fileId }: Facts): HostileDocument[] {
  const configuration = {
    mounts: map(5_000, () => ({ type: 'host', host_path: '/a' })),
    settings: map(9_000, () => 'x'.repeat(100)),
    output_workspaces: { default: archive, outputs: map(9_000, () => 'none') },
  };
  const what = 'thousands of settings, mounts and workspaces that nobody knows';
  const ids = times(100_000, (index) => index + 1_000);
  return [
    {
      ...{ what, method: 'POST', target: '/v6/jobs/', route: '/v6/jobs/' },
      body: { job_type_id: jobTypeId, input: { files: { INPUT_FILE: [fileId] } }, configuration },
    },
    {
      ...{ what, method: 'POST', target: '/v6/recipes/', route: '/v6/recipes/' },
      body: { recipe_type_id: recipeTypeId, input: { files: { FILE: [fileId] } }, configuration },
    },
    {
      ...{
        what: 'as many unknown files as an input takes',
        method: 'POST',
        target: '/v6/jobs/',
        route: '/v6/jobs/',
      },
      body: { job_type_id: jobTypeId, input: { files: { INPUT_FILE: ids } } },
    },
    {
      ...{ what: 'thousands of values that no input takes', method: 'POST', target: '/v6/recipes/' },
      ...{
        route: '/v6/recipes/',
        body: { recipe_type_id: recipeTypeId, input: { json: map(9_000, () => 1) } },
      },
    },
  ];
}

function datasets({ datasetId, fileId }: Facts): HostileDocument[] {
  const route = '/v6/datasets/';
  const wide = { files: times(1_000, (index) => ({ name: `f-${word(index)}` })), json: parameters(1_000) };
  const globals = { files: wide.files, json: wide.json };
  const members = times(9_000, () => ({ files: { FILE: [fileId] } }));
  const parametersOfOne = { files: [{ name: 'FILE' }] };
  const bodies: readonly (readonly [string, object])[] = [
    [
      'parameters and global parameters of the same names',
      { definition: { parameters: wide, global_parameters: globals } },
    ],
    ['thousands of members', { definition: { parameters: parametersOfOne }, data: members }],
    [
      'thousands of members that lack everything',
      { definition: { parameters: wide }, data: times(9_000, () => ({ files: {} })) },
    ],
    [
      'thousands of unknown files',
      {
        definition: { parameters: { files: [{ name: 'FILE', multiple: true }] } },
        data: { files: { FILE: times(100_000, (i) => i + 1_000) } },
      },
    ],
    [
      'a wide template',
      {
        definition: { parameters: wide },
        data_template: { files: Object.fromEntries(times(1_000, (i) => [`f-${word(i)}`, 'FILE_VALUE'])) },
        dry_run: true,
      },
    ],
  ];
  return [
    ...bodies.flatMap(([what, body]): HostileDocument[] => [
      { what, method: 'POST', target: route, route, body },
      { what, method: 'POST', target: `${route}validation/`, route: `${route}validation/`, body },
    ]),
    {
      ...{
        what: 'thousands of members',
        method: 'POST',
        target: `${route}${datasetId}/`,
        route: `${route}{id}/`,
      },
      body: { data: members },
    },
  ];
}

function batches({ recipeTypeId, datasetId, batchId, recipeId }: Facts): HostileDocument[] {
  const forced = {
    ...{ all: false, nodes: times(1_000, (index) => `x${index}`) },
    sub_recipes: map(9_000, () => ({ all: false, nodes: ['a'] })),
  };
  const deep = times(18, (index) => index).reduce<object>(
    (inner) => ({ all: false, nodes: times(1_000, (index) => `x${index}`), sub_recipes: { a: inner } }),
    { all: true },
  );
  // As many as may be named: what they name is looked for.
  const most = {
    all: false,
    nodes: [],
    sub_recipes: map(10_000, () => ({ all: false, nodes: [], sub_recipes: {} })),
  };
  const inputMap = times(1_000, (index) => ({ input: `i${index}`, datasetParameter: `d${index}` }));
  const definition = (forcedNodes: object) => ({
    ...{ dataset: datasetId, forced_nodes: forcedNodes },
    previous_batch: { root_batch_id: batchId, forced_nodes: forcedNodes },
  });
  return [forced, deep, most].flatMap((nodes, index): HostileDocument[] => {
    const what = `forced nodes ${index}`;
    const body = { recipe_type_id: recipeTypeId, definition: definition(nodes), configuration: { inputMap } };
    return [
      { what, method: 'POST', target: '/v6/batches/validation/', route: '/v6/batches/validation/', body },
      { what, method: 'POST', target: '/v6/batches/', route: '/v6/batches/', body },
      {
        ...{ what, method: 'POST', target: `/v6/recipes/${recipeId}/reprocess/` },
        ...{ route: '/v6/recipes/{id}/reprocess/', body: { forced_nodes: nodes } },
      },
    ];
  });
}

function rules({ arrivals, archive, recipeType }: Facts): HostileDocument[] {
  const patterns = [
    '(a+)+$',
    'a{1,1000}{1,1000}',
    `${'(a|'.repeat(200)}b${')'.repeat(200)}`,
    '[a-z]'.repeat(190),
  ];
  const ruleOf = (index: number) => ({
    filename_regex: `${patterns[index % patterns.length]}`,
    ...{ data_types: times(50, (tag) => `t${tag}`), new_workspace: archive, new_file_path: 'a/'.repeat(400) },
  });
  const common = { workspace: arrivals, recipe: { name: recipeType } };
  return [30, 500].flatMap((count): HostileDocument[] => {
    const files = times(count, ruleOf);
    const what = `${count} rules of hostile expressions`;
    return [
      {
        ...{ what, method: 'POST', target: '/v6/strikes/validation/', route: '/v6/strikes/validation/' },
        body: {
          title: 'H',
          configuration: { ...common, monitor: { type: 'dir-watcher' }, files_to_ingest: files },
        },
      },
      {
        ...{ what, method: 'POST', target: '/v6/scans/validation/', route: '/v6/scans/validation/' },
        body: { title: 'H', configuration: { ...common, scanner: { type: 'dir' }, files_to_ingest: files } },
      },
    ];
  });
}

function notifications(): HostileDocument[] {
  const record = (key: string) => ({
    ...{ eventSource: 'aws:s3', eventName: 's3:ObjectCreated:Put', eventTime: '2026-01-01T00:00:00.000Z' },
    s3: { bucket: { name: 'b' }, object: { key, size: 1, eTag: 'e' } },
  });
  const route = '/v6/notifications/{queue_name}/';
  const target = '/v6/notifications/a-queue/';
  return [
    {
      what: 'a thousand records',
      method: 'POST',
      target,
      route,
      body: { Records: times(1_000, () => record('a')) },
    },
    {
      what: 'an encoded key',
      method: 'POST',
      target,
      route,
      body: { Records: [record('%41'.repeat(60_000))] },
    },
  ];
}
