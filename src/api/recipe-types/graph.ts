/** A recipe type for drawing: its nodes, a grid of its last recipes, and the difference of two revisions. */
import { type Static, Type } from '@sinclair/typebox';
import { NODE_STATES, orderOf } from '../../domain/recipe/graph/graph-states.ts';
import { diffDefinitions } from '../../domain/recipe/recipe-diff.ts';
import { integer as integerParameter, required } from '../../http/request/parameters.ts';
import { pathText } from '../../http/request/path-parameters.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { document, id, instant, integer, named, oneOf, orNull } from '../../http/schema.ts';
import { type RecipeGrid as GridRows, recipeGrid } from '../../store/recipe-type/grid.ts';
import { definitionsOf } from '../../store/recipe-type/list.ts';
import { pathRevision } from '../job-types/schema.ts';
import type { Parts } from '../parts.ts';
import { DefinitionDifference } from '../shared/definition-difference.ts';
import { nodeFields, nodeRecordOf } from '../shared/recipe-nodes.ts';
import { count, nullableInstant } from '../shared/records.ts';
import { unknownRecipeType, unknownRevision } from './schema.ts';

// limit: recipes of a grid.
const RECIPES_MAX = 50;
const RECIPES = 25;

const gridRecipeFields = {
  id: id(),
  revision_num: integer({ minimum: 1 }),
  state: oneOf(NODE_STATES, 'The state of its most urgent jobs.'),
  is_superseded: Type.Boolean(),
  is_completed: Type.Boolean(),
  jobs_total: count,
  jobs_completed: count,
  jobs_failed: count,
  created: instant(),
  completed: nullableInstant,
  last_modified: instant(),
};

export const RecipeGrid = named(
  'RecipeGrid',
  Type.Object({
    recipes: Type.Array(Type.Object(gridRecipeFields), {
      description: 'The recipes that changed last; the newest of them first.',
    }),
    nodes: Type.Array(
      Type.Object({
        name: Type.String(),
        node_type: oneOf(['job', 'recipe', 'condition']),
        states: Type.Array(orNull(oneOf(NODE_STATES)), {
          description: 'One for each recipe, in their order. Null: the recipe has no such node.',
        }),
        ids: Type.Array(orNull(id()), {
          description: 'Ids of the jobs, recipes or conditions, in the same order.',
        }),
      }),
      { description: 'Each after those that it depends on; then those that only earlier revisions have.' },
    ),
  }),
);
type GridRecord = Static<typeof RecipeGrid>;

export const grid = defineRoute({
  method: 'GET',
  path: '/v6/recipe-types/{name}/grid/',
  summary: 'Show the last recipes of a recipe type, node by node',
  params: { name: pathText },
  query: {
    recipes: integerParameter(`How many recipes. Default: ${RECIPES}.`, { minimum: 1, maximum: RECIPES_MAX }),
  },
  replies: { 200: RecipeGrid },
  async handle({ params: { name }, query }, { sql }: Parts<'sql'>) {
    const found = await recipeGrid(sql, name, query.recipes ?? RECIPES);
    if (found === undefined) throw unknownRecipeType(name);
    return reply(200, gridRecord(found));
  },
});

function gridRecord({ definition, recipes, cells }: GridRows): GridRecord {
  const columns = new Map(recipes.map(({ id: recipeId }, index) => [recipeId, index]));
  const nodes = new Map<string, GridRecord['nodes'][number]>();
  const rowOf = (name: string, kind: GridRecord['nodes'][number]['node_type']) => {
    let row = nodes.get(name);
    if (row === undefined) {
      row = { name, node_type: kind, states: recipes.map(() => null), ids: recipes.map(() => null) };
      nodes.set(name, row);
    }
    return row;
  };
  for (const name of orderOf(definition.nodes)) {
    rowOf(name, definition.nodes[name]?.node_type.node_type ?? 'job');
  }
  for (const { recipeId, name, kind, id: cellId, state } of cells) {
    const column = columns.get(recipeId);
    if (column === undefined) continue;
    const row = rowOf(name, kind);
    row.states[column] = state;
    row.ids[column] = cellId;
  }
  return { recipes: [...recipes], nodes: [...nodes.values()] };
}

export const RecipeTypeGraph = named(
  'RecipeTypeGraph',
  Type.Object({
    revision_num: integer({ minimum: 1 }),
    nodes: Type.Array(Type.Object(nodeFields), { description: 'Each after those that it depends on.' }),
  }),
);

export const typeGraph = defineRoute({
  method: 'GET',
  path: '/v6/recipe-types/{name}/revisions/{revision_num}/graph/',
  summary: 'Show the nodes of a revision of a recipe type',
  description: 'In an order in which they can run, with the tests of conditions in words.',
  params: { name: pathText, revision_num: pathRevision },
  replies: { 200: RecipeTypeGraph },
  async handle({ params: { name, revision_num } }, { sql }: Parts<'sql'>) {
    const nodes = (await definitionsOf(sql, name, [revision_num])).get(revision_num)?.nodes;
    if (nodes === undefined) throw unknownRevision(name, revision_num);
    const records = orderOf(nodes).flatMap((node) => {
      const found = nodes[node];
      return found === undefined ? [] : [nodeRecordOf(node, found, {})];
    });
    return reply(200, { revision_num, nodes: records });
  },
});

export const RevisionDifference = named(
  'RevisionDifference',
  Type.Object({ diff: document('What differs, node by node.', DefinitionDifference) }),
);

export const difference = defineRoute({
  method: 'GET',
  path: '/v6/recipe-types/{name}/revisions/{revision_num}/difference/',
  summary: 'Show what changed between two revisions of a recipe type',
  params: { name: pathText, revision_num: pathRevision },
  query: { from: required(integerParameter('The revision to compare with.', { minimum: 1 })) },
  replies: { 200: RevisionDifference },
  async handle({ params: { name, revision_num }, query }, { sql }: Parts<'sql'>) {
    const found = await definitionsOf(sql, name, [query.from, revision_num]);
    const [before, after] = [found.get(query.from), found.get(revision_num)];
    if (before === undefined) throw unknownRevision(name, query.from);
    if (after === undefined) throw unknownRevision(name, revision_num);
    const diff = diffDefinitions(before, after);
    return reply(200, { diff: { ...diff } });
  },
});
