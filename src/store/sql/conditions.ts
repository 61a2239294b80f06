/** Conditions of a list with their parameters. */
import type { LabelTerm } from '../../domain/labels.ts';
import type { MsRange } from '../../domain/listing/filters.ts';
import { assert } from '../../lib/assert.ts';
import { isNoTrial } from './trials.ts';

interface Condition {
  /** The column that it restricts, if it is only one. */
  readonly column: string | undefined;
  readonly on: (column: string) => string;
  /** The alternative: matches rows that `on` does not match, by another column. */
  readonly or?: string;
  /** Rows that match in both columns, which are in both counts. */
  readonly both?: string;
  /** The counters already exclude the rows that this condition excludes. */
  readonly isInCounters?: true;
}

/** Conditions that must all match. Values are always parameters. */
export class Conditions {
  readonly #conditions: Condition[] = [];
  readonly #params: unknown[];

  constructor(params: unknown[] = []) {
    this.#params = params;
  }

  /** Conditions of a subquery of the same statement, with which they share parameters. */
  nested(): Conditions {
    return new Conditions(this.#params);
  }

  /** The placeholder of a value. */
  param(value: unknown): string {
    this.#params.push(value);
    return `$${this.#params.length}`;
  }

  add(condition: string): void {
    this.#conditions.push({ column: undefined, on: () => condition });
  }

  /** Excludes the work of trials, as counters do. */
  leaveOutTrials(jobTypeId: string): void {
    const condition = isNoTrial(jobTypeId);
    this.#conditions.push({ column: undefined, on: () => condition, isInCounters: true });
  }

  /** A condition on one column; `on` builds it for the column, or for the expression that replaces it in counters. */
  addOn(column: string, on: (column: string) => string): void {
    this.#conditions.push({ column, on });
  }

  /**
   * `column` is one of the values; an empty list does not restrict. One value is compared directly, so that its index
   * is used.
   */
  anyOf(column: string, type: 'bigint' | 'text', values: readonly (number | string)[]): void {
    if (values.length === 0) return;
    const value =
      values.length === 1 ? `${this.param(values[0])}::${type}` : `any(${this.param(values)}::${type}[])`;
    this.addOn(column, (operand) => `${operand} = ${value}`);
  }

  /**
   * `column` or `other` is one of the values. The two are searched one after the other, each by its index. At most once
   * in a list.
   */
  anyOfEither(column: string, other: string, values: readonly number[]): void {
    if (values.length === 0) return;
    assert(!this.#conditions.some(({ or }) => or !== undefined), 'two alternatives in one list');
    const [first] = values;
    const isOne = values.length === 1;
    const value = isOne ? `${this.param(first)}::bigint` : `any(${this.param(values)}::bigint[])`;
    this.#conditions.push({
      column,
      on: (operand) => `${operand} = ${value}`,
      or: `${other} = ${value} and (${column} = ${value}) is not true`,
      ...(isOne ? {} : { both: `${other} = ${value} and ${column} = ${value} and ${other} <> ${column}` }),
    });
  }

  /** `column` leads to a row of `table` whose text `name` is one of the values. */
  anyWith(column: string, table: string, name: string, values: readonly string[]): void {
    if (values.length === 0) return;
    const found = `array(select id from ${table} where ${name} = any(${this.param(values)}::text[]))`;
    this.addOn(column, (operand) => `${operand} = any(${found})`);
  }

  flag(column: string, value: boolean | undefined): void {
    if (value !== undefined) this.addOn(column, (operand) => (value ? operand : `not ${operand}`));
  }

  /** `fromColumn` is at or after the start, `toColumn` at or before the end. */
  range(range: MsRange, fromColumn: string, toColumn = fromColumn): void {
    const instant = (ms: number) => `to_timestamp(${this.param(ms)}::float8 / 1000)`;
    if (range.startedMs !== undefined) this.add(`${fromColumn} >= ${instant(range.startedMs)}`);
    if (range.endedMs !== undefined) this.add(`${toColumn} <= ${instant(range.endedMs)}`);
  }

  /** Each key of the terms is among the labels, with one of its values. Relies on the GIN index of the column. */
  labels(column: string, terms: readonly LabelTerm[]): void {
    for (const [key, ofKey] of Map.groupBy(terms, (term) => term.key)) {
      const any = ofKey.map(({ value }) =>
        value === undefined
          ? `${column} ? ${this.param(key)}::text`
          : `${column} @> ${this.param(JSON.stringify({ [key]: value }))}::jsonb`,
      );
      this.add(`(${any.join(' or ')})`);
    }
  }

  /** Any of the words is part of any of the texts, ignoring case. */
  like(texts: readonly string[], words: readonly string[]): void {
    if (words.length === 0) return;
    const patterns = words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
    const list = this.param(patterns);
    this.add(`(${texts.map((text) => `${text} ilike any(${list}::text[])`).join(' or ')})`);
  }

  get where(): string {
    return whereOf(this.#conditions.map(({ column, on }) => on(column ?? '')));
  }

  /** The conditions for the rows that match only by the other column. */
  get orWhere(): string | undefined {
    if (!this.#conditions.some(({ or }) => or !== undefined)) return undefined;
    return whereOf(this.#conditions.map(({ column, on, or }) => or ?? on(column ?? '')));
  }

  /** Rows that the counts by both columns contain twice. */
  get twice(): string | undefined {
    return this.#conditions.find(({ both }) => both !== undefined)?.both;
  }

  /** The same for other columns. Undefined if a condition restricts a column that has no replacement. */
  whereOn(others: Readonly<Record<string, string>>): string | undefined {
    const texts: string[] = [];
    for (const { column, on, isInCounters } of this.#conditions) {
      if (isInCounters) continue;
      const other = column === undefined ? undefined : others[column];
      if (other === undefined) return undefined;
      texts.push(on(other));
    }
    return whereOf(texts);
  }

  get params(): readonly unknown[] {
    return this.#params;
  }
}

function whereOf(texts: readonly string[]): string {
  return texts.length === 0 ? '' : `where ${texts.join('\n  and ')}`;
}
