/**
 * Computes in memory what a group of turns does to recipes: the differences of counters, inputs, ends and supersedes,
 * and which turns depend on the state of the rows. No SQL.
 */
import { JOB_STATUSES, type JobStatus } from '../../domain/job/job.ts';
import type { RecipeInputData } from '../../domain/recipe/recipe.ts';
import type { JobDrafts } from '../job/pending-rows.ts';
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
export class RecipeDraft {
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

  get isSomething(): boolean {
    return (
      this.input !== null ||
      this.completedMs !== null ||
      this.supersededMs !== null ||
      [...this.counts.values()].some((count) => count !== 0)
    );
  }
}

export class RecipeDrafts {
  readonly #drafts = new Map<number, RecipeDraft>();

  at(id: number, atMs: number): RecipeDraft {
    let draft = this.#drafts.get(id);
    if (draft === undefined) {
      draft = new RecipeDraft(id);
      this.#drafts.set(id, draft);
    }
    draft.atMs = Math.max(draft.atMs, atMs);
    return draft;
  }

  take(id: number): RecipeDraft {
    const draft = this.#drafts.get(id) ?? new RecipeDraft(id);
    this.#drafts.delete(id);
    return draft;
  }

  get rest(): RecipeDraft[] {
    return [...this.#drafts.values()].filter((draft) => draft.isSomething).sort((a, b) => a.id - b.id);
  }
}

/** Turns whose guards fail within the group are refused. */
export function draftRecipes(group: Group, jobs: JobDrafts): RecipeDrafts {
  const drafts = new RecipeDrafts();
  for (const job of jobs.changed) {
    if (job.before === job.status) continue;
    for (const id of job.recipeIds) {
      const draft = drafts.at(id, job.atMs);
      if (job.before === null) draft.add('jobs_total', 1);
      else draft.add(counterOf(job.before), -1);
      draft.add(counterOf(job.status), 1);
    }
  }
  for (const job of jobs.drafts.values()) {
    for (const id of job.sharedIds) {
      const draft = drafts.at(id, job.atMs);
      draft.add('jobs_total', 1);
      draft.add(counterOf(job.status), 1);
    }
  }
  for (const { change } of group.placed('createRecipes')) {
    for (const { id: own, ancestorIds, carried, atMs } of change.recipes) {
      for (const id of ancestorIds) drafts.at(id, atMs).add('sub_recipes_total', 1);
      if (carried === undefined) continue;
      for (const id of [own, ...ancestorIds]) {
        drafts.at(id, atMs).add('sub_recipes_total', carried.total);
        drafts.at(id, atMs).add('sub_recipes_completed', carried.completed);
      }
    }
  }
  for (const { change, turn } of group.placed('supersedeRecipes')) {
    for (const { recipeId, atMs } of change.recipes) {
      const draft = drafts.at(recipeId, atMs);
      if (draft.supersededMs !== null)
        group.refuse(turn, `supersedeRecipes: recipe ${recipeId} is superseded`);
      draft.supersededMs = atMs;
      draft.guarded.push(turn);
    }
  }
  for (const { change, turn } of group.placed('setRecipeInputs')) {
    for (const input of change.inputs) {
      const draft = drafts.at(input.recipeId, input.atMs);
      if (draft.input !== null) group.refuse(turn, `setRecipeInputs: recipe ${draft.id} has its input`);
      draft.input = input;
      draft.guarded.push(turn);
    }
  }
  for (const { change, turn } of group.placed('completeRecipes')) {
    for (const { recipeId, ancestorIds, atMs } of change.recipes) {
      const draft = drafts.at(recipeId, atMs);
      if (draft.completedMs !== null) group.refuse(turn, `completeRecipes: recipe ${recipeId} is completed`);
      draft.completedMs = draft.atMs; // not before its jobs of this group
      draft.guarded.push(turn);
      for (const id of ancestorIds) drafts.at(id, atMs).add('sub_recipes_completed', 1);
    }
  }
  return drafts;
}
