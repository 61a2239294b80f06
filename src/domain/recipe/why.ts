/**
 * Explains why the nodes of a recipe are not done, by the states and readiness that `advance` decides by. Queued,
 * running and failed work is named by its job, whose own causes explain the rest.
 */
import { type Cause, cause, readRecipe, requeueOf, type Subject, subject } from '../cause.ts';
import { isWaiting } from '../job/job-machine.ts';
import {
  ABSENT,
  type NodeState,
  type Outside,
  passes,
  type Readiness,
  readinessOf,
  stateOfCondition,
  stateOfJob,
  stateOfRecipe,
} from './node-state.ts';
import type { RecipeState, RecipeTree } from './recipe.ts';
import { type GraphNode, graphOf } from './recipe-graph.ts';
import { TreeProgress } from './tree-changes.ts';

/** A node that is not done or will never be created, with its causes. */
export interface HeldNode {
  readonly recipeId: number;
  readonly node: string;
  /** The node's job; if it is not waiting any more, its own causes explain the node. */
  readonly jobId: number | null;
  readonly causes: readonly Cause[];
}

/** By condition id: why the condition was not accepted, and when it was decided. */
export type ConditionNotes = ReadonlyMap<
  number,
  { readonly reason: string | null; readonly processedMs: number | null }
>;

// limit: nodes named by one cause.
const NAMED_MAX = 5;

/** The nodes of the recipe, and of all recipes below it, that are not done, in processing order. */
export function heldNodes(tree: RecipeTree, recipeId: number, notes: ConditionNotes): readonly HeldNode[] {
  const root = tree.recipes.get(tree.rootId);
  if (root === undefined) return [];
  const walk = new Walk(tree, notes);
  walk.visit(root, { isBlocked: false, hasInput: root.input !== null });
  return walk.held.filter((held) => tree.recipes.get(held.recipeId)?.recipeIds.includes(recipeId) === true);
}

class Walk {
  readonly held: HeldNode[] = [];
  readonly #tree: RecipeTree;
  readonly #notes: ConditionNotes;
  readonly #progress: TreeProgress;

  constructor(tree: RecipeTree, notes: ConditionNotes) {
    this.#tree = tree;
    this.#notes = notes;
    this.#progress = new TreeProgress(tree);
  }

  visit(recipe: RecipeState, outside: Outside): void {
    const { nodes } = graphOf(recipe.revision);
    const nodeStates: NodeState[] = [];
    for (const node of nodes) {
      const readiness = readinessOf(node, nodeStates, outside);
      nodeStates.push(this.#nodeState(recipe, node, readiness));
      const held = { recipe, nodes, node, nodeStates, readiness, outside };
      const state = recipe.nodes.get(node.name);
      if (state === undefined) this.#explainAbsent(held);
      else if (state.kind === 'job') this.#explainJob(held, state.jobId);
      else if (state.kind === 'condition') this.#explainCondition(held, state.isProcessed);
      else this.#explainRecipe(held, state.recipeId);
    }
  }

  #nodeState(recipe: RecipeState, node: GraphNode, readiness: Readiness): NodeState {
    const state = recipe.nodes.get(node.name);
    if (state === undefined) return ABSENT;
    if (state.kind === 'condition') return stateOfCondition(state, readiness);
    if (state.kind === 'job') {
      const job = this.#tree.jobs.get(state.jobId);
      return job === undefined ? ABSENT : stateOfJob(job, readiness);
    }
    const sub = this.#tree.recipes.get(state.recipeId);
    if (sub === undefined) return ABSENT;
    return stateOfRecipe(sub, (this.#progress.troubles.get(sub.id) ?? 0) > 0, readiness);
  }

  #explainAbsent(held: Held): void {
    if (held.readiness.isOpen) {
      this.#tell(held, null, [cause('node-due', { reason: 'it is made with the next step of its recipe' })]);
      return;
    }
    this.#tell(held, null, this.#closedBy(held));
  }

  #explainJob(held: Held, jobId: number): void {
    const job = this.#tree.jobs.get(jobId);
    if (job === undefined || job.status === 'COMPLETED') return;
    if (isWaiting(job.status)) this.#tell(held, jobId, this.#waitsFor(held));
    else this.#tell(held, jobId, []);
  }

