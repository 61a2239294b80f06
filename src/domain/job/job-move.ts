/**
 * Turns a step of a job's state machine into the change of its row, and applies it to memory: every owner moves jobs
 * this way.
 */
import { assert } from '../../lib/assert.ts';
import type { FileInfo } from '../file/file.ts';
import type { JobTypeRevision } from '../recipe/type-revisions.ts';
import type { ErrorRef } from '../task/task-result.ts';
import type { WorkspaceIds } from '../workspace/workspace-ids.ts';
import type { DataDocument, JobMove, JobOwner, JobRevision, JobState } from './job.ts';
import { isWaiting, type JobEvent, type JobStep, transition } from './job-machine.ts';
import { prepareQueueing, type QueuedEntry, type QueueEntryParts } from './queueing.ts';
import { givenBackPauseMs, retryPauseMs } from './retry.ts';

/** The data that moving a job needs. */
export interface JobContext {
  readonly revision: JobTypeRevision;
  readonly owner: JobOwner;
  /** Contains every file of the job's input. */
  readonly files: ReadonlyMap<number, FileInfo>;
  readonly workspaces: WorkspaceIds;
  readonly nowMs: number;
  /** The priority of the job's batch; absent: none. */
  readonly batchPriority?: number | null;
}

/** Additional data of a move. */
export interface MoveDetails {
  /** Given for a job that is queued for the first time, or whose new revision takes fewer values. */
  readonly input?: DataDocument;
  /** An explicit priority; undefined: as configured. */
  readonly priority?: number | undefined;
  /** The time from which a job that is tried again may be placed; absent: at once. */
  readonly notBeforeMs?: number;
  /** Since when it waits, for a job that keeps its place in the queue; absent: since now. */
  readonly queuedMs?: number;
  readonly output?: DataDocument;
  readonly error?: ErrorRef;
  /** The revision of its job type from now on; absent: unchanged. */
  readonly revision?: JobRevision;
  /** The duration of the main task, in ms; null: unknown. */
  readonly seedMs?: number | null;
}

export interface MovedJob {
  readonly move: JobMove;
  /** Present if the job was queued. */
  readonly queued: EnqueuedJob | null;
}

export interface EnqueuedJob extends QueueEntryParts {
  readonly entry: QueuedEntry;
}

/** Applies an event to `job` in memory. Undefined if the event has no effect. */
export function moveJob(
  job: JobState,
  event: JobEvent,
  context: JobContext,
  details: MoveDetails = {},
): MovedJob | undefined {
  const step = transition(job, event);
  if (step.type === 'ignored') return undefined;
  const pauseMs = step.to === 'QUEUED' ? pauseAfter(event, job, context) : 0;
  const pause = pauseMs > 0 && { notBeforeMs: context.nowMs + pauseMs };
  const moved = makeMove(job, step, context, { ...details, ...pause, ...placeAfter(event, job) });
  job.status = step.to;
  job.exeNum = step.exeNum;
  job.maxTries = step.maxTries;
  return moved;
}

/** How long a job that is queued again has to wait before it may be placed. */
function pauseAfter({ type }: JobEvent, job: JobState, { revision }: JobContext): number {
  if (type === 'taskFailed') return retryPauseMs(triesSince(job, revision.maxTries));
  return type === 'taskNeverBegan' ? givenBackPauseMs(job.exeNum) : 0;
}

/** A job that a node gave back has not had its turn, so it stays before those that were queued after it. */
function placeAfter({ type }: JobEvent, { queuedMs }: JobState): Pick<MoveDetails, 'queuedMs'> {
  return type === 'taskNeverBegan' && typeof queuedMs === 'number' ? { queuedMs } : {};
}

/**
 * The number of executions since a user last queued it, which set `maxTries` to the number of executions plus
 * `typeMaxTries`.
 */
function triesSince({ exeNum, maxTries }: JobState, typeMaxTries: number): number {
  return Math.min(Math.max(1, exeNum - (maxTries - typeMaxTries)), exeNum);
}

function makeMove(
  job: JobState,
  step: Extract<JobStep, { type: 'moved' }>,
  context: JobContext,
  details: MoveDetails,
): MovedJob {
  const guard = { jobId: job.id, from: step.from, exeNum: job.exeNum };
  const atMs = context.nowMs;
  const revision = details.revision === undefined ? {} : { revision: details.revision };
  switch (step.to) {
    case 'QUEUED': {
      const isFirst = isWaiting(job.status);
      const queued = enqueue(job, context, { ...details, exeNum: step.exeNum, maxTries: step.maxTries });
      const input = isFirst || details.input !== undefined ? queued.input : null;
      return { move: { kind: 'queue', ...guard, queueing: queued.queueing, input, ...revision }, queued };
    }
    case 'COMPLETED':
      job.output = details.output ?? null;
      return {
        move: {
          ...{ kind: 'end', ...guard, to: step.to, error: null, output: job.output, atMs },
          seedMs: details.seedMs ?? null,
          ...revision,
        },
        queued: null,
      };
    case 'FAILED': {
      const error = details.error ?? null;
      return {
        move: { kind: 'end', ...guard, to: step.to, error, output: null, atMs, ...revision },
        queued: null,
      };
    }
    default:
      assert(step.to !== 'RUNNING', `job ${job.id} is placed by the scheduler only`);
      return { move: { kind: 'status', ...guard, to: step.to, atMs, ...revision }, queued: null };
  }
}

/** Computes the queue entry of an execution; the job remembers its input. */
export function enqueue(
  job: JobState,
  context: JobContext,
  details: MoveDetails & { readonly exeNum: number; readonly maxTries: number },
): EnqueuedJob {
  const input = details.input ?? job.input;
  assert(input !== null, `job ${job.id} is queued without input`);
  const up = prepareQueueing({
    revision: context.revision,
    configuration: job.configuration,
    input,
    files: context.files,
    workspaces: context.workspaces,
    exeNum: details.exeNum,
    maxTries: details.maxTries,
    priority: details.priority,
    batchPriority: context.batchPriority ?? undefined,
    ...(details.notBeforeMs === undefined ? {} : { notBeforeMs: details.notBeforeMs }),
    ...(details.queuedMs === undefined ? {} : { queuedMs: details.queuedMs }),
    atMs: context.nowMs,
  });
  job.queuedMs = details.queuedMs ?? context.nowMs;
  job.input = up.input.input;
  job.source = up.input.source;
  const { exeNum, priority, notBeforeMs } = up.queueing;
  const entry = {
    jobId: job.id,
    exeNum,
    priority,
    queuedMs: job.queuedMs,
    ...(notBeforeMs === undefined ? {} : { notBeforeMs }),
    owner: context.owner,
    class: up.class,
  };
  return { ...up, entry };
}
