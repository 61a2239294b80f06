/** Rows of recipes are locked in the order of their ids: two groups that name the same ones wait, and never both. */
import t from 'tap';
import { commitPort } from '../../../src/store/commit.ts';
import { savedRecipe } from '../make.ts';
import { heardSql } from '../sql/heard-sql.ts';
import { EPOCH, NOW, storeWorld } from '../store-world.ts';

const NAME = 'update_recipes_if_open';

interface QueryPlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Subplan Name'?: string;
  readonly 'Sort Key'?: readonly string[];
  readonly Plans?: readonly QueryPlanNode[];
}

t.test('recipes: the kept query plan writes their rows in the order of ids', async (t) => {
  const world = await storeWorld(t);
  let text = '';
  const listening = heardSql(world.db.sql, (heard) => {
    if (heard.name === NAME) text = heard.text;
  });
  const recipe = await savedRecipe(world);
  const ends = [{ recipeId: recipe.id, ancestorIds: [], atMs: NOW }];
  const turn = { shard: 1, epoch: EPOCH, changes: [{ type: 'completeRecipes' as const, recipes: ends }] };
  await commitPort(listening).apply([turn]);

  const [row] = await world.db.sql.transaction(
    (tx) =>
      tx.execute<{ 'QUERY PLAN': [{ Plan: QueryPlanNode }] }>(`explain (generic_plan, format json) ${text}`),
    'keyed',
  );
  const join = row?.['QUERY PLAN'][0].Plan.Plans?.[0];
  t.equal(join?.['Node Type'], 'Nested Loop');
  const [outer, inner] = join?.Plans ?? [];
  const sort = outer?.['Node Type'] === 'Sort' ? outer : outer?.Plans?.[0];
  t.match(sort, { 'Node Type': 'Sort', 'Sort Key': [/\bid$/] });
  t.match(inner, { 'Node Type': 'Index Scan', 'Index Name': 'recipe_pkey' });
});
