/**
 * Pages of lists: conditions, an order by known keys, and the statements of every list: one for
 * the ids of the page, one for their records, and one for the count, which comes from counters where possible.
 *
 * The ids are determined first, so that the joins of a record run for its rows only, and apart, so that the query plan
 * of the records is kept. They have many joins, and making that plan took longer than reading a page of a hundred.
 */

import { createHash } from 'node:crypto';
import { assert } from '../../lib/assert.ts';
import { Conditions } from './conditions.ts';
import {
  type Counted,
  type CountedBy,
  type CountedBySpan,
  countOfRows,
  countsTrialsApart,
} from './counted.ts';
import { type Expression, type Fields, type Order, object, type RecordOf } from './fields.ts';
import type { Sql, Statement } from './sql.ts';
import { trialIds } from './trials.ts';

/** One page, and the number of all matching rows. */
export interface Listed<Record> {
  readonly count: number;
  readonly results: readonly Record[];
}

export interface PageBounds {
  readonly offset: number;
  readonly pageSize: number;
}

export interface OrderKey<Field extends string = string> {
  readonly field: Field;
  readonly isDescending: boolean;
}

/** Names of the fields to read of each record; undefined: all. */
export type WantedFields = ReadonlySet<string> | undefined;

/** One page of records of which only wanted fields were read, and the number of all matching rows. */
export interface ListedSome<Record> {
  readonly count: number;
  readonly some: readonly Partial<Record>[];
}

/** How a list is read: its records, and the fields that they can be sorted by. */
export interface ListShape<F extends Fields, Field extends string> {
  /** The rows that its conditions restrict. */
  readonly rows: { readonly from: string; readonly id: string };
  /** Where a row is read by its id, with the same alias, if `rows.from` takes long to find one. */
  readonly found?: string;
  /** Joins that its conditions need. */
  readonly joined?: string;
  /** Joins that the record needs besides. */
  readonly joins?: string;
  /** The fields of a whole record. */
  readonly fields: F;
  readonly order: Order<Field>;
  /** Counters of its rows; the first that has all columns of the conditions is used. */
  readonly counted?: readonly CountedBy[];
  /** Its counters by time. */
  readonly countedBySpans?: readonly CountedBySpan[];
}

/** Reads a page of the records that match a filter. The order ends with the id. */
export interface List<Filter, Record, Field extends string> {
  (sql: Sql, filter: Filter, order: readonly OrderKey<Field>[], page: PageBounds): Promise<Listed<Record>>;
  /** Fields that are not wanted are absent, and neither computed nor transferred. */
  (
    sql: Sql,
    filter: Filter,
    order: readonly OrderKey<Field>[],
    page: PageBounds,
    wanted: WantedFields,
  ): Promise<ListedSome<Record>>;
}

/** Makes a list. `where` adds the conditions of the filter. */
export function listOf<Filter, F extends Fields, Field extends string>(
  shape: ListShape<F, Field>,
  where: (conditions: Conditions, filter: Filter) => void,
): List<Filter, RecordOf<F>, Field> {
  const reads = new RecordReads(shape);
  async function list(...[sql, filter, order, page, ...asked]: ListArguments<Filter, Field>) {
    const conditions = new Conditions();
    where(conditions, filter);
    const [wanted] = asked;
    const found = await readPage(sql, shape, reads.ofFields(wanted), conditions, order, page);
    return asked.length === 0 ? found : { count: found.count, some: found.results };
  }
  return list as List<Filter, RecordOf<F>, Field>;
}

type ListArguments<Filter, Field extends string> = [
  sql: Sql,
  filter: Filter,
  order: readonly OrderKey<Field>[],
  page: PageBounds,
  wanted?: WantedFields,
];

function onlyOf<F extends Fields>(fields: F, wanted: ReadonlySet<string>): Partial<F> & Fields {
  const kept = Object.entries(fields).filter(([name]) => wanted.has(name));
  return Object.fromEntries(kept) as Partial<F> & Fields;
}

type AnyShape = ListShape<Fields, string>;

/** limit: selections of fields whose query plan each connection keeps, for a list. Others are planned each time. */
const SELECTIONS_KEPT = 4;

