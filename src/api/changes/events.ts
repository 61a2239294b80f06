/** The stream of changes as server-sent events. */
import type { OpenStream } from '../../auth/open-streams.ts';
import type { AppError } from '../../domain/errors.ts';
import type { StreamBody } from '../../http/schema.ts';
import { finished } from '../shared/finished-stream.ts';
import { ChangeFollower, type ChangeSink, type FollowParts } from './follower.ts';
import type { ReadFrom } from './reading.ts';
import type { RenderedChange } from './rendered-change.ts';
import type { ChangeQuery } from './schema.ts';

/** limit: characters that wait to be sent to a slow reader. When there are more, the reader is cut off. */
const BACKLOG_MAX = 4_194_304;
/** Shorter than the time after which proxies and servers close quiet connections. */
const BEAT_MS = 5_000;
/** The pause after which browsers connect again. */
const RETRY_MS = 1_000;

export interface EventRequest {
  readonly query: ChangeQuery;
  readonly from: ReadFrom;
  readonly open: OpenStream;
  /** Fires when the client has disconnected. */
  readonly gone: AbortSignal;
}

/** Streams events until the client leaves, or `open` ends. */
export function changeEvents(parts: FollowParts, request: EventRequest): StreamBody {
  const { query, from, open, gone } = request;
  const sink = new EventSink();
  const follower = new ChangeFollower(parts, query, from, sink);
  sink.onEnd = () => follower.stop();
  const end = () => sink.end({ reason: String(open.ending.reason) });
  const wake = () => sink.wake();
  open.ending.addEventListener('abort', end);
  gone.addEventListener('abort', wake);
  const leave = (): void => {
    follower.stop();
    open.close();
    open.ending.removeEventListener('abort', end);
    gone.removeEventListener('abort', wake);
  };
  async function* events() {
    yield Buffer.from(`retry: ${RETRY_MS}\n\n`);
    while (!gone.aborted) {
      const text = sink.next();
      if (text !== undefined) yield Buffer.from(text);
      else if (sink.last !== undefined) {
        // Without an id, so that the client connects again with the last id that it has received.
        yield Buffer.from(`event: end\ndata: ${JSON.stringify(sink.last)}\n\n`);
        return;
      } else if (!(await sink.wait(BEAT_MS))) {
        // An id without data is not an event, but the client continues from it. So the cursor of a client whose filter
        // matches rarely does not expire.
        yield Buffer.from(`: still here\nid: ${follower.cursor}\n\n`);
      }
    }
  }
  return { stream: finished(events(), leave), cut: sink.cut };
}

/** The content of the last event. */
interface LastEvent {
  readonly reason: string;
  readonly detail?: string;
}

class EventSink implements ChangeSink {
  last: LastEvent | undefined;
  onEnd: () => void = () => {};
  #texts: string[] = [];
  #chars = 0;
  #onWake: (() => void) | undefined;
  #onRoom: (() => void)[] = [];
  readonly #cut = new AbortController();

  get cut(): AbortSignal {
    return this.#cut.signal;
  }

  take(changes: readonly RenderedChange[]): void {
    if (this.last !== undefined) return;
    for (const { event } of changes) {
      this.#texts.push(event);
      this.#chars += event.length;
    }
    if (this.#chars > BACKLOG_MAX) this.end({ reason: 'slow' });
    else this.wake();
  }

  hasRoom(): Promise<void> {
    return this.#texts.length === 0
      ? Promise.resolve()
      : new Promise((resolve) => this.#onRoom.push(resolve));
  }

  fail(error: AppError): void {
    this.end({ reason: error.code, detail: error.message });
  }

  /** Drops what waits to be sent: the client continues from the cursor of what it has received. */
  end(last: LastEvent): void {
    this.last ??= last;
    this.onEnd();
    this.#texts = [];
    this.#chars = 0;
    this.wake();
    this.#cut.abort();
  }

  /** What has come since the last call; undefined if nothing has. */
  next(): string | undefined {
    for (const resolve of this.#onRoom.splice(0)) resolve();
    if (this.#texts.length === 0) return undefined;
    const text = this.#texts.join('');
    this.#texts = [];
    this.#chars = 0;
    return text;
  }

  wake(): void {
    this.#onWake?.();
    for (const resolve of this.#onRoom.splice(0)) resolve();
  }

  /** Resolves with false if nothing has happened after `ms`. */
  wait(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(false), ms);
      const done = (isWoken: boolean) => {
        clearTimeout(timer);
        this.#onWake = undefined;
        resolve(isWoken);
      };
      this.#onWake = () => done(true);
    });
  }
}
