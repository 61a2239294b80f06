/**
 * Computes in memory, on locked rows, what a group of turns does to jobs: guards are checked, moves of one job in one
 * group are folded into its last state, and each row is written once. No SQL.
 */

import type {
  DataDocument,
  ExecutionStart,
  JobInput,
  JobMove,
  JobRevision,
  JobStatus,
  NewJob,
  PlacedStart,
  Queueing,
} from '../../domain/job/job.ts';
import type { SharedJob } from '../../domain/recipe/recipe.ts';
import type { ErrorRef } from '../../domain/task/task-result.ts';
import { unreachable } from '../../lib/assert.ts';
import type { ChangeOf, Group, Placed } from '../sql/group.ts';
import { columnsOf, type RowOf } from '../sql/table-rows.ts';
import { JobEntity } from './table.ts';

/** The locked row of a job, as far as moves need it. */
export const LOCKED_JOB = columnsOf(JobEntity, 'j', [
  'id',
  'jobTypeId',
  'status',
  'numExes',
  'recipeIds',
  'recipeNode',
  'batchIds',
  'seedMs',
  'nodeId',
  'errorId',
  'started',
  'ended',
  'queued',
  'lastStatusChange',
]);

export type LockedJob = RowOf<typeof LOCKED_JOB> &
  LockedType & {
    /** The nodes of the group's placements that are paused or not active; the same in each row. */
    readonly closedNodeIds: readonly number[] | null;
  };

/** The columns of the job's type, read when the job is locked. */
interface LockedType {
  readonly isTypePaused: boolean;
  readonly maxScheduled: number | null;
}

/** The type of jobs that the group both creates and places. Read in its transaction: they have no row to lock. */
export interface NewJobType extends LockedType {
  readonly jobTypeId: number;
  /** As for a locked job. */
  readonly closedNodeIds: readonly number[] | null;
}

export interface PendingJob {
  readonly id: number;
  readonly jobTypeId: number;
  readonly recipeIds: readonly number[];
  readonly recipeNode: string | null;
  /** Batches whose metrics count the job: before the group, or as the group creates it. */
  readonly batchIds: readonly number[];
  /** Recipes and batches that it also counts in from this group on. */
  readonly sharedIds: number[];
  readonly sharedBatchIds: number[];
  /** Before the group; null = created by it. */
  readonly before: JobStatus | null;
  /**
   * The time and the error of its status before the group, and since when it waits or waited; null = created by the
   * group.
   */
  readonly left: {
    readonly errorId: number | null;
    readonly atMs: number;
    readonly queuedMs: number | null;
  } | null;
  readonly created: NewJob | null;
  /** Null for jobs that the group creates. */
  readonly type: LockedType | null;
  status: JobStatus;
  exeNum: number;
  nodeId: number | null;
  /** The row's error, kept unless `error` is given. */
  errorId: number | null;
  error: ErrorRef | null;
  startedMs: number | null;
  endedMs: number | null;
  /** The time of the last change. */
  atMs: number;
  /** The last queueing of this group. */
  queueing: Queueing | null;
  input: JobInput | null;
  output: DataDocument | null;
  seedMs: number | null;
  /** The revision of its job type from this group on; null keeps the row's. */
  revision: JobRevision | null;
  /** The position of the request that changed it in this group; null keeps the row's. */
  requestPosition: number | null;
}

export type StartChange = Placed<'startExecutions'> | Placed<'placeJobs'>;

function isPlacement(placed: StartChange): placed is Placed<'placeJobs'> {
  return placed.change.type === 'placeJobs';
}

/** `queuedMs`: when the job was queued for this execution; the same group may have queued it again since. */
export interface QueuedStart extends ExecutionStart {
  readonly queuedMs: number | null;
}

export class PendingJobs {
  readonly pendingRows = new Map<number, PendingJob>();
  /** Executions that begin. */
  readonly starts: QueuedStart[] = [];
  readonly #group: Group;
  readonly #closedNodeIds: ReadonlySet<number>;
  /** By the id of the type. */
  readonly #newJobTypes = new Map<number, LockedType>();

