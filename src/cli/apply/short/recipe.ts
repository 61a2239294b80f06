/**
 * A recipe of the short form: `in` has its inputs; every other key is a node, which calls a job or a recipe, or is a
 * condition.
 */
import type { JsonObject } from '../../../domain/document/json-value.ts';
import { didYouMean, nearestOf } from '../../../domain/near-names.ts';
import type { Desired } from '../documents.ts';
import type { Origin } from '../origins.ts';
import { entriesOf, mapOf, report, textOf } from '../section.ts';
import { type Entry, type Located, type LocatedMap, memberOf, type Position, scalarAt } from '../source.ts';
import { parseCondition, type Reference } from './condition.ts';
import { type ConditionInput, type Subject, translateCondition } from './condition-filter.ts';
import { type Input, interfaceDocument, RESERVED, readInput } from './parameters.ts';
import type { KnownJob, ShortSet } from './set.ts';

/** The job type that a node names, or why there is none. */
export type FindJob = (name: string) => KnownJob | string;

const NODE_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const INPUT_NAME = /^[A-Za-z_-]+$/;
const REFERENCE = /^([A-Za-z_][A-Za-z0-9_-]*)\.([A-Za-z0-9_-]+)$/;

interface Node {
  readonly name: string;
  readonly at: Position;
  readonly map: LocatedMap;
  readonly kind: 'job' | 'recipe' | 'when';
  /** The value of that key. */
  readonly call: Located;
  readonly job: KnownJob | undefined;
}

export function readRecipe(
  set: ShortSet,
  { key, keyAt, value }: Entry,
  findJob: FindJob,
  name = key,
): Desired | undefined {
  const node = mapOf(set, value, `the recipe '${name}'`);
  if (node === undefined) return undefined;
  const origins: Origin[] = [
    { steps: [], node: scalarAt(name, keyAt) },
    { steps: ['definition'], node: scalarAt(name, keyAt) },
  ];
  const definition = new RecipeReader(set, origins, findJob).read(node);
  const body = { name, title: name, definition };
  return { kind: 'recipe_type', name, set: set.set, body, file: set.file, at: keyAt, origins };
}

class RecipeReader {
  readonly #set: ShortSet;
  readonly #origins: Origin[];
  readonly #findJob: FindJob;
  #inputs: readonly Input[] = [];
  #nodes: ReadonlyMap<string, Node> = new Map();

  constructor(set: ShortSet, origins: Origin[], findJob: FindJob) {
    this.#set = set;
    this.#origins = origins;
    this.#findJob = findJob;
  }

