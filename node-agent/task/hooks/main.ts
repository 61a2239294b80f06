/**
 * The main task: watched from its start, or from when it was found again, and ended when its time limit is reached or
 * it is canceled. The reason for ending it is written to disk first, so that a restart of the agent does not take a
 * time-out for a failure.
 */
import { SYSTEM_EXIT_ERRORS } from '../../../src/domain/job/builtin-errors.ts';
import type { Clock } from '../../clock.ts';
import type { MainEnd, MainRun, TaskIdentity } from '../../executor/executor.ts';
import { readTaskFile, writeTaskFile } from '../../task-file.ts';
import { endText } from '../end-text.ts';
import { DeclaredFailure, TaskFailure } from '../task-failure.ts';
import type { TaskSpec } from '../task-spec.ts';

const KILL_AFTER_MS = 10_000;
const STOP_BYTES_MAX = 16;

export type StopReason = 'timeout' | 'canceled';

export interface MainRequest {
  readonly spec: TaskSpec;
  readonly task: TaskIdentity;
  readonly clock: Clock;
  /** Whether it was just started, so that it cannot have been ended before. */
  readonly isFresh: boolean;
  /**
   * How long it has already run. Not computed from wall clocks, a step of which would end the task too early or never.
   */
  readonly elapsedMs: number;
  /** Aborts when the task is canceled. */
  readonly canceled: AbortSignal;
}

export interface MainResult {
  readonly startedMs: number;
  readonly end: MainEnd;
  /** Why it was ended, if it was. */
  readonly stopped: StopReason | undefined;
}

/** Watches a run to its end. Throws TaskFailure if it did not begin. */
export async function watchMain(request: MainRequest, run: MainRun): Promise<MainResult> {
  const { spec, task, clock, canceled } = request;
  let stopped = request.isFresh ? undefined : await readStop(task);
  const cancels: (() => void)[] = [];
  const stop = (reason: StopReason): void => {
    // The task is ended even if the reason cannot be written; after a crash at this point it would be reported as a
    // failure.
    const noted =
      stopped === undefined ? writeTaskFile(task.folder.stop, reason).catch(() => undefined) : undefined;
    stopped ??= reason;
    // A signal that no process gets is not a failure; `ended` decides.
    void Promise.resolve(noted).then(() => run.signal('SIGTERM').catch(() => undefined));
    cancels.push(clock.after(KILL_AFTER_MS, () => void run.signal('SIGKILL').catch(() => undefined)));
  };
  if (stopped !== undefined) stop(stopped);
  const { timeoutS } = spec.launch;
  if (timeoutS > 0) {
    const leftMs = timeoutS * 1_000 - request.elapsedMs;
    cancels.push(clock.after(Math.max(0, leftMs), () => stop('timeout')));
  }
  const onCancel = (): void => stop('canceled');
  canceled.addEventListener('abort', onCancel);
  if (canceled.aborted) onCancel();
  try {
    return { startedMs: run.startedMs, end: await run.ended, stopped };
  } finally {
    canceled.removeEventListener('abort', onCancel);
    for (const cancel of cancels) cancel();
  }
}

async function readStop({ folder }: TaskIdentity): Promise<StopReason | undefined> {
  const text = await readTaskFile(folder.stop, STOP_BYTES_MAX);
  return text === 'timeout' || text === 'canceled' ? text : undefined;
}

/** The failure of an ended main task, or undefined if it succeeded. */
export function failureOf(
  { end, stopped }: MainResult,
  spec: TaskSpec,
): TaskFailure | DeclaredFailure | undefined {
  if (stopped === 'timeout') {
    const error = spec.launch.isSystem ? 'system-timeout' : 'timeout';
    return new TaskFailure(error, `ended after ${spec.launch.timeoutS} s, its time limit`);
  }
  if (end.how === 'lost') return new TaskFailure('docker-terminated', end.detail);
  if (end.exitCode === 0) return undefined;
  const detail = endText(end.exitCode, end.isOutOfMemory);
  if (spec.launch.isSystem) return new TaskFailure(SYSTEM_EXIT_ERRORS.get(end.exitCode) ?? 'unknown', detail);
  const declared = spec.manifest.job.errors.find(({ code }) => code === end.exitCode);
  if (declared !== undefined) return new DeclaredFailure(declared.name, detail);
  if (end.isOutOfMemory) return new TaskFailure('out-of-memory', detail);
  return new TaskFailure(end.isKilled === true ? 'docker-terminated' : 'algorithm-unknown', detail);
}
