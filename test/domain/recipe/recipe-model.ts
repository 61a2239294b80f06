/**
 * What a recipe at rest must look like, said plainly: recursive definitions over the final fates of its jobs, without
 * order of events or memory. An independent second opinion on `advance`.
 */
import { type GraphNode, graphOf } from '../../../src/domain/recipe/recipe-graph.ts';
import type { RecipeTypeRevision } from '../../../src/domain/recipe/type-revisions.ts';

export type Fate = 'COMPLETED' | 'FAILED' | 'CANCELED';

export interface Verdicts {
  /** The fate of the job at a path (`S/A`), if it has one. */
  fate(path: string): Fate | undefined;
  accepts(path: string): boolean;
}

export class RecipeModel {
  readonly #revision: RecipeTypeRevision;
  readonly #path: string;
  readonly #verdicts: Verdicts;
  readonly #outside: RecipeModel | undefined;
  readonly #subs = new Map<string, RecipeModel>();

  constructor(revision: RecipeTypeRevision, verdicts: Verdicts, path = '', outside?: RecipeModel) {
    this.#revision = revision;
    this.#verdicts = verdicts;
    this.#path = path;
    this.#outside = outside;
    for (const [name, sub] of revision.subRecipes) {
      this.#subs.set(name, new RecipeModel(sub, verdicts, `${path}${name}/`, this));
    }
  }

  get #nodes(): readonly GraphNode[] {
    return graphOf(this.#revision).nodes;
  }

  #nodeAt(path: string): GraphNode {
    return this.#nodes.find((node) => `${this.#path}${node.name}/` === path) as GraphNode;
  }

  #parents(node: GraphNode) {
    return node.parents.map(({ index, acceptance }) => ({
      parent: this.#nodes[index] as GraphNode,
      acceptance,
    }));
  }

  #allows(parent: GraphNode, acceptance: boolean): boolean {
    if (parent.kind !== 'condition') return this.exists(parent);
    return this.isDone(parent) && this.#verdicts.accepts(this.#path + parent.name) === acceptance;
  }

  exists(node: GraphNode): boolean {
    return this.#parents(node).every(({ parent, acceptance }) => this.#allows(parent, acceptance));
  }

  isReady(node: GraphNode): boolean {
    const all = this.#parents(node).every(
      ({ parent, acceptance }) => this.#allows(parent, acceptance) && this.isDone(parent),
    );
    return all && this.hasInput;
  }

  get hasInput(): boolean {
    if (this.#outside === undefined) return true;
    const own = this.#outside.#nodeAt(this.#path);
    return this.#outside.exists(own) && this.#outside.isReady(own);
  }

  isDone(node: GraphNode): boolean {
    if (node.kind === 'job') return this.#verdicts.fate(this.#path + node.name) === 'COMPLETED';
    if (node.kind === 'condition') return this.exists(node) && this.isReady(node);
    return this.sub(node.name).isComplete;
  }

  sub(name: string): RecipeModel {
    return this.#subs.get(name) as RecipeModel;
  }

  get isComplete(): boolean {
    return this.hasInput && this.#nodes.every((node) => !this.exists(node) || this.isDone(node));
  }

  /** Whether something before the node is in trouble. */
  isBlocked(node: GraphNode): boolean {
    return this.#isBlockedOutside || this.#parents(node).some(({ parent }) => this.#isTrouble(parent));
  }

  get #isBlockedOutside(): boolean {
    if (this.#outside === undefined) return false;
    return this.#outside.isBlocked(this.#outside.#nodeAt(this.#path));
  }

  #isTrouble(node: GraphNode): boolean {
    if (this.isBlocked(node)) return true;
    if (node.kind === 'job') {
      const fate = this.#verdicts.fate(this.#path + node.name);
      return fate === 'FAILED' || fate === 'CANCELED';
    }
    return node.kind === 'recipe' && this.sub(node.name).#hasTrouble;
  }

  get #hasTrouble(): boolean {
    return this.#nodes.some((node) => {
      if (!this.exists(node)) return false;
      if (node.kind === 'recipe') return this.sub(node.name).#hasTrouble;
      return node.kind === 'job' && ['BLOCKED', 'FAILED', 'CANCELED'].includes(this.job(node));
    });
  }

  /** A job's status at rest. */
  job(node: GraphNode): string {
    const fate = this.#verdicts.fate(this.#path + node.name);
    if (fate !== undefined) return fate;
    if (this.isReady(node)) return 'must have run';
    return this.isBlocked(node) ? 'BLOCKED' : 'PENDING';
  }

  /** The status of every node below here by path. */
  describe(): Map<string, string> {
    const all = new Map<string, string>();
    for (const node of this.#nodes) {
      const path = this.#path + node.name;
      if (!this.exists(node)) all.set(path, 'absent');
      else if (node.kind === 'job') all.set(path, this.job(node));
      else if (node.kind === 'recipe') {
        all.set(path, this.isDone(node) ? 'complete' : 'open');
        for (const [below, status] of this.sub(node.name).describe()) all.set(below, status);
      } else {
        const verdict = this.#verdicts.accepts(path) ? 'accepted' : 'refused';
        all.set(path, this.isDone(node) ? verdict : 'unprocessed');
      }
    }
    return all;
  }
}
