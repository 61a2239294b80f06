/** Random recipe types as plain data, and the revisions that the real actor runs of them. All from one seed. */
import type { RecipeTypeRevision } from '../../../../src/domain/recipe/type-revisions.ts';
import {
  fileInput,
  makeManifest,
  makeRecipeRevision,
  type NodeSpec,
} from '../../../support/worlds/type-revisions.ts';

export interface ParentSpec {
  readonly name: string;
  readonly acceptance: boolean;
}
export interface ConditionSpec {
  readonly on: 'V' | 'X';
  /** V is an integer, whose first value is compared with incoming data. X is files, whose names contain a letter. */
  readonly condition: '<' | '>=' | '!=' | 'contains';
  readonly value: number | string;
  readonly allFiles: boolean;
}
export interface NodeOfType {
  readonly name: string;
  /** What type it is of, and of which revision. */
  readonly typeId: number;
  readonly revision: number;
  readonly kind: 'job' | 'recipe' | 'condition';
  readonly parents: readonly ParentSpec[];
  /** By input; `@SRC`, `@NUM`: of the recipe; `J1.OUT`, `J1.COUNT`, `C2.X`, `C2.V`: of a node before. */
  readonly input: Readonly<Record<string, string>>;
  readonly required: readonly string[];
  readonly maxTries: number;
  readonly filter: ConditionSpec | null;
  readonly sub: TypeSpec | null;
}
/** Nodes come after their parents. */
export interface TypeSpec {
  readonly requiresSource: boolean;
  readonly nodes: readonly NodeOfType[];
}

export interface Dice {
  /** From 0 to below `n`. */
  roll(n: number): number;
  pick<T>(list: readonly T[]): T;
  /** One time in `n`. */
  hits(n: number): boolean;
}

/** mulberry32. */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const roll = (n: number): number => Math.floor(next() * n);
  return { roll, hits: (n) => roll(n) === 0, pick: (list) => list[roll(list.length)] as never };
}

export function randomType(dice: Dice, depth: number): TypeSpec {
  const nodes: NodeOfType[] = [];
  const count = depth === 0 ? dice.roll(4) : 1 + dice.roll(7);
  for (let at = 0; at < count; at += 1) nodes.push(randomNode(dice, depth, nodes));
  return { requiresSource: dice.hits(3), nodes };
}

export function randomNode(dice: Dice, depth: number, before: readonly NodeOfType[]): NodeOfType {
  const kinds = ['job', 'job', 'job', 'condition', ...(depth > 0 ? ['recipe'] : [])] as const;
  const kind = dice.pick(kinds) as NodeOfType['kind'];
  const parents = before
    .filter(() => dice.hits(2))
    .slice(-3)
    .map(({ name, kind }) => ({ name, acceptance: kind !== 'condition' || dice.roll(3) > 0 }));
  const above = ancestorsOf(parents, before);
  const files = ['@SRC', ...above.flatMap((one) => filesOf(one))];
  const numbers = ['@NUM', ...above.flatMap((one) => numbersOf(one))];
  const input: Record<string, string> = {};
  const connect = (name: string, sources: readonly string[]) => {
    // A single file is what several rarely give: too many jobs would fail for it.
    if (dice.hits(name === 'IN' ? 8 : 4) !== (name === 'IN')) return;
    // What nodes give is more interesting than what the recipe was given.
    input[name] = dice.hits(3) ? (sources[0] as string) : dice.pick(sources);
  };
  const takes = { job: ['IN', 'MORE', 'N'], condition: ['X', 'V'], recipe: ['SRC', 'NUM'] }[kind];
  for (const name of takes) connect(name, name === 'N' || name === 'V' || name === 'NUM' ? numbers : files);
  const sub = kind === 'recipe' ? randomType(dice, depth - 1) : null;
  const required = kind === 'recipe' ? [] : Object.keys(input).filter(() => dice.hits(12));
  return {
    name: `${{ job: 'J', condition: 'C', recipe: 'S' }[kind]}${before.length}`,
    ...{ kind, parents, input, required, sub, typeId: dice.roll(1_000_000_000), revision: 1 },
    maxTries: 1 + dice.roll(3),
    filter: kind === 'condition' ? randomFilter(dice) : null,
  };
}

