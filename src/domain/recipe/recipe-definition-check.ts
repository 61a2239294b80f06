/**
 * Checks the meaning of a recipe definition: types exist, connections feed their inputs, there are no cycles. Every
 * problem is reported; looked-up facts are passed in.
 */
import { checkJson, childPath, shortened } from '../document/json-value.ts';
import { acceptedInterface } from '../filter/filter.ts';
import { validateConnection } from '../interface/connection.ts';
import {
  EMPTY_INTERFACE,
  type Interface,
  interfaceOf,
  type Parameter,
  parametersOf,
} from '../interface/interface.ts';
import type { NearRecord } from '../near-names.ts';
import { type Checked, IssueList, mapProblems, type Problem } from '../validation.ts';
import {
  type Connection,
  type Dependency,
  type NodeType,
  type ReadDefinition,
  type RecipeDefinition,
  type RecipeNode,
  readDefinition,
} from './recipe-definition.ts';
import { Ancestry, topologicalOrder } from './recipe-order.ts';

/** The facts about a job type (name and version) that definitions need. */
export interface JobTypeFacts {
  readonly isActive: boolean;
  /** Its jobs are system jobs, which nobody else may queue. Absent: false. */
  readonly isSystemOnly?: boolean;
  readonly latestRevision: number;
  readonly revisions: ReadonlyMap<number, { readonly inputs: Interface; readonly outputs: Interface }>;
}
/** The facts about a recipe type that definitions need. */
export interface SubRecipeFacts {
  readonly isActive: boolean;
  readonly latestRevision: number;
  readonly revisions: ReadonlyMap<number, { readonly input: Interface }>;
  /** Names of all recipe types inside its current definition, at any depth. */
  readonly contains: ReadonlySet<string>;
}
export interface DefinitionLookups {
  /** By `jobTypeKey`. */
  readonly jobTypes: ReadonlyMap<string, JobTypeFacts>;
  readonly recipeTypes: ReadonlyMap<string, SubRecipeFacts>;
  /** The recipe type being defined, when it exists already. */
  readonly name?: string | undefined;
  /** Suggests a name for a missing type. */
  readonly near?: NearRecord | undefined;
}

export function jobTypeKey(name: string, version: string): string {
  return `${name} ${version}`;
}

/**
 * Checks a definition and normalises it: fills defaults, makes acceptance explicit, sets missing revisions to the
 * newest.
 */
export function validateDefinition(document: unknown, lookups: DefinitionLookups): Checked<RecipeDefinition> {
  const issues = new IssueList();
  const isReadable = checkJson(document, issues, 'INVALID_DEFINITION');
  const value = isReadable ? checkDefinition(issues, document, lookups) : undefined;
  return issues.finish(() => value as RecipeDefinition);
}

function checkDefinition(issues: IssueList, document: unknown, lookups: DefinitionLookups): RecipeDefinition {
  const read = readDefinition(issues, document);
  const nodes = new Map<string, RecipeNode>();
  const inputs = new Map<string, Interface>();
  const outputs = new Map<string, Interface>();
  for (const [name, node] of read.nodes) {
    const resolved = resolve(issues, name, node.node_type, lookups);
    nodes.set(name, resolved === undefined ? node : { ...node, node_type: resolved.type });
    if (resolved === undefined) continue;
    inputs.set(name, resolved.inputs);
    outputs.set(name, resolved.outputs);
  }
  for (const [name, node] of nodes) {
    nodes.set(name, { ...node, dependencies: settledDependencies(issues, name, node, { read, nodes }) });
  }
  checkGraph(issues, { read, nodes, inputs, outputs });
  return { input: read.input, nodes: Object.fromEntries(nodes) };
}

interface Graph {
  readonly read: ReadDefinition;
  readonly nodes: ReadonlyMap<string, RecipeNode>;
  /** The interfaces of nodes whose type is known. */
  readonly inputs: ReadonlyMap<string, Interface>;
  readonly outputs: ReadonlyMap<string, Interface>;
}

interface Resolved {
  readonly type: NodeType;
  readonly inputs: Interface;
  readonly outputs: Interface;
}

