/**
 * Pages of lists: conditions with their parameters, an order by known keys, and the two statements of every list, one
 * for the page and one for the count, which comes from counters where possible. The ids of a page are determined first,
 * so that the joins of a record run for its rows only.
 */
import type { MsRange } from '../../domain/listing/filters.ts';
import { assert } from '../../lib/assert.ts';
import { type CountedBy, countStatement } from '../metrics/list-counts.ts';
import { textOrEmpty } from './records.ts';
import type { Sql, Statement } from './sql.ts';

export type { MsRange };

/** One page, and the number of all matching rows. */
export interface Listed<R> {
  readonly count: number;
  readonly results: readonly R[];
}

export interface PageBounds {
  readonly offset: number;
  readonly pageSize: number;
}

export interface OrderKey {
  readonly field: string;
  readonly isDescending: boolean;
}

interface Condition {
  /** The column that it restricts, if it is only one. */
  readonly column: string | undefined;
  readonly on: (column: string) => string;
  /** Finds rows by another column that `on` does not find. */
  readonly or?: string;
  /** Rows that have one of the values in either column, and another in each: they are in two counts. */
  readonly both?: string;
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

  flag(column: string, value: boolean | undefined): void {
    if (value !== undefined) this.addOn(column, (operand) => (value ? operand : `not ${operand}`));
  }

