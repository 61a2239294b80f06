/** The states of all nodes of a definition, also of those that a recipe has not created, or never will. */
import { JOB_STATUSES } from '../../job/job.ts';
import type { RecipeDefinition } from '../recipe-definition.ts';
import { topologicalOrder } from '../recipe-order.ts';

/** The states of nodes that a recipe has. A sub-recipe has the most urgent state of its jobs. */
export const NODE_STATES = [...JOB_STATUSES, 'ACCEPTED', 'REFUSED'] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** `WAITING`: not created yet. `SKIPPED`: never created, because of the result of a condition. */
export const GRAPH_STATES = [...NODE_STATES, 'WAITING', 'SKIPPED'] as const;
export type GraphState = (typeof GRAPH_STATES)[number];

/** By name, in an order in which each node comes after those that it depends on. `created` has the nodes that exist. */
export function graphStates(
  { nodes }: RecipeDefinition,
  created: ReadonlyMap<string, NodeState>,
): ReadonlyMap<string, GraphState> {
  const states = new Map<string, GraphState>();
  for (const name of orderOf(nodes)) {
    const dependencies = nodes[name]?.dependencies ?? [];
    states.set(name, created.get(name) ?? (dependencies.some(isMissed) ? 'SKIPPED' : 'WAITING'));
  }
  return states;

  function isMissed({ name, acceptance }: { readonly name: string; readonly acceptance: boolean }): boolean {
    const state = states.get(name);
    return state === 'SKIPPED' || state === (acceptance ? 'REFUSED' : 'ACCEPTED');
  }
}

/** Names of nodes, each after those that it depends on. */
export function orderOf(nodes: RecipeDefinition['nodes']): readonly string[] {
  const sorted = topologicalOrder(new Map(Object.entries(nodes)));
  return 'order' in sorted ? sorted.order : Object.keys(nodes);
}
