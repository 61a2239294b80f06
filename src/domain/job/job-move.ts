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
import { type QueuedEntry, type QueuedUp, queueUp } from './queueing.ts';
import { retryPauseMs } from './retry.ts';

/** The data that moving a job needs. */
export interface JobSurroundings {
  readonly plan: JobTypeRevision;
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
  /** The input of a job that is queued for the first time, or that takes fewer values from now on. */
  readonly input?: DataDocument;
  /** An explicit priority; undefined: as configured. */
  readonly priority?: number | undefined;
  /** The time from which a job that is tried again may be placed; absent: at once. */
  readonly notBeforeMs?: number;
  readonly output?: DataDocument;
  readonly error?: ErrorRef;
  /** The revision of its job type from now on; absent: unchanged. */
  readonly revision?: JobRevision;
  /** The duration of the main task. */
  readonly seedMs?: number | null;
}

export interface MovedJob {
  readonly move: JobMove;
  /** Present if the job was queued. */
  readonly queued: QueuedJobUp | null;
}

export interface QueuedJobUp extends QueuedUp {
  readonly entry: QueuedEntry;
}

/** Applies an event to `job` in memory. Undefined if the event has no effect. */
export function moveJob(
  job: JobState,
  event: JobEvent,
  around: JobSurroundings,
  details: MoveDetails = {},
): MovedJob | undefined {
  const step = transition(job, event);
  if (step.type === 'ignored') return undefined;
  const isRetry = event.type === 'taskFailed' && step.to === 'QUEUED';
  const pause = isRetry
    ? { notBeforeMs: around.nowMs + retryPauseMs(triesSince(job, around.plan.maxTries)) }
    : {};
  const moved = makeMove(job, step, around, { ...details, ...pause });
  job.status = step.to;
  job.exeNum = step.exeNum;
  job.maxTries = step.maxTries;
  return moved;
}

/** Executions since somebody last queued it, which set `maxTries` to the number of executions plus `typeMaxTries`. */
function triesSince({ exeNum, maxTries }: JobState, typeMaxTries: number): number {
  return Math.min(Math.max(1, exeNum - (maxTries - typeMaxTries)), exeNum);
}

function makeMove(
  job: JobState,
  step: Extract<JobStep, { type: 'moved' }>,
  around: JobSurroundings,
  details: MoveDetails,
): MovedJob {
  const guard = { jobId: job.id, from: step.from, exeNum: job.exeNum };
  const atMs = around.nowMs;
  const revision = details.revision === undefined ? {} : { revision: details.revision };
  switch (step.to) {
    case 'QUEUED': {
      const isFirst = isWaiting(job.status);
      const queued = enqueue(job, around, { ...details, exeNum: step.exeNum, maxTries: step.maxTries });
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
  around: JobSurroundings,
  details: MoveDetails & { readonly exeNum: number; readonly maxTries: number },
): QueuedJobUp {
  const input = details.input ?? job.input;
  assert(input !== null, `job ${job.id} is queued without input`);
  const up = queueUp({
    plan: around.plan,
    configuration: job.configuration,
    input,
    files: around.files,
    workspaces: around.workspaces,
    exeNum: details.exeNum,
    maxTries: details.maxTries,
    priority: details.priority,
    batchPriority: around.batchPriority ?? undefined,
    ...(details.notBeforeMs === undefined ? {} : { notBeforeMs: details.notBeforeMs }),
    atMs: around.nowMs,
  });
  job.input = up.input.input;
  job.source = up.input.source;
  const { exeNum, priority, notBeforeMs } = up.queueing;
  const entry = {
    jobId: job.id,
    exeNum,
    priority,
    queuedMs: around.nowMs,
    ...(notBeforeMs === undefined ? {} : { notBeforeMs }),
    owner: around.owner,
    class: up.class,
  };
  return { ...up, entry };
}
