/**
 * Evaluation of a recipe tree: which nodes are created, get their input, are blocked or released, which conditions are
 * evaluated, and which recipes are complete. It runs for recipes in which something changed.
 *
 * - A node is created when all its parents exist or are created with it; a node that depends on a condition only if
 *   the condition is processed and its result is the dependency's acceptance. A node that is never created counts as
 *   complete.
 * - A node gets its input when all its parents are complete and its recipe has its own input.
 * - Nodes that depend on a failed or canceled job, or on a sub-recipe with such jobs, are BLOCKED, inside sub-recipes
 *   as well.
 * - If its input can't be made, a job fails (`invalid-input`), a condition refuses, and the first jobs of a
 *   sub-recipe fail.
 */
import { assert, unreachable } from '../../lib/assert.ts';
import type { DataFilter } from '../filter/filter.ts';
import { evaluateFilter, type FileFacts, type FilterData } from '../filter/filter-evaluate.ts';
import { areLight, LIGHT_OF_MANY_MAX } from '../filter/filter-weight.ts';
import type { DataDocument } from '../job/job.ts';
import { isWaiting } from '../job/job-machine.ts';
import { INVALID_INPUT } from '../job/retry.ts';
import { type NodeInput, resolveInput } from './node-input.ts';
import {
  ABSENT,
  type NodeState,
  type Readiness,
  readinessOf,
  stateOfCondition,
  stateOfJob,
  stateOfRecipe,
} from './node-state.ts';
import type { RecipeState } from './recipe.ts';
import { type GraphNode, graphOf } from './recipe-graph.ts';
import {
  addNode,
  createJob,
  createSubRecipe,
  feedSubRecipe,
  knownAs,
  type NodeOf,
  type NodeStateOf,
} from './recipe-nodes.ts';
import type { TreeChanges } from './tree-changes.ts';

/** What a recipe gets from the recipes that contain it. */
interface Inherited {
  readonly isBlocked: boolean;
  /** Why its input can't be made; null if it has it or waits for it. */
  readonly problem: string | null;
}

/** Evaluates the dirty recipes, and the recipes that contain them if a change affects those. */
export function advance(turn: TreeChanges): void {
  const { tree, progress } = turn;
  const root = tree.recipes.get(tree.rootId);
  assert(root !== undefined, `the tree ${tree.rootId} has no root`);
  if (!progress.blockedOutside.has(root.id)) {
    // The first evaluation since loading covers the whole tree, so that it also finds work whose wake-up was lost.
    progress.blockedOutside.set(root.id, false);
    evaluate(turn, root, { isBlocked: false, problem: null });
    turn.dirty.clear();
    return;
  }
  const depths: Set<number>[] = [];
  const mark = (recipe: RecipeState): void => {
    const depth = depthOf(turn, recipe);
    depths[depth] ??= new Set();
    depths[depth]?.add(recipe.id);
  };
  for (const id of turn.dirty) mark(recipeOf(turn, id));
  for (let depth = depths.length - 1; depth > 0; depth -= 1) {
    for (const id of depths[depth] ?? []) {
      const recipe = recipeOf(turn, id);
      const isBlocked = progress.blockedOutside.get(id) === true;
      evaluate(turn, recipe, { isBlocked, problem: progress.problems.get(id) ?? null });
      if (recipe.parentId !== null && hasNewView(turn, recipe)) mark(recipeOf(turn, recipe.parentId));
    }
  }
  turn.dirty.clear();
}

function recipeOf(turn: TreeChanges, id: number): RecipeState {
  const recipe = turn.tree.recipes.get(id);
  assert(recipe !== undefined, `recipe ${id} is not in the tree ${turn.tree.rootId}`);
  return recipe;
}

/** 1 for the root. Only containing recipes that are not superseded count. */
function depthOf(turn: TreeChanges, recipe: RecipeState): number {
  let depth = 1;
  for (let at = recipe; at.parentId !== null; at = recipeOf(turn, at.parentId)) depth += 1;
  return depth;
}

