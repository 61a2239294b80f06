/**
 * Which failures are tried again automatically: those of built-in errors. Errors of a job type are never tried again.
 */
import type { ErrorRef, TaskResult } from '../task/task-result.ts';
import { BUILTIN_ERRORS } from './builtin-errors.ts';

const RETRYABLE: ReadonlyMap<string, boolean> = new Map(
  BUILTIN_ERRORS.map((error) => [error.name, error.shouldBeRetried]),
);

/** The error of a job when no better one is known. */
const UNKNOWN: ErrorRef = { name: 'unknown', isBuiltin: true, detail: 'the agent gave no reason' };
/** An agent ended a task that was not canceled here. */
const KILLED: ErrorRef = {
  name: 'docker-terminated',
  isBuiltin: true,
  detail: 'the agent ended the task, and nobody had canceled its job',
};
/** The input could not be made from the parents' outputs. */
export const INVALID_INPUT: ErrorRef = { name: 'invalid-input', isBuiltin: true };

/** The registered error of a failed result. Agents of other versions may report names that are unknown here. */
export function errorOf(result: TaskResult): ErrorRef {
  if (result.error === null) return result.outcome === 'canceled' ? KILLED : UNKNOWN;
  const { name, isBuiltin, detail } = result.error;
  return { name: isBuiltin && !RETRYABLE.has(name) ? UNKNOWN.name : name, isBuiltin, detail };
}

const PAUSE_MIN_MS = 1_000;
/** The longest pause before a job is tried again. */
export const RETRY_PAUSE_MAX_MS = 60_000;

/** The pause before a job is tried again: a second after its first try, doubling with each further one. */
export function retryPauseMs(tries: number): number {
  return Math.min(PAUSE_MIN_MS * 2 ** Math.max(0, tries - 1), RETRY_PAUSE_MAX_MS);
}

/** How often a job is given back and placed again at once. */
const GIVEN_BACK_AT_ONCE = 2;
const GIVEN_BACK_PAUSE_MAX_MS = 10_000;

/**
 * The pause before a job is placed again that a node gave back. An agent that gives everything back would otherwise be
 * sent it again in no time, and each time is a row. `exeNum`: of the execution that was given back.
 */
export function givenBackPauseMs(exeNum: number): number {
  if (exeNum <= GIVEN_BACK_AT_ONCE) return 0;
  return Math.min(retryPauseMs(exeNum - GIVEN_BACK_AT_ONCE), GIVEN_BACK_PAUSE_MAX_MS);
}

/**
 * Whether a job that may not be placed before `notBeforeMs` still has to wait. A time further ahead than the longest
 * pause was written before the clock stepped back, and is ignored.
 */
export function isPausing(notBeforeMs: number, nowMs: number): boolean {
  return notBeforeMs > nowMs && notBeforeMs <= nowMs + RETRY_PAUSE_MAX_MS;
}

export function isRetryable(error: ErrorRef): boolean {
  return error.isBuiltin && RETRYABLE.get(error.name) === true;
}
