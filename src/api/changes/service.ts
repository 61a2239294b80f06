/** The stream of changes as pages, as server-sent events, and over WebSockets. */
import { setImmediate as afterOthers } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { OpenStreams } from '../../auth/open-streams.ts';
import { cursorText } from '../../domain/change/cursor.ts';
import type { RouteRequest } from '../../http/route.ts';
import type { StreamBody } from '../../http/schema.ts';
import { realClock } from '../../lib/real-clock.ts';
import { RecentReading } from '../shared/recent-reading.ts';
import { changeEvents } from './events.ts';
import { ChangeFeed, type ChangeParts } from './feed.ts';
import { readFrom, readPage } from './reading.ts';
import type { ChangePageRecord, ChangeQuery } from './schema.ts';
import { changeSocket } from './socket.ts';

/** limit: concurrent reads of readers that have not caught up. */
const READS_MAX = 4;
/** How old the position that lists give may be; it is read at most once in this time. */
const POSITION_MS = 1_000;
/** How long a list waits for its position. */
const PATIENCE_MS = 10_000;

export interface ChangesParts extends ChangeParts {
  readonly streams: OpenStreams;
}

/**
 * The parts that all readers of one coordinator share: the feed, the limit of their reads, and the present position.
 */
export type Changes = ReturnType<typeof changesApp>;

export function changesApp(parts: ChangesParts) {
  const { sql, streams } = parts;
  const follow = { ...parts, feed: new ChangeFeed(parts), inTurn: pLimit(READS_MAX) };
  const oneByOne = pLimit(1);
  const sockets = { ...follow, turn: () => oneByOne(() => afterOthers()) };
  const position = new RecentReading({
    async read() {
      const { epoch, place } = await readFrom(sql, undefined);
      return cursorText({ epoch, ...place });
    },
    nowMs: realClock.monotonicMs,
    ...{ freshMs: POSITION_MS, staleMs: 0, patienceMs: PATIENCE_MS },
    late: 'the position in the stream of changes could not be read in time',
  });
  return {
    /** A cursor at most `POSITION_MS` old. Whatever is read from now on includes all changes before it. */
    position: () => position.get(),
    /** `after` undefined: from now on; '0': from the oldest. Throws AppError INVALID_PARAMETER, CHANGES_GONE. */
    async page(after: string | undefined, query: ChangeQuery, limit: number): Promise<ChangePageRecord> {
      const from = await readFrom(sql, after);
      const { changes, next, isAtEnd } = await readPage(sql, from, query, limit);
      return {
        changes: changes.map(({ record }) => record),
        cursor: cursorText({ epoch: from.epoch, ...next }),
        is_at_end: isAtEnd,
      };
    },
    /** Server-sent events. Throws as `page` does, and what `OpenStreams` throws. */
    async events(
      after: string | undefined,
      query: ChangeQuery,
      { caller, address, signal }: RouteRequest,
    ): Promise<StreamBody> {
      const from = await readFrom(sql, after);
      const open = streams.open('events', caller, address);
      return changeEvents(follow, { query, from, open, gone: signal });
    },
    /** A WebSocket with subscriptions. Throws what `OpenStreams` throws. */
    socket: ({ caller, address }: RouteRequest) =>
      changeSocket(sockets, streams.open('sockets', caller, address)),
  };
}
