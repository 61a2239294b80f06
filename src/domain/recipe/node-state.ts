/** How the nodes of a recipe affect their children: parents let a node begin, block it, or prevent its creation. */
import { assert } from '../../lib/assert.ts';
import type { JobState } from '../job/job.ts';
import type { RecipeState } from './recipe.ts';
import type { GraphNode } from './recipe-graph.ts';
import type { NodeStateOf } from './recipe-nodes.ts';

/** A node's state as its children see it. */
export interface NodeState {
  /** The node was created; a condition was also processed. */
  readonly exists: boolean;
  readonly isBlocking: boolean;
  /** It is complete, or will never be created. */
  readonly isDone: boolean;
  /** Whether a condition has accepted; null for other nodes. */
  readonly verdict: boolean | null;
}

/** The result of the parents' states for a node. */
export interface Readiness {
  /** A parent, or an earlier node of a containing recipe, has failed or was canceled. */
  readonly isBlocked: boolean;
  /** The node may be created. */
  readonly isOpen: boolean;
  /** The node may get its input. */
  readonly isReady: boolean;
}

/** What a recipe gets from the recipes that contain it. */
export interface Outside {
  readonly isBlocked: boolean;
  readonly hasInput: boolean;
}

/** A node that does not exist. It counts as complete until its parents allow its creation. */
export const ABSENT: NodeState = { exists: false, isBlocking: false, isDone: true, verdict: null };

/** `nodeStates`: the states of the nodes before it, by position. */
export function readinessOf(node: GraphNode, nodeStates: readonly NodeState[], outside: Outside): Readiness {
  let [isBlocked, isOpen, isReady] = [outside.isBlocked, true, outside.hasInput];
  for (const { index, acceptance } of node.parents) {
    const parent = nodeStates[index];
    assert(parent !== undefined, `node '${node.name}' comes before its parent`);
    const isPassed = passes(parent, acceptance);
    isBlocked ||= parent.isBlocking;
    isOpen &&= parent.exists && isPassed;
    isReady &&= parent.exists && parent.isDone && isPassed;
  }
  return { isBlocked, isOpen, isReady };
}

/** Whether a condition's verdict is the one that the child needs. Any other node passes. */
export function passes({ verdict }: NodeState, acceptance: boolean): boolean {
  return verdict === null || verdict === acceptance;
}

export function stateOfJob({ status }: Pick<JobState, 'status'>, { isBlocked }: Readiness): NodeState {
  const isStuck = status === 'FAILED' || status === 'CANCELED';
  return {
    exists: true,
    isBlocking: isBlocked || isStuck,
    isDone: status === 'COMPLETED',
    verdict: null,
  };
}

export function stateOfCondition(
  { isProcessed, isAccepted }: NodeStateOf<'condition'>,
  { isBlocked }: Readiness,
): NodeState {
  const verdict = isProcessed && isAccepted;
  return { exists: isProcessed, isBlocking: isBlocked, isDone: isProcessed, verdict };
}

export function stateOfRecipe(
  { isCompleted }: Pick<RecipeState, 'isCompleted'>,
  isTroubled: boolean,
  { isBlocked }: Readiness,
): NodeState {
  return { exists: true, isBlocking: isBlocked || isTroubled, isDone: isCompleted, verdict: null };
}
