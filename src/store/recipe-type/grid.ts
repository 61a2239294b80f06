/** The last recipes of a type, and the states of their nodes. */
import type { NodeState } from '../../domain/recipe/graph/graph-states.ts';
import type { RecipeDefinition } from '../../domain/recipe/recipe-definition.ts';
import { NODE_STATE, recipeState } from '../recipe/node-state.ts';
import { expression, object, row, type ValueOf } from '../sql/fields.ts';
import { readRecords } from '../sql/listing.ts';
import type { Sql } from '../sql/sql.ts';

const r = row('recipe', 'r');
const RECIPE = object({
  ...r.columns('id'),
  revision_num: expression<number>('rev.revision_num'),
  state: expression<NodeState>(recipeState('r')),
  ...r.columns('is_superseded', 'is_completed', 'jobs_total', 'jobs_completed', 'jobs_failed'),
  ...r.instants('created', 'completed', 'last_modified'),
});
export type GridRecipe = ValueOf<typeof RECIPE>;

export interface GridCell {
  readonly recipeId: number;
  readonly name: string;
  readonly kind: 'job' | 'recipe' | 'condition';
  /** The id of the job, recipe or condition. */
  readonly id: number;
  readonly state: NodeState;
}

export interface RecipeGrid {
  readonly definition: RecipeDefinition;
  /** Those that changed last; the newest first. */
  readonly recipes: readonly GridRecipe[];
  readonly cells: readonly GridCell[];
}

/** Undefined if there is no such type. Three statements, however many nodes there are. */
export async function recipeGrid(
  sql: Sql,
  name: string,
  recipesMax: number,
): Promise<RecipeGrid | undefined> {
  const [type] = await sql.execute<{ id: number; definition: RecipeDefinition }>(
    'select id, definition from recipe_type where name = $1 and deleted is null',
    [name],
  );
  if (type === undefined) return undefined;
  const recipes = await readRecords(
    sql,
    RECIPE,
    // = recipe_type_idx
    `(select id from recipe where recipe_type_id = $1 order by last_modified desc, id desc limit $2) as last
    join recipe r on r.id = last.id join recipe_type_rev rev on rev.id = r.recipe_type_rev_id
    order by r.created desc, r.id desc`,
    [type.id, recipesMax],
  );
  const cells = await sql.execute<GridCell>(
    `select n.recipe_id as "recipeId", n.name, coalesce(n.job_id, n.sub_recipe_id, n.condition_id) as id,
       case when n.job_id is not null then 'job' when n.sub_recipe_id is not null then 'recipe'
         else 'condition' end as kind, ${NODE_STATE} as state
     from recipe_node n left join job j on j.id = n.job_id left join recipe sub on sub.id = n.sub_recipe_id
     left join recipe_condition c on c.id = n.condition_id
     where n.recipe_id = any($1::bigint[])`, // = recipe_node_pkey
    [recipes.map(({ id }) => id)],
  );
  return { definition: type.definition, recipes, cells };
}
