/**
 * Evaluation of a recipe tree: which nodes come into being, get their input, are blocked or released, which
 * conditions are to be evaluated, and which recipes are complete. Run for recipes in which something changed.
 *
 * - A node is created when all its parents are there or come with it; behind a condition when the condition is
 *   processed and its verdict is the dependency's acceptance. A node that is never created counts as complete.
 * - A node gets its input when all its parents are complete and its recipe has its own input.
 * - What lies behind a failed or canceled job, or a sub-recipe with such jobs, is BLOCKED: inside sub-recipes, too.
 * - Input that can't be made fails a job (`invalid-input`), refuses a condition, and fails so what begins a sub-recipe.
 */
import { assert, unreachable } from '../../lib/assert.ts';
import type { JobState, NewJob } from '../job/job.ts';
import type { JobConfigurationPart } from '../job/job-config.ts';
import { withRecipeConfiguration } from '../job/job-config.ts';
import { isWaiting } from '../job/job-machine.ts';
import { configurationOf, jobInputOf, manifestOf } from '../job/queueing.ts';
import { INVALID_INPUT } from '../job/retry.ts';
import { type NodeInput, resolveInput } from './node-input.ts';
import type { RecipeNodeState, RecipeState } from './recipe.ts';
import { type GraphNode, graphOf } from './recipe-graph.ts';
import type { TreeChanges } from './tree-changes.ts';

/** What a recipe has from those that contain it. */
interface Outside {
  readonly isBlocked: boolean;
  /** Why its input can't be made; null when it has it or waits for it. */
  readonly problem: string | null;
}

/** What a node is to its children. */
interface Standing {
  readonly exists: boolean;
  readonly isBlocking: boolean;
  readonly isDone: boolean;
  /** Of a processed condition; null for everything else. */
  readonly verdict: boolean | null;
}

/** What the parents of a node allow. */
interface Gate {
  readonly isBlocked: boolean;
  readonly isOpen: boolean;
  readonly isReady: boolean;
}

const ABSENT: Standing = { exists: false, isBlocking: false, isDone: true, verdict: null };

type NodeOf<Kind extends GraphNode['kind']> = Extract<GraphNode, { readonly kind: Kind }>;

/** Evaluates the dirty recipes and, where that changes what those that contain them see, these as well. */
export function advance(turn: TreeChanges): void {
  const { tree, progress } = turn;
  const root = tree.recipes.get(tree.rootId);
  assert(root !== undefined, `the tree ${tree.rootId} has no root`);
  if (!progress.blockedOutside.has(root.id)) {
    // First since loading: everything is looked at, which also finds what a lost wake-up would have said.
    progress.blockedOutside.set(root.id, false);
    evaluate(turn, root, { isBlocked: false, problem: null });
    turn.dirty.clear();
    return;
  }
  const depths: Set<number>[] = [];
  const mark = (recipe: RecipeState): void => {
    depths[recipe.recipeIds.length] ??= new Set();
    depths[recipe.recipeIds.length]?.add(recipe.id);
  };
  for (const id of turn.dirty) mark(recipeOf(turn, id));
  for (let depth = depths.length - 1; depth > 0; depth -= 1) {
    for (const id of depths[depth] ?? []) {
      const recipe = recipeOf(turn, id);
      const isBlocked = progress.blockedOutside.get(id) === true;
      evaluate(turn, recipe, { isBlocked, problem: null });
      if (recipe.parentId !== null && isSeenAnew(turn, recipe)) mark(recipeOf(turn, recipe.parentId));
    }
  }
  turn.dirty.clear();
}

function recipeOf(turn: TreeChanges, id: number): RecipeState {
  const recipe = turn.tree.recipes.get(id);
  assert(recipe !== undefined, `recipe ${id} is not in the tree ${turn.tree.rootId}`);
  return recipe;
}

function isSeenAnew(turn: TreeChanges, recipe: RecipeState): boolean {
  const seen = turn.progress.seen.get(recipe.id);
  return seen?.isCompleted !== recipe.isCompleted || seen.isTroubled !== turn.isTroubled(recipe);
}

function evaluate(turn: TreeChanges, recipe: RecipeState, outside: Outside): void {
  if (recipe.isCompleted || recipe.isSuperseded) return;
  const standings: Standing[] = [];
  const hasInput = recipe.input !== null || outside.problem !== null;
  let isDone = hasInput;
  for (const node of graphOf(recipe.plan).nodes) {
    const gate = gateOf(node, standings, outside, hasInput);
    const resolve = (): NodeInput => {
      if (outside.problem === null) return resolveInput(node, recipe, turn.tree);
      return { ok: false, data: { files: {}, json: {} }, problem: outside.problem };
    };
    const standing = evaluateNode(turn, recipe, node, gate, resolve);
    standings.push(standing);
    if (!standing.isDone) isDone = false;
  }
  if (!isDone) return;
  recipe.isCompleted = true;
  turn.recipeEnds.push({ recipeId: recipe.id, ancestorIds: recipe.recipeIds.slice(1), atMs: turn.nowMs });
}

