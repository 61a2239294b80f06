/**
 * The state of a recipe tree's owner that is not saved, and the changes of one message. Every change is applied both
 * to memory and to the list of changes to save, so that the two stay equal.
 */
import { assert } from '../../lib/assert.ts';
import type { Change } from '../changes.ts';
import type { NewProduct } from '../file/file.ts';
import type { ParsedSource } from '../file/parsed-source.ts';
import type { DataFilter } from '../filter/filter.ts';
import type { FileFacts } from '../filter/filter-evaluate.ts';
import type { DataDocument, ExecutionEnd, JobMove, JobNote, JobOwner, JobState, NewJob } from '../job/job.ts';
import type { JobEvent } from '../job/job-machine.ts';
import { type EnqueuedJob, enqueue, type JobContext, type MoveDetails, moveJob } from '../job/job-move.ts';
import { jobRevisionOf } from '../job/newest-revision.ts';
import type { QueuedEntry, QueueEntryParts } from '../job/queueing.ts';
import type { SchedulingClass } from '../scheduling/scheduling-class.ts';
import type {
  ConditionOutcome,
  NewCondition,
  NewRecipe,
  NewRecipeNode,
  RecipeEnd,
  RecipeInput,
  RecipeState,
  RecipeTree,
  SharedJob,
} from './recipe.ts';
import type { JobTypeRevision } from './type-revisions.ts';

/** A condition with complete data: its filter is to be evaluated. */
export interface ConditionAsk {
  readonly conditionId: number;
  readonly recipeId: number;
  readonly node: string;
  readonly filter: DataFilter;
  readonly data: DataDocument;
}

/** The last state of a sub-recipe that its containing recipe has seen. */
export interface RecipeView {
  readonly isCompleted: boolean;
  readonly isTroubled: boolean;
}

export class TreeProgress {
  readonly tree: RecipeTree;
  /** The number of BLOCKED, FAILED or CANCELED jobs in each recipe and below. */
  readonly troubles = new Map<number, number>();
  /** Whether an earlier node of a containing recipe blocks the recipe. Absent: not evaluated yet. */
  readonly blockedOutside = new Map<number, boolean>();
  readonly seen = new Map<number, RecipeView>();
  /** Why the input of a sub-recipe cannot be made. */
  readonly problems = new Map<number, string>();
  /** Conditions that are being evaluated. */
  readonly evaluating = new Map<number, ConditionAsk>();
  /** By job: the recipe that holds it and is not superseded. */
  readonly holders = new Map<number, number>();

  constructor(tree: RecipeTree) {
    this.tree = tree;
    this.begin();
  }

  /** Computes everything again: the next evaluation covers the whole tree. */
  begin(): void {
    const { tree, troubles } = this;
    const own = [this.blockedOutside, this.seen, this.problems, this.evaluating, this.holders];
    for (const map of [troubles, ...own]) map.clear();
    for (const recipe of tree.recipes.values()) {
      if (recipe.isSuperseded) continue;
      for (const node of recipe.nodes.values()) {
        if (node.kind === 'job') this.holders.set(node.jobId, recipe.id);
      }
    }
    for (const job of tree.jobs.values()) {
      if (!isTrouble(job.status)) continue;
      for (const id of job.recipeIds) troubles.set(id, (troubles.get(id) ?? 0) + 1);
    }
  }
}

function isTrouble(status: JobState['status']): boolean {
  return status === 'BLOCKED' || status === 'FAILED' || status === 'CANCELED';
}

export interface TurnFacts {
  readonly nowMs: number;
  /** Fresh ids; kinds `job`, `recipe`, `recipe_condition`, `file`. */
  newId(idKind: string): number;
  /** What is known of the files that the same commit records: nobody can have changed them. Absent: none. */
  readonly newFiles?: ReadonlyMap<number, FileFacts>;
}

