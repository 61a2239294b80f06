/**
 * What a recipe comes to, said plainly: one thread, no messages, everything looked at again after every event until
 * nothing changes. Written from the user documentation; shares no code with the decisions.
 */
import type { ForcedNodes } from '../../../../src/domain/recipe/forced-nodes.ts';
import { type ModelData, type ModelJob, type ModelNode, type ModelRecipe, newNode } from './model-nodes.ts';
import { reprocessed } from './model-reprocess.ts';
import type { ConditionSpec, NodeOfType, TypeSpec } from './specs.ts';

export interface Ended {
  readonly outcome: 'ok' | 'lost' | 'bad';
  readonly output: ModelData;
}

const LIVE = ['QUEUED', 'RUNNING'];
const WAITING = ['PENDING', 'BLOCKED'];
const TROUBLE = ['FAILED', 'CANCELED', 'BLOCKED'];

export class TortureModel {
  root: ModelRecipe;
  #isChanged = false;

  constructor(type: TypeSpec, input: ModelData) {
    this.root = { kind: 'recipe', type, nodes: new Map(), input, isComplete: false };
    this.settle();
  }

  /** Every job by its path, such as `S2/J0`. */
  jobs(recipe = this.root, path = ''): Map<string, ModelJob> {
    const all = new Map<string, ModelJob>();
    for (const [name, node] of recipe.nodes) {
      if (node.kind === 'job') all.set(path + name, node);
      if (node.kind === 'recipe')
        for (const [below, job] of this.jobs(node, `${path}${name}/`)) all.set(below, job);
    }
    return all;
  }

  #job(path: string): ModelJob {
    return this.jobs().get(path) as ModelJob;
  }

  place(path: string): ModelJob {
    const job = this.#job(path);
    job.status = 'RUNNING';
    return job;
  }

  /** A new recipe takes the root's place. False: nothing would change. */
  reprocess(type: TypeSpec, forced: ForcedNodes): boolean {
    const next = reprocessed(this.root, type, forced);
    if (next === undefined) return false;
    this.root = next;
    this.settle();
    return true;
  }

  end(job: ModelJob, exeNum: number, { outcome, output }: Ended): void {
    if (!LIVE.includes(job.status) || job.exeNum !== exeNum) return;
    if (outcome === 'ok') Object.assign(job, { status: 'COMPLETED', output });
    else if (outcome === 'lost' && exeNum < job.maxTries)
      Object.assign(job, { status: 'QUEUED', exeNum: exeNum + 1 });
    else job.status = 'FAILED';
    this.settle();
  }

  cancel(paths: readonly string[]): void {
    for (const path of paths) {
      const job = this.#job(path);
      if (job.status !== 'COMPLETED') job.status = 'CANCELED';
    }
    this.settle();
  }

  requeue(paths: readonly string[]): void {
    for (const path of paths) {
      const job = this.#job(path);
      if (job.status === 'COMPLETED' || WAITING.includes(job.status)) continue;
      if (job.exeNum === 0 && job.status === 'CANCELED') job.status = 'PENDING';
      if (job.exeNum === 0) continue;
      const triesOfType = this.#specOf(path).maxTries;
      Object.assign(job, { status: 'QUEUED', maxTries: job.exeNum + triesOfType, exeNum: job.exeNum + 1 });
    }
    this.settle();
  }

  #specOf(path: string): NodeOfType {
    const names = path.split('/');
    let type = this.root.type;
    for (const name of names.slice(0, -1)) type = specIn(type, name).sub as TypeSpec;
    return specIn(type, names.at(-1) as string);
  }

  settle(): void {
    do {
      this.#isChanged = false;
      this.#look(this.root, false, false);
    } while (this.#isChanged);
  }

  /** `isHopeless`: its input cannot be made. */
  #look(recipe: ModelRecipe, isBlockedOutside: boolean, isHopeless: boolean): void {
    if (recipe.isComplete) return;
    const blocking = new Map<string, boolean>();
    const hasInput = recipe.input !== null || isHopeless;
    for (const spec of recipe.type.nodes) {
      const parents = spec.parents.map(({ name, acceptance }) => ({
        node: recipe.nodes.get(name),
        isBlocking: blocking.get(name) === true,
        acceptance,
      }));
      const isOpen = parents.every(({ node, acceptance }) => {
        if (node?.kind !== 'condition') return node !== undefined;
        return node.isProcessed && node.isAccepted === acceptance;
      });
      if (!recipe.nodes.has(spec.name)) {
        if (!isOpen) continue;
        recipe.nodes.set(spec.name, newNode(spec));
        this.#isChanged = true;
      }
      const isReady = hasInput && isOpen && parents.every(({ node }) => isDone(node as ModelNode));
      const isBlocked = isBlockedOutside || parents.some((parent) => parent.isBlocking);
      const node = recipe.nodes.get(spec.name) as ModelNode;
      const given = isReady && !isHopeless ? inputOf(spec, recipe) : null;
      this.#lookAt(node, spec, { isReady, isBlocked, isHopeless, given });
      blocking.set(spec.name, isBlocked || isTrouble(node));
    }
    if (hasInput && [...recipe.nodes.values()].every(isDone)) {
      recipe.isComplete = true;
      this.#isChanged = true;
    }
  }

  #lookAt(
    node: ModelNode,
    spec: NodeOfType,
    gate: { isReady: boolean; isBlocked: boolean; isHopeless: boolean; given: Given | null },
  ): void {
    const { isReady, isBlocked, given } = gate;
    if (node.kind === 'recipe') {
      if (given?.isValid === true && node.input === null) {
        node.input = given.data;
        this.#isChanged = true;
      }
      const isHopeless = isReady && node.input === null;
      this.#look(node, isBlocked, isHopeless);
      return;
    }
    const before = JSON.stringify(node);
    if (node.kind === 'condition' && isReady && !node.isProcessed) {
      const data = given?.data ?? { files: {}, json: {} };
      const isAccepted = given?.isValid === true && passes(spec.filter as ConditionSpec, data);
      Object.assign(node, { isProcessed: true, isAccepted, data });
    }
    if (node.kind === 'job' && WAITING.includes(node.status)) {
      if (!isReady) node.status = isBlocked ? 'BLOCKED' : 'PENDING';
      else if (given?.isValid === true)
        Object.assign(node, { status: 'QUEUED', exeNum: node.exeNum + 1, input: given.data });
      else node.status = 'FAILED';
    }
    if (JSON.stringify(node) !== before) this.#isChanged = true;
  }
}

