/** Reads the stream of changes for one reader: where it begins, which changes it wants, and page after page. */
import { type ChangePlace, readCursor } from '../../domain/change/cursor.ts';
import { type ChangeFilter, type ChangeLink, changeMatcher } from '../../domain/change/object-change.ts';
import { AppError } from '../../domain/errors.ts';
import { NO_BOUND } from '../../store/change/partitions.ts';
import {
  type ChangeStream,
  changeStream,
  errorNames,
  readChanges,
  typesNamed,
} from '../../store/change/read.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { changesIn, type FoundChange, RenderedChange } from './rendered-change.ts';
import type { ChangeQuery } from './schema.ts';

/** limit: changes that are examined for one page. */
const LOOKS_MAX = 20_000;

/** A place in the stream, and the history of the database to which it belongs. */
export interface ReadFrom {
  readonly epoch: string;
  readonly place: ChangePlace;
}

export interface ReadPage {
  readonly changes: readonly RenderedChange[];
  /** The place after all changes that were examined. */
  readonly next: ChangePlace;
  readonly isAtEnd: boolean;
  /** The reader's filter, with the ids of the types that had its names at the end of the page. */
  readonly filter: ChangeFilter;
}

/**
 * The place that a cursor names. `after` undefined: now; '0': the oldest change that is kept. `field`: the parameter
 * that an error names. Throws INVALID_PARAMETER or CHANGES_GONE.
 */
export async function readFrom(sql: Sql, after: string | undefined, field = 'after'): Promise<ReadFrom> {
  const cursor = after === undefined || after === '0' ? undefined : readCursor(after);
  if (cursor === undefined && after !== undefined && after !== '0') {
    const description = 'must be a cursor as this service gave it, or 0';
    const errors = [{ name: 'INVALID_CURSOR', description, path: field }];
    throw new AppError('INVALID_PARAMETER', `${field}: ${description}`, { errors });
  }
  const stream = await changeStream(sql);
  const { epoch, tick, floor } = stream;
  if (cursor === undefined) {
    return { epoch, place: { tick: (after === undefined ? tick : floor) + 1, row: 0, item: 0 } };
  }
  refuseGone(cursor.epoch, cursor, stream);
  return { epoch, place: cursor };
}

/** Throws CHANGES_GONE if changes after this place are no longer kept, or the database has another history. */
export function refuseGone(epoch: string, from: ChangePlace, stream: ChangeStream): void {
  const isOther = epoch !== stream.epoch || from.tick > stream.tick + 1;
  if (!isOther && from.tick > stream.floor) return;
  const why = isOther
    ? 'the cursor is of another history of the database, which was restored or promoted since'
    : 'changes after this cursor are no longer kept';
  throw new AppError('CHANGES_GONE', `${why}: read the lists again, and continue from a cursor taken before`);
}

const BY_ID = ['recipe_id', 'batch_id', 'job_id', 'strike_id', 'scan_id', 'node_id'] as const;
type IdsByName = ReadonlyMap<string, readonly number[]>;

/** Ids of types by name, as they are now. */
export interface NamedTypes {
  readonly jobTypes: IdsByName;
  readonly recipeTypes: IdsByName;
}

/** Whether the filter needs `namedTypes`. */
export function hasNames({ job_type_name: jobTypes, recipe_type_name: recipeTypes }: ChangeQuery): boolean {
  return jobTypes.length + recipeTypes.length > 0;
}

/** Has to be called after the changes were read, so that types which they created are found. */
export async function namedTypes(sql: Sql, queries: readonly ChangeQuery[]): Promise<NamedTypes> {
  const find = (table: 'job_type' | 'recipe_type', names: readonly string[]) =>
    names.length === 0 ? new Map() : typesNamed(sql, table, [...new Set(names)]);
  const [jobTypes, recipeTypes] = await Promise.all([
    find(
      'job_type',
      queries.flatMap((query) => query.job_type_name),
    ),
    find(
      'recipe_type',
      queries.flatMap((query) => query.recipe_type_name),
    ),
  ]);
  return { jobTypes, recipeTypes };
}

export function filterOf(query: ChangeQuery, types: NamedTypes): ChangeFilter {
  const links: Partial<Record<ChangeLink, readonly number[]>> = {};
  for (const link of BY_ID) if (query[link].length > 0) links[link] = query[link];
  const idsOf = (names: readonly string[], ids: IdsByName) => names.flatMap((name) => ids.get(name) ?? []);
  const { job_type_name: jobTypes, recipe_type_name: recipeTypes } = query;
  if (jobTypes.length > 0) links.job_type_id = idsOf(jobTypes, types.jobTypes);
  if (recipeTypes.length > 0) links.recipe_type_id = idsOf(recipeTypes, types.recipeTypes);
  return { kind: query.kind, what: query.what, id: query.id, status: query.status, links };
}

/** The matching changes from a place on, at most `limit`. Throws CHANGES_GONE. */
export async function readPage(
  sql: Sql,
  from: ReadFrom,
  query: ChangeQuery,
  limit: number,
): Promise<ReadPage> {
  const found: FoundChange[] = [];
  const { epoch } = from;
  let next = from.place;
  let bound = NO_BOUND;
  let looks = 0;
  let isAtEnd = false;
  let stoppedAt: ChangePlace | undefined;
  let filter: ChangeFilter;
  do {
    const read = await readChanges(sql, next, { bound });
    bound = read.bound;
    refuseGone(epoch, next, read.stream);
    filter = filterOf(query, await namedTypes(sql, [query]));
    const isWanted = changeMatcher(filter);
    for (const one of read.rows.flatMap((row) => changesIn(row, next))) {
      if (found.length >= limit || looks >= LOOKS_MAX) {
        stoppedAt = one.place;
        break;
      }
      looks += 1;
      if (isWanted(one.change)) found.push(one);
    }
    isAtEnd = read.isAtEnd && stoppedAt === undefined;
    next = stoppedAt ?? read.next;
  } while (!isAtEnd && stoppedAt === undefined && found.length < limit && looks < LOOKS_MAX);
  return { changes: await renderedChanges(sql, epoch, found), next, isAtEnd, filter };
}

async function renderedChanges(
  sql: Sql,
  epoch: string,
  found: readonly FoundChange[],
): Promise<RenderedChange[]> {
  const errors = await errorNames(sql, new Set(found.flatMap(({ change }) => change.links.error_id ?? [])));
  return found.map((one) => new RenderedChange(epoch, one, errors));
}
