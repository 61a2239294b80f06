/** Recipes of one type whose nodes the test adds row by row. */
import { savedJob } from '../../store/make.ts';
import { jobTypeBody, type ProcessingWorld, processingWorld } from '../../support/worlds/processing-world.ts';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

/** A job node that reads the recipe's file. */
export const jobNode = (dependencies: object[], node = 'counter') => ({
  dependencies,
  input: { INPUT_TEXT: { type: 'recipe', input: 'TEXT' } },
  node_type: { node_type: 'job', job_type_name: node, job_type_version: '1.0.0' },
});

/** `count`, a condition on its total, a node for either result, and one behind the node that is refused. */
export const DEFINITION = {
  input: { files: [{ name: 'TEXT', media_types: ['text/plain'] }] },
  nodes: {
    count: jobNode([]),
    large: {
      dependencies: [{ name: 'count' }],
      input: { TOTAL: { type: 'dependency', node: 'count', output: 'TOTAL' } },
      node_type: {
        node_type: 'condition',
        interface: { json: [{ name: 'TOTAL', type: 'integer', required: false }] },
        data_filter: {
          filters: [{ name: 'TOTAL', type: 'integer', condition: '<', values: [100] }],
        },
      },
    },
    pack: jobNode([{ name: 'large', acceptance: true }]),
    copy: jobNode([{ name: 'large', acceptance: false }]),
    'after-copy': jobNode([{ name: 'copy' }]),
    'after-pack': jobNode([{ name: 'pack' }]),
  },
};

export async function graphWorld(t: Teardown): Promise<{ world: ProcessingWorld; start(): Promise<number> }> {
  const world = await processingWorld(t);
  await world.post('/v6/job-types/', jobTypeBody());
  const type = await world.post('/v6/recipe-types/', { title: 'Graph', definition: DEFINITION });
  const file = await world.file({ size: 1, fileName: 'in.txt' });
  return {
    world,
    async start() {
      const body = { recipe_type_id: type.json.id, input: { files: { TEXT: [file] } } };
      return (await world.post('/v6/recipes/', body)).json.id;
    },
  };
}

/** A queued job as a node of a recipe. */
export async function addJob(world: ProcessingWorld, recipe: number, node: string, isOriginal = true) {
  const made = await savedJob(world.store, { recipeId: recipe, recipeNode: node });
  await world.store.rows(
    'insert into recipe_node (recipe_id, name, is_original, job_id) values ($1, $2, $3, $4)',
    [recipe, node, isOriginal, made.id],
  );
  return made.id;
}

/** A condition node `large`; without data it is not processed. */
export async function addCondition(
  world: ProcessingWorld,
  recipe: number,
  data: object | null,
  isAccepted = false,
) {
  const { id } = await world.store.one<{ id: number }>(
    `insert into recipe_condition (recipe_id, node_name, is_processed, is_accepted, data, created, processed)
     values ($1, 'large', $2, $3, $4, now(), case when $2 then now() end) returning id`,
    [recipe, data !== null, isAccepted, data === null ? null : JSON.stringify(data)],
  );
  await world.store.rows('insert into recipe_node (recipe_id, name, condition_id) values ($1, $2, $3)', [
    recipe,
    'large',
    id,
  ]);
  return id;
}
