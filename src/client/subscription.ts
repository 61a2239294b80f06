/** One connection of the stream of changes, with a bounded queue between the socket and its reader. */
import { isObject } from './answers.ts';
import { CHANGES_GONE, RefusedError, UnusableAnswerError } from './errors.ts';
import type { Change } from './operations.ts';
import type { ClientSocket, OpenSocket } from './socket.ts';

/** limit: silence of a connection. The service sends pings, and cursors of quiet streams, more often. */
const SILENCE_MS = 90_000;
/** limit: queued changes. Beyond it the connection ends; its reader gets the queue, then the rest over another one. */
const QUEUED_CHANGES_MAX = 10_000;
const ID = 'changes';

export const CHANGES_PATH = '/v6/changes/';
/** The call that failures of the stream refer to. */
export const CHANGES_CALL = { method: 'GET', path: CHANGES_PATH };

/** Changes of one message; none if only the cursor has moved. */
export interface Batch {
  readonly changes: readonly Change[];
  /** The cursor after all of them. */
  readonly cursor: string;
}

/** What a connection subscribes to. */
export interface SubscriptionOptions {
  readonly filters: Readonly<Record<string, unknown>>;
  readonly after: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Connects at once. Call `next` until it resolves with undefined or rejects, then `close`. */
export class Subscription {
  readonly #options: SubscriptionOptions;
  readonly #socket: ClientSocket;
  readonly #queue: Batch[] = [];
  #queued = 0;
  #hasEnded = false;
  #failure: unknown;
  #wake: () => void = () => undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  readonly #stop = (): void => this.#end(this.#options.signal?.reason);

  constructor(
    open: OpenSocket,
    url: string,
    headers: Readonly<Record<string, string>>,
    options: SubscriptionOptions,
  ) {
    this.#options = options;
    const { filters, after, signal } = options;
    this.#heard();
    this.#socket = open(url, headers, {
      onOpen: () => this.#socket.send(JSON.stringify({ type: 'open', id: ID, filters, after })),
      onText: (text) => this.#receive(text),
      onSign: () => this.#heard(),
      onClose: () => this.#end(undefined),
    });
    signal?.addEventListener('abort', this.#stop, { once: true });
    if (signal?.aborted === true) this.#stop();
  }

  /** The next changes, once there are some; undefined when the connection has ended and another may continue. */
  async next(): Promise<Batch | undefined> {
    for (;;) {
      const batch = this.#queue.shift();
      if (batch !== undefined) {
        this.#queued -= batch.changes.length;
        return batch;
      }
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#hasEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#end(undefined);
  }

  #receive(text: string): void {
    this.#heard();
    const message = parsed(text);
    if (message === undefined) {
      this.#end(unreadable());
      return;
    }
    switch (message.type) {
      case 'opened':
      case 'cursor':
      case 'changes':
        this.#enqueue(message);
        break;
      case 'closed':
      case 'refused':
        this.#end(refusedBy(message));
        break;
      case 'end':
        this.#end(undefined);
        break;
      default: // a message of a later version is ignored
    }
  }

  #enqueue({ changes = [], cursor }: Readonly<Record<string, unknown>>): void {
    if (typeof cursor !== 'string' || !Array.isArray(changes)) {
      this.#end(unreadable());
      return;
    }
    this.#queue.push({ changes, cursor });
    this.#queued += changes.length;
    this.#wake();
    if (this.#queued > QUEUED_CHANGES_MAX) this.#end(undefined);
  }

  #heard(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#end(undefined), SILENCE_MS);
  }

  #end(failure: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#failure = failure;
    clearTimeout(this.#silence);
    this.#options.signal?.removeEventListener('abort', this.#stop);
    this.#socket.close();
    this.#wake();
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

/** A `closed` or `refused` message as the error of a refused request. */
function refusedBy(message: Readonly<Record<string, unknown>>): RefusedError {
  const { code, detail, errors } = message;
  return new RefusedError(CHANGES_CALL, {
    status: code === CHANGES_GONE ? 410 : 400,
    code: String(code ?? 'REFUSED'),
    detail: String(detail ?? 'the stream was closed'),
    problems: Array.isArray(errors)
      ? errors.filter(isObject).map(({ name, description, path }) => ({
          ...{ name: String(name ?? ''), description: String(description ?? '') },
          path: String(path ?? ''),
        }))
      : [],
    requestId: undefined,
    retryAfterMs: undefined,
  });
}

function unreadable(): UnusableAnswerError {
  return new UnusableAnswerError(CHANGES_CALL, 'the stream of changes sent what is no message of it');
}
