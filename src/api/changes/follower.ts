/** Follows the stream of changes for one reader: by pages until it has caught up, then through the feed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cursorText } from '../../domain/change/cursor.ts';
import { AppError } from '../../domain/errors.ts';
import type { ChangeFeed, ChangeParts, LiveReader } from './feed.ts';
import { type ReadFrom, readPage } from './reading.ts';
import type { RenderedChange } from './rendered-change.ts';
import type { ChangeQuery } from './schema.ts';

/** limit: changes of one page. */
const PAGE_MAX = 1_000;
const FAILED_PAUSE_MS = 500;

export interface FollowParts extends ChangeParts {
  readonly feed: ChangeFeed;
  /** Limits how many reads run at a time, because after a restart all readers come back at once. */
  readonly inTurn: <T>(read: () => Promise<T>) => Promise<T>;
}

/** Where the changes of a reader go. */
export interface ChangeSink {
  take(changes: readonly RenderedChange[]): void;
  /** Resolves when it has room for another page. */
  hasRoom(): Promise<void>;
  /** The next changes are no longer kept, or cannot be read. The sink gets nothing more. */
  fail(error: AppError): void;
}

export class ChangeFollower implements LiveReader {
  readonly query: ChangeQuery;
  readonly #parts: FollowParts;
  readonly #sink: ChangeSink;
  #from: ReadFrom;
  #isStopped = false;

  constructor(parts: FollowParts, query: ChangeQuery, from: ReadFrom, sink: ChangeSink) {
    this.#parts = parts;
    this.query = query;
    this.#from = from;
    this.#sink = sink;
    void this.#catchUp();
  }

  /** The cursor after everything that the sink took. */
  get cursor(): string {
    const { epoch, place } = this.#from;
    return this.#parts.feed.cursorOf(this) ?? cursorText({ epoch, ...place });
  }

  stop(): void {
    this.#isStopped = true;
    this.#parts.feed.leave(this);
  }

  take(changes: readonly RenderedChange[]): void {
    this.#sink.take(changes);
  }

  fail(error: AppError): void {
    this.stop();
    this.#sink.fail(error);
  }

  async #catchUp(): Promise<void> {
    const { sql, feed, inTurn, log } = this.#parts;
    while (!this.#isStopped) {
      try {
        // One that has left is still in the queue. Reads for such readers would delay all others.
        const page = await inTurn(async () =>
          this.#isStopped ? undefined : readPage(sql, this.#from, this.query, PAGE_MAX),
        );
        if (page === undefined || this.#isStopped) return;
        this.#from = { ...this.#from, place: page.next };
        if (page.changes.length > 0) this.#sink.take(page.changes);
        await this.#sink.hasRoom();
        if (page.isAtEnd && !this.#isStopped && feed.join(this, page.filter, this.#from)) return;
      } catch (error) {
        if (error instanceof AppError && !error.retryable) {
          this.fail(error);
          return;
        }
        log.warn('changes_unread', { error });
        await sleep(FAILED_PAUSE_MS);
      }
    }
  }
}
