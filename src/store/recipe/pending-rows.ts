/**
 * Computes in memory what a group of turns does to recipes: the differences of counters, inputs, ends and supersedes,
 * and which turns depend on the state of the rows. No SQL.
 */
import { JOB_STATUSES, type JobStatus } from '../../domain/job/job.ts';
import type { RecipeInputData } from '../../domain/recipe/recipe.ts';
import type { PendingJobs } from '../job/pending-rows.ts';
import type { Group } from '../sql/group.ts';

export type Counter =
  | 'jobs_total'
  | `jobs_${Lowercase<JobStatus>}`
  | 'sub_recipes_total'
  | 'sub_recipes_completed';

export const COUNTERS: readonly Counter[] = [
  'jobs_total',
  ...JOB_STATUSES.map(counterOf),
  'sub_recipes_total',
  'sub_recipes_completed',
];

function counterOf(status: JobStatus): Counter {
  return `jobs_${status.toLowerCase() as Lowercase<JobStatus>}`;
}

/** The differences of a group for one recipe. */
export class PendingRecipe {
  readonly id: number;
  readonly counts = new Map<Counter, number>();
  input: RecipeInputData | null = null;
  completedMs: number | null = null;
  supersededMs: number | null = null;
  atMs = 0;
  /** Turns whose guards depend on the row. */
  readonly guarded: number[] = [];

  constructor(id: number) {
    this.id = id;
  }

  add(counter: Counter, by: number): void {
    this.counts.set(counter, (this.counts.get(counter) ?? 0) + by);
  }

  get hasChanges(): boolean {
    return (
      this.input !== null ||
      this.completedMs !== null ||
      this.supersededMs !== null ||
      [...this.counts.values()].some((count) => count !== 0)
    );
  }
}

export class PendingRecipes {
  readonly #pendingRows = new Map<number, PendingRecipe>();

  at(id: number, atMs: number): PendingRecipe {
    let pending = this.#pendingRows.get(id);
    if (pending === undefined) {
      pending = new PendingRecipe(id);
      this.#pendingRows.set(id, pending);
    }
    pending.atMs = Math.max(pending.atMs, atMs);
    return pending;
  }

  take(id: number): PendingRecipe {
    const pending = this.#pendingRows.get(id) ?? new PendingRecipe(id);
    this.#pendingRows.delete(id);
    return pending;
  }

  get rest(): PendingRecipe[] {
    return [...this.#pendingRows.values()]
      .filter((pending) => pending.hasChanges)
      .sort((a, b) => a.id - b.id);
  }
}

/** Turns whose guards fail within the group are refused. */
export function pendingRecipes(group: Group, jobs: PendingJobs): PendingRecipes {
  const pendingRows = new PendingRecipes();
  for (const job of jobs.changed) {
    if (job.before === job.status) continue;
    for (const id of job.recipeIds) {
      const pending = pendingRows.at(id, job.atMs);
      if (job.before === null) pending.add('jobs_total', 1);
      else pending.add(counterOf(job.before), -1);
      pending.add(counterOf(job.status), 1);
    }
  }
  for (const job of jobs.pendingRows.values()) {
    for (const id of job.sharedIds) {
      const pending = pendingRows.at(id, job.atMs);
      pending.add('jobs_total', 1);
      pending.add(counterOf(job.status), 1);
    }
  }
  const createdWithInput = new Set<number>();
  for (const change of group.changes('createRecipes')) {
    for (const { id: own, ancestorIds, carried, input, atMs } of change.recipes) {
      if (input !== null) createdWithInput.add(own);
      for (const id of ancestorIds) pendingRows.at(id, atMs).add('sub_recipes_total', 1);
      if (carried === undefined) continue;
      for (const id of [own, ...ancestorIds]) {
        pendingRows.at(id, atMs).add('sub_recipes_total', carried.total);
        pendingRows.at(id, atMs).add('sub_recipes_completed', carried.completed);
      }
    }
  }
  for (const { change, turn } of group.placed('supersedeRecipes')) {
    for (const { recipeId, atMs } of change.recipes) {
      const pending = pendingRows.at(recipeId, atMs);
      if (pending.supersededMs !== null)
        group.refuse(turn, `supersedeRecipes: recipe ${recipeId} is superseded`);
      pending.supersededMs = atMs;
      pending.guarded.push(turn);
    }
  }
  for (const { change, turn } of group.placed('setRecipeInputs')) {
    for (const input of change.inputs) {
      const pending = pendingRows.at(input.recipeId, input.atMs);
      if (pending.input !== null || createdWithInput.has(pending.id))
        group.refuse(turn, `setRecipeInputs: recipe ${pending.id} has its input`);
      pending.input = input;
      pending.guarded.push(turn);
    }
  }
  for (const { change, turn } of group.placed('completeRecipes')) {
    for (const { recipeId, ancestorIds, atMs } of change.recipes) {
      const pending = pendingRows.at(recipeId, atMs);
      if (pending.completedMs !== null)
        group.refuse(turn, `completeRecipes: recipe ${recipeId} is completed`);
      pending.completedMs = pending.atMs; // never earlier than the jobs of this group
      pending.guarded.push(turn);
      for (const id of ancestorIds) pendingRows.at(id, atMs).add('sub_recipes_completed', 1);
    }
  }
  return pendingRows;
}
