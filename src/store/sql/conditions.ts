/** Conditions of a list with their parameters. */
import type { LabelTerm } from '../../domain/labels.ts';
import type { MsRange } from '../../domain/listing/filters.ts';
import { assert } from '../../lib/assert.ts';
import type { Sql } from './sql.ts';
import { isNoTrial } from './trials.ts';

/** A range of one column: its bounds, and the parameters that hold them, such as `$1`. */
export interface ColumnRange {
  readonly column: string;
  readonly range: MsRange;
  readonly started: string | undefined;
  readonly ended: string | undefined;
}

interface Condition {
  /** The column that it restricts, if it is only one. */
  readonly column: string | undefined;
  readonly on: (column: string) => string;
  /** The same for counters; undefined if they lack a column that it needs. */
  readonly onCounters?: (columns: CounterColumns) => string | undefined;
  /** The alternative: matches rows that `on` does not match, by another column. */
  readonly or?: string;
  /** Rows that match in both columns, which are in both counts. */
  readonly both?: string;
  /** The column of the job type, if the condition excludes the work of trials. Counters exclude it as well. */
  readonly trialsBy?: string;
  readonly range?: ColumnRange;
}

/** By column of the rows, the expression that replaces it in counters. */
export type CounterColumns = Readonly<Record<string, string>>;

/** The ids of the rows with a name. They are found first, so that the planner knows how many rows have them. */
interface Lookup {
  readonly text: string;
  readonly values: readonly string[];
  /** Where the parameter is. */
  readonly at: number;
  ids: readonly number[];
}

/** Conditions that must all match. Values are always parameters. */
export class Conditions {
  readonly #conditions: Condition[] = [];
  readonly #params: unknown[];
  readonly #lookups: Lookup[] = [];
  /** The column whose index is walked. */
  #walked: string | undefined;
  readonly #bounds: { readonly column: string; readonly isLower: boolean }[] = [];

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

  /** Excludes the work of trials, as counters do. `column` may be null. */
  leaveOutTrials(column: string): void {
    const condition = isNoTrial(`coalesce(${column}, 0)`);
    this.#conditions.push({ column: undefined, on: () => condition, trialsBy: column });
  }

  /** A condition on several columns, and the same for counters that have them. */
  addCounted(condition: string, onCounters: (columns: CounterColumns) => string | undefined): void {
    this.#conditions.push({ column: undefined, on: () => condition, onCounters });
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

  /**
   * `column` leads to a row of `table` whose text `name` is one of the values. Needs `lookUp` before the conditions are
   * used. With a subquery in its place, the planner would expect half of all rows to match, and read a table from end
   * to end for what has few.
   */
  anyWith(column: string, table: string, name: string, values: readonly string[]): void {
    if (values.length === 0) return;
    const found = this.param(undefined);
    const at = this.#params.length - 1;
    const lookup: Lookup = { text: `select id from ${table} where ${name} = any`, values, at, ids: [] };
    this.#lookups.push(lookup);
    this.addOn(column, (operand) =>
      lookup.ids.length === 1 ? `${operand} = ${found}::bigint` : `${operand} = any(${found}::bigint[])`,
    );
  }

  /** Finds the ids that names stand for. */
  async lookUp(sql: Sql): Promise<void> {
    const lookups = this.#lookups;
    if (lookups.length === 0) return;
    const arrays = lookups.map(({ text }, at) => `array(${text}($${at + 1}::text[])) as l${at}`);
    const values = lookups.map((lookup) => lookup.values);
    const [found] = await sql.execute<Record<string, number[]>>(`select ${arrays.join(', ')}`, values);
    for (const [at, lookup] of lookups.entries()) {
      lookup.ids = found?.[`l${at}`] ?? [];
      this.#params[lookup.at] = lookup.ids.length === 1 ? lookup.ids[0] : lookup.ids;
    }
  }

  flag(column: string, value: boolean | undefined): void {
    if (value !== undefined) this.addOn(column, (operand) => (value ? operand : `not ${operand}`));
  }

  /** `fromColumn` is at or after the start, `toColumn` at or before the end. */
  range(range: MsRange, fromColumn: string, toColumn = fromColumn): void {
    const { startedMs, endedMs } = range;
    const started = startedMs === undefined ? undefined : this.param(startedMs);
    const ended = endedMs === undefined ? undefined : this.param(endedMs);
    if (started === undefined && ended === undefined) return;
    const texts = () => [
      ...(started === undefined ? [] : [`${this.#compared(fromColumn)} >= ${instantOf(started)}`]),
      ...(ended === undefined ? [] : [`${this.#compared(toColumn)} <= ${instantOf(ended)}`]),
    ];
    if (started !== undefined) this.#bounds.push({ column: fromColumn, isLower: true });
    if (ended !== undefined) this.#bounds.push({ column: toColumn, isLower: false });
    const both = { column: undefined, on: () => texts().join(' and ') };
    const column = ended === undefined ? fromColumn : toColumn;
    const isOne = fromColumn === toColumn || started === undefined || ended === undefined;
    this.#conditions.push(isOne ? { ...both, range: { column, range, started, ended } } : both);
  }

  /**
   * Says that no row matches before an instant of the column by which rows are ordered, so that the walk through that
   * column's index begins there. Other ranges then cannot use their own indexes: the planner does not know that matches
   * are frequent from there on, and would sort all of them.
   */
  beginAt(column: string, startedMs: number): void {
    this.#walked = column;
    this.range({ startedMs, endedMs: undefined }, column);
  }

  /** The column as a range compares it: as an expression that has no index, if the index of another one is walked. */
  #compared(column: string): string {
    return this.#walked === undefined || this.#walked === column ? column : `${column} + interval '0'`;
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

  /** The same for counters. Undefined if they lack a column that a condition restricts. */
  whereOn(others: CounterColumns): string | undefined {
    const texts: string[] = [];
    for (const { column, on, onCounters, trialsBy } of this.#conditions) {
      if (trialsBy !== undefined) continue;
      const other = column === undefined ? undefined : others[column];
      const text = onCounters === undefined ? other && on(other) : onCounters(others);
      if (text === undefined) return undefined;
      texts.push(text);
    }
    return whereOf(texts);
  }

  /** The column of the job type by which the work of trials is excluded. */
  get trialsBy(): string | undefined {
    return this.#conditions.find(({ trialsBy }) => trialsBy !== undefined)?.trialsBy;
  }

  /** All conditions except that on trials, and `others`. */
  whereWithTrials(...others: readonly string[]): string {
    const rest = this.#conditions.filter(({ trialsBy }) => trialsBy === undefined);
    return whereOf([...rest.map(({ column, on }) => on(column ?? '')), ...others]);
  }

  /**
   * Whether the matching rows come last in the order of a column, as far as other instants of a row go with it. For the
   * first page all rows before them would be read.
   */
  comeLast(column: string, isDescending: boolean): boolean {
    return this.#bounds.some((bound) => bound.column !== column && bound.isLower !== isDescending);
  }

  /** The range of one column, if there is no other condition. */
  get onlyRange(): ColumnRange | undefined {
    const [first, ...others] = this.#conditions.filter(({ trialsBy }) => trialsBy === undefined);
    return others.length === 0 ? first?.range : undefined;
  }

  get params(): readonly unknown[] {
    return this.#params;
  }
}

/** The instant that a parameter holds in milliseconds, as SQL. */
export function instantOf(ms: string): string {
  return `to_timestamp(${ms}::float8 / 1000)`;
}

function whereOf(texts: readonly string[]): string {
  return texts.length === 0 ? '' : `where ${texts.join('\n  and ')}`;
}
