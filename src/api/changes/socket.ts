/**
 * The stream of changes over a WebSocket: JSON messages open and close subscriptions, each with its own filters and
 * cursor. docs/changes.md describes the messages.
 */
import type { OpenStream } from '../../auth/open-streams.ts';
import { AppError } from '../../domain/errors.ts';
import { checkBody } from '../../http/body/body.ts';
import { parseJson } from '../../http/body/json.ts';
import { expectedFailure, invalidBody } from '../../http/problem.ts';
import type { Socket, SocketDoor, SocketHandler } from '../../http/socket.ts';
import { ChangeFollower, type ChangeSink, type FollowParts } from './follower.ts';
import { Close, type EndReason, Open, type ServiceMessage, Unknown } from './messages.ts';
import { readFrom } from './reading.ts';
import type { RenderedChange } from './rendered-change.ts';
import type { ChangeQuery } from './schema.ts';

/** limit: subscriptions of one socket. */
const SUBSCRIPTIONS_MAX = 50;
/** limit: messages of a client that wait to be served. */
const WAITING_MAX = 100;
/** limit: parts of a message, as `scanJson` counts them. The largest that is accepted has some twenty. */
const MESSAGE_PARTS_MAX = 1_000;
/** limit: bytes that wait to be sent to a client. When there are more, the client is cut off. */
const BACKLOG_MAX = 4_194_304;
/**
 * A client's backlog must be below this for its messages to be served, for a subscription that catches up to continue
 * reading, and for a client whose access has lapsed to be sent the last message.
 */
const BACKLOG_LOW = 65_536;
/** limit: characters of changes in one message, but at least one change. */
const MESSAGE_CHARS_MAX = 262_144;
const BEAT_MS = 5_000;

/** Close codes of RFC 6455 and its registry, by reason. */
const END_CODES: Readonly<Record<EndReason, number>> = {
  stopping: 1012,
  lapsed: 1008,
  slow: 1013,
  flooded: 1008,
};

const NO_FILTERS: ChangeQuery = {
  ...{ kind: [], what: [], id: [], status: [], job_type_name: [], recipe_type_name: [] },
  ...{ recipe_id: [], batch_id: [], job_id: [], strike_id: [], scan_id: [], node_id: [] },
};

export interface SocketParts extends FollowParts {
  /**
   * Resolves when the next message of any client may be served. Other work gets the event loop between two messages.
   */
  readonly turn: () => Promise<void>;
}

export function changeSocket(parts: SocketParts, open: OpenStream): SocketDoor {
  return { open: (socket) => new ChangeSocket(parts, open, socket), abandon: () => open.close() };
}

class ChangeSocket implements SocketHandler {
  readonly #parts: SocketParts;
  readonly #open: OpenStream;
  readonly #socket: Socket;
  readonly #room: Room;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #beating: NodeJS.Timeout;
  #turns: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isClosed = false;

