/** The stream of changes as the interface shows it: pages, by cursors that clients keep. */
import { type ChangeCursor, type ChangePlace, cursorText, readCursor } from '../../domain/change/cursor.ts';
import {
  type ChangeFilter,
  type ChangeLink,
  changeMatcher,
  changesOf,
  type ObjectChange,
} from '../../domain/change/object-change.ts';
import { AppError } from '../../domain/errors.ts';
import {
  type ChangeRow,
  type ChangeStream,
  changeStream,
  errorNames,
  readChanges,
  TICKS_MAX,
  typesNamed,
} from '../../store/change/read.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { ChangeQuery, ChangeRecord, ChangeRouteDeps } from './routes.ts';

/** limit: rows of one read; a row may contain a thousand changes. */
const ROWS_MAX = 32;
/** limit: changes examined for one page. */
const LOOKS_MAX = 20_000;

interface Found {
  readonly change: ObjectChange;
  readonly atMs: number;
  /** The position after the change. */
  readonly cursor: ChangeCursor;
}

export function changesApp(sql: Sql): ChangeRouteDeps['changes'] {
  return {
    async page(after, query, limit) {
      const stream = await changeStream(sql);
      const from = placeAfter(after, stream);
      const found = new FoundChanges(stream.epoch, changeMatcher(await filterOf(sql, query)), limit);
      let next: ChangePlace = from;
      let isAtEnd = false;
      while (!isAtEnd && !found.isFull) {
        const rows = await readChanges(sql, next, ROWS_MAX);
        const stopped = found.take(rows, next);
        next = stopped ?? afterAll(rows, next, stream);
        isAtEnd = stopped === undefined && rows.length < ROWS_MAX && next.tick > stream.tick;
      }
      // Changes that were dropped during the read are missing from its result.
      refuseGone(from, stream.epoch, await changeStream(sql));
      const names = await errorNames(
        sql,
        new Set(found.all.flatMap((one) => one.change.links.error_id ?? [])),
      );
      return {
        changes: found.all.map((one) => recordOf(one, names)),
        cursor: cursorText({ epoch: stream.epoch, ...next }),
        is_at_end: isAtEnd,
      };
    },
  };
}

/** Collects matching changes, up to a limit. */
class FoundChanges {
  readonly all: Found[] = [];
  readonly #epoch: string;
  readonly #isWanted: (change: ObjectChange) => boolean;
  readonly #limit: number;
  #looks = 0;

  constructor(epoch: string, isWanted: (change: ObjectChange) => boolean, limit: number) {
    this.#epoch = epoch;
    this.#isWanted = isWanted;
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.all.length >= this.#limit || this.#looks >= LOOKS_MAX;
  }

  /** Takes rows from a place on. When the limit is reached before their end, returns the place to continue from. */
  take(rows: readonly ChangeRow[], from: ChangePlace): ChangePlace | undefined {
    for (const { tick, id, atMs, kind, items } of rows) {
      if (this.isFull) return { tick, row: id, item: 0 };
      const changes = changesOf(kind, items);
      const first = tick === from.tick && id === from.row ? from.item : 0;
      for (let at = first; at < changes.length; at++) {
        const place = { tick, row: id, item: at };
        if (this.isFull) return place;
        this.#looks += 1;
        const change = changes[at] as ObjectChange;
        if (!this.#isWanted(change)) continue;
        this.all.push({ change, atMs, cursor: { epoch: this.#epoch, ...place, item: at + 1 } });
      }
    }
    return undefined;
  }
}

/** The place to continue from after rows that were read completely. */
function afterAll(rows: readonly ChangeRow[], from: ChangePlace, stream: ChangeStream): ChangePlace {
  const last = rows.at(-1);
  const afterRow = last === undefined ? from : { tick: last.tick, row: last.id + 1, item: 0 };
  if (rows.length === ROWS_MAX) return afterRow;
  // One read covers these ticks completely, as far as they existed when the stream's state was read.
  const tick = Math.min(from.tick + TICKS_MAX, stream.tick + 1);
  return tick > afterRow.tick ? { tick, row: 0, item: 0 } : afterRow;
}

/** Throws INVALID_PARAMETER, CHANGES_GONE. */
function placeAfter(after: string | undefined, stream: ChangeStream): ChangePlace {
  if (after === undefined) return { tick: stream.tick + 1, row: 0, item: 0 };
  if (after === '0') return { tick: stream.floor + 1, row: 0, item: 0 };
  const cursor = readCursor(after);
  if (cursor === undefined) {
    const description = 'must be a cursor as this service gave it, or 0';
    const errors = [{ name: 'INVALID_CURSOR', description, path: 'after' }];
    throw new AppError('INVALID_PARAMETER', `after: ${description}`, { errors });
  }
  refuseGone(cursor, cursor.epoch, stream);
  return cursor;
}

/** Throws CHANGES_GONE unless all changes from this place on are kept. */
function refuseGone(from: ChangePlace, epoch: string, stream: ChangeStream): void {
  const isOther = epoch !== stream.epoch || from.tick > stream.tick + 1;
  if (!isOther && from.tick > stream.floor) return;
  const why = isOther
    ? 'the cursor is of another history of the database, which was restored or promoted since'
    : 'changes after this cursor are no longer kept';
  throw new AppError('CHANGES_GONE', `${why}: read the lists again, and go on from a cursor taken before`);
}

const BY_ID = ['recipe_id', 'batch_id', 'job_id', 'strike_id', 'scan_id', 'node_id'] as const;

/** Names stand for the types that have them now. */
async function filterOf(sql: Sql, query: ChangeQuery): Promise<ChangeFilter> {
  const links: Partial<Record<ChangeLink, readonly number[]>> = {};
  for (const link of BY_ID) if (query[link].length > 0) links[link] = query[link];
  const { job_type_name: jobTypes, recipe_type_name: recipeTypes } = query;
  if (jobTypes.length > 0) links.job_type_id = await typesNamed(sql, 'job_type', jobTypes);
  if (recipeTypes.length > 0) links.recipe_type_id = await typesNamed(sql, 'recipe_type', recipeTypes);
  return { kind: query.kind, what: query.what, id: query.id, status: query.status, links };
}

function recordOf({ change, atMs, cursor }: Found, errors: ReadonlyMap<number, string>): ChangeRecord {
  const { error_id: errorId, ...links } = change.links;
  const error = errorId === undefined ? undefined : errors.get(errorId);
  return {
    cursor: cursorText(cursor),
    at: new Date(atMs).toISOString(),
    ...{ kind: change.kind, id: change.id, object_version: change.version, what: change.what },
    ...{ from: change.from, to: change.to, ...links },
    ...(error === undefined ? {} : { error }),
  };
}