function resolve(
  issues: IssueList,
  name: string,
  type: NodeType,
  lookups: DefinitionLookups,
): Resolved | undefined {
  const path = `${childPath('nodes', name)}.node_type`;
  switch (type.node_type) {
    case 'condition':
      return { type, inputs: type.interface, outputs: acceptedInterface(type.interface, type.data_filter) };
    case 'job': {
      const title = `job type '${type.job_type_name}' version '${type.job_type_version}'`;
      const facts = lookups.jobTypes.get(jobTypeKey(type.job_type_name, type.job_type_version));
      const place = {
        path,
        key: 'job_type',
        title,
        unknown: 'JOB_TYPE_DOES_NOT_EXIST',
        inactive: 'INACTIVE_JOB_TYPE',
        suggestion: facts === undefined ? lookups.near?.('job_type', type.job_type_name) : '',
      };
      if (facts?.isSystemOnly === true) {
        const text = `jobs of the ${title} are queued by the system only`;
        issues.error('SYSTEM_JOB_TYPE', `${path}.job_type_name`, text);
        return undefined;
      }
      const found = revisionOf(issues, facts, type.job_type_revision, place);
      if (found === undefined) return undefined;
      return { type: { ...type, job_type_revision: found.number }, ...found.revision };
    }
    case 'recipe': {
      const title = `recipe type '${type.recipe_type_name}'`;
      const facts = lookups.recipeTypes.get(type.recipe_type_name);
      checkRecursion(issues, type.recipe_type_name, facts, { path, own: lookups.name });
      const unknown = 'RECIPE_TYPE_DOES_NOT_EXIST';
      const suggestion = facts === undefined ? lookups.near?.('recipe_type', type.recipe_type_name) : '';
      const place = {
        path,
        key: 'recipe_type',
        title,
        unknown,
        inactive: 'INACTIVE_RECIPE_TYPE',
        suggestion,
      };
      const found = revisionOf(issues, facts, type.recipe_type_revision, place);
      if (found === undefined) return undefined;
      const resolved = { ...type, recipe_type_revision: found.number };
      return { type: resolved, inputs: found.revision.input, outputs: EMPTY_INTERFACE };
    }
  }
}

function revisionOf<R>(
  issues: IssueList,
  facts: { isActive: boolean; latestRevision: number; revisions: ReadonlyMap<number, R> } | undefined,
  wanted: number,
  place: {
    path: string;
    key: string;
    title: string;
    unknown: string;
    inactive: string;
    suggestion: string | undefined;
  },
): { number: number; revision: R } | undefined {
  if (facts === undefined) {
    const text = `there is no ${place.title}${place.suggestion ?? ''}`;
    issues.error(place.unknown, `${place.path}.${place.key}_name`, text);
    return undefined;
  }
  const number = wanted === 0 ? facts.latestRevision : wanted;
  const revision = facts.revisions.get(number);
  if (revision === undefined) {
    const text = `the ${place.title} has no revision ${number}`;
    issues.error(place.unknown, `${place.path}.${place.key}_revision`, text);
    return undefined;
  }
  if (!facts.isActive) issues.warning(place.inactive, place.path, `the ${place.title} is deprecated`);
  return { number, revision };
}

function checkRecursion(
  issues: IssueList,
  name: string,
  facts: SubRecipeFacts | undefined,
  place: { readonly path: string; readonly own: string | undefined },
): void {
  if (place.own === undefined) return;
  if (name !== place.own && facts?.contains.has(place.own) !== true) return;
  const text = `the recipe type '${place.own}' would contain itself through '${name}'`;
  issues.error('RECURSIVE_SUBRECIPES', `${place.path}.recipe_type_name`, text);
}

function checkGraph(issues: IssueList, graph: Graph): void {
  const sorted = topologicalOrder(graph.nodes);
  if ('cycle' in sorted) {
    const names = sorted.cycle.slice(0, 20).map(shortened).join(', ');
    issues.error('CIRCULAR_DEPENDENCY', 'nodes', `nodes wait for each other: ${names}`);
  }
  // Ancestors are unknown without an order; the other checks of connections are still made.
  const ancestry = 'order' in sorted ? new Ancestry(graph.nodes, sorted.order) : undefined;
  const recipeInput = parametersOf(graph.read.input);
  for (const name of graph.nodes.keys()) checkNode(issues, name, graph, { ancestry, recipeInput });
  if (ancestry !== undefined) warnOfDeadNodes(issues, graph, ancestry);
}

/**
 * One dependency for each node that is depended on. Only conditions have an acceptance; for other nodes it has no
 * effect, and is true from here on.
 */
function settledDependencies(
  issues: IssueList,
  name: string,
  node: RecipeNode,
  { read, nodes }: Pick<Graph, 'read' | 'nodes'>,
): readonly Dependency[] {
  const settled = new Map<string, Dependency>();
  for (const [index, dependency] of node.dependencies.entries()) {
    const path = `${childPath('nodes', name)}.dependencies[${index}]`;
    const other = settled.get(dependency.name);
    if (!read.names.has(dependency.name)) {
      issues.error('UNKNOWN_NODE', `${path}.name`, `there is no node '${dependency.name}'`);
      continue;
    }
    const type = nodes.get(dependency.name)?.node_type.node_type;
    if (type === 'condition') {
      if (other !== undefined) {
        const text = `the node '${dependency.name}' cannot be both accepted and not accepted`;
        issues.error('INVALID_DEFINITION', `${path}.acceptance`, text);
      }
    } else if (type !== undefined && !dependency.acceptance) {
      const text = `'${dependency.name}' is no condition: whether it is accepted has no effect`;
      issues.warning('ACCEPTANCE_WITHOUT_EFFECT', `${path}.acceptance`, text);
    }
    const acceptance = type === 'condition' ? dependency.acceptance : true;
    settled.set(dependency.name, other ?? { name: dependency.name, acceptance });
  }
  return [...settled.values()];
}

