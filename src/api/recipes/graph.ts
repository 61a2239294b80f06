/** A recipe as a graph with the states of its nodes, and the chain of recipes that superseded each other. */
import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import { GRAPH_STATES, graphStates, NODE_STATES } from '../../domain/recipe/graph/graph-states.ts';
import type { RecipeNode } from '../../domain/recipe/recipe-definition.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { id, instant, integer, named, oneOf, orNull } from '../../http/schema.ts';
import { recipeChain } from '../../store/recipe/chain.ts';
import { findRecipeGraph, type RecipeGraphRows } from '../../store/recipe/graph.ts';
import type { Parts } from '../parts.ts';
import { nodeFields, nodeRecordOf } from '../shared/recipe-nodes.ts';
import {
  count,
  EventRecord,
  IdRef,
  nullableInstant,
  RecipeTypeSummary,
  versionField,
} from '../shared/records.ts';

const jobFields = {
  id: id(),
  num_exes: count,
  queued: nullableInstant,
  started: nullableInstant,
  ended: nullableInstant,
  node: orNull(Type.String({ description: 'The host.' })),
  error: orNull(Type.String({ description: 'Its title.' })),
};
const subRecipeFields = {
  id: id(),
  jobs_total: count,
  jobs_completed: count,
  jobs_failed: count,
  sub_recipes_total: count,
  sub_recipes_completed: count,
  created: instant(),
  completed: nullableInstant,
};
const conditionFields = {
  id: id(),
  reason: orNull(Type.String({ description: 'Why it was not accepted.' })),
  created: instant(),
  processed: nullableInstant,
};
const GraphNode = Type.Object({
  ...nodeFields,
  state: oneOf(
    GRAPH_STATES,
    'For a job its status, for a recipe that of its most urgent jobs, for a condition its result. `WAITING`: not ' +
      'created yet; `SKIPPED`: never created, because of the result of a condition.',
  ),
  is_kept: Type.Boolean({ description: 'Taken over from the recipe that this one supersedes.' }),
  job: orNull(Type.Object(jobFields)),
  recipe: orNull(Type.Object(subRecipeFields)),
  condition: orNull(Type.Object(conditionFields)),
});

export const RecipeGraph = named(
  'RecipeGraph',
  Type.Object({
    id: id(),
    ...versionField,
    recipe_type: RecipeTypeSummary,
    revision_num: integer({ minimum: 1 }),
    definition_hash: Type.String({
      description: 'Equal for recipes whose graphs have the same nodes and edges.',
    }),
    nodes: Type.Array(GraphNode, { description: 'Each after those that it depends on.' }),
  }),
);

const RecipeChainLink = Type.Object({
  id: id(),
  revision_num: integer({ minimum: 1 }),
  superseded_recipe: orNull(IdRef),
  event: EventRecord,
  state: oneOf(NODE_STATES),
  is_superseded: Type.Boolean(),
  jobs_total: count,
  jobs_completed: count,
  jobs_failed: count,
  created: instant(),
  completed: nullableInstant,
  superseded: nullableInstant,
  made_count: integer({ minimum: 0, description: 'Nodes that it made itself.' }),
  kept_count: integer({ minimum: 0, description: 'Nodes that it took over from the recipe before.' }),
  made_nodes: Type.Array(Type.String(), { description: 'The first 20 that it made itself, by name.' }),
});
export const RecipeChain = named(
  'RecipeChain',
  Type.Object({ results: Type.Array(RecipeChainLink, { description: 'The newest first.' }) }),
);

type GraphRecord = Static<typeof RecipeGraph>;
type Row = RecipeGraphRows['nodes'][number];

export const graph = defineRoute({
  method: 'GET',
  path: '/v6/recipes/{id}/graph/',
  summary: 'Show all nodes of a recipe with their states',
  description:
    'Includes nodes that were not created. The nodes inside a recipe node are in the graph of that recipe.',
  params: { id: pathId },
  replies: { 200: RecipeGraph },
  async handle({ params }, { sql }: Parts<'sql'>) {
    const found = await findRecipeGraph(sql, params.id);
    if (found === undefined) throw unknownRecipe(params.id);
    return reply(200, graphRecord(found));
  },
});

export const chain = defineRoute({
  method: 'GET',
  path: '/v6/recipes/{id}/chain/',
  summary: 'List the recipes that superseded each other',
  description:
    'The recipe with the id may be any of them. Up to 100 before it and up to 100 after it are listed.',
  params: { id: pathId },
  replies: { 200: RecipeChain },
  async handle({ params }, { sql }: Parts<'sql'>) {
    const results = await recipeChain(sql, params.id);
    if (results.length === 0) throw unknownRecipe(params.id);
    return reply(200, { results: [...results] });
  },
});

export function unknownRecipe(recipeId: number): AppError {
  return new AppError('NOT_FOUND', `there is no recipe ${recipeId}`);
}

function graphRecord({ definition, nodes, ...head }: RecipeGraphRows): GraphRecord {
  const rows = new Map(nodes.map((row) => [row.name, row]));
  const states = graphStates(definition, new Map(nodes.map(({ name, state }) => [name, state])));
  return {
    ...head,
    nodes: [...states].flatMap(([name, state]) => {
      const node = definition.nodes[name];
      return node === undefined ? [] : [nodeRecord(name, state, node, rows.get(name))];
    }),
  };
}

function nodeRecord(
  name: string,
  state: GraphRecord['nodes'][number]['state'],
  node: RecipeNode,
  row: Row | undefined,
): GraphRecord['nodes'][number] {
  const { values, ...condition } = row?.condition ?? { values: {} };
  return {
    ...nodeRecordOf(name, node, values),
    ...{ state, is_kept: row?.is_kept ?? false, job: row?.job ?? null, recipe: row?.recipe ?? null },
    condition: 'id' in condition ? condition : null,
  };
}
