/** A chain of recipes that superseded each other, and for each the nodes that it ran itself. */
import type { NodeState } from '../../domain/recipe/graph/graph-states.ts';
import { expression, idOrNull, object, row, type ValueOf } from '../sql/fields.ts';
import { readRecords } from '../sql/listing.ts';
import { eventRecord } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import { recipeState } from './node-state.ts';

/** limit: recipes of a chain that are walked, and names of nodes that are shown of each. */
const RECIPES_MAX = 100;
const NAMES_MAX = 20;

const r = row('recipe', 'r');
const LINK = object({
  ...r.columns('id'),
  revision_num: expression<number>('rev.revision_num'),
  superseded_recipe: idOrNull(r.column('superseded_recipe_id')),
  event: eventRecord('e'),
  state: expression<NodeState>(recipeState('r')),
  ...r.columns('is_superseded', 'jobs_total', 'jobs_completed', 'jobs_failed'),
  ...r.instants('created', 'completed', 'superseded'),
  made_count: expression<number>(
    '(select count(*)::int from recipe_node n where n.recipe_id = r.id and n.is_original)',
  ),
  kept_count: expression<number>(
    '(select count(*)::int from recipe_node n where n.recipe_id = r.id and not n.is_original)',
  ),
  made_nodes: expression<string[]>(`array(select n.name from recipe_node n
    where n.recipe_id = r.id and n.is_original order by n.name limit ${NAMES_MAX})`),
});
export type RecipeChainLink = ValueOf<typeof LINK>;

/** The newest first. Empty if there is no such recipe. */
export function recipeChain(sql: Sql, recipeId: number): Promise<readonly RecipeChainLink[]> {
  // = recipe_pkey backwards, recipe_superseded_idx forwards
  const from = `(
      with recursive before as (
        select id, superseded_recipe_id, 1 as place from recipe where id = $1
        union all
        select old.id, old.superseded_recipe_id, place + 1 from recipe old
        join before on old.id = before.superseded_recipe_id where place < ${RECIPES_MAX}
      ), after as (
        select id, 1 as place from recipe where id = $1
        union all
        select by.id, place + 1 from recipe by
        join after on by.superseded_recipe_id = after.id where place < ${RECIPES_MAX}
      ) select id from before union select id from after
    ) as chain join recipe r on r.id = chain.id
    join recipe_type_rev rev on rev.id = r.recipe_type_rev_id
    join event e on e.id = r.event_id
    order by r.created desc, r.id desc`;
  return readRecords(sql, LINK, from, [recipeId]);
}