interface CheckContext {
  readonly ancestry: Ancestry | undefined;
  readonly recipeInput: ReadonlyMap<string, Parameter>;
}

function checkNode(issues: IssueList, name: string, graph: Graph, context: CheckContext): void {
  const node = graph.nodes.get(name);
  const inputs = graph.inputs.get(name);
  if (node === undefined) return;
  const supplied = new Map<string, Parameter>();
  const invalid = new Set<string>();
  for (const [input, connection] of Object.entries(node.input)) {
    const path = childPath(`${childPath('nodes', name)}.input`, input);
    const source = sourceOf(issues, { name, path, connection }, graph, context);
    if (source === undefined) invalid.add(input);
    else supplied.set(input, source);
    const isTaken = inputs === undefined || hasParameter(inputs, input);
    if (!isTaken) {
      issues.warning(
        'UNKNOWN_NODE_INPUT',
        path,
        `the node has no input '${input}': the connection is ignored`,
      );
    }
  }
  if (inputs === undefined) return;
  const checked = validateConnection(interfaceOf(supplied), inputs);
  const at = (input: string): string => childPath(`${childPath('nodes', name)}.input`, input);
  // Problems of the source itself have been reported.
  const isNew = ({ path, count }: Problem): boolean => count !== undefined || !invalid.has(path);
  issues.include('', {
    errors: mapProblems(checked.ok ? [] : checked.errors.filter(isNew), (problem) => ({
      name: 'NODE_INTERFACE',
      path: at(problem.path),
      description: `node '${shortened(name)}': ${problem.name}: ${problem.description}`,
    })),
    warnings: mapProblems(checked.warnings, (problem) => ({ ...problem, path: at(problem.path) })),
  });
}

function hasParameter(parameters: Interface, name: string): boolean {
  return parametersOf(parameters).has(name);
}

/** The parameter that a connection takes its value from; undefined after a problem, which is reported. */
function sourceOf(
  issues: IssueList,
  use: { readonly name: string; readonly path: string; readonly connection: Connection },
  graph: Graph,
  context: CheckContext,
): Parameter | undefined {
  const { name, path, connection } = use;
  if (connection.type === 'recipe') {
    const source = context.recipeInput.get(connection.input);
    if (source === undefined) {
      issues.error('UNKNOWN_INPUT', `${path}.input`, `the recipe has no input '${connection.input}'`);
    }
    return source;
  }
  const { node, output } = connection;
  if (!graph.read.names.has(node)) {
    issues.error('UNKNOWN_NODE', `${path}.node`, `there is no node '${node}'`);
    return undefined;
  }
  const type = graph.nodes.get(node)?.node_type;
  if (type?.node_type === 'recipe') {
    issues.error(
      'CONNECTION_INVALID_NODE',
      `${path}.node`,
      `'${node}' is a recipe, and recipes have no outputs`,
    );
    return undefined;
  }
  if (context.ancestry?.isAncestor(node, name) === false) {
    const text = `node '${shortened(name)}': MISSING_DEPENDENCY: it does not depend on '${node}'`;
    issues.error('NODE_INTERFACE', `${path}.node`, text);
  }
  // The values that a condition's filter checks certainly exist only after it has accepted.
  const isBehind = type?.node_type !== 'condition' || context.ancestry?.needsAcceptance(node, name) !== false;
  const outputs = isBehind || type?.node_type !== 'condition' ? graph.outputs.get(node) : type.interface;
  const source = outputs === undefined ? undefined : parametersOf(outputs).get(output);
  if (outputs !== undefined && source === undefined) {
    const text = `node '${shortened(name)}': MISSING_OUTPUT_NAME: '${node}' has no output '${output}'`;
    issues.error('NODE_INTERFACE', `${path}.output`, text);
  }
  return source;
}

/**
 * Warns of nodes that need both outcomes of one condition: they are never created, and branches cannot be joined again.
 */
function warnOfDeadNodes(issues: IssueList, graph: Graph, ancestry: Ancestry): void {
  const conditions = [...graph.nodes].filter(([, { node_type: type }]) => type.node_type === 'condition');
  for (const name of graph.nodes.keys()) {
    const dead = conditions.find(([condition]) => {
      return ancestry.needsAcceptance(condition, name) && ancestry.needsRefusal(condition, name);
    });
    if (dead === undefined) continue;
    const text = `the node waits for '${dead[0]}' both to accept and not to accept: it will never run`;
    issues.warning('UNREACHABLE_NODE', childPath('nodes', name), text);
  }
}