/** The changes of one message to one tree. */
export class TreeChanges {
  readonly progress: TreeProgress;
  readonly tree: RecipeTree;
  readonly nowMs: number;
  readonly newId: (idKind: string) => number;
  readonly newFiles: ReadonlyMap<number, FileFacts>;
  readonly owner: JobOwner;

  readonly recipes: NewRecipe[] = [];
  readonly inputs: RecipeInput[] = [];
  readonly conditions: NewCondition[] = [];
  readonly nodes: NewRecipeNode[] = [];
  readonly jobs: NewJob[] = [];
  readonly outcomes: ConditionOutcome[] = [];
  readonly notes: JobNote[] = [];
  readonly executionEnds: ExecutionEnd[] = [];
  readonly parsed: ParsedSource[] = [];
  readonly products: NewProduct[] = [];
  readonly recipeEnds: RecipeEnd[] = [];
  readonly shared: SharedJob[] = [];
  readonly supersededRecipes: { readonly recipeId: number; readonly atMs: number }[] = [];
  readonly supersededJobs: { readonly jobId: number; readonly atMs: number }[] = [];
  /** Jobs whose products are no longer published. */
  readonly unpublished: { readonly jobId: number; readonly atMs: number }[] = [];
  readonly queued: QueuedEntry[] = [];
  readonly asks: ConditionAsk[] = [];
  /** Recipes in which something changed: they have to be evaluated. */
  readonly dirty = new Set<number>();
  readonly #classes = new Map<string, SchedulingClass>();
  readonly #moves = new Map<number, JobMove>();
  readonly #carried = new Map<number, { total: number; completed: number }>();

  constructor(progress: TreeProgress, facts: TurnFacts) {
    this.progress = progress;
    this.tree = progress.tree;
    this.nowMs = facts.nowMs;
    this.newId = (idKind) => facts.newId(idKind);
    this.newFiles = facts.newFiles ?? new Map();
    this.owner = { kind: 'recipe', key: progress.tree.chainId };
  }

  /** The recipe that holds the job now. */
  recipeOf(job: JobState): RecipeState {
    const recipe = this.tree.recipes.get(this.progress.holders.get(job.id) ?? 0);
    assert(recipe !== undefined, `job ${job.id} is in no recipe of its tree`);
    return recipe;
  }

  /** The revision that the job has: its own, or that of its recipe's revision. */
  jobTypeRevisionOf(job: JobState): JobTypeRevision {
    const own = this.tree.revisions.get(job.jobTypeRevId);
    if (own !== undefined) return own;
    const revision = this.recipeOf(job).revision.jobs.get(job.recipeNode ?? '');
    assert(revision !== undefined, `job ${job.id} has no revision`);
    return revision;
  }