export function randomFilter(dice: Dice): ConditionSpec {
  const allFiles = dice.hits(2);
  if (dice.hits(2)) return { on: 'X', condition: 'contains', value: dice.pick(['a', 'b']), allFiles };
  return { on: 'V', condition: dice.pick(['<', '>=', '!='] as const), value: dice.roll(3), allFiles };
}

function ancestorsOf(parents: readonly ParentSpec[], before: readonly NodeOfType[]): NodeOfType[] {
  const found = new Set<string>(parents.map(({ name }) => name));
  for (const node of [...before].reverse()) {
    if (found.has(node.name)) for (const { name } of node.parents) found.add(name);
  }
  return before.filter(({ name }) => found.has(name));
}

function filesOf({ name, kind }: NodeOfType): string[] {
  return kind === 'job' ? [`${name}.OUT`] : kind === 'condition' ? [`${name}.X`] : [];
}

function numbersOf({ name, kind }: NodeOfType): string[] {
  return kind === 'job' ? [`${name}.COUNT`] : kind === 'condition' ? [`${name}.V`] : [];
}

/** A type as a revision. The definition names its nodes in another order than that in which they are evaluated. */
export function revisionOf(type: TypeSpec): RecipeTypeRevision {
  const specs: Record<string, NodeSpec> = {};
  for (const node of [...type.nodes].reverse()) specs[node.name] = nodeSpecOf(node);
  const revision = makeRecipeRevision(specs, {
    files: [fileInput('SRC', { required: type.requiresSource, multiple: true })],
    json: [{ name: 'NUM', type: 'integer', required: false }],
  });
  for (const node of type.nodes) nameType(revision, node);
  return revision;
}

function nodeSpecOf(node: NodeOfType): NodeSpec {
  const { parents: after, input, required } = node;
  const isRequired = (name: string) => ({ required: required.includes(name) });
  if (node.sub !== null) return { after, input, sub: revisionOf(node.sub) };
  if (node.kind === 'condition') {
    const condition = {
      files: [fileInput('X', { multiple: true, ...isRequired('X') })],
      json: [{ name: 'V', type: 'integer' as const, ...isRequired('V') }],
    };
    return { after, input, condition };
  }
  const base = makeManifest();
  const inputs = {
    files: base.job.interface.inputs.files.map((one) => ({ ...one, ...isRequired(one.name) })),
    json: base.job.interface.inputs.json.map((one) => ({ ...one, ...isRequired(one.name) })),
  };
  const manifest = makeManifest({ interface: { ...base.job.interface, inputs } });
  return { after, input, job: { maxTries: node.maxTries, manifest: manifest as never } };
}

/** What a stored definition says of a node's type. */
function nameType(revision: RecipeTypeRevision, node: NodeOfType): void {
  const nodeType = revision.definition.nodes[node.name]?.node_type ?? {};
  const job = revision.jobs.get(node.name);
  const sub = revision.subRecipes.get(node.name);
  if (job !== undefined) {
    Object.assign(job, { jobTypeName: `work-${node.typeId}` });
    const name = { job_type_name: job.jobTypeName, job_type_version: job.jobTypeVersion };
    Object.assign(nodeType, name, { job_type_revision: node.revision });
  }
  if (sub !== undefined) {
    Object.assign(sub, { recipeTypeName: `sub-${node.typeId}` });
    Object.assign(nodeType, {
      recipe_type_name: sub.recipeTypeName,
      recipe_type_revision: node.revision,
    });
  }
  if (node.filter !== null) {
    const { on, condition, value, allFiles } = node.filter;
    const type = on === 'V' ? 'integer' : 'filename';
    const entry = { name: on, type, condition, values: [value], all_fields: true, all_files: allFiles };
    Object.assign(nodeType, { data_filter: { filters: [entry], all: true } });
  }
}
