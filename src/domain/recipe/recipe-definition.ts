/**
 * The definition of a recipe type: nodes, their dependencies, and the sources of their inputs. This module reads its
 * form, normalised, in the contract's field names, because it is stored and returned as it is.
 * `recipe-definition-check.ts` checks its meaning.
 */
import { Fields } from '../document/fields.ts';
import { isAbsent, isJsonObject, textProblem } from '../document/json-value.ts';
import { type DataFilter, readFilter, validateFilterFor } from '../filter/filter.ts';
import { type Interface, readInterface } from '../interface/interface.ts';
import { IssueList, mapProblems, PROBLEMS_MAX, type Problem } from '../validation.ts';

export interface Dependency {
  readonly name: string;
  /** Whether a condition must accept, or not accept, for the node to run. True for all other nodes. */
  readonly acceptance: boolean;
}
export type Connection =
  | { readonly type: 'recipe'; readonly input: string }
  | { readonly type: 'dependency'; readonly node: string; readonly output: string };
export interface JobNode {
  readonly node_type: 'job';
  readonly job_type_name: string;
  readonly job_type_version: string;
  readonly job_type_revision: number;
}
export interface SubRecipeNode {
  readonly node_type: 'recipe';
  readonly recipe_type_name: string;
  readonly recipe_type_revision: number;
}
export interface ConditionNode {
  readonly node_type: 'condition';
  readonly interface: Interface;
  readonly data_filter: DataFilter;
}
export type NodeType = JobNode | SubRecipeNode | ConditionNode;
export interface RecipeNode {
  readonly dependencies: readonly Dependency[];
  readonly input: Readonly<Record<string, Connection>>;
  readonly node_type: NodeType;
}
export interface RecipeDefinition {
  readonly input: Interface;
  readonly nodes: Readonly<Record<string, RecipeNode>>;
}

/** A definition as read: missing revisions are 0 until the newest is known; wrong nodes are left out. */
export interface ReadDefinition {
  readonly input: Interface;
  readonly nodes: ReadonlyMap<string, RecipeNode>;
  /** Names of all nodes, including wrong ones. */
  readonly names: ReadonlySet<string>;
}

const RECIPE_NODES_MAX = 1_000;
const NODE_NAME_CHARS_MAX = 100;
const SHAPE = 'INVALID_DEFINITION';

/** Reads the form of a definition. Interfaces and filters inside are checked too, and their problems renamed. */
export function readDefinition(issues: IssueList, document: unknown): ReadDefinition {
  const nothing = { input: { files: [], json: [] }, nodes: new Map(), names: new Set<string>() };
  const fields = Fields.open(issues, SHAPE, document, '');
  if (fields === undefined) return nothing;
  fields.acceptVersion();
  const inner = new IssueList();
  // Both are required, and may be empty objects.
  for (const key of ['input', 'nodes']) if (!fields.has(key)) fields.error(key, `'${key}' is required`);
  const input = readInterface(inner, fields.raw('input'), 'input');
  adopt(issues, inner, 'INPUT_INTERFACE');
  const items = fields.map('nodes');
  if (items.length > RECIPE_NODES_MAX)
    fields.error('nodes', `a recipe has at most ${RECIPE_NODES_MAX} nodes`);
  const nodes = new Map<string, RecipeNode>();
  for (const { name, value, path } of items.slice(0, RECIPE_NODES_MAX)) {
    if (name === '' || name.length > NODE_NAME_CHARS_MAX) {
      issues.error(SHAPE, path, `the name of a node has 1 to ${NODE_NAME_CHARS_MAX} characters`);
    }
    const node = Fields.open(issues, SHAPE, value, path);
    const read = node === undefined ? undefined : readNode(issues, node);
    if (read !== undefined) nodes.set(name, read);
  }
  fields.refuseOthers();
  return { input, nodes, names: new Set(items.map(({ name }) => name)) };
}

function readNode(issues: IssueList, fields: Fields): RecipeNode | undefined {
  const dependencies = readDependencies(issues, fields);
  const input: [string, Connection][] = [];
  for (const { name, value, path } of fields.map('input', { required: true })) {
    const connection = Fields.open(issues, SHAPE, value, path);
    const read = connection === undefined ? undefined : readConnection(connection);
    if (read !== undefined) input.push([name, read]);
  }
  const typeFields = fields.object('node_type', { required: true });
  const nodeType = typeFields === undefined ? undefined : readNodeType(issues, typeFields);
  fields.refuseOthers();
  if (nodeType === undefined) return undefined;
  return { dependencies, input: Object.fromEntries(input), node_type: nodeType };
}

/** Equal entries count once. Entries for one node that disagree are kept: they are wrong only for a condition. */
function readDependencies(issues: IssueList, parent: Fields): Dependency[] {
  const distinct = new Map<string, Dependency>();
  for (const item of parent.list('dependencies', { required: true, max: RECIPE_NODES_MAX })) {
    const fields = Fields.open(issues, SHAPE, item.value, item.path);
    if (fields === undefined) continue;
    const name = fields.text('name', { required: true, max: NODE_NAME_CHARS_MAX });
    const acceptance = fields.flag('acceptance', true);
    fields.refuseOthers();
    if (name === undefined) continue;
    distinct.set(`${acceptance} ${name}`, { name, acceptance });
  }
  return [...distinct.values()];
}