function specIn(type: TypeSpec, name: string): NodeOfType {
  return type.nodes.find((node) => node.name === name) as NodeOfType;
}

function isDone(node: ModelNode): boolean {
  if (node.kind === 'job') return node.status === 'COMPLETED';
  return node.kind === 'condition' ? node.isProcessed : node.isComplete;
}

/** Whether what comes after it cannot continue for now. */
function isTrouble(node: ModelNode): boolean {
  if (node.kind === 'job') return node.status === 'FAILED' || node.status === 'CANCELED';
  return node.kind === 'recipe' && hasTrouble(node);
}

function hasTrouble(recipe: ModelRecipe): boolean {
  return [...recipe.nodes.values()].some((node) =>
    node.kind === 'recipe' ? hasTrouble(node) : node.kind === 'job' && TROUBLE.includes(node.status),
  );
}

interface Given {
  readonly data: ModelData;
  readonly isValid: boolean;
}

const NUMERIC = ['N', 'V', 'NUM'];

function inputOf(spec: NodeOfType, recipe: ModelRecipe): Given {
  const data: ModelData = { files: {}, json: {} };
  for (const [name, source] of Object.entries(spec.input)) {
    const [from = '', output = ''] = source.startsWith('@') ? ['', source.slice(1)] : source.split('.');
    const node = recipe.nodes.get(from);
    const given = from === '' ? recipe.input : node?.kind === 'job' ? node.output : dataOf(node);
    const files = given?.files[output];
    const number = given?.json[output];
    if (NUMERIC.includes(name) && number !== undefined) data.json[name] = number;
    if (!NUMERIC.includes(name) && files !== undefined) data.files[name] = files;
  }
  const has = (name: string) => name in data.files || name in data.json;
  const required = spec.sub?.requiresSource === true ? ['SRC'] : spec.required;
  const isSingle = spec.kind !== 'job' || (data.files.IN ?? []).length < 2;
  return { data, isValid: isSingle && required.every(has) };
}

function dataOf(node: ModelNode | undefined): ModelData | null {
  return node?.kind === 'condition' ? node.data : null;
}

function passes({ on, condition, value, allFiles }: ConditionSpec, data: ModelData): boolean {
  if (on === 'X') {
    const names = (data.files.X ?? []).map((file) => file.slice(file.lastIndexOf('/') + 1));
    const verdicts = names.map((name) => name.includes(value as string));
    return names.length > 0 && (allFiles ? !verdicts.includes(false) : verdicts.includes(true));
  }
  const incoming = data.json.V;
  if (incoming === undefined) return false;
  if (condition === '<') return (value as number) < incoming;
  return condition === '>=' ? (value as number) >= incoming : value !== incoming;
}

/** All there is to see of it, by path, in the order of the paths. */
export function describeModel(recipe: ModelRecipe, path = ''): string[] {
  const lines = [`${path}: ${recipe.isComplete ? 'complete' : 'open'}`];
  for (const [name, node] of recipe.nodes) {
    const at = path + name;
    if (node.kind === 'recipe') lines.push(...describeModel(node, `${at}/`));
    else if (node.kind === 'job') lines.push(jobLine(at, node));
    else
      lines.push(
        conditionLine(at, node.isProcessed ? (node.isAccepted ? 'accepted' : 'refused') : 'open', node.data),
      );
  }
  return path === '' ? lines.sort() : lines;
}

export function jobLine(
  path: string,
  job: Pick<ModelJob, 'status' | 'exeNum' | 'maxTries' | 'input' | 'output'>,
): string {
  // The scheduler moves QUEUED to RUNNING: memory and rows may say either.
  const status = job.status === 'RUNNING' ? 'QUEUED' : job.status;
  return `${path}: ${status} ${job.exeNum}/${job.maxTries} ${dataText(job.input)} -> ${dataText(job.output)}`;
}

export function conditionLine(path: string, verdict: string, data: ModelData | null): string {
  return `${path}: ${verdict} ${dataText(data)}`;
}

function dataText(data: ModelData | null): string {
  if (data === null) return '-';
  const entries = [...Object.entries(data.files), ...Object.entries(data.json)];
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