  constructor(group: Group, locked: readonly LockedJob[], newJobTypes: readonly NewJobType[]) {
    this.#group = group;
    this.#closedNodeIds = new Set([
      ...(locked[0]?.closedNodeIds ?? []),
      ...(newJobTypes[0]?.closedNodeIds ?? []),
    ]);
    for (const type of newJobTypes) this.#newJobTypes.set(type.jobTypeId, type);
    for (const row of locked) this.pendingRows.set(row.id, pendingOfRow(row));
  }

  create(job: NewJob): void {
    this.pendingRows.set(job.id, pendingOfNew(job));
  }

  move(turn: number, move: JobMove): void {
    const pending = this.pendingRows.get(move.jobId);
    if (
      pending === undefined ||
      !move.from.includes(pending.status) ||
      (move.exeNum !== null && move.exeNum !== pending.exeNum)
    ) {
      const is =
        pending === undefined ? 'is not there' : `is ${pending.status} at execution ${pending.exeNum}`;
      this.#group.refuse(turn, `moveJobs: job ${move.jobId} ${is}`);
      return;
    }
    applyMove(pending, move);
  }

  /** Newer recipes hold the job as well. */
  share(turn: number, { jobId, recipeIds, batchIds }: SharedJob): void {
    const pending = this.pendingRows.get(jobId);
    if (pending === undefined) {
      this.#group.refuse(turn, `shareJobs: job ${jobId} is not there`);
      return;
    }
    pending.sharedIds.push(...recipeIds);
    pending.sharedBatchIds.push(...batchIds);
  }

  /** Sets the position of the request that changed the jobs. Without another change of a job it is not written. */
  stamp({ jobIds, position }: ChangeOf<'stampJobs'>): void {
    for (const id of jobIds) {
      const pending = this.pendingRows.get(id);
      if (pending !== undefined) pending.requestPosition = Math.max(position, pending.requestPosition ?? 0);
    }
  }

  /** QUEUED -> RUNNING. Returns whether it was possible. */
  start(start: ExecutionStart): boolean {
    const pending = this.pendingRows.get(start.jobId);
    if (pending === undefined || !isQueuedAt(pending, start)) return false;
    const atMs = notBefore(pending, start.atMs);
    pending.status = 'RUNNING';
    pending.nodeId = start.nodeId;
    pending.startedMs = atMs;
    pending.endedMs = null;
    pending.atMs = atMs;
    const queuedMs = queuedMsOf(pending) ?? pending.left?.queuedMs ?? null;
    this.starts.push({ ...start, atMs, queuedMs });
    return true;
  }

  /** All starts of one change: hard ones refuse their turn, placements are skipped. */
  startAll(placed: StartChange): void {
    if (isPlacement(placed)) this.#place(placed);
    else if (placed.change.starts.filter((start) => this.start(start)).length < placed.change.starts.length) {
      this.#group.refuse(placed.turn, 'startExecutions: a job is not queued at that execution');
    }
  }

  /**
   * A type or node that was paused, deactivated or limited before a job was queued has the new row when the job is
   * locked, or when the transaction that creates it reads them, even if the scheduler does not know it yet.
   */
  #place(placed: Placed<'placeJobs'>): void {
    const placedExecutionIds: number[] = [];
    let isOutdated = false;
    for (const start of placed.change.starts) {
      const pending = this.pendingRows.get(start.jobId);
      if (pending === undefined || !isQueuedAt(pending, start)) continue;
      const type = pending.type ?? this.#newJobTypes.get(pending.jobTypeId);
      if (this.#closedNodeIds.has(start.nodeId) || hasOtherLimit(type, start)) isOutdated = true;
      else if (this.start(start)) placedExecutionIds.push(start.executionId);
    }
    this.#group.answer(placed, { placedExecutionIds, isOutdated });
  }

  get changed(): PendingJob[] {
    return [...this.pendingRows.values()].filter((pending) => pending.created !== null || pending.atMs > 0);
  }
}

