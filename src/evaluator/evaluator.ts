/** The port for evaluating users' expressions and filters. No call may block the caller's thread. */
import type { FilterVerdict } from '../domain/filter/filter-evaluate.ts';
import type { FilterTask, RuleSet } from './evaluate.ts';

export interface Evaluator {
  /**
   * For each path the index of the first rule that matches, or -1. Errors: OVERLOADED when the queue is full,
   * DEADLINE_EXCEEDED when the work took too long, SHUTTING_DOWN after `close`.
   */
  matchRules(set: RuleSet, paths: readonly string[]): Promise<Int32Array>;

  /** The results of filters, in the order of the tasks. Errors as above. */
  evaluateFilters(tasks: readonly FilterTask[]): Promise<readonly FilterVerdict[]>;

  /** For each pattern the reason why it is refused, as a sentence, or undefined. Errors as above. */
  checkPatterns(patterns: readonly string[]): Promise<ReadonlyMap<string, string | undefined>>;

  /** Lets running work finish and refuses further work. */
  close(): Promise<void>;
}
