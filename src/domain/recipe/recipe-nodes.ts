/** Creates the nodes of a recipe: jobs and sub-recipes with their rows, linked to those that they replace. */
import { assert } from '../../lib/assert.ts';
import type { JobState, NewJob } from '../job/job.ts';
import { type JobConfigurationPart, queuedPriority, withRecipeConfiguration } from '../job/job-config.ts';
import { configurationOf, jobInputOf, manifestOf } from '../job/queueing.ts';
import type { NodeInput } from './node-input.ts';
import type { RecipeNodeState, RecipeState } from './recipe.ts';
import type { GraphNode } from './recipe-graph.ts';
import type { TreeChanges } from './tree-changes.ts';
import type { RecipeTypeRevision } from './type-revisions.ts';

export type NodeOf<Kind extends GraphNode['kind']> = Extract<GraphNode, { readonly kind: Kind }>;
export type NodeStateOf<Kind extends RecipeNodeState['kind']> = Extract<
  RecipeNodeState,
  { readonly kind: Kind }
>;

/** The node if it exists; it must be of the kind that the definition says. */
export function knownAs<Kind extends RecipeNodeState['kind']>(
  recipe: RecipeState,
  name: string,
  kind: Kind,
): NodeStateOf<Kind> | undefined {
  const state = recipe.nodes.get(name);
  assert(state === undefined || state.kind === kind, `node '${name}' of recipe ${recipe.id} is no ${kind}`);
  return state as NodeStateOf<Kind> | undefined;
}

/** The node that a new one of this name and kind replaces: that of the recipe which this one reprocesses. */
function replacedBy<Kind extends RecipeNodeState['kind']>(
  turn: TreeChanges,
  recipe: RecipeState,
  name: string,
  kind: Kind,
): NodeStateOf<Kind> | undefined {
  if (recipe.supersededId === null) return undefined;
  const state = turn.tree.recipes.get(recipe.supersededId)?.nodes.get(name);
  return state?.kind === kind ? (state as NodeStateOf<Kind>) : undefined;
}

/** A job that has its input is queued at once; any other waits. */
export function createJob(
  turn: TreeChanges,
  recipe: RecipeState,
  node: NodeOf<'job'>,
  isBlocked: boolean,
  input: NodeInput | undefined,
): JobState {
  const { revision } = node;
  const manifest = manifestOf(revision);
  const own = recipe.configuration as JobConfigurationPart | null;
  const configuration =
    own === null ? null : { ...withRecipeConfiguration(configurationOf(revision, null), own, manifest) };
  const isReady = input?.ok === true;
  const job: JobState = {
    id: turn.newId('job'),
    jobTypeId: revision.jobTypeId,
    jobTypeRevId: revision.jobTypeRevId,
    recipeId: recipe.id,
    recipeNode: node.name,
    recipeIds: recipe.recipeIds,
    batchId: recipe.batchId,
    eventId: recipe.eventId,
    configuration,
    isSuperseded: false,
    supersededJobId: replacedBy(turn, recipe, node.name, 'job')?.jobId ?? null,
    status: isReady ? 'QUEUED' : isBlocked ? 'BLOCKED' : 'PENDING',
    exeNum: isReady ? 1 : 0,
    maxTries: revision.maxTries,
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
    batchIds: recipe.parentId === null && recipe.batchId !== null ? [recipe.batchId] : [],
    supersededJobId: job.supersededJobId ?? null,
    status: job.status as NewJob['status'],
    maxTries: job.maxTries,
    priority: queuedPriority(configurationOf(revision, configuration), {
      batch: recipe.batchPriority ?? undefined,
      requeue: undefined,
    }),
    timeoutS: manifest.job.timeout,
    configuration,
    queueing: up?.queueing ?? null,
    input: up?.input ?? null,
    atMs: turn.nowMs,
  });
  return job;
}

/** A sub-recipe without input and without nodes. */
export function createSubRecipe(
  turn: TreeChanges,
  recipe: RecipeState,
  name: string,
  revision: RecipeTypeRevision,
): RecipeState {
  const id = turn.newId('recipe');
  const supersededId = replacedBy(turn, recipe, name, 'recipe')?.recipeId ?? null;
  const { eventId, batchId, batchPriority, configuration } = recipe;
  const sub: RecipeState = {
    ...{ id, parentId: recipe.id, parentNode: name, recipeIds: [id, ...recipe.recipeIds], revision },
    ...{ eventId, batchId, batchPriority, configuration, supersededId },
    nodes: new Map(),
    input: null,
    source: null,
    isCompleted: false,
    isSuperseded: false,
  };
  turn.tree.recipes.set(id, sub);
  addNode(turn, recipe, name, { kind: 'recipe', recipeId: id, isOriginal: true });
  turn.recipes.push({
    id,
    shard: turn.tree.shard,
    rootId: turn.tree.rootId,
    chainId: turn.tree.chainId,
    parentId: recipe.id,
    parentNode: name,
    ancestorIds: recipe.recipeIds,
    recipeTypeId: revision.recipeTypeId,
    recipeTypeRevId: revision.recipeTypeRevId,
    eventId,
    batchId,
    ingestId: null,
    supersededRecipeId: supersededId,
    configuration,
    input: null,
    atMs: turn.nowMs,
  });
  return sub;
}

export function feedSubRecipe(turn: TreeChanges, sub: RecipeState, input: NodeInput): void {
  const measured = jobInputOf(input.data, turn.tree.files);
  sub.input = measured.input;
  sub.source = measured.source;
  turn.inputs.push({ recipeId: sub.id, ...measured, atMs: turn.nowMs });
}

/** Adds a node to the recipe: a new one, or one that is carried over from the recipe that it reprocesses. */
export function addNode(turn: TreeChanges, recipe: RecipeState, name: string, state: RecipeNodeState): void {
  recipe.nodes.set(name, state);
  if (state.kind === 'job') turn.progress.holders.set(state.jobId, recipe.id);
  const ids = {
    jobId: state.kind === 'job' ? state.jobId : null,
    subRecipeId: state.kind === 'recipe' ? state.recipeId : null,
    conditionId: state.kind === 'condition' ? state.conditionId : null,
  };
  turn.nodes.push({ recipeId: recipe.id, name, ...ids, isOriginal: state.isOriginal });
}
