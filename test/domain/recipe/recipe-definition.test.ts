import fc from 'fast-check';
import t from 'tap';
import { mentionsOfDefinition, type RecipeDefinition } from '../../../src/domain/recipe/recipe-definition.ts';
import { validateDefinition } from '../../../src/domain/recipe/recipe-definition-check.ts';
import {
  after,
  type Change,
  condition,
  definition,
  from,
  job,
  LOOKUPS,
  node,
  recipeInput,
} from './definitions.ts';

const check = (document: unknown, lookups = LOOKUPS): { errors: string[]; warnings: string[] } => {
  const checked = validateDefinition(document, lookups);
  const list = (problems: readonly { name: string; path: string }[]): string[] =>
    problems.map(({ name, path }) => `${name} ${path}`);
  return { errors: checked.ok ? [] : list(checked.errors), warnings: list(checked.warnings) };
};
const errorsOf = (nodes: Change, change: Change = {}): string[] => check(definition(nodes, change)).errors;
const D = 'INVALID_DEFINITION';

t.test('recipe definition: a valid one is normalised, with explicit acceptance and revisions', async (t) => {
  const checked = validateDefinition(
    definition(
      {
        a: node({ node_type: job({ job_type_revision: '2' }) }),
        c: { dependencies: [{ name: 'a' }], input: { C: from('a', 'MAYBE') }, node_type: condition() },
        yes: {
          dependencies: [{ name: 'c' }],
          input: { IN: from('c', 'C') },
          node_type: { node_type: 'recipe', recipe_type_name: 'sub' },
        },
        no: {
          dependencies: [{ name: 'c', acceptance: false }],
          input: { IN: from('a') },
          node_type: job(),
        },
      },
      { version: '7' },
    ),
    LOOKUPS,
  );
  t.ok(checked.ok);
  const value = (checked as { value: RecipeDefinition }).value;
  t.strictSame(Object.keys(value.nodes), ['a', 'c', 'yes', 'no']);
  t.match(value, {
    input: { files: [{ name: 'FILE', media_types: [], required: true, multiple: false }], json: [] },
    nodes: {
      a: { node_type: { job_type_revision: 2 } },
      c: {
        node_type: { interface: { json: [] }, data_filter: { all: true, filters: [{ all_files: false }] } },
      },
      yes: { dependencies: [{ name: 'c', acceptance: true }], node_type: { recipe_type_revision: 3 } },
      no: { dependencies: [{ name: 'c', acceptance: false }], node_type: { job_type_revision: 2 } },
    },
  });
  t.strictSame(validateDefinition(value, LOOKUPS), checked, 'a normalised definition is valid and unchanged');
});

t.test('recipe definition: an empty one is valid', async (t) => {
  t.strictSame(validateDefinition({ input: {}, nodes: {} }, LOOKUPS), {
    ok: true,
    warnings: [],
    value: { input: { files: [], json: [] }, nodes: {} },
  });
});

