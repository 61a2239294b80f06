/** Types and recipes for the pages that show them: a condition with a value, a recipe inside another, a failure. */
import { until } from '../e2e/harness/until.ts';
import { type ConsoleWorld, HOSTILE } from './console-world.ts';

/** A node without inputs. */
export const jobNode = (name: string, dependencies: object[] = []) => ({
  dependencies,
  input: {},
  node_type: { node_type: 'job', job_type_name: name, job_type_version: '1.0.0' },
});

const manifest = (name: string, command: string, interface_: object) => ({
  container_image: 'process:default',
  manifest: {
    seedVersion: '1.0.0',
    job: {
      ...{ name, jobVersion: '1.0.0', packageVersion: '1.0.0', title: name, description: HOSTILE },
      ...{ maintainer: { name: 'Ann', email: 'ann@example.com' }, timeout: 3_600 },
      interface: { command, ...interface_ },
    },
  },
});

export const SIZE = 5_644;

export const DEFINITION = {
  input: { json: [{ name: 'NOTE', type: 'string', required: false }] },
  nodes: {
    measure: jobNode('measure'),
    'is-large': {
      dependencies: [{ name: 'measure' }],
      input: { SIZE: { type: 'dependency', node: 'measure', output: 'SIZE' } },
      node_type: {
        node_type: 'condition',
        interface: { json: [{ name: 'SIZE', type: 'integer' }] },
        data_filter: { filters: [{ name: 'SIZE', type: 'integer', condition: '<', values: [100] }] },
      },
    },
    pack: jobNode('console-fine', [{ name: 'is-large', acceptance: true }]),
    copy: jobNode('console-fine', [{ name: 'is-large', acceptance: false }]),
    inner: {
      dependencies: [{ name: 'measure' }],
      input: {},
      node_type: { node_type: 'recipe', recipe_type_name: 'inner' },
    },
    check: jobNode('console-failing', [{ name: 'inner' }]),
  },
};

export interface RecipeTypes {
  readonly outer: number;
  start(): Promise<number>;
}

export async function createTypes(world: ConsoleWorld): Promise<RecipeTypes> {
  const make = async (path: string, body: object): Promise<number> => {
    const { json, status } = await world.call('POST', path, body);
    if (status !== 201) throw new Error(JSON.stringify(json));
    return json.id;
  };
  await world.jobType('console-fine', 'echo fine');
  await world.jobType('console-failing', 'exit 3');
  await make(
    '/v6/job-types/',
    manifest(
      'measure',
      `sh -c 'echo "{\\"SIZE\\": ${SIZE}}" >"$1/seed.outputs.json"' measure \${OUTPUT_DIR}`,
      { outputs: { json: [{ name: 'SIZE', type: 'integer' }] } },
    ),
  );
  await make('/v6/recipe-types/', {
    title: 'Inner',
    definition: {
      input: {},
      nodes: { first: jobNode('console-fine'), second: jobNode('console-fine', [{ name: 'first' }]) },
    },
  });
  const outer = await make('/v6/recipe-types/', {
    ...{ title: 'Console recipe', description: HOSTILE, definition: DEFINITION },
  });
  return {
    outer,
    start: () => make('/v6/recipes/', { recipe_type_id: outer, input: { json: { NOTE: HOSTILE } } }),
  };
}

/** Waits until nothing of a recipe runs any more, with one job failed. */
export async function settled(world: ConsoleWorld, recipe: number): Promise<void> {
  await until(`recipe ${recipe} has settled`, async () => {
    const { json } = await world.call('GET', `/v6/recipes/${recipe}/`);
    return json.jobs_failed === 1 && json.jobs_total === json.jobs_completed + json.jobs_failed;
  });
}
