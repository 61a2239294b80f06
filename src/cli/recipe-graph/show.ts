/** `recipe show --graph`: draws a recipe's nodes with their present states. */
import type { Client } from '../../client/client.ts';
import type { AnswerOf } from '../../client/operations.ts';
import type { Filter } from '../../domain/filter/filter.ts';
import { readableFilter } from '../../domain/filter/filter-words.ts';
import type { Context } from '../frame/context.ts';
import { cell, cutToWidth } from '../frame/table.ts';
import { drawGraph, type GraphNode, inOrder } from './lanes.ts';

type Recipe = AnswerOf<'get', '/v6/recipes/{id}/'>;
type Definition = Recipe['recipe_type_rev']['definition']['nodes'][string];
type Condition = Extract<Definition['node_type'], { data_filter: unknown }>;
type State = Recipe['details']['nodes'][string]['node_type'];

/** limit: jobs that are read for the values of conditions. */
const JOBS_MAX = 100;
/** limit: columns of the drawing if the width is not known. */
const COLUMNS_MAX = 30;
/** A column with the space after it. */
const COLUMN_WIDTH = 2;

const SYMBOLS: Readonly<Record<string, string>> = {
  ...{ COMPLETED: '✓', RUNNING: '●', FAILED: '✗', CANCELED: '✗', BLOCKED: '✗' },
  ...{ accepted: '◆', refused: '◇', undecided: '◇' },
};

/** Input values by the name of the condition. */
type Values = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

export async function showGraph(context: Context, client: Client, recipe: Recipe): Promise<void> {
  const { nodes } = recipe.recipe_type_rev.definition;
  const values = await valuesOf(context, client, recipe);
  const graph = Object.entries(nodes).map(([name, node]) => ({
    name,
    after: node.dependencies.map((parent) => parent.name),
  }));
  const width = context.terminal.stdout.isTTY ? context.terminal.stdout.columns : undefined;
  const columnsMax = width === undefined ? COLUMNS_MAX : Math.floor(width / (2 * COLUMN_WIDTH));
  const states = recipe.details.nodes;
  const symbolOf = (name: string) => SYMBOLS[stateText(states[name]?.node_type)] ?? '○';
  const lines = drawGraph(graph, symbolOf, columnsMax) ?? listed(graph, symbolOf);
  const print = (text: string) => context.write(`${width === undefined ? text : cutToWidth(text, width)}\n`);
  for (const { name, columns, below } of lines) {
    const node = nodes[name];
    if (node === undefined) continue;
    print(`${columns}${cell(name)}  ${describe(node, states[name]?.node_type, nodes)}`.trimEnd());
    for (const detail of conditionText(node, states[name]?.node_type, values.get(name) ?? {}))
      print(`${below}    ${cell(detail)}`);
  }
}

/** For a graph that is too wide for a drawing: a line for each node, with those that it depends on. */
function listed(graph: readonly GraphNode[], symbolOf: (name: string) => string) {
  return inOrder(graph).map(({ name, after }) => ({
    name,
    columns: `${symbolOf(name)} ${after.length === 0 ? '' : `${after.map(cell).join(', ')} → `}`,
    below: '',
  }));
}

function stateText(state: State | undefined): string {
  if (state === undefined) return 'not made';
  if (state.node_type === 'job') return state.status;
  if (state.node_type === 'recipe') return state.is_completed ? 'COMPLETED' : 'open';
  if (!state.is_processed) return 'undecided';
  return state.is_accepted ? 'accepted' : 'refused';
}

function describe(
  node: Definition,
  state: State | undefined,
  nodes: Readonly<Record<string, Definition>>,
): string {
  const conditions = node.dependencies
    .filter(({ name }) => nodes[name]?.node_type.node_type === 'condition')
    .map(({ name, acceptance }) => `if ${acceptance === false ? 'not ' : ''}${cell(name)}`);
  const record =
    state?.node_type === 'job'
      ? [`job ${state.job_id}`]
      : state?.node_type === 'recipe'
        ? [`recipe ${state.recipe_id}`, `${state.jobs_completed}/${state.jobs_total} jobs`]
        : [];
  return [stateText(state), ...record, ...conditions].join('  ');
}

function conditionText(
  { node_type: type, input }: Definition,
  state: State | undefined,
  values: Readonly<Record<string, unknown>>,
): string[] {
  if (type.node_type !== 'condition') return [];
  const { data_filter: filter } = type as Condition;
  const sourceOf = (name: string): string => {
    const from = input[name];
    if (from === undefined) return name;
    return 'node' in from && from.node
      ? `${from.node}.${from.output}`
      : `in.${'input' in from ? from.input : name}`;
  };
  const sentences = (filter.filters ?? []).map((one) => readableFilter(one as Filter, sourceOf(one.name)));
  const given = Object.entries(values).map(([name, value]) => `${sourceOf(name)} = ${JSON.stringify(value)}`);
  const reason = state?.node_type === 'condition' ? state.reason : null;
  return [
    sentences.join(filter.all === false ? ' or ' : ' and '),
    ...(given.length === 0 ? [] : [given.join(', ')]),
    ...(reason === null ? [] : [reason]),
  ].filter((text) => text !== '');
}

/** The JSON values that conditions got, from the recipe's input and the outputs of its jobs. */
async function valuesOf({ signal }: Context, client: Client, recipe: Recipe): Promise<Values> {
  const states = recipe.details.nodes;
  const conditions = Object.entries(recipe.recipe_type_rev.definition.nodes).filter(
    ([name, node]) => node.node_type.node_type === 'condition' && states[name] !== undefined,
  );
  const sources = new Set(
    conditions.flatMap(([, { input }]) =>
      Object.values(input).flatMap((from) => ('node' in from && from.node ? [from.node] : [])),
    ),
  );
  const outputs = new Map<string, Readonly<Record<string, unknown>>>();
  await Promise.all(
    [...sources].slice(0, JOBS_MAX).map(async (name) => {
      const state = states[name]?.node_type;
      if (state?.node_type !== 'job' || state.status !== 'COMPLETED') return;
      const job = await client.get('/v6/jobs/{id}/', { path: { id: state.job_id }, signal });
      outputs.set(name, job.output.json);
    }),
  );
  return new Map(
    conditions.map(([name, { input }]) => {
      const given = Object.entries(input).map(([to, from]) => {
        const value =
          'node' in from && from.node
            ? outputs.get(from.node)?.[from.output]
            : recipe.input.json['input' in from ? from.input : ''];
        return [to, value] as const;
      });
      return [name, Object.fromEntries(given.filter(([, value]) => value !== undefined))];
    }),
  );
}
