/** One recipe as a graph: its definition, and the state of each node. */
import type { NodeState } from '../../domain/recipe/graph/graph-states.ts';
import type { RecipeDefinition } from '../../domain/recipe/recipe-definition.ts';
import { expression, iso, listIn, object, orNull, row, type ValueOf } from '../sql/fields.ts';
import { findRecord } from '../sql/listing.ts';
import { recipeTypeSummary } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import { NODE_STATE } from './node-state.ts';

/** limit: characters shown of a value that a condition compared. */
const VALUE_CHARS_MAX = 200;

const JOB = object({
  id: expression<number>('j.id'),
  num_exes: expression<number>('j.num_exes'),
  queued: iso<string | null>('j.queued'),
  started: iso<string | null>('j.started'),
  ended: iso<string | null>('j.ended'),
  node: expression<string | null>('host.hostname'),
  error: expression<string | null>('err.title'),
});
const SUB = row('recipe', 'sub');
const RECIPE = object({
  id: SUB.id,
  ...SUB.columns('jobs_total', 'jobs_completed', 'jobs_failed', 'sub_recipes_total', 'sub_recipes_completed'),
  ...SUB.instants('created', 'completed'),
});
const CONDITION = object({
  id: expression<number>('c.id'),
  ...row('recipe_condition', 'c').columns('reason'),
  ...row('recipe_condition', 'c').instants('created', 'processed'),
  // As JSON text, because the value is only shown.
  values: expression<Record<string, string>>(`(select coalesce(json_object_agg(one.key,
      left(one.value::text, ${VALUE_CHARS_MAX})), '{}') from jsonb_each(c.data->'json') as one)`),
});

const NODE = object({
  name: expression<string>('n.name'),
  is_kept: expression<boolean>('not n.is_original'),
  state: expression<NodeState>(NODE_STATE),
  job: orNull('n.job_id', JOB),
  recipe: orNull('n.sub_recipe_id', RECIPE),
  condition: orNull('n.condition_id', CONDITION),
});

// = recipe_node_pkey, and each row that a node leads to by its key
const NODES = listIn(
  NODE,
  `recipe_node n
  left join (job j left join node host on host.id = j.node_id left join error err on err.id = j.error_id)
    on j.id = n.job_id
  left join recipe sub on sub.id = n.sub_recipe_id
  left join recipe_condition c on c.id = n.condition_id
  where n.recipe_id = r.id`,
  'n.name',
);

const GRAPH = object({
  ...row('recipe', 'r').columns('id', 'object_version'),
  recipe_type: recipeTypeSummary('rt'),
  ...row('recipe_type_rev', 'rev').columns('revision_num'),
  definition_hash: expression<string>('md5(rev.definition::text)'),
  definition: expression<RecipeDefinition>('rev.definition'),
  nodes: NODES,
});
export type RecipeGraphRows = ValueOf<typeof GRAPH>;

/** Undefined if there is no such recipe. */
export function findRecipeGraph(sql: Sql, recipeId: number): Promise<RecipeGraphRows | undefined> {
  const from = `recipe r join recipe_type rt on rt.id = r.recipe_type_id
    join recipe_type_rev rev on rev.id = r.recipe_type_rev_id where r.id = $1`;
  return findRecord(sql, GRAPH, from, [recipeId]);
}