  constructor(parts: SocketParts, open: OpenStream, socket: Socket) {
    this.#parts = parts;
    this.#open = open;
    this.#socket = socket;
    this.#room = new Room(socket);
    const { ending } = open;
    ending.addEventListener('abort', () => this.#end(ending.reason));
    this.#beating = setInterval(() => this.#beat(), BEAT_MS);
    if (ending.aborted) queueMicrotask(() => this.#end(ending.reason));
  }

  /** Serves messages one after another, and none while the client has not read earlier answers. */
  message(text: string | undefined): void {
    if (this.#isClosed) return;
    this.#waiting += 1;
    if (this.#waiting > WAITING_MAX) {
      this.#end('flooded');
      return;
    }
    this.#turns = this.#turns.then(async () => {
      await this.#room.wait();
      await this.#parts.turn();
      this.#waiting -= 1;
      if (!this.#isClosed) await this.#serve(text);
    });
  }

  drained(): void {
    this.#room.drained();
    for (const subscription of this.#subscriptions.values()) subscription.drained();
  }

  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#beating);
    this.#room.release();
    for (const subscription of this.#subscriptions.values()) subscription.stop();
    this.#open.close();
  }

  async #serve(text: string | undefined): Promise<void> {
    let name: string | null = null;
    try {
      const { value: message, problems } = readMessage(text);
      name = nameOf(message);
      if (problems.length > 0) throw invalidBody(problems);
      await this.#carryOut(message);
    } catch (error) {
      const expected = expectedFailure(error);
      if (expected === undefined) this.#parts.log.warn('changes_socket_failed', { error });
      const { code = 'INTERNAL', message: detail = 'internal error' } = expected ?? {};
      this.#send({ type: 'refused', id: name, code, detail, errors: [...(expected?.detail.errors ?? [])] });
    }
  }

  async #carryOut(message: unknown): Promise<void> {
    const { type } = (message ?? {}) as { type?: unknown };
    if (type === 'close') {
      const { id: name } = checked(Close, message);
      const subscription = this.#subscriptions.get(name);
      if (subscription === undefined)
        throw refusal('NOT_FOUND', 'id', 'no subscription with this id is open');
      this.#drop(name);
      this.#send({ type: 'closed', id: name, cursor: subscription.cursor });
      return;
    }
    const {
      id: name,
      filters,
      after,
    } = checked(type === 'open' ? Open : Unknown, message) as typeof Open.static;
    if (this.#subscriptions.has(name))
      throw refusal('NAME_TAKEN', 'id', 'a subscription with this id is open');
    if (this.#subscriptions.size >= SUBSCRIPTIONS_MAX) {
      throw refusal(
        'TOO_MANY_REQUESTS',
        'id',
        `${SUBSCRIPTIONS_MAX} subscriptions are open, as many as allowed`,
      );
    }
    const from = await readFrom(this.#parts.sql, after);
    if (this.#isClosed) return;
    const subscription = new Subscription(name, this.#socket, {
      slow: () => this.#end('slow'),
      failed: (error) => {
        this.#subscriptions.delete(name);
        const { code, message: detail } = error;
        this.#send({ type: 'closed', id: name, cursor: subscription.cursor, code, detail });
      },
    });
    this.#subscriptions.set(name, subscription);
    subscription.follow(new ChangeFollower(this.#parts, { ...NO_FILTERS, ...filters }, from, subscription));
    this.#send({ type: 'opened', id: name, cursor: subscription.cursor });
  }

  #drop(name: string): void {
    this.#subscriptions.get(name)?.stop();
    this.#subscriptions.delete(name);
  }

  #beat(): void {
    for (const subscription of this.#subscriptions.values()) subscription.beat();
  }

  #send(message: ServiceMessage): void {
    if (!this.#isClosed) this.#socket.send(JSON.stringify(message));
  }

  /** The last message has the reason, and the cursor of each subscription. */
  #end(reason: EndReason): void {
    if (this.#isClosed) return;
    const isStuck = this.#socket.backlogBytes > BACKLOG_LOW;
    const cursors = Object.fromEntries([...this.#subscriptions].map(([name, { cursor }]) => [name, cursor]));
    this.#send({ type: 'end', reason, cursors });
    this.closed();
    // A caller that may not read any more does not get the backlog either.
    if (reason === 'lapsed' && isStuck) this.#socket.cut();
    else this.#socket.end(END_CODES[reason], reason);
  }
}

/** Waits until a client has received most of what was sent. */
class Room {
  readonly #socket: Socket;
  #onRoom: (() => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get #isThere(): boolean {
    return this.#socket.backlogBytes < BACKLOG_LOW;
  }

  /** Only one caller may wait at a time. */
  wait(): Promise<void> {
    if (this.#isThere) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onRoom = resolve;
    });
  }

  drained(): void {
    if (this.#isThere) this.release();
  }

  /** Ends the wait: nothing more is sent. */
  release(): void {
    this.#onRoom?.();
  }
}

class Subscription implements ChangeSink {
  /** The cursor after everything that was sent. */
  cursor = '';
  readonly #name: string;
  readonly #socket: Socket;
  readonly #when: { slow(): void; failed(error: AppError): void };
  #follower: ChangeFollower | undefined;
  readonly #room: Room;

  constructor(name: string, socket: Socket, when: { slow(): void; failed(error: AppError): void }) {
    this.#name = name;
    this.#socket = socket;
    this.#room = new Room(socket);
    this.#when = when;
  }

  follow(follower: ChangeFollower): void {
    this.#follower = follower;
    this.cursor = follower.cursor;
  }

  stop(): void {
    this.#follower?.stop();
    this.#room.release();
  }

  take(changes: readonly RenderedChange[]): void {
    for (let at = 0; at < changes.length; ) {
      if (this.#socket.backlogBytes > BACKLOG_MAX) {
        this.#when.slow();
        return;
      }
      const texts: string[] = [];
      for (let chars = 0; at < changes.length && chars < MESSAGE_CHARS_MAX; at += 1) {
        const { json, cursor } = changes[at] as RenderedChange;
        texts.push(json);
        chars += json.length;
        this.cursor = cursor;
      }
      const head = `"type":"changes","id":${JSON.stringify(this.#name)}`;
      this.#socket.send(`{${head},"changes":[${texts.join(',')}],"cursor":"${this.cursor}"}`);
    }
  }

  hasRoom(): Promise<void> {
    return this.#room.wait();
  }

  drained(): void {
    this.#room.drained();
  }

  fail(error: AppError): void {
    this.#when.failed(error);
  }

  /** Sends the present cursor, so that the cursor of a client whose filter matches rarely does not expire. */
  beat(): void {
    const cursor = this.#follower?.cursor ?? this.cursor;
    if (cursor === this.cursor) return;
    this.cursor = cursor;
    const message: ServiceMessage = { type: 'cursor', id: this.#name, cursor };
    this.#socket.send(JSON.stringify(message));
  }
}

function readMessage(text: string | undefined): ReturnType<typeof parseJson> {
  if (text === undefined) throw new AppError('INVALID_REQUEST', 'messages must be texts');
  return parseJson(Buffer.from(text), MESSAGE_PARTS_MAX);
}

function nameOf(message: unknown): string | null {
  const { id: name } = (message ?? {}) as { id?: unknown };
  return typeof name === 'string' ? name : null;
}

function checked<S extends typeof Open | typeof Close | typeof Unknown>(
  schema: S,
  message: unknown,
): S['static'] {
  const found = checkBody(schema, message);
  if (!found.ok) throw invalidBody(found.errors);
  return found.value as S['static'];
}

function refusal(
  code: 'NOT_FOUND' | 'NAME_TAKEN' | 'TOO_MANY_REQUESTS',
  path: string,
  description: string,
): AppError {
  return new AppError(code, `${path}: ${description}`, { errors: [{ name: code, description, path }] });
}