t.test('recipe definition: malformed fields are reported at every node', async (t) => {
  for (const document of [null, [], 'x', 1]) t.strictSame(check(document).errors, [`${D} `]);
  t.strictSame(errorsOf({}, { more: 1, version: '1', input: [] }), [
    `${D} version`,
    'INPUT_INTERFACE input',
    `${D} more`,
  ]);
  t.strictSame(errorsOf({}, { input: { files: [{ name: 'a1' }, { name: 'b' }, { name: 'b' }] } }), [
    'INPUT_INTERFACE input.files[0].name',
    'INPUT_INTERFACE input.files[2].name',
  ]);
  t.strictSame(check({ input: {}, nodes: [] }).errors, [`${D} nodes`]);
  for (const document of [{}, { input: null, nodes: null }]) {
    t.strictSame(check(document).errors, [`${D} input`, `${D} nodes`], 'both are required');
  }
  const inNode = (at: string): string[] =>
    ['dependencies', 'input', 'node_type', 'node_type.node_type'].map((field) => `${D} ${at}.${field}`);
  t.strictSame(errorsOf({ a: {} }), inNode('nodes.a'));
  t.strictSame(errorsOf({ a: 5 }), [`${D} nodes.a`, ...inNode('nodes.a')]);
  t.strictSame(errorsOf({ 'x y': 5 }), [`${D} nodes["x y"]`, ...inNode('nodes["x y"]')]);
  t.strictSame(errorsOf({ ['n'.repeat(101)]: node() }).length, 1);
  t.strictSame(errorsOf({ a: node({ more: 1 }) }), [`${D} nodes.a.more`]);
  t.strictSame(errorsOf({ a: node({ dependencies: [1, {}, { name: 'a', x: 1 }] }) }).slice(0, 4), [
    `${D} nodes.a.dependencies[0]`,
    `${D} nodes.a.dependencies[0].name`,
    `${D} nodes.a.dependencies[1].name`,
    `${D} nodes.a.dependencies[2].x`,
  ]);
  const both = [{ name: 'c' }, { name: 'c', acceptance: false }];
  t.ok(
    errorsOf({ c: node({ node_type: condition(), input: {} }), a: node({ dependencies: both }) }).includes(
      `${D} nodes.a.dependencies[1].acceptance`,
    ),
  );
  t.strictSame(
    errorsOf({
      a: node({
        input: {
          IN: recipeInput,
          B: {},
          C: { type: 'x' },
          E: { type: 'recipe' },
          F: { type: 'dependency', input: 'x' },
        },
      }),
    }),
    [
      `${D} nodes.a.input.B.type`,
      `${D} nodes.a.input.C.type`,
      `${D} nodes.a.input.E.input`,
      `${D} nodes.a.input.F.node`,
      `${D} nodes.a.input.F.output`,
      `${D} nodes.a.input.F.input`,
    ],
  );
  t.strictSame(errorsOf({ a: node({ node_type: { node_type: 'connection' } }) }), [
    `${D} nodes.a.node_type.node_type`,
  ]);
  t.strictSame(errorsOf({ a: node({ node_type: { node_type: 'job' } }) }), [
    `${D} nodes.a.node_type.job_type_name`,
    `${D} nodes.a.node_type.job_type_version`,
  ]);
  for (const revision of [0, -1, 1.5, 'x', '1.5', true, 2 ** 40]) {
    t.strictSame(errorsOf({ a: node({ node_type: job({ job_type_revision: revision }) }) }), [
      `${D} nodes.a.node_type.job_type_revision`,
    ]);
  }
  t.strictSame(errorsOf({ a: node({ node_type: job({ recipe_type_name: 'x' }) }) }), [
    `${D} nodes.a.node_type.recipe_type_name`,
  ]);
  t.strictSame(errorsOf({ a: node({ node_type: { node_type: 'recipe' } }) }), [
    `${D} nodes.a.node_type.recipe_type_name`,
  ]);
});

t.test('recipe definition: a condition needs an interface and a filter that suits it', async (t) => {
  const problemsOf = (change: Change): string[] => {
    return errorsOf({ c: { dependencies: [], input: {}, node_type: condition(change) } }).map((problem) =>
      problem.replace('nodes.c.node_type.', ''),
    );
  };
  t.strictSame(problemsOf({}), []);
  t.strictSame(problemsOf({ interface: undefined, data_filter: null }), [
    `${D} interface`,
    `${D} data_filter`,
  ]);
  t.strictSame(problemsOf({ interface: { files: [{ name: 'C' }, { name: 'C' }] } }).slice(0, 1), [
    `${D} interface.files[1].name`,
  ]);
  t.strictSame(problemsOf({ data_filter: { filters: [{ name: 'C' }] } }).length, 3);
  t.strictSame(
    problemsOf({ data_filter: { filters: [{ name: 'C', type: 'integer', condition: '<', values: [1] }] } }),
    [`${D} data_filter.filters[0].type`],
  );
});

t.test('recipe definition: types and revisions must exist', async (t) => {
  t.strictSame(errorsOf({ a: node({ node_type: job({ job_type_name: 'none' }) }) }), [
    'JOB_TYPE_DOES_NOT_EXIST nodes.a.node_type.job_type_name',
  ]);
  t.strictSame(errorsOf({ a: node({ node_type: job({ job_type_version: '9.0.0' }) }) }), [
    'JOB_TYPE_DOES_NOT_EXIST nodes.a.node_type.job_type_name',
  ]);
  t.strictSame(errorsOf({ a: node({ node_type: job({ job_type_revision: 9 }) }) }), [
    'JOB_TYPE_DOES_NOT_EXIST nodes.a.node_type.job_type_revision',
  ]);
  const sub = (change: Change): Change => ({
    a: node({ node_type: { node_type: 'recipe', recipe_type_name: 'sub', ...change } }),
  });
  t.strictSame(errorsOf(sub({ recipe_type_name: 'none' })), [
    'RECIPE_TYPE_DOES_NOT_EXIST nodes.a.node_type.recipe_type_name',
  ]);
  t.strictSame(errorsOf(sub({ recipe_type_revision: 1 })), [
    'RECIPE_TYPE_DOES_NOT_EXIST nodes.a.node_type.recipe_type_revision',
  ]);
  t.strictSame(check(definition({ a: node({ node_type: job({ job_type_name: 'old' }) }) })).warnings, [
    'INACTIVE_JOB_TYPE nodes.a.node_type',
  ]);
});

