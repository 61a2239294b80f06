/**
 * The state of a recipe at the commit that creates it, which is the answer to its creator, even if it has changed
 * since.
 */
import { JOB_STATUSES, type JobStatus } from '../job/job.ts';
import type { TreeChanges } from './tree-changes.ts';

/** Named as the columns of a recipe. */
export type RecipeCounts = Readonly<Record<string, number>>;

export type BegunNode = {
  readonly name: string;
  /** The id of its job, recipe or condition. Absent in the reply of a coordinator of the previous version. */
  readonly id?: number;
} & BegunState;

type BegunState =
  | { readonly kind: 'job'; readonly status: JobStatus }
  | {
      readonly kind: 'recipe';
      readonly isCompleted: boolean;
      readonly counts: RecipeCounts;
    }
  | {
      readonly kind: 'condition';
      readonly isProcessed: boolean;
      readonly isAccepted: boolean;
      readonly reason: string | null;
    };

/** Plain data: a reply carries it from the owner. */
export interface RecipeBeginning {
  readonly counts: RecipeCounts;
  readonly nodes: readonly BegunNode[];
  readonly completedMs: number | null;
  readonly modifiedMs: number;
}

/** The beginning of the root that the turn creates; undefined if it creates none. */
export function beginningOf(turn: TreeChanges): RecipeBeginning | undefined {
  const { tree } = turn;
  const root = tree.recipes.get(tree.rootId);
  const created = turn.recipes.find(({ id }) => id === tree.rootId);
  if (root === undefined || created === undefined) return undefined;
  const countsOf = countingOf(turn);
  const reasons = new Map(turn.outcomes.map(({ conditionId, reason }) => [conditionId, reason]));
  const nodes = [...root.nodes].map(([name, node]): BegunNode => {
    if (node.kind === 'job')
      return { name, id: node.jobId, kind: 'job', status: tree.jobs.get(node.jobId)?.status ?? 'PENDING' };
    if (node.kind === 'condition') {
      const { conditionId, isProcessed, isAccepted } = node;
      const reason = reasons.get(conditionId) ?? null;
      return { name, id: conditionId, kind: 'condition', isProcessed, isAccepted, reason };
    }
    const isCompleted = tree.recipes.get(node.recipeId)?.isCompleted === true;
    return { name, id: node.recipeId, kind: 'recipe', isCompleted, counts: countsOf(node.recipeId) };
  });
  const isStepped = turn.jobs.length > 0 || turn.recipes.length > 1 || turn.recipeEnds.length > 0;
  const modifiedMs = isStepped ? Math.max(created.atMs, turn.nowMs) : created.atMs;
  return { counts: countsOf(root.id), nodes, completedMs: root.isCompleted ? modifiedMs : null, modifiedMs };
}

function countingOf(turn: TreeChanges): (recipeId: number) => RecipeCounts {
  const byRecipe = new Map<number, Record<string, number>>();
  const add = (recipeId: number, counter: string): void => {
    const counts = byRecipe.get(recipeId) ?? noCounts();
    counts[counter] = (counts[counter] ?? 0) + 1;
    byRecipe.set(recipeId, counts);
  };
  for (const job of turn.tree.jobs.values()) {
    for (const id of job.recipeIds) {
      add(id, 'jobs_total');
      add(id, `jobs_${job.status.toLowerCase()}`);
    }
  }
  for (const { ancestorIds } of turn.recipes) for (const id of ancestorIds) add(id, 'sub_recipes_total');
  for (const { ancestorIds } of turn.recipeEnds)
    for (const id of ancestorIds) add(id, 'sub_recipes_completed');
  return (recipeId) => byRecipe.get(recipeId) ?? noCounts();
}

function noCounts(): Record<string, number> {
  const names = ['jobs_total', ...JOB_STATUSES.map((status) => `jobs_${status.toLowerCase()}`)];
  return Object.fromEntries(
    [...names, 'sub_recipes_total', 'sub_recipes_completed'].map((name) => [name, 0]),
  );
}
