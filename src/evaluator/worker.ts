/**
 * The entry point of the pool's threads. Paths come as one buffer (joined by NUL, which no path contains) and indexes
 * go back as one: cloning 10,000 strings to a thread costs more than matching them.
 */
import { move } from 'piscina';
import type { FilterVerdict } from '../domain/filter/filter-evaluate.ts';
import {
  checkPatterns,
  compileRules,
  createRuleCache,
  evaluateFilters,
  type FilterTask,
  firstMatch,
  type RuleSet,
} from './evaluate.ts';

export type PoolTask =
  | { readonly type: 'match'; readonly set: RuleSet; readonly paths: Uint8Array; readonly count: number }
  | { readonly type: 'filter'; readonly tasks: readonly FilterTask[] }
  | { readonly type: 'check'; readonly patterns: readonly string[] };

/** The answer to each type of task. */
export interface PoolAnswers {
  readonly match: Int32Array;
  readonly filter: readonly FilterVerdict[];
  readonly check: readonly (string | null)[];
}

const compiled = createRuleCache(compileRules);
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Executes one task. The result is that of `PoolAnswers`, or piscina's wrapper that moves it to the other thread. */
export default function work(task: PoolTask): unknown {
  switch (task.type) {
    case 'match': {
      const rules = compiled.memo(task.set.key, { context: task.set });
      const result = new Int32Array(task.count);
      const paths = decoder.decode(task.paths).split('\u0000');
      for (let index = 0; index < task.count; index += 1)
        result[index] = firstMatch(rules, paths[index] ?? '');
      return move(result);
    }
    case 'filter':
      return evaluateFilters(task.tasks) satisfies PoolAnswers['filter'];
    case 'check':
      return checkPatterns(task.patterns) satisfies PoolAnswers['check'];
  }
}
