/**
 * The changes between two definitions of a recipe type, node by node, and whether recipes of the one can be reprocessed
 * as the other. It uses the contract's field names, because it is returned as it is. Both definitions are valid and
 * normalised.
 */
import { isJsonObject, type Json, jsonEquals } from '../document/json-value.ts';
import { validateConnection } from '../interface/connection.ts';
import { type ForcedNodes, NOTHING_FORCED } from './forced-nodes.ts';
import type { NodeType, RecipeDefinition, RecipeNode } from './recipe-definition.ts';
import { topologicalOrder } from './recipe-order.ts';

export interface DiffReason {
  readonly name: string;
  readonly description: string;
}

export type NodeDiffStatus = 'UNCHANGED' | 'CHANGED' | 'NEW' | 'DELETED';

export interface NodeDiff {
  readonly status: NodeDiffStatus;
  readonly changes: readonly DiffReason[];
  /** Whether a new node replaces the old one on reprocessing. */
  readonly reprocess_new_node: boolean;
  readonly force_reprocess: boolean;
  readonly dependencies: readonly { readonly name: string }[];
  readonly prev_node_type?: NodeType['node_type'];
  /** As in the definition (for a condition only its kind), with `prev_…` for each field that differs. */
  readonly node_type: Readonly<Record<string, string | number>>;
}

export interface RecipeDiff {
  readonly can_be_reprocessed: boolean;
  readonly reasons: readonly DiffReason[];
  readonly nodes: Readonly<Record<string, NodeDiff>>;
}

/** Compares two definitions. A changed node changes all nodes that depend on it; a forced one forces them. */
export function diffDefinitions(
  previous: RecipeDefinition,
  next: RecipeDefinition,
  forced: ForcedNodes = NOTHING_FORCED,
): RecipeDiff {
  const isInputCompatible = validateConnection(previous.input, next.input).ok;
  const reasons = isInputCompatible
    ? []
    : [{ name: 'INPUT_CHANGE', description: 'the input of the recipe has changed incompatibly' }];
  const nodes = new Map<string, NodeDiff>();
  const nextNodes = new Map(Object.entries(next.nodes));
  const sorted = topologicalOrder(nextNodes);
  const names = forcedNames(forced, next);
  for (const name of 'order' in sorted ? sorted.order : []) {
    const node = nextNodes.get(name);
    if (node === undefined) continue;
    const before = Object.hasOwn(previous.nodes, name) ? previous.nodes[name] : undefined;
    const diff =
      before === undefined
        ? newNode(node, isInputCompatible)
        : compare(before, node, nodes, isInputCompatible);
    const isForced = names.has(name) || node.dependencies.some((one) => nodes.get(one.name)?.force_reprocess);
    nodes.set(
      name,
      isForced ? { ...diff, force_reprocess: true, reprocess_new_node: isInputCompatible } : diff,
    );
  }
  for (const [name, node] of Object.entries(previous.nodes)) {
    if (!nextNodes.has(name)) nodes.set(name, nodeDiff(node, 'DELETED', [], false));
  }
  return { can_be_reprocessed: isInputCompatible, reasons, nodes: Object.fromEntries(nodes) };
}

function forcedNames(forced: ForcedNodes, next: RecipeDefinition): ReadonlySet<string> {
  const { all, nodes = [], sub_recipes: subRecipes = {} } = forced;
  return new Set(all ? Object.keys(next.nodes) : [...nodes, ...Object.keys(subRecipes)]);
}

/** Whether reprocessing would create or remove any node. */
export function changesAnything(diff: RecipeDiff): boolean {
  return Object.values(diff.nodes).some((node) => node.reprocess_new_node || node.status === 'DELETED');
}

function nodeDiff(
  node: RecipeNode,
  status: NodeDiffStatus,
  changes: readonly DiffReason[],
  isReprocessed: boolean,
): NodeDiff {
  return {
    status,
    changes,
    reprocess_new_node: isReprocessed,
    force_reprocess: false,
    dependencies: node.dependencies.map(({ name }) => ({ name })),
    node_type: shownType(node.node_type),
  };
}

function newNode(node: RecipeNode, isInputCompatible: boolean): NodeDiff {
  return nodeDiff(node, 'NEW', [], isInputCompatible);
}

function shownType(type: NodeType): Record<string, string | number> {
  return type.node_type === 'condition' ? { node_type: 'condition' } : { ...type };
}

