/**
 * Reads the stream of changes once for all live readers of a coordinator, while there are any. Each change goes to the
 * readers whose filters match. A reader joins at the place up to which it has read by itself, and gets everything after
 * that from here, so that nothing is missing and nothing comes twice.
 */
import { setImmediate as afterOthers, setTimeout as sleep } from 'node:timers/promises';
import { type ChangePlace, cursorText } from '../../domain/change/cursor.ts';
import { FilterIndex } from '../../domain/change/filter-index.ts';
import { type ChangeFilter, changeMatcher, type ObjectChange } from '../../domain/change/object-change.ts';
import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { NO_BOUND } from '../../store/change/partitions.ts';
import { type ChangesRead, errorNames, readChanges } from '../../store/change/read.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { filterOf, hasNames, namedTypes, type ReadFrom, refuseGone } from './reading.ts';
import { changesIn, type FoundChange, RenderedChange } from './rendered-change.ts';
import type { ChangeQuery } from './schema.ts';

/** Pause between two reads: after one that found changes, and after one that found none. */
const PAUSE_MS = 20;
const IDLE_PAUSE_MS = 80;
/** Pause after a failed read. */
const FAILED_PAUSE_MS = 500;
/** limit: changes that are handed out before other work gets the event loop. */
const HANDED_MAX = 500;
/** limit: names of errors that are remembered. */
const ERRORS_MAX = 5_000;

const TYPES: ReadonlySet<string> = new Set(['job_type', 'recipe_type']);

export interface ChangeParts {
  readonly sql: Sql;
  readonly log: Pick<Logger, 'warn'>;
}

export interface LiveReader {
  readonly query: ChangeQuery;
  /** Matching changes, in order. */
  take(changes: readonly RenderedChange[]): void;
  /** Called at most once. The reader gets nothing more. */
  fail(error: AppError): void;
}

/** A live reader, with the state that the feed has for it. */
class Joined {
  readonly reader: LiveReader;
  /** It has read everything before this place. */
  readonly from: ChangePlace;
  isWanted: (change: ObjectChange) => boolean = () => false;
  pending: RenderedChange[] = [];

  constructor(reader: LiveReader, from: ChangePlace) {
    this.reader = reader;
    this.from = from;
  }
}

export class ChangeFeed {
  readonly #parts: ChangeParts;
  readonly #index = new FilterIndex<Joined>();
  readonly #joined = new Map<LiveReader, Joined>();
  #epoch = '';
  /** Everything before this place was handed out. */
  #place: ChangePlace = { tick: 0, row: 0, item: 0 };
  #isRunning = false;
  /** Rows with new types are being handed out, so a reader whose filter was read earlier must not join now. */
  #isShut = false;
  #errors = new Map<number, string>();

  constructor(parts: ChangeParts) {
    this.#parts = parts;
  }