  #explainCondition(held: Held, isProcessed: boolean): void {
    if (isProcessed) return;
    const causes = held.readiness.isReady
      ? [cause('condition-open', { reason: 'its condition is being evaluated' })]
      : this.#waitsFor(held);
    this.#tell(held, null, causes);
  }

  #explainRecipe(held: Held, recipeId: number): void {
    const sub = this.#tree.recipes.get(recipeId);
    if (sub === undefined || sub.isCompleted) return;
    if (sub.input === null) this.#tell(held, null, this.#waitsFor(held));
    this.visit(sub, { isBlocked: held.readiness.isBlocked, hasInput: sub.input !== null });
  }

  #tell({ recipe, node }: Held, jobId: number | null, causes: readonly Cause[]): void {
    const at = subject('recipe_node', null, node.name);
    const located = causes.map((one) => ({ ...one, subjects: [at, ...one.subjects] }));
    this.held.push({ recipeId: recipe.id, node: node.name, jobId, causes: located });
  }

  /** Why the node is not created: conditions with another verdict or none yet, or parents that were not created. */
  #closedBy({ recipe, nodes, node, nodeStates }: Held): readonly Cause[] {
    return node.parents.flatMap(({ index, acceptance }) => {
      const [parent, nodeState] = [nodes[index], nodeStates[index]];
      if (parent === undefined || nodeState === undefined) return [];
      if (nodeState.exists && passes(nodeState, acceptance)) return [];
      const state = recipe.nodes.get(parent.name);
      if (state?.kind !== 'condition') {
        const reason = `node '${parent.name}' before it is not made`;
        return [cause('parent-absent', { reason, subjects: [subject('recipe_node', null, parent.name)] })];
      }
      const subjects = [subject('condition', state.conditionId, parent.name)];
      if (!state.isProcessed) {
        const reason = `its condition '${parent.name}' is not evaluated yet`;
        return [cause('condition-open', { reason, subjects })];
      }
      return [refusedBy(parent.name, acceptance, this.#notes.get(state.conditionId), subjects)];
    });
  }

  /** What an existing node without input waits for. */
  #waitsFor(held: Held): readonly Cause[] {
    const { readiness, outside } = held;
    if (readiness.isBlocked) {
      const troubles = this.#troublesBefore(held);
      const own = troubles.length === 0 ? [] : [blockedBy(troubles)];
      return outside.isBlocked ? [...own, blockedOutside(held.recipe)] : own;
    }
    const open = held.node.parents.flatMap(({ index }) => {
      const [parent, nodeState] = [held.nodes[index], held.nodeStates[index]];
      return parent === undefined || nodeState?.isDone === true ? [] : [this.#named(held.recipe, parent)];
    });
    if (open.length > 0) {
      const reason = `it waits for ${textOf(open)}`;
      return [cause('waits-for-parents', { reason, subjects: open.slice(0, NAMED_MAX).map(subjectOf) })];
    }
    if (outside.hasInput)
      return [cause('node-due', { reason: 'it gets its input with the next step of its recipe' })];
    return [cause('recipe-without-input', { reason: 'its recipe waits for its input' })];
  }

  /** Nodes before this one, in its recipe, that failed or were canceled or have such jobs. */
  #troublesBefore({ recipe, nodes, node }: Held): readonly Named[] {
    const before = new Set(node.parents.map(({ index }) => index));
    for (const index of before) for (const parent of nodes[index]?.parents ?? []) before.add(parent.index);
    return [...before]
      .sort((one, other) => one - other)
      .flatMap((index) => {
        const parent = nodes[index];
        const state = parent && recipe.nodes.get(parent.name);
        if (parent === undefined || state === undefined || state.kind === 'condition') return [];
        const isOwn =
          state.kind === 'job'
            ? isStuck(this.#tree.jobs.get(state.jobId)?.status)
            : (this.#progress.troubles.get(state.recipeId) ?? 0) > 0;
        return isOwn ? [this.#named(recipe, parent)] : [];
      });
  }

  #named(recipe: RecipeState, node: GraphNode): Named {
    const state = recipe.nodes.get(node.name);
    if (state?.kind === 'job') {
      const status = this.#tree.jobs.get(state.jobId)?.status ?? 'PENDING';
      return { node: node.name, text: `job ${state.jobId}, ${status}`, kind: 'job', id: state.jobId };
    }
    if (state?.kind === 'recipe')
      return { node: node.name, text: `recipe ${state.recipeId}`, kind: 'recipe', id: state.recipeId };
    return { node: node.name, text: 'condition', kind: 'condition', id: state?.conditionId ?? null };
  }
}

interface Held {
  readonly recipe: RecipeState;
  readonly nodes: readonly GraphNode[];
  readonly node: GraphNode;
  readonly nodeStates: readonly NodeState[];
  readonly readiness: Readiness;
  readonly outside: Outside;
}

interface Named {
  readonly node: string;
  readonly text: string;
  readonly kind: 'job' | 'recipe' | 'condition';
  readonly id: number | null;
}

function subjectOf({ kind, id, node }: Named): Subject {
  return subject(kind, id, node);
}

function textOf(named: readonly Named[]): string {
  const shown = named.slice(0, NAMED_MAX).map(({ node, text }) => `node '${node}' (${text})`);
  const more = named.length > NAMED_MAX ? ` and ${named.length - NAMED_MAX} more` : '';
  return `${shown.join(', ')}${more}`;
}

function isStuck(status: string | undefined): boolean {
  return status === 'FAILED' || status === 'CANCELED';
}

function blockedBy(troubles: readonly Named[]): Cause {
  const jobIds = troubles.flatMap(({ kind, id }) => (kind === 'job' && id !== null ? [id] : []));
  return cause('blocked-by-parent', {
    reason: `it waits for what did not complete: ${textOf(troubles)}`,
    subjects: troubles.slice(0, NAMED_MAX).map(subjectOf),
    help: 'Queue these jobs again, or reprocess the recipe.',
    // Many nodes may wait for the same many jobs.
    ...(jobIds.length > 0 && jobIds.length <= NAMED_MAX ? { action: requeueOf(jobIds) } : {}),
  });
}

function blockedOutside({ parentId, parentNode }: RecipeState): Cause {
  return cause('blocked-from-outside', {
    reason: `a node before its recipe, in the recipe ${parentId} that contains it, did not complete`,
    subjects: [subject('recipe', parentId, parentNode)],
    help: 'The causes of that recipe say the rest.',
    ...(parentId === null ? {} : { action: readRecipe(parentId) }),
  });
}

function refusedBy(
  name: string,
  acceptance: boolean,
  note: { readonly reason: string | null; readonly processedMs: number | null } | undefined,
  subjects: readonly Subject[],
): Cause {
  if (!acceptance) {
    const reason = `the condition '${name}' accepted, and this node is for what it refuses`;
    return cause('condition-accepted', { reason, sinceMs: note?.processedMs, subjects });
  }
  const values = note?.reason ? `: ${note.reason}` : '';
  return cause('condition-refused', {
    reason: `the condition '${name}' did not accept${values}`,
    sinceMs: note?.processedMs,
    subjects,
    help: 'If this is intended, do nothing. Otherwise change the filter in the recipe type, and reprocess.',
  });
}
