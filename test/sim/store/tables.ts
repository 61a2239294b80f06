/** The rows of the simulated database: maps whose changes can be taken back, as those of a transaction can. */
import type { NewBatch } from '../../../src/domain/batch/batch.ts';
import type { Data } from '../../../src/domain/data/data.ts';
import type { NewEvent } from '../../../src/domain/event.ts';
import type { KeyedAnswer } from '../../../src/domain/idempotency.ts';
import type { IngestOwner, IngestStatus } from '../../../src/domain/ingest/ingest.ts';
import type { DataDocument, ExecutionEnd, JobInput, JobStatus, NewJob } from '../../../src/domain/job/job.ts';
import type { BacklogJob, NewJobRequest } from '../../../src/domain/job/job-request.ts';
import type { NodeRow, WorkspaceInfo } from '../../../src/domain/node/node.ts';
import type { NewRecipe, RecipeInputData } from '../../../src/domain/recipe/recipe.ts';
import type { ScanCounts, ScanMode, ScanRow } from '../../../src/domain/scan/scan.ts';
import type { Resources, SchedulingClass } from '../../../src/domain/scheduling/scheduling-class.ts';
import type { SchedulerSettings, TypeLimit } from '../../../src/domain/scheduling/snapshot.ts';
import type { StrikeRow } from '../../../src/domain/strike/strike.ts';
import type { ErrorRef, PhaseTime } from '../../../src/domain/task/task-result.ts';
import type { PurgeRow } from '../../../src/store/purge/record.ts';
import { type LoggedChange, type RowChange, Table } from './table.ts';

export interface JobRow extends Omit<NewJob, 'status' | 'queueing' | 'input' | 'recipeIds' | 'batchIds'> {
  readonly status: JobStatus;
  readonly exeNum: number;
  readonly nodeId: number | null;
  readonly error: ErrorRef | null;
  readonly classKey: string | null;
  readonly resources: Resources;
  readonly queuedMs: number;
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  /** When it got its status. */
  readonly changedMs: number;
  readonly notBeforeMs: number | null;
  readonly input: JobInput | null;
  readonly output: DataDocument | null;
  readonly recipeIds: readonly number[];
  readonly batchIds: readonly number[];
  /** Null until a later recipe carries it over. */
  readonly liveRecipeId: number | null;
  readonly liveBatchId: number | null;
  readonly isSuperseded: boolean;
  readonly requestPosition: number | null;
}

/** The recipe and the batch that a job lives on in. */
export function liveOf(job: JobRow): { readonly recipeId: number | null; readonly batchId: number | null } {
  const { recipeId, batchId, liveRecipeId, liveBatchId } = job;
  return liveRecipeId === null ? { recipeId, batchId } : { recipeId: liveRecipeId, batchId: liveBatchId };
}

export interface ExecutionRow {
  readonly id: number;
  readonly jobId: number;
  readonly exeNum: number;
  readonly jobTypeId: number;
  readonly nodeId: number;
  readonly resources: Resources;
  readonly queuedMs: number;
  readonly startedMs: number;
  readonly endedMs: number | null;
  /** What its agent has told of its tasks. */
  readonly phases: readonly PhaseTime[];
  readonly status: 'RUNNING' | ExecutionEnd['status'];
  readonly error: ErrorRef | null;
}

export type Counter = 'total' | JobStatus | 'subTotal' | 'subCompleted';

export interface RecipeRow extends Omit<NewRecipe, 'input'> {
  readonly input: RecipeInputData | null;
  readonly counts: Readonly<Partial<Record<Counter, number>>>;
  readonly isCompleted: boolean;
  readonly isSuperseded: boolean;
  readonly lastModifiedMs: number;
}

export interface RecipeNodeRow {
  readonly id: string;
  readonly recipeId: number;
  readonly name: string;
  readonly jobId: number | null;
  readonly subRecipeId: number | null;
  readonly conditionId: number | null;
  readonly isOriginal: boolean;
}

