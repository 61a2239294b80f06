/**
 * The evaluation itself, the same on the calling thread and on the pool's: rules against paths, filters against data,
 * expressions against the engines. No threads and no time-outs here.
 */
import { LRUCache } from 'lru-cache';
import type { DataFilter } from '../domain/filter/filter.ts';
import { evaluateFilter, type FilterData, type FilterVerdict } from '../domain/filter/filter-evaluate.ts';
import { compileExpression, compileNativeExpression, type Expression } from './expression.ts';

/** A rule as matching needs it, for example an `IngestRule`. */
export interface MatchRule {
  readonly filename_regex: string;
  readonly match?: 'name' | 'path';
}
/**
 * Rules in their order. `key` identifies exactly these rules (such as strike id and version), which are compiled once
 * for it.
 */
export interface RuleSet {
  readonly key: string;
  readonly rules: readonly MatchRule[];
}
export interface FilterTask {
  readonly filter: DataFilter;
  readonly data: FilterData;
}

/** Returned as index when no rule matches. */
const NO_RULE = -1;

export interface CompiledRule {
  readonly expression: Expression | undefined;
  readonly isOnPath: boolean;
}

/** limit: compiled rule sets that are cached; the least recently used is dropped first. */
const RULE_SETS_MAX = 256;

/** Compiles a rule set once, as long as it is cached: `memo(set.key, { context: set })`. */
export type RuleCache<Compiled extends object> = LRUCache<string, Compiled, RuleSet>;

export function createRuleCache<Compiled extends object>(
  compile: (rules: readonly MatchRule[]) => Compiled,
): RuleCache<Compiled> {
  return new LRUCache({
    max: RULE_SETS_MAX,
    memoMethod: (_key, _stale, { context }) => compile(context.rules),
  });
}

/** Rules that do not compile match no file; validation refuses them. */
export function compileRules(rules: readonly MatchRule[]): readonly CompiledRule[] {
  return rules.map(({ filename_regex: pattern, match }) => {
    const expression = compileExpression(pattern);
    return {
      expression: typeof expression === 'string' ? undefined : expression,
      isOnPath: match === 'path',
    };
  });
}

/** The rules on V8's own engine; undefined unless it can run all of them in linear time. */
export function compileNativeRules(rules: readonly MatchRule[]): readonly CompiledRule[] | undefined {
  const compiled: CompiledRule[] = [];
  for (const { filename_regex: pattern, match } of rules) {
    const expression = compileNativeExpression(pattern);
    if (expression === undefined) return undefined;
    compiled.push({ expression, isOnPath: match === 'path' });
  }
  return compiled;
}

/** The index of the first rule that matches, or NO_RULE. A rule is applied to the base name or to the whole path. */
export function firstMatch(rules: readonly CompiledRule[], path: string): number {
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (let index = 0; index < rules.length; index += 1) {
    const rule = rules[index] as CompiledRule;
    if (rule.expression?.matches(rule.isOnPath ? path : name) === true) return index;
  }
  return NO_RULE;
}

/** The results of filters, in the order of the tasks. */
export function evaluateFilters(tasks: readonly FilterTask[]): FilterVerdict[] {
  return tasks.map(({ filter, data }) => evaluateFilter(filter, data));
}

/** Why each pattern is refused, or null, in the order of the patterns. */
export function checkPatterns(patterns: readonly string[]): (string | null)[] {
  return patterns.map((pattern) => {
    const compiled = compileExpression(pattern);
    return typeof compiled === 'string' ? `the expression ${compiled}` : null;
  });
}
