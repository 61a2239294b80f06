/**
 * A recipe definition prepared for evaluation: nodes in topological order, parents by position. Built once for a
 * revision and shared by all its recipes. Expects a validated definition.
 */
import { assert } from '../../lib/assert.ts';
import type { DataFilter } from '../filter/filter.ts';
import type { Interface } from '../interface/interface.ts';
import { manifestOf } from '../job/queueing.ts';
import { inputInterfaceOf } from '../manifest/manifest.ts';
import type { Connection, RecipeNode } from './recipe-definition.ts';
import { topologicalOrder } from './recipe-order.ts';
import type { JobTypeRevision, RecipeTypeRevision } from './type-revisions.ts';

export interface GraphParent {
  /** Position in `nodes`; always before its children. */
  readonly index: number;
  /** Whether a condition must have accepted (or refused); irrelevant for other parents. */
  readonly acceptance: boolean;
}

interface GraphNodeBase {
  readonly name: string;
  readonly parents: readonly GraphParent[];
  /** By name of this node's input: the source of its value. */
  readonly connections: ReadonlyMap<string, Connection>;
  readonly takes: Interface;
}
export type GraphNode =
  | (GraphNodeBase & { readonly kind: 'job'; readonly revision: JobTypeRevision })
  | (GraphNodeBase & { readonly kind: 'recipe'; readonly revision: RecipeTypeRevision })
  | (GraphNodeBase & { readonly kind: 'condition'; readonly filter: DataFilter });

export interface RecipeGraph {
  readonly nodes: readonly GraphNode[];
}

const graphs = new WeakMap<RecipeTypeRevision, RecipeGraph>();

export function graphOf(revision: RecipeTypeRevision): RecipeGraph {
  let graph = graphs.get(revision);
  if (graph === undefined) {
    graph = buildGraph(revision);
    graphs.set(revision, graph);
  }
  return graph;
}

/** The inputs of a recipe of this revision. */
export function inputOf(revision: RecipeTypeRevision): Interface {
  return revision.definition.input;
}

function buildGraph(revision: RecipeTypeRevision): RecipeGraph {
  const { nodes: declared } = revision.definition;
  const byName = new Map(Object.entries(declared));
  const sorted = topologicalOrder(byName);
  assert('order' in sorted, `the definition of '${revision.recipeTypeName}' has a cycle`);
  const nodes: GraphNode[] = [];
  const positions = new Map<string, number>();
  for (const name of sorted.order) {
    const node = byName.get(name) as RecipeNode;
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
      const job = revision.jobs.get(name);
      assert(job !== undefined, `the revision lacks the job type of node '${name}'`);
      nodes.push({ ...base, kind: 'job', revision: job, takes: inputInterfaceOf(manifestOf(job)) });
    } else {
      const sub = revision.subRecipes.get(name);
      assert(sub !== undefined, `the revision lacks the recipe type of node '${name}'`);
      nodes.push({ ...base, kind: 'recipe', revision: sub, takes: inputOf(sub) });
    }
  }
  return { nodes };
}