t.test('recipe definition: a recipe type does not contain itself', async (t) => {
  const document = definition({ a: node({ node_type: { node_type: 'recipe', recipe_type_name: 'sub' } }) });
  const expected = ['RECURSIVE_SUBRECIPES nodes.a.node_type.recipe_type_name'];
  t.strictSame(check(document, { ...LOOKUPS, name: 'sub' }).errors, expected);
  t.strictSame(check(document, { ...LOOKUPS, name: 'inner' }).errors, expected);
  t.strictSame(check(document, { ...LOOKUPS, name: 'other' }).errors, []);
});

t.test(
  'recipe definition: dependencies and connections must name existing nodes, inputs and outputs',
  async (t) => {
    t.strictSame(errorsOf({ a: node({ dependencies: [{ name: 'x' }] }) }), [
      'UNKNOWN_NODE nodes.a.dependencies[0].name',
    ]);
    t.strictSame(errorsOf({ a: node({ input: { IN: from('x') } }) }), ['UNKNOWN_NODE nodes.a.input.IN.node']);
    t.strictSame(errorsOf({ a: node({ input: { IN: { type: 'recipe', input: 'X' } } }) }), [
      'UNKNOWN_INPUT nodes.a.input.IN.input',
    ]);
    t.strictSame(errorsOf({ a: node(), b: after('a', { input: { IN: from('a', 'X') } }) }), [
      'NODE_INTERFACE nodes.b.input.IN.output',
    ]);
    const sub = node({ node_type: { node_type: 'recipe', recipe_type_name: 'sub' } });
    t.strictSame(errorsOf({ a: sub, b: after('a') }), ['CONNECTION_INVALID_NODE nodes.b.input.IN.node']);
    t.strictSame(errorsOf({ a: node(), b: node({ input: { IN: from('a') } }) }), [
      'NODE_INTERFACE nodes.b.input.IN.node',
    ]);
    const far = {
      a: node(),
      b: after('a'),
      c: node({ dependencies: [{ name: 'b' }], input: { IN: from('a') } }),
    };
    t.strictSame(errorsOf(far), [], 'any ancestor is allowed');
  },
);

t.test(
  'recipe definition: acceptance of a node that is not a condition is ignored with a warning',
  async (t) => {
    const dependencies = [{ name: 'a', acceptance: false }, { name: 'a' }, { name: 's', acceptance: false }];
    const sub = { dependencies: [], input: { IN: recipeInput } };
    const document = definition({
      a: node(),
      s: { ...sub, node_type: { node_type: 'recipe', recipe_type_name: 'sub' } },
      b: node({ dependencies }),
    });
    t.strictSame(check(document), {
      errors: [],
      warnings: [
        'ACCEPTANCE_WITHOUT_EFFECT nodes.b.dependencies[0].acceptance',
        'ACCEPTANCE_WITHOUT_EFFECT nodes.b.dependencies[2].acceptance',
      ],
    });
    const { value } = validateDefinition(document, LOOKUPS) as { value: RecipeDefinition };
    t.strictSame(value.nodes.b?.dependencies, [
      { name: 'a', acceptance: true },
      { name: 's', acceptance: true },
    ]);
  },
);