/** Whether the recipe's state has changed since the containing recipe was evaluated. */
function hasNewView(turn: TreeChanges, recipe: RecipeState): boolean {
  const seen = turn.progress.seen.get(recipe.id);
  return seen?.isCompleted !== recipe.isCompleted || seen.isTroubled !== turn.isTroubled(recipe);
}

function evaluate(turn: TreeChanges, recipe: RecipeState, outside: Inherited): void {
  if (recipe.isCompleted || recipe.isSuperseded) return;
  const nodeStates: NodeState[] = [];
  const hasInput = recipe.input !== null || outside.problem !== null;
  let isDone = hasInput;
  for (const node of graphOf(recipe.revision).nodes) {
    const readiness = readinessOf(node, nodeStates, { isBlocked: outside.isBlocked, hasInput });
    const resolve = (): NodeInput => {
      if (outside.problem === null) return resolveInput(node, recipe, turn.tree);
      return { ok: false, data: { files: {}, json: {} }, problem: outside.problem };
    };
    const nodeState = evaluateNode(turn, recipe, node, readiness, resolve);
    nodeStates.push(nodeState);
    if (!nodeState.isDone) isDone = false;
  }
  if (!isDone) return;
  recipe.isCompleted = true;
  turn.recipeEnds.push({ recipeId: recipe.id, ancestorIds: recipe.recipeIds.slice(1), atMs: turn.nowMs });
}

function evaluateNode(
  turn: TreeChanges,
  recipe: RecipeState,
  node: GraphNode,
  readiness: Readiness,
  resolve: () => NodeInput,
): NodeState {
  if (!recipe.nodes.has(node.name) && !readiness.isOpen) return ABSENT;
  switch (node.kind) {
    case 'job':
      return evaluateJob(turn, recipe, node, readiness, resolve);
    case 'recipe':
      return evaluateSubRecipe(turn, recipe, node, readiness, resolve);
    case 'condition':
      return evaluateCondition(turn, recipe, node, readiness, resolve);
    default:
      return unreachable(node);
  }
}

function evaluateJob(
  turn: TreeChanges,
  recipe: RecipeState,
  node: NodeOf<'job'>,
  readiness: Readiness,
  resolve: () => NodeInput,
): NodeState {
  const known = knownAs(recipe, node.name, 'job');
  const input = readiness.isReady ? resolve : null;
  const job =
    known === undefined
      ? createJob(turn, recipe, node, readiness.isBlocked, input?.())
      : turn.tree.jobs.get(known.jobId);
  assert(job !== undefined, `the job of node '${node.name}' is not in the tree`);
  if (isWaiting(job.status)) {
    const resolved = input?.();
    if (resolved === undefined) turn.apply(job, { type: 'blocked', isBlocked: readiness.isBlocked });
    else if (resolved.ok) turn.apply(job, { type: 'inputReady' }, { input: resolved.data });
    else {
      const error = { ...INVALID_INPUT, detail: `its input cannot be made: ${resolved.problem}` };
      turn.apply(job, { type: 'inputInvalid' }, { error });
    }
  }
  return stateOfJob(job, readiness);
}