  /**
   * Returns false if the reader is behind: then it has to continue reading by itself. `from` is the end of the reader's
   * latest page, and `filter` its filter at that time.
   */
  join(reader: LiveReader, filter: ChangeFilter, from: ReadFrom): boolean {
    if (this.#isShut) return false;
    if (!this.#isRunning) {
      this.#epoch = from.epoch;
      this.#place = from.place;
    }
    // If the epochs differ, the next read (of the feed or the reader) shows which one has ended.
    if (from.epoch !== this.#epoch || isBefore(from.place, this.#place)) return false;
    const joined = new Joined(reader, from.place);
    this.#joined.set(reader, joined);
    this.#filter(joined, filter);
    if (!this.#isRunning) void this.#run();
    return true;
  }

  leave(reader: LiveReader): void {
    const joined = this.#joined.get(reader);
    if (joined === undefined) return;
    this.#joined.delete(reader);
    this.#index.delete(joined);
  }

  /** The cursor after all changes that the reader got; undefined if it has not joined. */
  cursorOf(reader: LiveReader): string | undefined {
    const joined = this.#joined.get(reader);
    if (joined === undefined) return undefined;
    const place = isBefore(this.#place, joined.from) ? joined.from : this.#place;
    return cursorText({ epoch: this.#epoch, ...place });
  }

  #filter(joined: Joined, filter: ChangeFilter): void {
    joined.isWanted = changeMatcher(filter);
    this.#index.set(joined, filter);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let isFailing = false;
    let bound = NO_BOUND;
    while (this.#joined.size > 0) {
      let pauseMs = 0;
      try {
        const read = await readChanges(this.#parts.sql, this.#place, { bound });
        bound = read.bound;
        if (this.#isGone(read)) break;
        await this.#handOut(read);
        isFailing = false;
        if (read.isAtEnd) pauseMs = read.rows.length > 0 ? PAUSE_MS : IDLE_PAUSE_MS;
      } catch (error) {
        if (!isFailing) this.#parts.log.warn('changes_unread', { error });
        isFailing = true;
        pauseMs = FAILED_PAUSE_MS;
      }
      if (pauseMs > 0) await sleep(pauseMs);
    }
    this.#isRunning = false;
  }

  /** If the next changes are no longer kept, ends all readers and returns true. */
  #isGone({ stream }: ChangesRead): boolean {
    try {
      refuseGone(this.#epoch, this.#place, stream);
      return false;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      for (const reader of [...this.#joined.keys()]) {
        this.leave(reader);
        reader.fail(error);
      }
      return true;
    }
  }

  async #handOut(read: ChangesRead): Promise<void> {
    const found = read.rows.map((row) => changesIn(row, this.#place));
    try {
      await this.#learn(found.flat());
      await this.#give(read, found);
    } finally {
      this.#isShut = false;
    }
  }

  async #give(read: ChangesRead, found: readonly (readonly FoundChange[])[]): Promise<void> {
    let handed = 0;
    for (const [at, changes] of found.entries()) {
      const touched = new Set<Joined>();
      for (const one of changes) this.#deliver(one, touched);
      const row = read.rows[at];
      if (row !== undefined) this.#place = { tick: row.tick, row: row.id + 1, item: 0 };
      for (const joined of touched) {
        const { pending } = joined;
        joined.pending = [];
        joined.reader.take(pending);
      }
      handed += changes.length;
      if (handed < HANDED_MAX) continue;
      handed = 0;
      await afterOthers();
    }
    this.#place = read.next;
  }

  #deliver(found: FoundChange, touched: Set<Joined>): void {
    let rendered: RenderedChange | undefined;
    for (const joined of this.#index.candidates(found.change)) {
      if (!joined.isWanted(found.change) || isBefore(found.place, joined.from)) continue;
      rendered ??= new RenderedChange(this.#epoch, found, this.#errors);
      joined.pending.push(rendered);
      touched.add(joined);
    }
  }

  /** Reads what the changes refer to by id: names of errors, and the ids of new types that filters name. */
  async #learn(found: readonly FoundChange[]): Promise<void> {
    const { sql } = this.#parts;
    const unknown = new Set(
      found.flatMap(({ change: { links } }) =>
        links.error_id === undefined || this.#errors.has(links.error_id) ? [] : [links.error_id],
      ),
    );
    if (unknown.size > 0) {
      if (this.#errors.size + unknown.size > ERRORS_MAX) this.#errors = new Map();
      for (const [id, name] of await errorNames(sql, unknown)) this.#errors.set(id, name);
    }
    if (!found.some(({ change }) => TYPES.has(change.kind) && change.what === 'created')) return;
    this.#isShut = true;
    const named = [...this.#joined.values()].filter(({ reader }) => hasNames(reader.query));
    if (named.length === 0) return;
    const types = await namedTypes(
      sql,
      named.map(({ reader }) => reader.query),
    );
    for (const joined of named) {
      if (this.#joined.has(joined.reader)) this.#filter(joined, filterOf(joined.reader.query, types));
    }
  }
}

function isBefore(one: ChangePlace, other: ChangePlace): boolean {
  if (one.tick !== other.tick) return one.tick < other.tick;
  return one.row !== other.row ? one.row < other.row : one.item < other.item;
}