function readConnection(fields: Fields): Connection | undefined {
  const type = fields.oneOf('type', ['recipe', 'dependency'], { required: true });
  if (type === undefined) return undefined;
  if (type === 'recipe') {
    const input = fields.text('input', { required: true, max: 250 });
    fields.refuseOthers();
    return input === undefined ? undefined : { type, input };
  }
  const node = fields.text('node', { required: true, max: NODE_NAME_CHARS_MAX });
  const output = fields.text('output', { required: true, max: 250 });
  fields.refuseOthers();
  return node === undefined || output === undefined ? undefined : { type, node, output };
}

function readNodeType(issues: IssueList, fields: Fields): NodeType | undefined {
  const type = fields.oneOf('node_type', ['job', 'recipe', 'condition'], { required: true });
  switch (type) {
    case undefined:
      return undefined;
    case 'job':
      return readJobNode(fields);
    case 'recipe':
      return readSubRecipeNode(fields);
    case 'condition':
      return readConditionNode(issues, fields);
  }
}

function readJobNode(fields: Fields): JobNode | undefined {
  const name = fields.text('job_type_name', { required: true, max: 50 });
  const version = fields.text('job_type_version', { required: true, max: 50 });
  const revision = fields.revision('job_type_revision') ?? 0;
  fields.refuseOthers();
  if (name === undefined || version === undefined) return undefined;
  return { node_type: 'job', job_type_name: name, job_type_version: version, job_type_revision: revision };
}

function readSubRecipeNode(fields: Fields): SubRecipeNode | undefined {
  const name = fields.text('recipe_type_name', { required: true, max: 50 });
  const revision = fields.revision('recipe_type_revision') ?? 0;
  fields.refuseOthers();
  if (name === undefined) return undefined;
  return { node_type: 'recipe', recipe_type_name: name, recipe_type_revision: revision };
}

function readConditionNode(issues: IssueList, fields: Fields): ConditionNode | undefined {
  // Sentences are built only for problems that will be listed.
  const inner = new IssueList(issues.isFullOfErrors ? 0 : PROBLEMS_MAX);
  for (const key of ['interface', 'data_filter']) {
    if (!fields.has(key)) fields.error(key, `'${fields.path}.${key}' is required`);
  }
  const parameters = readInterface(inner, fields.raw('interface'), `${fields.path}.interface`);
  const rawFilter = fields.raw('data_filter');
  const path = `${fields.path}.data_filter`;
  const filter = isAbsent(rawFilter) ? undefined : readFilter(inner, rawFilter, path);
  if (filter !== undefined && inner.ok)
    inner.include(path, problemsOf(validateFilterFor(filter, parameters)));
  adopt(issues, inner, SHAPE);
  fields.refuseOthers();
  return filter === undefined
    ? undefined
    : { node_type: 'condition', interface: parameters, data_filter: filter };
}

function problemsOf(checked: ReturnType<typeof validateFilterFor>): {
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
} {
  return { errors: checked.ok ? [] : checked.errors, warnings: checked.warnings };
}

/** Adds the problems of a nested document: errors under the definition's name for them, warnings unchanged. */
function adopt(issues: IssueList, inner: IssueList, name: string): void {
  const errors = mapProblems(inner.errors, ({ name: own, path, description }) => ({
    name,
    path,
    description: `${own}: ${description}`,
  }));
  issues.include('', { errors, warnings: inner.warnings });
}

/** The types that a definition mentions, even if the rest of it is wrong: they have to be looked up to check it. */
export interface DefinitionMentions {
  readonly jobTypes: readonly { readonly name: string; readonly version: string }[];
  readonly recipeTypes: readonly string[];
  /** Revisions of these types, each once; 0: the newest. */
  readonly jobRevisions: readonly MentionedJobRevision[];
  readonly recipeRevisions: readonly MentionedRecipeRevision[];
}

export interface MentionedJobRevision {
  readonly name: string;
  readonly version: string;
  readonly revision: number;
}

export interface MentionedRecipeRevision {
  readonly name: string;
  readonly revision: number;
}

export function mentionsOfDefinition(document: unknown): DefinitionMentions {
  const read = readDefinition(new IssueList(), isJsonObject(document) ? document : {});
  const jobTypes = new Map<string, { name: string; version: string }>();
  const recipeTypes = new Set<string>();
  const jobRevisions = new Map<string, MentionedJobRevision>();
  const recipeRevisions = new Map<string, MentionedRecipeRevision>();
  for (const { node_type: type } of read.nodes.values()) {
    if (type.node_type === 'recipe' && isFit(type.recipe_type_name)) {
      const [name, revision] = [type.recipe_type_name, type.recipe_type_revision];
      recipeTypes.add(name);
      recipeRevisions.set(`${name} ${revision}`, { name, revision });
    }
    if (type.node_type !== 'job') continue;
    const [name, version, revision] = [type.job_type_name, type.job_type_version, type.job_type_revision];
    if (!isFit(name) || !isFit(version)) continue;
    jobTypes.set(`${name} ${version}`, { name, version });
    jobRevisions.set(`${name} ${version} ${revision}`, { name, version, revision });
  }
  return {
    jobTypes: [...jobTypes.values()],
    recipeTypes: [...recipeTypes],
    jobRevisions: [...jobRevisions.values()],
    recipeRevisions: [...recipeRevisions.values()],
  };
}

/** Whether the text can be stored. If not, no record has it as its name. */
function isFit(text: string): boolean {
  return textProblem(text) === undefined;
}