function compare(
  before: RecipeNode,
  node: RecipeNode,
  parents: ReadonlyMap<string, NodeDiff>,
  isInputCompatible: boolean,
): NodeDiff {
  const type = compareTypes(before.node_type, node.node_type);
  const changes = [
    ...type.changes,
    ...compareDependencies(before, node, parents),
    ...compareConnections(before, node),
  ];
  const status = changes.length === 0 ? 'UNCHANGED' : 'CHANGED';
  const diff = nodeDiff(node, status, changes, isInputCompatible && status === 'CHANGED');
  const isOtherKind = before.node_type.node_type !== node.node_type.node_type;
  return {
    ...diff,
    ...(isOtherKind ? { prev_node_type: before.node_type.node_type } : {}),
    node_type: { ...diff.node_type, ...type.previous },
  };
}

interface TypeComparison {
  readonly changes: readonly DiffReason[];
  /** `prev_…` fields with the former values. */
  readonly previous: Readonly<Record<string, string | number>>;
}

/** By field: the name of its change, and its title. */
const COMPARED: Readonly<Record<string, readonly [change: string, title: string]>> = {
  job_type_name: ['JOB_TYPE_CHANGE', 'job type'],
  job_type_version: ['JOB_TYPE_VERSION_CHANGE', 'job type version'],
  job_type_revision: ['JOB_TYPE_REVISION_CHANGE', 'job type revision'],
  recipe_type_name: ['RECIPE_TYPE_CHANGE', 'recipe type'],
  recipe_type_revision: ['RECIPE_TYPE_REVISION_CHANGE', 'recipe type revision'],
};

function compareTypes(before: NodeType, now: NodeType): TypeComparison {
  if (before.node_type !== now.node_type) {
    return {
      changes: [changed('NODE_TYPE_CHANGE', 'node type', before.node_type, now.node_type)],
      previous: {},
    };
  }
  if (before.node_type === 'condition' && now.node_type === 'condition') {
    const isSame = isEqual(before.data_filter, now.data_filter);
    const description = 'the data filter has changed';
    return { changes: isSame ? [] : [{ name: 'FILTER_CHANGE', description }], previous: {} };
  }
  const [old, current] = [shownType(before), shownType(now)];
  const fields = Object.keys(COMPARED).filter((field) => field in current && old[field] !== current[field]);
  const changes = fields.map((field) => {
    const [name, title] = COMPARED[field] ?? [field, field];
    return changed(name, title, old[field], current[field]);
  });
  return {
    changes,
    previous: Object.fromEntries(fields.map((field) => [`prev_${field}`, old[field] ?? ''])),
  };
}

function changed(name: string, title: string, from: unknown, to: unknown): DiffReason {
  return { name, description: `the ${title} has changed from ${String(from)} to ${String(to)}` };
}

function isEqual(one: object, other: object): boolean {
  return isJsonObject(one) && isJsonObject(other) && jsonEquals(one as Json, other as Json);
}

function compareDependencies(
  before: RecipeNode,
  node: RecipeNode,
  parents: ReadonlyMap<string, NodeDiff>,
): readonly DiffReason[] {
  const old = new Map(before.dependencies.map((one) => [one.name, one.acceptance]));
  const names = new Set(node.dependencies.map(({ name }) => name));
  const changes: DiffReason[] = [];
  for (const { name, acceptance } of node.dependencies) {
    const oldAcceptance = old.get(name);
    if (oldAcceptance === undefined) {
      changes.push({ name: 'PARENT_NEW', description: `the node '${name}' was added as a dependency` });
      continue;
    }
    if (parents.get(name)?.status === 'CHANGED') {
      changes.push({ name: 'PARENT_CHANGED', description: `the node '${name}' has changed` });
    }
    if (oldAcceptance !== acceptance) {
      const description = `the node '${name}' must be ${acceptance ? 'accepted' : 'refused'} now`;
      changes.push({ name: 'PARENT_ACCEPTANCE_CHANGED', description });
    }
  }
  for (const name of old.keys()) {
    if (names.has(name)) continue;
    changes.push({ name: 'PARENT_REMOVED', description: `the node '${name}' is no dependency any more` });
  }
  return changes;
}

function compareConnections(before: RecipeNode, node: RecipeNode): readonly DiffReason[] {
  const changes: DiffReason[] = [];
  for (const [input, connection] of Object.entries(node.input)) {
    const old = Object.hasOwn(before.input, input) ? before.input[input] : undefined;
    if (old === undefined) {
      changes.push({ name: 'INPUT_NEW', description: `the input '${input}' is connected now` });
    } else if (!isEqual(old, connection)) {
      changes.push({ name: 'INPUT_CHANGE', description: `the input '${input}' comes from elsewhere` });
    }
  }
  for (const input of Object.keys(before.input)) {
    if (Object.hasOwn(node.input, input)) continue;
    changes.push({ name: 'INPUT_REMOVED', description: `the input '${input}' is not connected any more` });
  }
  return changes;
}