export interface ConditionRow {
  readonly id: number;
  readonly recipeId: number;
  readonly nodeName: string;
  readonly isProcessed: boolean;
  readonly isAccepted: boolean;
  readonly data: DataDocument | null;
}

export interface FileRow {
  readonly id: number;
  readonly uuid: string;
  readonly fileType: 'SOURCE' | 'PRODUCT';
  readonly fileName: string;
  readonly mediaType: string;
  readonly size: number;
  readonly sha256: string;
  readonly tags: readonly string[];
  readonly workspaceId: number;
  readonly filePath: string;
  readonly jobId: number | null;
  readonly executionId: number | null;
  readonly isSuperseded: boolean;
  readonly isPublished: boolean;
  readonly isDeleted: boolean;
}

/** A file, job or tree that a purge has found. */
export interface PurgeMemberRow {
  readonly id: string;
  readonly purgeId: number;
  readonly key: number;
  readonly round: number;
  /** A file waits while its bytes are still to go; a job or tree, while its owner may have it in memory. */
  readonly isWaiting: boolean;
}

export interface PurgeDbRow extends PurgeRow {
  readonly shard: number;
  readonly deletesSourceBytes: boolean;
}

export interface AncestryRow {
  readonly id: string;
  readonly ancestorId: number;
  readonly descendantId: number;
  readonly isDirect: boolean;
}

export interface TombstoneRow {
  readonly id: string;
  readonly purgeId: number;
  readonly workspaceId: number;
  readonly filePath: string;
  readonly arrival: string | null;
  readonly size: number;
  readonly mtimeMs: number | null;
  readonly sha256: string;
}

export interface IngestRow {
  readonly id: number;
  readonly owner: IngestOwner;
  readonly jobId: number | null;
  readonly status: IngestStatus;
  readonly workspaceId: number;
  readonly filePath: string;
  readonly fileName: string;
  readonly mediaType: string;
  readonly arrival: string | null;
  /** When the content was complete; null until then. */
  readonly arrivedMs: number | null;
  readonly size: number;
  readonly mtimeMs: number | null;
  readonly tags: readonly string[];
  readonly newWorkspaceId: number | null;
  readonly newFilePath: string | null;
  readonly sourceFileId: number | null;
  readonly reason: string | null;
}

type StrikeColumns =
  | 'id'
  | 'title'
  | 'description'
  | 'configuration'
  | 'workspaceId'
  | 'isPaused'
  | 'listing';
export interface StrikeDbRow extends Pick<StrikeRow, StrikeColumns | 'deferredCursor'> {
  readonly shard: number;
  readonly jobId: number;
}

export interface ScanDbRow {
  readonly id: number;
  readonly shard: number;
  readonly title: string;
  readonly description: string;
  readonly configuration: ScanRow['configuration'];
  readonly workspaceId: number;
  readonly jobId: number;
  readonly dryRunJobId: number;
  readonly run: ScanMode | null;
  readonly waiting: readonly ScanMode[];
  readonly cursor: string;
  readonly counts: ScanCounts | null;
  readonly previousCounts: ScanCounts | null;
  readonly cancelThrough: number | null;
  readonly reason: string | null;
}

export interface JobRequestRow extends NewJobRequest {
  readonly position: number;
  readonly beforeId: number | null;
  readonly isDone: boolean;
}

export interface BacklogRow extends BacklogJob {
  readonly id: string;
  readonly requestId: number;
}

export interface BatchRow extends NewBatch {
  readonly cursor: number;
  readonly skippedCount: number;
  readonly isCreationDone: boolean;
  readonly isSuperseded: boolean;
}

/** What is added up of a batch, or of one node of its recipes. */
export interface BatchCountRow {
  readonly id: string;
  readonly batchId: number;
  readonly node: string;
  readonly sums: Readonly<Record<string, number>>;
}

export interface MemberRow {
  readonly id: number;
  readonly datasetId: number;
  readonly data: Data;
}

export interface NodeDbRow extends Omit<NodeRow, 'executions' | 'reach'> {
  readonly shard: number;
}