  /** Applies an event to a job as its state machine says. Returns whether the job moved. */
  apply(job: JobState, event: JobEvent, details: MoveDetails = {}): boolean {
    // A superseded job does not change any more: if it was unfinished, it was canceled when it was superseded.
    if (job.isSuperseded) return false;
    const wasTrouble = isTrouble(job.status);
    const moved = moveJob(job, event, this.#contextOf(job), details);
    if (moved === undefined) return false;
    // One move for each job and message, because the store applies a message's moves as a set.
    const before = this.#moves.get(job.id);
    const guard = before === undefined ? {} : { from: before.from, exeNum: before.exeNum as number };
    const revised = before?.revision === undefined ? {} : { revision: before.revision };
    const move = { ...revised, ...moved.move, ...guard };
    // The job was released and blocked again, so nothing has to be saved.
    const isNothing =
      move.kind === 'status' &&
      move.revision === undefined &&
      before !== undefined &&
      move.from.every((one) => one === move.to);
    if (isNothing) this.#moves.delete(job.id);
    else this.#moves.set(job.id, move);
    if (moved.queued !== null) this.#noteQueued(moved.queued);
    if (wasTrouble !== isTrouble(job.status)) this.#countTrouble(job, wasTrouble ? -1 : 1);
    this.dirty.add(this.recipeOf(job).id);
    return true;
  }

  /** As `apply`, with another revision of its job type, which the job has from then on. */
  applyRevised(job: JobState, revision: JobTypeRevision, event: JobEvent, details: MoveDetails): boolean {
    const before = job.jobTypeRevId;
    this.tree.revisions.set(revision.jobTypeRevId, revision);
    job.jobTypeRevId = revision.jobTypeRevId;
    const isMoved = this.apply(job, event, { ...details, revision: jobRevisionOf(revision) });
    if (!isMoved) job.jobTypeRevId = before;
    return isMoved;
  }

  /** Queues a job that this message creates. */
  queueNew(job: JobState, input: DataDocument): QueueEntryParts {
    const { exeNum, maxTries } = job;
    const queued = enqueue(job, this.#contextOf(job), { input, exeNum, maxTries });
    this.#noteQueued(queued);
    return queued;
  }

  #contextOf(job: JobState): JobContext {
    const { files, workspaces } = this.tree;
    const { batchPriority } = this.recipeOf(job);
    const { owner, nowMs } = this;
    return { revision: this.jobTypeRevisionOf(job), owner, files, workspaces, nowMs, batchPriority };
  }

  #noteQueued(queued: EnqueuedJob): void {
    this.#classes.set(queued.class.key, queued.class);
    this.queued.push(queued.entry);
  }

  /** A job that this message creates; its status is the row's. */
  addJob(job: JobState): void {
    this.tree.jobs.set(job.id, job);
    if (isTrouble(job.status)) this.#countTrouble(job, 1);
  }

  #countTrouble(job: JobState, by: number): void {
    const { troubles } = this.progress;
    for (const id of job.recipeIds) troubles.set(id, (troubles.get(id) ?? 0) + by);
  }

  /** Counts the sub-recipes that a new recipe takes over from the one that it supersedes. */
  carry(recipeId: number, total: number, completed: number): void {
    const before = this.#carried.get(recipeId) ?? { total: 0, completed: 0 };
    const [all, done] = [before.total + total, before.completed + completed];
    this.#carried.set(recipeId, { total: all, completed: done });
  }

  isTroubled(recipe: RecipeState): boolean {
    return (this.progress.troubles.get(recipe.id) ?? 0) > 0;
  }

  /** The changes to save, ordered so that rows exist before others refer to them. */
  toChanges(): Change[] {
    const changes: Change[] = [
      { type: 'ensureClasses', classes: [...this.#classes.values()] },
      { type: 'supersedeRecipes', recipes: this.supersededRecipes },
      { type: 'createRecipes', recipes: this.recipes.map((recipe) => this.#withCarried(recipe)) },
      { type: 'setRecipeInputs', inputs: this.inputs },
      { type: 'createConditions', conditions: this.conditions },
      { type: 'createJobs', jobs: this.jobs },
      { type: 'shareJobs', jobs: this.shared },
      { type: 'createRecipeNodes', nodes: this.nodes },
      { type: 'processConditions', outcomes: this.outcomes },
      { type: 'moveJobs', moves: [...this.#moves.values()] },
      { type: 'explainJobs', jobs: this.notes },
      { type: 'supersedeJobs', jobs: this.supersededJobs },
      { type: 'endExecutions', ends: this.executionEnds },
      { type: 'parseSources', sources: this.parsed },
      { type: 'createProducts', products: this.products },
      { type: 'unpublishProducts', jobs: this.unpublished },
      { type: 'completeRecipes', recipes: this.recipeEnds },
    ];
    return changes.filter(isSomething);
  }

  #withCarried(recipe: NewRecipe): NewRecipe {
    const carried = this.#carried.get(recipe.id);
    return carried === undefined ? recipe : { ...recipe, carried };
  }
}

function isSomething(change: Change): boolean {
  return Object.values(change).some((value) => Array.isArray(value) && value.length > 0);
}
