/**
 * All changes that actors may save, as data. `store/commit.ts` applies them; actors and store share this module.
 *
 * A turn's changes are applied in one transaction that checks its shard's epoch. A *hard* change refuses the whole turn
 * when its guard fails (the actor's memory is stale: it loads and decides again). A *soft* change skips the items whose
 * guard fails; its result says which were applied. All times are milliseconds since 1970, UTC.
 */
import type { BatchPatch, NewBatch } from './batch/batch.ts';
import type { NewDiagnosticRun } from './diagnostic/diagnostic-run.ts';
import type { NewEvent } from './event.ts';
import type { FileSupersede, NewProduct, NewSourceFile } from './file/file.ts';
import type { ParsedSource } from './file/parsed-source.ts';
import type { KeyedAnswer } from './idempotency.ts';
import type {
  ArrivalRecord,
  ArrivalStart,
  IngestEnd,
  IngestJobTemplate,
  IngestOwner,
} from './ingest/ingest.ts';
import type { ExecutionEnd, ExecutionStart, JobMove, JobNote, NewJob, PlacedStart } from './job/job.ts';
import type { BacklogJob, NewJobRequest } from './job/job-request.ts';
import type { NodePatch, WorkspaceReach } from './node/node.ts';
import type {
  ConditionOutcome,
  NewCondition,
  NewRecipe,
  NewRecipeNode,
  RecipeEnd,
  RecipeInput,
  SharedJob,
} from './recipe/recipe.ts';
import type { ScanPatch } from './scan/scan.ts';
import type { SchedulingClass } from './scheduling/scheduling-class.ts';
import type { ListingMark, StrikePatch } from './strike/strike.ts';

