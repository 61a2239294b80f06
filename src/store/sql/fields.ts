/**
 * Fields of records: SQL expressions typed with the value that they have in JSON. A record whose type differs from the
 * schema of its route does not compile.
 */
import { assert } from '../../lib/assert.ts';
import type { IsInstant } from './columns.ts';
import type { Tables } from './table-types.ts';

declare const value: unique symbol;

/** An SQL expression, and the type of its value in JSON. */
export type Expression<T> = string & { readonly [value]: T };
export type ValueOf<E> = E extends Expression<infer T> ? T : never;

/** The type of a value for readers, who may modify it. */
type Own<T> = T extends object ? { -readonly [Name in keyof T]: Own<T[Name]> } : T;

export type Fields = Readonly<Record<string, Expression<unknown>>>;

/** For expressions other than columns; the caller gives the type of the value. */
export function expression<T>(sql: string): Expression<T> {
  return sql as Expression<T>;
}

/** An instant as ISO 8601 text; null stays null. */
export function iso<T extends string | null = string>(sql: string): Expression<NoInfer<T>> {
  return expression(`to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
}

/** The JSON object of fields. */
export type RecordOf<F extends Fields> = { [Name in keyof F]: ValueOf<F[Name]> };

/** A JSON object of fields, in their order. */
export function object<F extends Fields>(fields: F): Expression<RecordOf<F>> {
  const pairs = Object.entries(fields).map(([name, sql]) => `'${name}', ${sql}`);
  // limit: PostgreSQL takes 100 arguments a call.
  assert(pairs.length <= 50, `${pairs.length} fields in one record`);
  return expression(`json_build_object(${pairs.join(', ')})`);
}

/** The value, or null where `column` is null: for rows of an outer join. */
export function orNull<T>(column: string, sql: Expression<T>): Expression<T | null> {
  return expression(`case when ${column} is not null then ${sql} end`);
}

/** `{ id }` with the column's value, or null. */
export function idOrNull(column: Expression<number | null>): Expression<{ id: number } | null> {
  return orNull(column, object({ id: expression<number>(column) }));
}

/** A JSON list of `record` for the rows of `from`, the first of them if there is a limit. Never null. */
export function listIn<T>(
  record: Expression<T>,
  from: string,
  order: string,
  limit?: number,
): Expression<T[]> {
  if (limit === undefined)
    return expression(`(select coalesce(json_agg(${record} order by ${order}), '[]') from ${from})`);
  return expression(`(select coalesce(json_agg(found.record order by found.place), '[]') from (
    select ${order} as place, ${record} as record from ${from} order by ${order} limit ${limit}) as found)`);
}

/** The expression to sort by, and a join that it needs. */
interface OrderBy {
  readonly by: string;
  readonly join?: string;
}

/** How a list is sorted, by field. */
export type Order<Field extends string = string> = Readonly<Record<Field, OrderBy>>;

/** Fields that are sorted by their value. */
export function orderBy<Field extends string>(fields: Readonly<Record<Field, string>>): Order<Field>;
export function orderBy(fields: Readonly<Record<string, string>>): Order {
  return Object.fromEntries(Object.entries(fields).map(([field, by]) => [field, { by }]));
}

/** Order keys of the nested record at `prefix`. `key` is the column of the list's own row that has its id. */
export function nestedOrder<Prefix extends string, Field extends string>(
  prefix: Prefix,
  key: string,
  join: string,
  order: Order<Field>,
): Order<`${Prefix}__${Field | 'id'}`> {
  const nested = Object.entries(joinedOrder(join, order)).map(([field, by]) => [`${prefix}__${field}`, by]);
  return Object.fromEntries([...nested, [`${prefix}__id`, { by: key }]]);
}

/** Order keys of tables that are joined only for sorting. */
export function joinedOrder<Field extends string>(join: string, order: Order<Field>): Order<Field>;
export function joinedOrder(join: string, order: Order): Order {
  return Object.fromEntries(Object.entries(order).map(([field, { by }]) => [field, { by, join }]));
}

type Name<C> = keyof C & string;
/** Names of the columns whose values are `T`, or null. */
type NameWith<C, T> = { [N in Name<C>]: C[N] & {} extends T ? N : never }[Name<C>];
type InstantName<C> = { [N in Name<C>]: IsInstant<C[N]> extends true ? N : never }[Name<C>];
/** Names of the columns that are never null. */
type Present<C, N extends Name<C>> = { [M in N]: null extends C[M] ? never : M }[N];
type NullOf<V> = Extract<V, null>;

/** Rows of `from`, behind an alias. `C` has the types of their columns. */
export class AliasedRows<C> {
  readonly #alias: string;
  /** With the alias, as statements name it. */
  readonly from: string;

  constructor(from: string, alias: string) {
    this.#alias = alias;
    this.from = `${from} ${alias}`;
  }

  /** Its key, with the alias. */
  get id(): Expression<number> {
    return this.#at('id');
  }

  /** A column for a field of another name. */
  column<N extends Exclude<Name<C>, InstantName<C>>>(name: N): Expression<Own<C[N]>> {
    return this.#at(name);
  }

  /** Columns of the same name as the fields; instants are `instants`. */
  columns<N extends Exclude<Name<C>, InstantName<C>>>(
    ...names: readonly N[]
  ): { [M in N]: Expression<Own<C[M]>> };
  columns(...names: readonly string[]): Fields {
    return each(names, (name) => this.#at(name));
  }

  /** Instants of the same name as the fields. */
  instants<N extends InstantName<C>>(...names: readonly N[]): { [M in N]: Expression<string | NullOf<C[M]>> };
  instants(...names: readonly string[]): Fields {
    return each(names, (name) => iso(this.#at(name)));
  }

  /** A text that is one of a few. */
  oneOf<T extends string>(name: Present<C, NameWith<C, string>>): Expression<T>;
  oneOf<T extends string>(name: NameWith<C, string>): Expression<T | null>;
  oneOf(name: string): Expression<unknown> {
    return this.#at(name);
  }

  /** A JSON document, which was validated when it was received. */
  document<T = Readonly<Record<string, unknown>>>(
    name: Present<C, NameWith<C, object>>,
  ): Expression<Own<NoInfer<T>>>;
  document<T = Readonly<Record<string, unknown>>>(
    name: NameWith<C, object>,
  ): Expression<Own<NoInfer<T>> | null>;
  document(name: string): Expression<unknown> {
    return this.#at(name);
  }

  /** Texts that are empty where none was given, though their columns may be null; null where there is no row. */
  textsOrEmpty<N extends NameWith<C, string>>(...names: readonly N[]): { [M in N]: Expression<string> };
  textsOrEmpty(...names: readonly string[]): Fields {
    return each(names, (name) => expression(this.#textOrEmpty(name)));
  }

  /** Columns that lists are sorted by as they are. */
  order<N extends Name<C>>(...names: readonly N[]): Order<N>;
  order(...names: readonly string[]): Order {
    return each(names, (name) => ({ by: this.#at(name) }));
  }

  /** Texts by which lists are sorted, ignoring case. */
  textOrder<N extends NameWith<C, string>>(...names: readonly N[]): Order<N>;
  textOrder(...names: readonly string[]): Order {
    return each(names, (name) => ({ by: `lower(${this.#at(name)})` }));
  }

  /** The same of texts whose columns may be null. */
  textOrEmptyOrder<N extends NameWith<C, string>>(...names: readonly N[]): Order<N>;
  textOrEmptyOrder(...names: readonly string[]): Order {
    return each(names, (name) => ({ by: `lower(${this.#textOrEmpty(name)})` }));
  }

  #at<T>(name: string): Expression<T> {
    return expression(`${this.#alias}.${name}`);
  }

  #textOrEmpty(name: string): string {
    return `coalesce(${this.#at(name)}, case when ${this.#alias}.id is not null then '' end)`;
  }
}

/** Rows of a table. */
export function row<Table extends keyof Tables>(table: Table, alias: string): AliasedRows<Tables[Table]> {
  return new AliasedRows(table, alias);
}

function each<V>(names: readonly string[], fieldOf: (name: string) => V): Record<string, V> {
  return Object.fromEntries(names.map((name) => [name, fieldOf(name)]));
}