  read(recipe: LocatedMap): JsonObject {
    this.#inputs = entriesOf(this.#set, memberOf(recipe, 'in')?.value, `'in'`).flatMap((entry) => {
      if (!INPUT_NAME.test(entry.key)) {
        return (
          this.#report(entry.keyAt, `the input '${entry.key}' of a recipe has letters, '_' and '-' only`) ??
          []
        );
      }
      return readInput(this.#set, entry) ?? [];
    });
    this.#nodes = new Map(
      recipe.entries.flatMap((entry) => {
        const node = entry.key === 'in' ? undefined : this.#node(entry);
        return node === undefined ? [] : [[node.name, node]];
      }),
    );
    for (const { name, at } of this.#inputs) {
      const input = interfaceDocument(
        this.#inputs.slice(
          0,
          this.#inputs.findIndex((one) => one.name === name),
        ),
      );
      const list = this.#inputs.find((one) => one.name === name)?.kind === 'file' ? 'files' : 'json';
      const index = input[list]?.length ?? 0;
      this.#origins.push({ steps: ['definition', 'input', list, index], node: scalarAt(name, at) });
    }
    const nodes = [...this.#nodes.values()].map((node) => [node.name, this.#document(node)] as const);
    return { input: interfaceDocument(this.#inputs), nodes: Object.fromEntries(nodes) };
  }

  #report(at: Position, message: string): undefined {
    return report(this.#set, at, message);
  }

  #node({ key: name, keyAt: at, value }: Entry): Node | undefined {
    if (RESERVED.includes(name))
      return this.#report(at, `'${name}' is a reserved word and cannot name a node`);
    if (!NODE_NAME.test(name)) {
      return this.#report(
        at,
        `the node '${name}' needs a name of letters, digits, '_' and '-', with a letter first`,
      );
    }
    const map = mapOf(this.#set, value, `the node '${name}'`);
    if (map === undefined) return undefined;
    const calls = (['job', 'recipe', 'when'] as const).flatMap((kind) => memberOf(map, kind) ?? []);
    const [call, other] = calls;
    if (call === undefined) return this.#report(at, `the node '${name}' needs 'job', 'recipe' or 'when'`);
    if (other !== undefined) {
      this.#report(
        other.keyAt,
        `the node '${name}' has '${call.key}' and '${other.key}': give only one of them`,
      );
    }
    const kind = call.key as Node['kind'];
    const job = kind === 'job' ? this.#job(call.value) : undefined;
    return { name, at, map, kind, call: call.value, job };
  }

  #job(node: Located): KnownJob | undefined {
    const text = textOf(this.#set, node, `'job'`);
    if (text === undefined) return undefined;
    const found = this.#findJob(text.value);
    return typeof found === 'string' ? this.#report(text.at, found) : found;
  }

  #document(node: Node): JsonObject {
    const steps = ['definition', 'nodes', node.name];
    this.#origins.push({ steps, node: scalarAt(node.name, node.at) });
    // Each once, in the order of their first mention.
    const dependencies = new Map<string, boolean>();
    const depend = (name: string): void => {
      if (!dependencies.has(name)) dependencies.set(name, true);
    };
    const { type, input } = node.kind === 'when' ? this.#condition(node, depend) : this.#call(node, depend);
    for (const { name, isAccepted, at } of this.#conditionsOf(node)) {
      this.#origins.push({ steps: [...steps, 'dependencies', dependencies.size], node: scalarAt(name, at) });
      if (dependencies.get(name) === !isAccepted)
        this.#report(at, `'${name}' is given twice, with and without 'not'`);
      dependencies.set(name, isAccepted);
    }
    const needs = [...dependencies].map(([name, acceptance]) => ({
      name,
      ...(acceptance ? {} : { acceptance }),
    }));
    // `acceptance: true` is written out: without it, a dependency on a condition looks like any other.
    const shown = needs.map((one) =>
      this.#isCondition(one.name) && !('acceptance' in one) ? { ...one, acceptance: true } : one,
    );
    return { dependencies: shown, input, node_type: type };
  }

  #isCondition(name: string): boolean {
    return this.#nodes.get(name)?.kind === 'when';
  }

  /** `if: large`, `if: not large`, or a list of both. */
  #conditionsOf({ map }: Node): readonly { name: string; isAccepted: boolean; at: Position }[] {
    const entry = memberOf(map, 'if');
    if (entry === undefined) return [];
    const items = entry.value.kind === 'list' ? entry.value.items : [entry.value];
    if (items.length === 0)
      this.#report(entry.value.at, `'if' names no condition: leave it out where the node always runs`);
    const conditions = [...this.#nodes.values()].flatMap((one) => (one.kind === 'when' ? [one.name] : []));
    return items.flatMap((item) => {
      const text = textOf(this.#set, item, `'if'`);
      const match = text === undefined ? null : /^(not\s+)?(\S+)$/.exec(text.value);
      if (text === undefined) return [];
      if (match === null) {
        return (
          this.#report(
            text.at,
            `'if' takes the name of a condition, or 'not' and a name; several in a list`,
          ) ?? []
        );
      }
      const [, not = '', name = ''] = match;
      const at = text.inside(not.length);
      if (!this.#nodes.has(name))
        return this.#report(at, `there is no condition '${name}'${nearestOf(name, conditions)}`) ?? [];
      if (!conditions.includes(name))
        return this.#report(at, `'${name}' is not a condition: it has no 'when'`) ?? [];
      return [{ name, isAccepted: not === '', at }];
    });
  }

  #call(
    node: Node,
    depend: (name: string) => void,
  ): { readonly type: JsonObject; readonly input: JsonObject } {
    const input: [string, JsonObject][] = [];
    const known =
      node.job?.inputs === undefined ? undefined : [...node.job.inputs.files, ...node.job.inputs.json];
    for (const { key, keyAt, value } of node.map.entries) {
      if (RESERVED.includes(key)) {
        if (key === 'in') this.#report(keyAt, `an input is a field beside 'job', as in 'TEXT: in.TEXT'`);
        continue;
      }
      this.#origins.push({ steps: ['definition', 'nodes', node.name, 'input', key], node: value });
      const names = known?.map(({ name }) => name);
      if (names !== undefined && !names.includes(key)) {
        this.#report(keyAt, `the job has no input '${key}'${nearestOf(key, names)}`);
      }
      const connection = this.#connection(value, key, depend);
      if (connection !== undefined) input.push([key, connection]);
    }
    for (const { name, required } of known ?? []) {
      if (!required || memberOf(node.map, name) !== undefined) continue;
      this.#report(node.at, `the node '${node.name}' needs the input '${name}', as in '${name}: in.${name}'`);
    }
    return { type: this.#callType(node), input: Object.fromEntries(input) };
  }

  #callType(node: Node): JsonObject {
    if (node.kind === 'job') {
      const { name = '', version = '' } = node.job ?? {};
      this.#origins.push({ steps: ['definition', 'nodes', node.name, 'node_type'], node: node.call });
      return { node_type: 'job', job_type_name: name, job_type_version: version };
    }
    const text = textOf(this.#set, node.call, `'recipe'`);
    this.#origins.push({ steps: ['definition', 'nodes', node.name, 'node_type'], node: node.call });
    return { node_type: 'recipe', recipe_type_name: text?.value ?? '' };
  }

  /** `in.TEXT` or `node.OUTPUT`. */
  #connection(value: Located, key: string, depend: (name: string) => void): JsonObject | undefined {
    const text = textOf(this.#set, value, `the input '${key}'`);
    if (text === undefined) return undefined;
    const match = REFERENCE.exec(text.value);
    if (match === null) {
      const form = `'in.NAME' or 'node.OUTPUT'`;
      return this.#report(
        text.at,
        `the input '${key}' must be ${form}; fixed values are settings of the job`,
      );
    }
    const [, node = '', name = ''] = match;
    const reference: Reference = {
      node: node === 'in' ? undefined : node,
      name,
      aspect: 'value',
      keys: [],
      offset: 0,
    };
    const subject = this.#subject(reference);
    if (typeof subject === 'string') return this.#report(text.at, subject);
    if (node === 'in') return { type: 'recipe', input: name };
    depend(node);
    return { type: 'dependency', node, output: name };
  }

  #condition(
    node: Node,
    depend: (name: string) => void,
  ): { readonly type: JsonObject; readonly input: JsonObject } {
    for (const { key, keyAt } of node.map.entries) {
      if (key !== 'when' && key !== 'if')
        this.#report(keyAt, `a condition takes its inputs from 'when': '${key}' has no place here`);
    }
    const nothing = {
      type: { node_type: 'condition', interface: {}, data_filter: { filters: [] } },
      input: {},
    };
    const text = textOf(this.#set, node.call, `'when'`);
    if (text === undefined) return nothing;
    const condition = parseCondition(text.value);
    if ('message' in condition) {
      this.#report(text.inside(condition.offset), condition.message);
      return nothing;
    }
    const translated = translateCondition(condition, (reference) => {
      const subject = this.#subject(reference);
      return subject ?? this.#unknownType(reference);
    });
    if (!('inputs' in translated)) {
      // An empty message belongs to a wrong job, which has been reported.
      const own = translated.filter(({ message }) => message !== '');
      for (const { offset, message } of own) this.#report(text.inside(offset), message);
      return nothing;
    }
    this.#origins.push({ steps: ['definition', 'nodes', node.name, 'node_type'], node: text });
    for (const { reference } of translated.inputs) if (reference.node !== undefined) depend(reference.node);
    const input = Object.fromEntries(translated.inputs.map((one) => [one.name, connectionOf(one)]));
    const type = {
      node_type: 'condition',
      interface: translated.interface,
      data_filter: translated.dataFilter,
    };
    return { type, input };
  }

  #unknownType({ node }: Reference): string {
    const job = this.#nodes.get(node ?? '')?.job;
    if (job === undefined || job.isInFiles) return '';
    const { name, version } = job;
    return `the outputs of the job type '${name}@${version}' are not in these files: only a server knows them`;
  }

  /** What a reference names; a message if it names nothing; undefined if the job type is not known. */
  #subject({ node: nodeName, name }: Reference): Subject | string | undefined {
    if (nodeName === undefined) {
      const input = this.#inputs.find((one) => one.name === name);
      if (input !== undefined) return input;
      return `the recipe has no input '${name}'${nearestOf(
        name,
        this.#inputs.map((one) => one.name),
      )}`;
    }
    const node = this.#nodes.get(nodeName);
    if (node === undefined) {
      return `there is no node '${nodeName}'${didYouMean(nodeName, [...this.#nodes.keys(), 'in'])}`;
    }
    if (node.kind !== 'job')
      return `'${nodeName}' is a ${node.kind === 'when' ? 'condition' : 'recipe'}, which has no outputs`;
    if (node.job?.outputs === undefined) return undefined;
    const { files, json } = node.job.outputs;
    const file = files.find((one) => one.name === name);
    if (file !== undefined) return { kind: 'file', required: file.required, multiple: file.multiple };
    const value = json.find((one) => one.name === name);
    if (value !== undefined) return { kind: 'json', required: value.required, type: value.type };
    const names = [...files, ...json].map((one) => one.name);
    return `'${nodeName}' has no output '${name}'${nearestOf(name, names)}`;
  }
}

function connectionOf({ reference: { node, name } }: ConditionInput): JsonObject {
  return node === undefined ? { type: 'recipe', input: name } : { type: 'dependency', node, output: name };
}