function evaluateCondition(
  turn: TreeChanges,
  recipe: RecipeState,
  node: NodeOf<'condition'>,
  readiness: Readiness,
  resolve: () => NodeInput,
): NodeState {
  let state = knownAs(recipe, node.name, 'condition');
  if (state === undefined) {
    const conditionId = turn.newId('recipe_condition');
    state = {
      kind: 'condition',
      conditionId,
      isOriginal: true,
      isProcessed: false,
      isAccepted: false,
      data: null,
    };
    turn.conditions.push({ id: conditionId, recipeId: recipe.id, nodeName: node.name, atMs: turn.nowMs });
    addNode(turn, recipe, node.name, state);
  }
  const { evaluating } = turn.progress;
  if (!state.isProcessed && readiness.isReady && !evaluating.has(state.conditionId)) {
    const input = resolve();
    const { conditionId } = state;
    if (!input.ok)
      processCondition(turn, state, { isAccepted: false, data: input.data, reason: input.problem });
    else if (!evaluateHere(turn, state, node.filter, input.data)) {
      const ask = {
        conditionId,
        recipeId: recipe.id,
        node: node.name,
        filter: node.filter,
        data: input.data,
      };
      evaluating.set(conditionId, ask);
      turn.asks.push(ask);
    }
  }
  return stateOfCondition(state, readiness);
}

/**
 * Evaluates a condition that is cheap and needs no reads, so that its consequences can be part of this very turn.
 * Returns false if it has to be evaluated by a call. Without this, one in ten commits of recipes with such conditions
 * saved only the result of a condition, and the recipe of each arriving file was written twice and read between.
 */
function evaluateHere(
  turn: TreeChanges,
  state: NodeStateOf<'condition'>,
  filter: DataFilter,
  data: DataDocument,
): boolean {
  const files = factsOf(data, turn.newFiles);
  if (files === undefined) return false;
  const values = { files, json: data.json as FilterData['json'] };
  const most = turn.newFiles.size > 0 ? LIGHT_OF_MANY_MAX : undefined;
  if (!areLight([{ filter, data: values }], most)) return false;
  const verdict = evaluateFilter(filter, values);
  const reason = verdict.isAccepted ? null : verdict.reasons.join('; ');
  processCondition(turn, state, { isAccepted: verdict.isAccepted, data, reason });
  return true;
}

/** By parameter; undefined if the facts of a file have to be read. */
function factsOf(data: DataDocument, known: TreeChanges['newFiles']): FilterData['files'] | undefined {
  const parameters: [string, FileFacts[]][] = [];
  for (const [name, ids] of Object.entries(data.files)) {
    const files = ids.flatMap((id) => known.get(id) ?? []);
    if (files.length < ids.length) return undefined;
    parameters.push([name, files]);
  }
  return Object.fromEntries(parameters);
}

/** A condition has been evaluated, or can't be. */
export function processCondition(
  turn: TreeChanges,
  state: NodeStateOf<'condition'>,
  outcome: Pick<(typeof turn.outcomes)[number], 'isAccepted' | 'data' | 'reason'>,
): void {
  state.isProcessed = true;
  state.isAccepted = outcome.isAccepted;
  state.data = outcome.data;
  turn.outcomes.push({ conditionId: state.conditionId, ...outcome, atMs: turn.nowMs });
}

function evaluateSubRecipe(
  turn: TreeChanges,
  recipe: RecipeState,
  node: NodeOf<'recipe'>,
  readiness: Readiness,
  resolve: () => NodeInput,
): NodeState {
  const { blockedOutside, seen, problems } = turn.progress;
  const known = knownAs(recipe, node.name, 'recipe');
  const sub =
    known === undefined
      ? createSubRecipe(turn, recipe, node.name, node.revision)
      : recipeOf(turn, known.recipeId);
  const input = readiness.isReady && sub.input === null ? resolve() : undefined;
  if (input?.ok === true) feedSubRecipe(turn, sub, input);
  if (input?.ok === false) problems.set(sub.id, input.problem);
  if (input !== undefined || blockedOutside.get(sub.id) !== readiness.isBlocked) {
    blockedOutside.set(sub.id, readiness.isBlocked);
    evaluate(turn, sub, { isBlocked: readiness.isBlocked, problem: problems.get(sub.id) ?? null });
  }
  const isTroubled = turn.isTroubled(sub);
  seen.set(sub.id, { isCompleted: sub.isCompleted, isTroubled });
  return stateOfRecipe(sub, isTroubled, readiness);
}
