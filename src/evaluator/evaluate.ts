/**
 * The work itself, the same on the calling thread and in the pool's: rules against paths, filters against
 * data, expressions against the engines. No threads, no time-outs here.
 */
import type { DataFilter } from '../domain/filter/filter.ts';
import { evaluateFilter, type FilterData, type FilterVerdict } from '../domain/filter/filter-evaluate.ts';
import { compileExpression, compileNativeExpression, type Expression } from './expression.ts';

/** A rule as matching needs it: an `IngestRule` is one. */
export interface MatchRule {
  readonly filename_regex: string;
  readonly match?: 'name' | 'path';
}
/**
 * Rules in their order. `key` stands for exactly these rules (such as strike id and version): compiled once
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

/** The index of no rule. */
export const NO_RULE = -1;

export interface CompiledRule {
  readonly expression: Expression | undefined;
  readonly isOnPath: boolean;
}

/** Something made once for each rule set, as many as fit; the set unused for longest goes first. */
export class RuleCache<T> {
  readonly #made = new Map<string, T>();
  readonly #setsMax: number;
  readonly #make: (rules: readonly MatchRule[]) => T;

  constructor(setsMax: number, make: (rules: readonly MatchRule[]) => T) {
    this.#setsMax = setsMax;
    this.#make = make;
  }

  get(set: RuleSet): T {
    const made = this.#made.has(set.key) ? (this.#made.get(set.key) as T) : this.#make(set.rules);
    this.#made.delete(set.key);
    this.#made.set(set.key, made);
    if (this.#made.size > this.#setsMax) this.#made.delete(this.#made.keys().next().value as string);
    return made;
  }
}

/** Rules that do not compile match nothing: validation has refused them before they got here. */
export function compileRules(rules: readonly MatchRule[]): readonly CompiledRule[] {
  return rules.map(({ filename_regex: pattern, match }) => {
    const expression = compileExpression(pattern);
    return {
      expression: typeof expression === 'string' ? undefined : expression,
      isOnPath: match === 'path',
    };
  });
}

/** The rules on V8's own engine, or undefined unless that can run all of them in linear time. */
export function compileNativeRules(rules: readonly MatchRule[]): readonly CompiledRule[] | undefined {
  const compiled: CompiledRule[] = [];
  for (const { filename_regex: pattern, match } of rules) {
    const expression = compileNativeExpression(pattern);
    if (expression === undefined) return undefined;
    compiled.push({ expression, isOnPath: match === 'path' });
  }
  return compiled;
}

/**
 * The index of the first rule that matches, or NO_RULE. A rule is tried on the base name, or on the whole
 * path.
 */
export function firstMatch(rules: readonly CompiledRule[], path: string): number {
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (let index = 0; index < rules.length; index += 1) {
    const rule = rules[index] as CompiledRule;
    if (rule.expression?.matches(rule.isOnPath ? path : name) === true) return index;
  }
  return NO_RULE;
}

/** Verdicts in the order of the tasks. */
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