/** Since when a job waits that the group has queued. */
export function queuedMsOf({ queueing }: PendingJob): number | undefined {
  return queueing?.queuedMs ?? queueing?.atMs;
}

function isQueuedAt({ status, exeNum }: PendingJob, start: ExecutionStart): boolean {
  return status === 'QUEUED' && exeNum === start.exeNum;
}

function hasOtherLimit(type: LockedType | undefined, { maxScheduled }: PlacedStart): boolean {
  return type === undefined || type.isTypePaused || type.maxScheduled !== maxScheduled;
}

/** `atMs` 0: not changed yet. */
function pendingOfRow(row: LockedJob): PendingJob {
  return {
    id: row.id,
    jobTypeId: row.jobTypeId,
    recipeIds: row.recipeIds,
    recipeNode: row.recipeNode,
    batchIds: row.batchIds,
    sharedIds: [],
    sharedBatchIds: [],
    before: row.status,
    left: { errorId: row.errorId, atMs: row.lastStatusChange, queuedMs: row.queued },
    created: null,
    type: { isTypePaused: row.isTypePaused, maxScheduled: row.maxScheduled },
    status: row.status,
    exeNum: row.numExes,
    nodeId: row.nodeId,
    errorId: row.errorId,
    error: null,
    startedMs: row.started,
    endedMs: row.ended,
    atMs: 0,
    queueing: null,
    input: null,
    output: null,
    seedMs: row.seedMs,
    revision: null,
    requestPosition: null,
  };
}

function pendingOfNew(job: NewJob): PendingJob {
  const atMs = Math.max(job.atMs, job.queueing?.atMs ?? 0);
  return {
    id: job.id,
    jobTypeId: job.jobTypeId,
    recipeIds: job.recipeIds,
    recipeNode: job.recipeNode,
    batchIds: job.batchIds ?? [],
    sharedIds: [],
    sharedBatchIds: [],
    before: null,
    left: null,
    created: job,
    type: null,
    status: job.status,
    exeNum: job.queueing?.exeNum ?? 0,
    nodeId: null,
    errorId: null,
    error: null,
    startedMs: null,
    endedMs: null,
    atMs,
    queueing: job.queueing && { ...job.queueing, atMs },
    input: job.input,
    output: null,
    seedMs: null,
    revision: null,
    requestPosition: null,
  };
}

/**
 * Coordinators know the database's clock to within a few milliseconds, and it may be stepped back: a job's next step is
 * never stored as earlier than the one before.
 */
function notBefore(pending: PendingJob, atMs: number): number {
  return Math.max(atMs, pending.atMs, pending.left?.atMs ?? 0);
}

function applyMove(pending: PendingJob, move: JobMove): void {
  pending.atMs = notBefore(pending, move.kind === 'queue' ? move.queueing.atMs : move.atMs);
  pending.revision = move.revision ?? pending.revision;
  switch (move.kind) {
    case 'queue':
      pending.status = 'QUEUED';
      pending.exeNum = move.queueing.exeNum;
      pending.queueing = { ...move.queueing, atMs: pending.atMs };
      pending.input = move.input ?? pending.input;
      clearOutcome(pending);
      pending.startedMs = null;
      pending.endedMs = null;
      return;
    case 'end':
      pending.status = move.to;
      pending.errorId = null;
      pending.error = move.error;
      pending.output = move.output;
      pending.seedMs = move.seedMs ?? null;
      pending.endedMs = pending.atMs;
      return;
    case 'status':
      pending.status = move.to;
      clearOutcome(pending);
      return;
    default:
      unreachable(move);
  }
}

function clearOutcome(pending: PendingJob): void {
  pending.nodeId = null;
  pending.errorId = null;
  pending.error = null;
}
