/**
 * A recipe definition made ready for evaluation: nodes in topological order, parents by position.
 * Made once a plan and shared by all its recipes. Expects a validated definition.
 */
import { assert } from '../../lib/assert.ts';
import type { DataFilter } from '../filter/filter.ts';
import type { Interface } from '../interface/interface.ts';
import { manifestOf } from '../job/queueing.ts';
import { inputInterfaceOf } from '../manifest/manifest.ts';
import type { JobPlan, RecipePlan } from './recipe-plan.ts';

export type Connection =
  | { readonly type: 'recipe'; readonly input: string }
  | { readonly type: 'dependency'; readonly node: string; readonly output: string };

export interface GraphParent {
  /** Position in `nodes`; always before its children. */
  readonly index: number;
  /** Whether a condition must have accepted (or refused); means nothing for other parents. */
  readonly acceptance: boolean;
}

interface GraphNodeBase {
  readonly name: string;
  readonly parents: readonly GraphParent[];
  /** Source by name of this node's input. */
  readonly connections: ReadonlyMap<string, Connection>;
  readonly takes: Interface;
}
export type GraphNode =
  | (GraphNodeBase & { readonly kind: 'job'; readonly plan: JobPlan })
  | (GraphNodeBase & { readonly kind: 'recipe'; readonly plan: RecipePlan })
  | (GraphNodeBase & { readonly kind: 'condition'; readonly filter: DataFilter });

export interface RecipeGraph {
  readonly nodes: readonly GraphNode[];
}

/** The part of a normalised definition that evaluation reads. */
interface Definition {
  readonly input: Interface;
  readonly nodes: Readonly<
    Record<
      string,
      {
        readonly dependencies: readonly { readonly name: string; readonly acceptance: boolean }[];
        readonly input: Readonly<Record<string, Connection>>;
        readonly node_type:
          | { readonly node_type: 'job' | 'recipe' }
          | {
              readonly node_type: 'condition';
              readonly interface: Interface;
              readonly data_filter: DataFilter;
            };
      }
    >
  >;
}

const graphs = new WeakMap<RecipePlan, RecipeGraph>();

export function graphOf(plan: RecipePlan): RecipeGraph {
  let graph = graphs.get(plan);
  if (graph === undefined) {
    graph = buildGraph(plan);
    graphs.set(plan, graph);
  }
  return graph;
}

/** What a recipe of the plan takes. */
export function inputOf(plan: RecipePlan): Interface {
  return definitionOf(plan).input;
}

function definitionOf(plan: RecipePlan): Definition {
  return plan.definition as unknown as Definition;
}

function buildGraph(plan: RecipePlan): RecipeGraph {
  const { nodes: declared } = definitionOf(plan);
  const nodes: GraphNode[] = [];
  const positions = new Map<string, number>();
  for (const name of topologicalOrder(declared)) {
    const node = declared[name];
    assert(node !== undefined, `node '${name}' is in the order but not in the definition`);
    const base = {
      name,
      parents: node.dependencies.map((parent) => ({
        index: positions.get(parent.name) as number,
        acceptance: parent.acceptance,
      })),
      connections: new Map(Object.entries(node.input)),
    };
    positions.set(name, nodes.length);
    if (node.node_type.node_type === 'condition') {
      const { interface: takes, data_filter: filter } = node.node_type;
      nodes.push({ ...base, kind: 'condition', takes, filter });
    } else if (node.node_type.node_type === 'job') {
      const job = plan.jobs.get(name);
      assert(job !== undefined, `the plan lacks the job type of node '${name}'`);
      nodes.push({ ...base, kind: 'job', plan: job, takes: inputInterfaceOf(manifestOf(job)) });
    } else {
      const sub = plan.subRecipes.get(name);
      assert(sub !== undefined, `the plan lacks the recipe type of node '${name}'`);
      nodes.push({ ...base, kind: 'recipe', plan: sub, takes: inputOf(sub) });
    }
  }
  return { nodes };
}

/** Parents first; names in their order in the definition otherwise. */
function topologicalOrder(nodes: Definition['nodes']): string[] {
  const waitsFor = new Map<string, number>();
  const children = new Map<string, string[]>();
  for (const [name, node] of Object.entries(nodes)) {
    waitsFor.set(name, node.dependencies.length);
    for (const { name: parent } of node.dependencies) {
      const list = children.get(parent);
      if (list === undefined) children.set(parent, [name]);
      else list.push(name);
    }
  }
  const order = [...waitsFor].filter(([, count]) => count === 0).map(([name]) => name);
  for (let at = 0; at < order.length; at += 1) {
    for (const child of children.get(order[at] as string) ?? []) {
      const left = (waitsFor.get(child) ?? 0) - 1;
      waitsFor.set(child, left);
      if (left === 0) order.push(child);
    }
  }
  assert(order.length === waitsFor.size, 'the definition has a cycle or an unknown dependency');
  return order;
}