function gateOf(node: GraphNode, standings: readonly Standing[], outside: Outside, hasInput: boolean): Gate {
  let [isBlocked, isOpen, isReady] = [outside.isBlocked, true, hasInput];
  for (const { index, acceptance } of node.parents) {
    const parent = standings[index];
    assert(parent !== undefined, `node '${node.name}' comes before its parent`);
    const isPassed = parent.verdict === null || parent.verdict === acceptance;
    isBlocked ||= parent.isBlocking;
    isOpen &&= parent.exists && isPassed;
    isReady &&= parent.exists && parent.isDone && isPassed;
  }
  return { isBlocked, isOpen, isReady };
}

function evaluateNode(
  turn: TreeChanges,
  recipe: RecipeState,
  node: GraphNode,
  gate: Gate,
  resolve: () => NodeInput,
): Standing {
  if (!recipe.nodes.has(node.name) && !gate.isOpen) return ABSENT;
  switch (node.kind) {
    case 'job':
      return evaluateJob(turn, recipe, node, gate, resolve);
    case 'recipe':
      return evaluateSubRecipe(turn, recipe, node, gate, resolve);
    case 'condition':
      return evaluateCondition(turn, recipe, node, gate, resolve);
    default:
      return unreachable(node);
  }
}

function evaluateJob(
  turn: TreeChanges,
  recipe: RecipeState,
  node: NodeOf<'job'>,
  gate: Gate,
  resolve: () => NodeInput,
): Standing {
  const known = knownAs(recipe, node.name, 'job');
  const input = gate.isReady ? resolve : null;
  const job =
    known === undefined ? createJob(turn, recipe, node, gate, input?.()) : turn.tree.jobs.get(known.jobId);
  assert(job !== undefined, `the job of node '${node.name}' is not in the tree`);
  if (isWaiting(job.status)) {
    const resolved = input?.();
    if (resolved === undefined) turn.apply(job, { type: 'blocked', isBlocked: gate.isBlocked });
    else if (resolved.ok) turn.apply(job, { type: 'inputReady' }, { input: resolved.data });
    else turn.apply(job, { type: 'inputInvalid' }, { error: INVALID_INPUT });
  }
  const isStuck = job.status === 'FAILED' || job.status === 'CANCELED';
  return {
    exists: true,
    isBlocking: gate.isBlocked || isStuck,
    isDone: job.status === 'COMPLETED',
    verdict: null,
  };
}

/** A job with its input goes straight into the queue; any other waits. */
function createJob(
  turn: TreeChanges,
  recipe: RecipeState,
  node: NodeOf<'job'>,
  gate: Gate,
  input: NodeInput | undefined,
): JobState {
  const { plan } = node;
  const manifest = manifestOf(plan);
  const own = recipe.configuration as JobConfigurationPart | null;
  const configuration =
    own === null ? null : { ...withRecipeConfiguration(configurationOf(plan, null), own, manifest) };
  const isReady = input?.ok === true;
  const job: JobState = {
    id: turn.newId('job'),
    jobTypeId: plan.jobTypeId,
    jobTypeRevId: plan.jobTypeRevId,
    recipeId: recipe.id,
    recipeNode: node.name,
    recipeIds: recipe.recipeIds,
    batchId: recipe.batchId,
    eventId: recipe.eventId,
    configuration,
    isSuperseded: false,
    status: isReady ? 'QUEUED' : gate.isBlocked ? 'BLOCKED' : 'PENDING',
    exeNum: isReady ? 1 : 0,
    maxTries: plan.maxTries,
    source: null,
    input: null,
    output: null,
  };
  addNode(turn, recipe, node.name, { kind: 'job', jobId: job.id, isOriginal: true });
  turn.addJob(job);
  const up = isReady ? turn.queueNew(job, input.data) : null;
  turn.jobs.push({
    id: job.id,
    shard: turn.tree.shard,
    owner: turn.owner,
    jobTypeId: job.jobTypeId,
    jobTypeRevId: job.jobTypeRevId,
    eventId: job.eventId,
    recipeId: job.recipeId,
    recipeNode: job.recipeNode,
    recipeIds: job.recipeIds,
    batchId: job.batchId,
    status: job.status as NewJob['status'],
    maxTries: job.maxTries,
    priority: configurationOf(plan, configuration).priority,
    timeoutS: manifest.job.timeout,
    configuration,
    queueing: up?.queueing ?? null,
    input: up?.input ?? null,
    atMs: turn.nowMs,
  });
  return job;
}