export interface ReachRow {
  readonly id: string;
  readonly nodeId: number;
  readonly workspaceId: number;
  readonly isReachable: boolean;
  readonly reason: string | null;
}

export interface AnswerRow extends KeyedAnswer {
  readonly id: string;
  /** As much of the record, as it was made, as anybody here reads. */
  readonly made: { readonly id: number } | null;
}

export interface ClaimRow {
  readonly id: string;
  readonly coordinatorId: string;
  readonly expiresMs: number;
}

export type ClassRow = SchedulingClass & { readonly id: string };
type SettingsRow = SchedulerSettings & { readonly id: number };
/** A job type, as far as it limits placements. */
export type JobTypeRow = Pick<TypeLimit, 'isPaused' | 'maxScheduled'> & { readonly id: number };

export class Tables {
  readonly #log: LoggedChange[] = [];
  #position = 0;
  readonly jobs = new Table<JobRow>('job', this.#log, (row) => row.recipeId);
  readonly executions = new Table<ExecutionRow>('job_exe', this.#log, (row) => row.jobId);
  readonly recipes = new Table<RecipeRow>('recipe', this.#log, (row) => row.chainId ?? row.rootId);
  readonly recipeNodes = new Table<RecipeNodeRow>('recipe_node', this.#log, (row) => row.recipeId);
  readonly conditions = new Table<ConditionRow>('recipe_condition', this.#log);
  readonly files = new Table<FileRow>('file', this.#log);
  readonly ingests = new Table<IngestRow>('ingest', this.#log);
  readonly strikes = new Table<StrikeDbRow>('strike', this.#log);
  readonly scans = new Table<ScanDbRow>('scan', this.#log);
  readonly batches = new Table<BatchRow>('batch', this.#log);
  readonly batchCounts = new Table<BatchCountRow>('batch_count', this.#log, (row) => row.batchId);
  readonly jobRequests = new Table<JobRequestRow>('job_request', this.#log);
  readonly answers = new Table<AnswerRow>('idempotency_key', this.#log);
  readonly claims = new Table<ClaimRow>('idempotency_claim', this.#log);
  readonly backlog = new Table<BacklogRow>('job_request_backlog', this.#log, (row) => row.requestId);
  readonly purges = new Table<PurgeDbRow>('purge', this.#log);
  readonly purgeFiles = new Table<PurgeMemberRow>('purge_file', this.#log, (row) => row.purgeId);
  readonly purgeJobs = new Table<PurgeMemberRow>('purge_job', this.#log, (row) => row.purgeId);
  readonly purgeTrees = new Table<PurgeMemberRow>('purge_tree', this.#log, (row) => row.purgeId);
  readonly ancestry = new Table<AncestryRow>('file_ancestry', this.#log, (row) => row.descendantId);
  readonly tombstones = new Table<TombstoneRow>('tombstone', this.#log);
  readonly members = new Table<MemberRow>('dataset_member', this.#log, (row) => row.datasetId);
  readonly nodes = new Table<NodeDbRow>('node', this.#log);
  readonly reach = new Table<ReachRow>('node_workspace', this.#log);
  readonly workspaces = new Table<WorkspaceInfo>('workspace', this.#log);
  readonly jobTypes = new Table<JobTypeRow>('job_type', this.#log);
  readonly classes = new Table<ClassRow>('scheduling_class', this.#log);
  readonly settings = new Table<SettingsRow>('scheduler_settings', this.#log);
  readonly events = new Table<NewEvent>('event', this.#log);

  /** The next value of a sequence: what is taken back keeps it. */
  nextPosition(): number {
    this.#position += 1;
    return this.#position;
  }

  /** Takes back what was put since the last commit. */
  rollback(): void {
    for (let one = this.#log.pop(); one !== undefined; one = this.#log.pop()) one.undo();
  }

  /** Answers what was changed. */
  commit(): RowChange[] {
    return this.#log.splice(0);
  }
}