  /** `fromColumn` is at or after the start, `toColumn` at or before the end. */
  range(range: MsRange, fromColumn: string, toColumn = fromColumn): void {
    const instant = (ms: number) => `to_timestamp(${this.param(ms)}::float8 / 1000)`;
    if (range.startedMs !== undefined) this.add(`${fromColumn} >= ${instant(range.startedMs)}`);
    if (range.endedMs !== undefined) this.add(`${toColumn} <= ${instant(range.endedMs)}`);
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

  /** For rows that `where` does not find: those of the other alternative. */
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
    for (const { column, on } of this.#conditions) {
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

/** How a list is read. */
export interface ListShape {
  /** Table and alias, such as `job j`; its conditions use this alias. */
  readonly from: string;
  /** The key of its rows, such as `j.id`. */
  readonly id: string;
  /** Joins that the record needs, after `from`. */
  readonly joins: string;
  /** The record as a JSON expression. */
  readonly record: string;
  /** By field: the sort expression, and the join that it needs for sorting. */
  readonly order: Readonly<Record<string, { readonly by: string; readonly join?: string }>>;
  /** Counters of its rows; the first that has all columns of the conditions is used. */
  readonly counted?: readonly CountedBy[];
}

function countOf({ counted = [], from }: ListShape, conditions: Conditions): string {
  for (const one of counted) {
    const where = conditions.whereOn(one.facets);
    if (where === undefined) continue;
    const { twice } = conditions;
    if (twice === undefined) return countStatement(one, where);
    return `select c.count - (select count(*) from ${from} where ${twice}) as count
      from (${countStatement(one, where)}) as c`;
  }
  const { where, orWhere } = conditions;
  if (orWhere === undefined) return `select count(*) as count from ${from} ${where}`;
  return `select count(*) as count from (
    select from ${from} ${where} union all select from ${from} ${orWhere}) as found`;
}

/** The ids of a page's rows, in their order. */
function idsOf(
  shape: ListShape,
  conditions: Conditions,
  order: readonly OrderKey[],
  page: PagePlaces,
): string {
  const { where, orWhere } = conditions;
  const { size, offset } = page;
  const rows = `${shape.from} ${orderJoins(shape, order)}`;
  const by = orderText(shape, order);
  if (orWhere === undefined)
    return `select ${shape.id} from ${rows} ${where} order by ${by} limit ${size} offset ${offset}`;
  const keys = order.map(({ field }, at) => `${keyOf(shape, field).by} as k${at}`).join(', ');
  const found = (condition: string) => `(select ${shape.id} as id, ${keys} from ${rows} ${condition}
    order by ${by} limit ${size}::bigint + ${offset}::bigint)`;
  const places = order.map(({ isDescending }, at) => `k${at} ${isDescending ? 'desc' : 'asc'}`).join(', ');
  return `select id from (${found(where)} union all ${found(orWhere)}) as found
    order by ${places} limit ${size} offset ${offset}`;
}

/** Placeholders of the limit and the offset in the text of a statement, such as `$3`. */
interface PagePlaces {
  readonly size: string;
  readonly offset: string;
}

/** Reads a page and the count. `order` has fields of the shape only, and ends with the id. */
export async function listRecords<R extends object>(
  sql: Sql,
  shape: ListShape,
  conditions: Conditions,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const counted = sql.execute<{ count: number }>(countOf(shape, conditions), conditions.params);
  const params = [...conditions.params, page.pageSize, page.offset];
  const places = { size: `$${params.length - 1}`, offset: `$${params.length}` };
  const read = sql.execute<{ record: R }>(
    `select ${shape.record} as record
     from unnest(array(
       ${idsOf(shape, conditions, order, places)}
     )) with ordinality as page(id, place)
     join ${shape.from} on ${shape.id} = page.id
     ${shape.joins}
     order by page.place`,
    params,
  );
  const [[total], rows] = await Promise.all([counted, read]);
  return { count: total?.count ?? 0, results: rows.map((row) => row.record) };
}

/** Records from a statement that takes ids and returns `id` and `record`; missing ones are left out. */
export async function recordsById<R extends object>(
  sql: Sql,
  statement: Statement,
  ids: readonly number[],
): Promise<ReadonlyMap<number, R>> {
  const rows = await sql.execute<{ id: number; record: R }>(statement, [ids]);
  return new Map(rows.map(({ id, record }) => [id, record]));
}

function keyOf(shape: ListShape, field: string): ListShape['order'][string] {
  const key = Object.hasOwn(shape.order, field) ? shape.order[field] : undefined;
  assert(key !== undefined, `no order by ${field}`);
  return key;
}

function orderJoins(shape: ListShape, order: readonly OrderKey[]): string {
  const joins = order.map(({ field }) => keyOf(shape, field).join ?? '');
  return [...new Set(joins)].join(' ');
}

function orderText(shape: ListShape, order: readonly OrderKey[]): string {
  return order
    .map(({ field, isDescending }) => `${keyOf(shape, field).by} ${isDescending ? 'desc' : 'asc'}`)
    .join(', ');
}

/** Order keys of columns that are sorted directly. */
export function plainOrder(alias: string, names: readonly string[]): ListShape['order'] {
  return Object.fromEntries(names.map((name) => [name, { by: `${alias}.${name}` }]));
}

/** A table that is joined for sorting only. */
export interface OrderJoin {
  readonly alias: string;
  readonly join: string;
}

/** Order keys of fields of the nested record at `prefix`: values directly, texts ignoring case. */
export function nestedOrder(
  prefix: string,
  { alias, join }: OrderJoin,
  fields: {
    readonly values?: readonly string[];
    readonly texts?: readonly string[];
    readonly textsOrEmpty?: readonly string[];
  },
): ListShape['order'] {
  const { values = [], texts = [], textsOrEmpty = [] } = fields;
  return Object.fromEntries([
    ...values.map((name) => [`${prefix}__${name}`, { by: `${alias}.${name}`, join }]),
    ...texts.map((name) => [`${prefix}__${name}`, { by: `lower(${alias}.${name})`, join }]),
    ...textsOrEmpty.map((name) => [`${prefix}__${name}`, { by: `lower(${textOrEmpty(alias, name)})`, join }]),
  ]);
}

/** Order keys of texts that are sorted ignoring case. */
export function textOrder(alias: string, names: readonly string[]): ListShape['order'] {
  return Object.fromEntries(names.map((name) => [name, { by: `lower(${alias}.${name})` }]));
}

/** The same for texts whose columns may be null. */
export function textOrEmptyOrder(alias: string, names: readonly string[]): ListShape['order'] {
  return Object.fromEntries(names.map((name) => [name, { by: `lower(${textOrEmpty(alias, name)})` }]));
}