function evaluateCondition(
  turn: TreeChanges,
  recipe: RecipeState,
  node: NodeOf<'condition'>,
  gate: Gate,
  resolve: () => NodeInput,
): Standing {
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
  const { asked } = turn.progress;
  if (!state.isProcessed && gate.isReady && !asked.has(state.conditionId)) {
    const input = resolve();
    const { conditionId } = state;
    if (!input.ok)
      processCondition(turn, state, { isAccepted: false, data: input.data, reason: input.problem });
    else {
      const ask = {
        conditionId,
        recipeId: recipe.id,
        node: node.name,
        filter: node.filter,
        data: input.data,
      };
      asked.set(conditionId, ask);
      turn.asks.push(ask);
    }
  }
  const { isProcessed, isAccepted } = state;
  const verdict = isProcessed && isAccepted;
  return { exists: isProcessed, isBlocking: gate.isBlocked, isDone: isProcessed, verdict };
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
  gate: Gate,
  resolve: () => NodeInput,
): Standing {
  const { blockedOutside, seen } = turn.progress;
  const known = knownAs(recipe, node.name, 'recipe');
  const sub = known === undefined ? createSubRecipe(turn, recipe, node) : recipeOf(turn, known.recipeId);
  const input = gate.isReady && sub.input === null ? resolve() : undefined;
  if (input?.ok === true) feedSubRecipe(turn, sub, input);
  if (input !== undefined || blockedOutside.get(sub.id) !== gate.isBlocked) {
    blockedOutside.set(sub.id, gate.isBlocked);
    evaluate(turn, sub, { isBlocked: gate.isBlocked, problem: input?.ok === false ? input.problem : null });
  }
  const isTroubled = turn.isTroubled(sub);
  seen.set(sub.id, { isCompleted: sub.isCompleted, isTroubled });
  return { exists: true, isBlocking: gate.isBlocked || isTroubled, isDone: sub.isCompleted, verdict: null };
}

function createSubRecipe(turn: TreeChanges, recipe: RecipeState, node: NodeOf<'recipe'>): RecipeState {
  const id = turn.newId('recipe');
  const sub: RecipeState = {
    id,
    parentId: recipe.id,
    parentNode: node.name,
    recipeIds: [id, ...recipe.recipeIds],
    plan: node.plan,
    eventId: recipe.eventId,
    batchId: recipe.batchId,
    configuration: recipe.configuration,
    nodes: new Map(),
    input: null,
    source: null,
    isCompleted: false,
    isSuperseded: false,
  };
  turn.tree.recipes.set(id, sub);
  addNode(turn, recipe, node.name, { kind: 'recipe', recipeId: id, isOriginal: true });
  turn.recipes.push({
    id,
    shard: turn.tree.shard,
    rootId: turn.tree.rootId,
    parentId: recipe.id,
    parentNode: node.name,
    ancestorIds: recipe.recipeIds,
    recipeTypeId: node.plan.recipeTypeId,
    recipeTypeRevId: node.plan.recipeTypeRevId,
    eventId: recipe.eventId,
    batchId: recipe.batchId,
    ingestId: null,
    supersededRecipeId: null,
    configuration: recipe.configuration,
    input: null,
    atMs: turn.nowMs,
  });
  return sub;
}

function feedSubRecipe(turn: TreeChanges, sub: RecipeState, input: NodeInput): void {
  const measured = jobInputOf(input.data, turn.tree.files);
  sub.input = measured.input;
  sub.source = measured.source;
  turn.inputs.push({ recipeId: sub.id, ...measured, atMs: turn.nowMs });
}

type NodeStateOf<Kind extends RecipeNodeState['kind']> = Extract<RecipeNodeState, { readonly kind: Kind }>;

/** The node if it exists, which must be of the kind that the definition says. */
function knownAs<Kind extends RecipeNodeState['kind']>(
  recipe: RecipeState,
  name: string,
  kind: Kind,
): NodeStateOf<Kind> | undefined {
  const state = recipe.nodes.get(name);
  assert(state === undefined || state.kind === kind, `node '${name}' of recipe ${recipe.id} is no ${kind}`);
  return state as NodeStateOf<Kind> | undefined;
}

function addNode(turn: TreeChanges, recipe: RecipeState, name: string, state: RecipeNodeState): void {
  recipe.nodes.set(name, state);
  const ids = {
    jobId: state.kind === 'job' ? state.jobId : null,
    subRecipeId: state.kind === 'recipe' ? state.recipeId : null,
    conditionId: state.kind === 'condition' ? state.conditionId : null,
  };
  turn.nodes.push({ recipeId: recipe.id, name, ...ids, isOriginal: true });
}