export type Change =
  /** Rows of `event`, inserted. */
  | { readonly type: 'createEvents'; readonly events: readonly NewEvent[] }
  /** Rows of `scheduling_class`, inserted unless they exist. Comes before the jobs that refer to them. */
  | { readonly type: 'ensureClasses'; readonly classes: readonly SchedulingClass[] }
  /** Hard: a second recipe for an ingest (`recipe_ingest_key`) refuses the turn. Counts in ancestors. */
  | { readonly type: 'createRecipes'; readonly recipes: readonly NewRecipe[] }
  | { readonly type: 'createConditions'; readonly conditions: readonly NewCondition[] }
  /** Jobs with their input-file links; counts them in every recipe of `recipeIds`. */
  | { readonly type: 'createJobs'; readonly jobs: readonly NewJob[] }
  | { readonly type: 'createRecipeNodes'; readonly nodes: readonly NewRecipeNode[] }
  /** Hard. Sub-recipes get their input. */
  | { readonly type: 'setRecipeInputs'; readonly inputs: readonly RecipeInput[] }
  /** Hard: only while unprocessed. */
  | { readonly type: 'processConditions'; readonly outcomes: readonly ConditionOutcome[] }
  /** Hard. Each move names the statuses that it may leave, and the execution number; recipe counters follow. */
  | { readonly type: 'moveJobs'; readonly moves: readonly JobMove[] }
  /** Accompanies moves of these jobs: the request at this position is the last that changed them. */
  | { readonly type: 'stampJobs'; readonly jobIds: readonly number[]; readonly position: number }
  /** Soft: the text is added to the job's reason, unless the reason ends with it. */
  | { readonly type: 'explainJobs'; readonly jobs: readonly JobNote[] }
  /** Hard: QUEUED jobs of an owner that places its own system jobs; inserts the execution. */
  | { readonly type: 'startExecutions'; readonly starts: readonly ExecutionStart[] }
  /**
   * Soft, result `PlacementResult`: the scheduler's placements of jobs that are QUEUED with that number, of a type that
   * is not paused and has the limit by which they were decided, on nodes that are active and not paused.
   */
  | { readonly type: 'placeJobs'; readonly starts: readonly PlacedStart[] }
  /** Soft: only RUNNING executions end; a repeat changes nothing. */
  | { readonly type: 'endExecutions'; readonly ends: readonly ExecutionEnd[] }
  /**
   * Products of one or more executions with their ancestry. Earlier products with the same uuid are superseded, except
   * those of other nodes of the same recipe.
   */
  | { readonly type: 'createProducts'; readonly products: readonly NewProduct[] }
  /** Soft: source files that jobs describe, with their ingests, the job and its recipes. Later ones in a group win. */
  | { readonly type: 'parseSources'; readonly sources: readonly ParsedSource[] }
  /** Hard: `file_path_key` refuses a path that is taken. */
  | { readonly type: 'createSourceFiles'; readonly files: readonly NewSourceFile[] }
  | { readonly type: 'supersedeFiles'; readonly files: readonly FileSupersede[] }
  /** Hard: only recipes not yet superseded. */
  | {
      readonly type: 'supersedeRecipes';
      readonly recipes: readonly { readonly recipeId: number; readonly atMs: number }[];
    }
  /** Jobs that were carried over now also count in the recipes that hold them. */
  | { readonly type: 'shareJobs'; readonly jobs: readonly SharedJob[] }
  | {
      readonly type: 'supersedeJobs';
      readonly jobs: readonly { readonly jobId: number; readonly atMs: number }[];
    }
  /** Products of these jobs are no longer published. */
  | {
      readonly type: 'unpublishProducts';
      readonly jobs: readonly { readonly jobId: number; readonly atMs: number }[];
    }
  /** Hard: only recipes not yet completed; counts in the containing recipes. */
  | { readonly type: 'completeRecipes'; readonly recipes: readonly RecipeEnd[] }
  /** Soft, result `ArrivalResult`: known files change nothing. New ones may start at once, see `start`. */
  | {
      readonly type: 'recordArrivals';
      readonly owner: IngestOwner;
      readonly template: IngestJobTemplate;
      readonly arrivals: readonly ArrivalRecord[];
    }
  /** Hard: moves ingests TRANSFERRED or ERRORED -> INGESTING; accompanies `startExecutions`. */
  | {
      readonly type: 'startIngests';
      readonly ingests: readonly { readonly ingestId: number; readonly atMs: number }[];
    }
  /** Hard: only ingests in INGESTING or TRANSFERRED. */
  | { readonly type: 'endIngests'; readonly ingests: readonly IngestEnd[] }
  /** Hard: moves ERRORED ingests back to TRANSFERRED. Accompanies the `queue` move of their jobs. */
  | {
      readonly type: 'requeueIngests';
      readonly ingests: readonly { readonly ingestId: number; readonly atMs: number }[];
    }
  /** Soft: progress only grows. */
  | {
      readonly type: 'progressIngests';
      readonly ingests: readonly { readonly ingestId: number; readonly bytesTransferred: number }[];
    }
  | {
      readonly type: 'editStrike';
      readonly strikeId: number;
      readonly patch: StrikePatch;
      readonly atMs: number;
    }
  /** Does not count as an edit of the strike. `mark` null: the next listing begins from the start. */
  | { readonly type: 'markListing'; readonly strikeId: number; readonly mark: ListingMark | null }
  | { readonly type: 'editScan'; readonly scanId: number; readonly patch: ScanPatch; readonly atMs: number }
  /** The database gives each request its position, which is higher than that of any request that was saved before. */
  | { readonly type: 'createJobRequests'; readonly requests: readonly NewJobRequest[] }
  /** The cursor of a request, and changes of its backlog: jobs that are added, and jobs that are settled. */
  | {
      readonly type: 'advanceJobRequest';
      readonly requestId: number;
      readonly beforeId: number | null;
      readonly isDone: boolean;
      readonly added: readonly BacklogJob[];
      readonly settled: readonly number[];
      readonly atMs: number;
    }
  | { readonly type: 'saveNode'; readonly nodeId: number; readonly patch: NodePatch; readonly atMs: number }
  | {
      readonly type: 'saveReach';
      readonly nodeId: number;
      readonly reach: readonly WorkspaceReach[];
      readonly atMs: number;
    }
  /** Soft, result `ClaimResult`: claims those of the workspaces that no node has claimed. */
  | { readonly type: 'claimWorkspaces'; readonly nodeId: number; readonly workspaceIds: readonly number[] }
  | { readonly type: 'releaseClaims'; readonly nodeId: number; readonly workspaceIds: readonly number[] }
  | { readonly type: 'saveScheduler'; readonly patch: SchedulerPatch; readonly atMs: number }
  | {
      readonly type: 'saveUnmet';
      readonly types: readonly { readonly jobTypeId: number; readonly unmet: string | null }[];
      /** The same for scheduling classes, as a sentence. */
      readonly classes?: readonly { readonly key: string; readonly unmet: string | null }[];
    }
  | { readonly type: 'createBatches'; readonly batches: readonly NewBatch[] }
  /** Hard: only a batch that has all its recipes and is not superseded. */
  | {
      readonly type: 'supersedeBatches';
      readonly batches: readonly { readonly batchId: number; readonly atMs: number }[];
    }
  /** Hard: only while the cursor is at `from`; accompanies the recipes that the turn creates. */
  | {
      readonly type: 'advanceBatch';
      readonly batchId: number;
      readonly from: number;
      readonly to: number;
      /** Members that got no recipe. */
      readonly skipped: number;
      readonly isDone: boolean;
      readonly atMs: number;
    }
  | {
      readonly type: 'editBatch';
      readonly batchId: number;
      readonly patch: BatchPatch;
      readonly atMs: number;
    }
  | { readonly type: 'createDiagnosticRuns'; readonly runs: readonly NewDiagnosticRun[] }
  /** Hard: only while the run has made `from` recipes; accompanies the recipes that the turn creates. */
  | {
      readonly type: 'advanceDiagnosticRun';
      readonly runId: number;
      readonly from: number;
      readonly to: number;
      readonly atMs: number;
    }
  /**
   * Hard: a used key refuses the turn. Accompanies the records that its request creates; the answer is read afterwards.
   */
  | { readonly type: 'keepAnswers'; readonly answers: readonly KeyedAnswer[] };