/** The statements that read the records of given ids, in the order of the ids. */
class RecordReads {
  readonly #shape: AnyShape;
  readonly #whole: Statement;
  readonly #selections = new Map<string, Statement>();

  constructor(shape: AnyShape) {
    this.#shape = shape;
    this.#whole = keptStatement(this.#textOf(shape.fields));
  }

  ofFields(wanted: WantedFields): Statement | string {
    if (wanted === undefined) return this.#whole;
    const text = this.#textOf(onlyOf(this.#shape.fields, wanted));
    const known = this.#selections.get(text);
    if (known !== undefined || this.#selections.size === SELECTIONS_KEPT) return known ?? text;
    const statement = keptStatement(text);
    this.#selections.set(text, statement);
    return statement;
  }

  #textOf(fields: Fields): string {
    const { rows, found = rows.from, joined = '', joins = '' } = this.#shape;
    return `select ${object(fields)} as record from unnest($1::bigint[]) with ordinality as page(id, place)
     join ${found} ${joined} on ${rows.id} = page.id
     ${joins}
     order by page.place`;
  }
}

function keptStatement(text: string): Statement {
  const hash = createHash('sha256').update(text).digest('hex');
  return { name: `records_${hash.slice(0, 32)}`, text, isKeyed: true };
}

function fromOf({ rows, joined = '' }: AnyShape): string {
  return `${rows.from} ${joined}`;
}

/** limit: rows that are read and sorted, where walking through an index could read all that do not match first. */
const SORTED_MAX = 300_000;

/** The ids of a page's rows, in their order. `isSorted`: all rows that match are read. */
function idsOf(
  shape: AnyShape,
  conditions: Conditions,
  order: readonly OrderKey[],
  page: PagePlaces,
  isSorted: boolean,
): string {
  const { where, orWhere } = conditions;
  const { size, offset } = page;
  const { id } = shape.rows;
  const rows = `${fromOf(shape)} ${orderJoins(shape, order)}`;
  const by = orderText(shape, order);
  if (orWhere === undefined && !isSorted)
    return `select ${id} from ${rows} ${where} order by ${by} limit ${size} offset ${offset}`;
  const keys = order.map(({ field }, at) => `${keyOf(shape, field).by} as k${at}`).join(', ');
  const places = order.map(({ isDescending }, at) => `k${at} ${isDescending ? 'desc' : 'asc'}`).join(', ');
  if (orWhere === undefined) {
    // The offset keeps the planner from walking through the index of the order.
    return `select id from (select ${id} as id, ${keys} from ${rows} ${where} offset 0) as found
      order by ${places} limit ${size} offset ${offset}`;
  }
  const found = (condition: string) => `(select ${id} as id, ${keys} from ${rows} ${condition}
    order by ${by} limit ${size}::bigint + ${offset}::bigint)`;
  return `select id from (${found(where)} union all ${found(orWhere)}) as found
    order by ${places} limit ${size} offset ${offset}`;
}

/** Placeholders of the limit and the offset in the text of a statement, such as `$3`. */
interface PagePlaces {
  readonly size: string;
  readonly offset: string;
}

/** limit: rows that a walk through an index may read for each row that matches. A sort reads one. */
const WALKED_MAX = 20;

/**
 * Whether all rows that match are read and sorted. Only where they may come last in the order of the list is the count
 * awaited. In the order of `last_modified` it can say before when none of them was last modified: the walk through the
 * index then begins there, which becomes a condition, if that is expected to read fewer rows. It may read many more,
 * because one early row is enough to begin early, so all rows from there on must not be many times those that match.
 */
async function readsAllMatches(
  shape: AnyShape,
  conditions: Conditions,
  [first]: readonly OrderKey[],
  page: PageBounds,
  counted: Promise<readonly Counted[]>,
): Promise<boolean> {
  if (first === undefined) return false;
  const { by } = keyOf(shape, first.field);
  if (!conditions.comeLast(by, first.isDescending)) return false;
  const [{ count, leastMs, laterCount = 0 } = { count: 0 }] = await counted;
  const isByModified = by === shape.countedBySpans?.[0]?.column && !first.isDescending;
  if (isByModified && typeof leastMs === 'number') {
    const expected = ((page.offset + page.pageSize) * laterCount) / Math.max(count, 1);
    const isShort = expected <= count && laterCount <= WALKED_MAX * count;
    if (isShort || count > SORTED_MAX) {
      conditions.beginAt(by, Math.floor(leastMs));
      return false;
    }
  }
  return count <= SORTED_MAX;
}

