/** Which failures are tried again by themselves: built-in ones. A job type's own say what a retry can't mend. */
import type { ErrorRef, TaskResult } from '../task/task-result.ts';
import { BUILTIN_ERRORS } from './builtin-errors.ts';

const RETRYABLE: ReadonlyMap<string, boolean> = new Map(
  BUILTIN_ERRORS.map((error) => [error.name, error.shouldBeRetried]),
);

/** What a job ends with when nothing better is known. */
const UNKNOWN: ErrorRef = { name: 'unknown', isBuiltin: true, detail: 'the agent gave no reason' };
/** An agent ended a task that nobody here canceled. */
const KILLED: ErrorRef = {
  name: 'docker-terminated',
  isBuiltin: true,
  detail: 'the agent ended the task, and nobody had canceled its job',
};
/** The input could not be made of what the parents gave. */
export const INVALID_INPUT: ErrorRef = { name: 'invalid-input', isBuiltin: true };

/** The registered error of a result that is no success. Agents of other versions may name errors unknown here. */
export function errorOf(result: TaskResult): ErrorRef {
  if (result.error === null) return result.outcome === 'canceled' ? KILLED : UNKNOWN;
  const { name, isBuiltin, detail } = result.error;
  return { name: isBuiltin && !RETRYABLE.has(name) ? UNKNOWN.name : name, isBuiltin, detail };
}

const PAUSE_MIN_MS = 1_000;
/** Longest that a job waits before it is tried again. */
export const RETRY_PAUSE_MAX_MS = 60_000;

/** How long a job waits before it is tried again: a second after its first try, twice as long after each more. */
export function retryPauseMs(tries: number): number {
  return Math.min(PAUSE_MIN_MS * 2 ** Math.max(0, tries - 1), RETRY_PAUSE_MAX_MS);
}

/**
 * Whether what may not be tried before `notBeforeMs` still has to wait. An instant further ahead than any pause
 * lasts was written before the clock stepped back, and is not believed.
 */
export function isPausing(notBeforeMs: number, nowMs: number): boolean {
  return notBeforeMs > nowMs && notBeforeMs <= nowMs + RETRY_PAUSE_MAX_MS;
}

export function isRetryable(error: ErrorRef): boolean {
  return error.isBuiltin && RETRYABLE.get(error.name) === true;
}