export type ChangeType = Change['type'];

/** The store's answer to a change whose result an actor may request. */
export type ResultOf<C extends Change> = C extends { readonly type: infer Type extends keyof ChangeResults }
  ? ChangeResults[Type]
  : never;

/** The result of any change; undefined if no actor can request one. */
export type AnyResult = ChangeResults[keyof ChangeResults] | undefined;

interface ChangeResults {
  readonly placeJobs: PlacementResult;
  readonly recordArrivals: ArrivalResult;
  readonly claimWorkspaces: ClaimResult;
}

/** The workspaces that the node has claimed now, in which it has to write its marker. */
export interface ClaimResult {
  readonly claimed: readonly number[];
}

/** The placements that were applied. Other jobs were canceled or placed meanwhile, or their type or node changed. */
export interface PlacementResult {
  readonly placedExecutionIds: readonly number[];
  /**
   * The scheduler's snapshot was outdated: a job type or node was paused or deactivated, or a type has another limit.
   */
  readonly isOutdated: boolean;
}

/** The new files of a batch of arrivals. `ingestId` is the row's: an ingest that was TRANSFERRING keeps its own. */
export interface ArrivalResult {
  readonly accepted: readonly {
    readonly ingestId: number;
    readonly jobId: number;
    readonly filePath: string;
    readonly identity: string;
    /** Its execution is RUNNING. */
    readonly start: ArrivalStart | null;
  }[];
}

/** Fields that PATCH /v6/scheduler/ may change. */
export interface SchedulerPatch {
  readonly isPaused?: boolean;
  readonly messageHandlerCount?: number;
  readonly queueMode?: 'FIFO' | 'LIFO';
  readonly loggingLevel?: string;
}