t.test(
  'recipe definition: connections must supply the required inputs of nodes with suitable values',
  async (t) => {
    t.strictSame(errorsOf({ a: node({ input: {} }) }), ['NODE_INTERFACE nodes.a.input.IN']);
    t.strictSame(errorsOf({ a: node(), b: after('a', { input: { IN: from('a', 'MAYBE') } }) }), [
      'NODE_INTERFACE nodes.b.input.IN',
    ]);
    t.strictSame(errorsOf({ a: node(), b: after('a', { input: { IN: from('a', 'MANY') } }) }), [
      'NODE_INTERFACE nodes.b.input.IN',
    ]);
    t.strictSame(errorsOf({ a: node(), b: after('a', { input: { IN: from('a', 'N') } }) }), [
      'NODE_INTERFACE nodes.b.input.IN',
    ]);
    const optional = { input: { files: [{ name: 'FILE', required: false }] } };
    t.strictSame(errorsOf({ a: node() }, optional), ['NODE_INTERFACE nodes.a.input.IN']);
    const picky = job({ job_type_name: 'picky' });
    const wrong = {
      a: node(),
      b: after('a', { node_type: picky, input: { IN: from('a'), S: from('a', 'N'), X: recipeInput } }),
    };
    t.strictSame(check(definition(wrong)), {
      errors: ['NODE_INTERFACE nodes.b.input.S'],
      warnings: ['UNKNOWN_NODE_INPUT nodes.b.input.X', 'MISMATCHED_MEDIA_TYPES nodes.b.input.IN'],
    });
  },
);

t.test(
  'recipe definition: data of a condition may feed a required input only behind its acceptance',
  async (t) => {
    const nodes = (acceptance: boolean): Change => ({
      a: node(),
      c: { dependencies: [{ name: 'a' }], input: { C: from('a', 'MAYBE') }, node_type: condition() },
      d: node({ dependencies: [{ name: 'c', acceptance }], input: { IN: from('c', 'C') } }),
      e: node({ dependencies: [{ name: 'd' }], input: { IN: from('c', 'C') } }),
    });
    t.strictSame(errorsOf(nodes(true)), []);
    t.strictSame(errorsOf(nodes(false)), [
      'NODE_INTERFACE nodes.d.input.IN',
      'NODE_INTERFACE nodes.e.input.IN',
    ]);
  },
);

t.test('recipe definition: nodes behind both results of a condition cause warnings', async (t) => {
  const document = definition({
    c: { dependencies: [], input: {}, node_type: condition() },
    yes: node({ dependencies: [{ name: 'c' }] }),
    no: node({ dependencies: [{ name: 'c', acceptance: false }] }),
    join: node({ dependencies: [{ name: 'yes' }, { name: 'no' }] }),
    last: node({ dependencies: [{ name: 'join' }] }),
  });
  t.strictSame(check(document), {
    errors: [],
    warnings: ['UNREACHABLE_NODE nodes.join', 'UNREACHABLE_NODE nodes.last'],
  });
});

t.test(
  'recipe definition: circular dependencies are refused, and the nodes of the circle are named',
  async (t) => {
    const circle = (name: string): Change => node({ dependencies: [{ name }] });
    t.strictSame(errorsOf({ a: circle('b'), b: circle('a') }), ['CIRCULAR_DEPENDENCY nodes']);
    t.strictSame(errorsOf({ a: circle('a') }), ['CIRCULAR_DEPENDENCY nodes']);
    const checked = validateDefinition(
      definition({ start: node(), a: circle('b'), b: circle('a'), tail: circle('b') }),
      LOOKUPS,
    );
    t.match(checked, { errors: [{ description: 'nodes wait for each other: a, b' }] });
  },
);

t.test('recipe definition: node names like members of every object are ordinary names', async (t) => {
  t.strictSame(errorsOf({ constructor: node(), toString: after('constructor') }), []);
  t.strictSame(
    errorsOf({ a: node({ input: { IN: recipeInput }, dependencies: [{ name: 'hasOwnProperty' }] }) }),
    ['UNKNOWN_NODE nodes.a.dependencies[0].name'],
  );
  t.strictSame(check(JSON.parse('{"input": {}, "nodes": {"__proto__": {}}}')).errors, [
    `${D} nodes.__proto__`,
  ]);
  t.strictSame(errorsOf({ 'a\u0000': node() }).length, 1);
});

t.test('recipe definition: no JSON value makes validation throw', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('dependencies', 'input', 'node_type'), (value, key) => {
      check(value);
      check({ nodes: value, input: value });
      check(
        definition({
          a: node({ [key]: value }),
          b: node({ [key]: [value] }),
          c: node({ [key]: { IN: value } }),
        }),
      );
      mentionsOfDefinition({ nodes: { a: value } });
    }),
  );
});