/** The page and the count. */
async function readPage<Record>(
  sql: Sql,
  shape: AnyShape,
  records: Statement | string,
  conditions: Conditions,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<Record>> {
  const isApart = countsTrialsApart(conditions, shape.counted);
  const [trials] = await Promise.all([isApart ? trialIds(sql) : [], conditions.lookUp(sql)]);
  const hasTrials = trials.length > 0;
  const place = hasTrials ? `$${conditions.params.length + 1}` : undefined;
  const count = countOfRows(fromOf(shape), conditions, shape.counted, shape.countedBySpans, place);
  const counted = sql.execute<Counted>(count, [...conditions.params, ...(hasTrials ? [trials] : [])]);
  const isSorted = await readsAllMatches(shape, conditions, order, page, counted);
  const params = [...conditions.params, page.pageSize, page.offset];
  const places = { size: `$${params.length - 1}`, offset: `$${params.length}` };
  const ids = idsOf(shape, conditions, order, places, isSorted);
  // One snapshot: no record appears that no longer matches the filter.
  const read = sql.transaction(async (inside) => {
    const found = await inside.execute<{ id: number }>(ids, params);
    if (found.length === 0) return [];
    return inside.execute<{ record: Record }>(records, [found.map(({ id }) => id)]);
  }, 'snapshot');
  const [[total], rows] = await Promise.all([counted, read]);
  return { count: total?.count ?? 0, results: rows.map(({ record }) => record) };
}

/** A page of groups `q`, and their number. `from` reads them in their order, with the joins of the record. */
export function listGroups<Record>(groups: string, record: Expression<Record>, from: string) {
  const text = `with q as materialized (${groups}
     ), total as (select count(*) as count from q)
     select total.count, found.record
     from total left join lateral (
       select ${record} as record from ${from} limit $1 offset $2) as found on true`;
  return async (sql: Sql, page: PageBounds): Promise<Listed<Record>> => {
    const params = [page.pageSize, page.offset];
    const rows = await sql.execute<{ count: number; record: Record | null }>(text, params);
    const results = rows.map((row) => row.record).filter((found) => found !== null);
    return { count: rows[0]?.count ?? 0, results };
  };
}

/** A record for each row of `from`, which is the rest of the statement. */
export async function readRecords<Record>(
  sql: Sql,
  record: Expression<Record>,
  from: string,
  params: readonly unknown[] = [],
): Promise<Record[]> {
  const rows = await sql.execute<{ record: Record }>(`select ${record} as record from ${from}`, params);
  return rows.map((row) => row.record);
}

/** The record of the only row of `from`, if there is one. */
export async function findRecord<Record>(
  sql: Sql,
  record: Expression<Record>,
  from: string,
  params: readonly unknown[],
): Promise<Record | undefined> {
  return (await readRecords(sql, record, from, params))[0];
}

/** A statement that takes ids and returns each existing record with its id. */
export interface RecordsById<Record> extends Statement {
  readonly record: Expression<Record>;
}

/** By id; those that are missing are left out. */
export async function recordsById<Record>(
  sql: Sql,
  statement: RecordsById<Record>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Record>> {
  const rows = await sql.execute<{ id: number; record: Record }>(statement, [ids]);
  return new Map(rows.map(({ id, record }) => [id, record]));
}

function keyOf(shape: AnyShape, field: string): Order[string] {
  const key = Object.hasOwn(shape.order, field) ? shape.order[field] : undefined;
  assert(key !== undefined, `no order by ${field}`);
  return key;
}

function orderJoins(shape: AnyShape, order: readonly OrderKey[]): string {
  const joins = order.map(({ field }) => keyOf(shape, field).join ?? '');
  return [...new Set(joins)].join(' ');
}

function orderText(shape: AnyShape, order: readonly OrderKey[]): string {
  return order
    .map(({ field, isDescending }) => `${keyOf(shape, field).by} ${isDescending ? 'desc' : 'asc'}`)
    .join(', ');
}
