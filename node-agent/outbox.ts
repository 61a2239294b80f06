/**
 * Outgoing messages of a session's stream, in order and no faster than they are read. Small messages come first, then
 * the spool's updates. Updates are read from the spool when there is room, so they are in memory only once.
 */
import type { AgentMessage, IngestUpdate, TaskUpdate } from '../src/domain/node/agent-messages.ts';
import type { Welcome } from '../src/domain/node/coordinator-messages.ts';
import { charsIn, TOGETHER_CHARS_MAX, TOGETHER_MAX } from '../src/domain/node/message-size.ts';
import type { Clock } from './clock.ts';
import type { Spool, SpooledUpdate } from './data/spool.ts';

type TakesTogether = Pick<Welcome, 'takesIngestUpdates' | 'takesTaskUpdates'>;

/** A stream that signals when it is full. */
export interface MessageSink {
  write(message: AgentMessage): boolean;
  once(event: 'drain', call: () => void): unknown;
}

// limit: small messages that wait. Beyond that the oldest is dropped, so only messages that are repeated may be sent
// here.
const QUEUE_MAX = 10_000;

export class Outbox {
  readonly #sink: MessageSink;
  readonly #spool: Pick<Spool, 'after'>;
  readonly #queue: AgentMessage[] = [];
  #lastSpoolId = 0;
  readonly #gathered = new Set<SpooledUpdate['type']>();
  #isPumpDue = false;
  #isPumpTimed = false;
  #isBlocked = false;
  #isClosed = false;

  constructor(sink: MessageSink, spool: Pick<Spool, 'after'>) {
    this.#sink = sink;
    this.#spool = spool;
  }

  send(message: AgentMessage): void {
    this.#queue.push(message);
    if (this.#queue.length > QUEUE_MAX) this.#queue.shift();
    this.pump();
  }

  /** Enables messages with several updates, as far as the coordinator accepts them. */
  gather({ takesIngestUpdates, takesTaskUpdates }: TakesTogether): void {
    if (takesIngestUpdates) this.#gathered.add('ingestUpdate');
    if (takesTaskUpdates) this.#gathered.add('taskUpdate');
  }

  /**
   * As `pump`, but once all updates that became durable at the same time are in the spool, so that they are one
   * message: each message is a write to the socket.
   */
  pumpSoon(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      this.pump();
    });
  }

  /** As `pump`, after this time at most: what becomes durable until then is one message. */
  pumpWithin(delayMs: number, clock: Pick<Clock, 'after'>): void {
    if (this.#isPumpTimed) return;
    this.#isPumpTimed = true;
    clock.after(delayMs, () => {
      this.#isPumpTimed = false;
      this.pump();
    });
  }

  /** Writes waiting messages, as far as the stream accepts them. */
  pump(): void {
    while (!this.#isBlocked && !this.#isClosed) {
      const message = this.#queue.shift() ?? this.#nextUpdate();
      if (message === undefined) return;
      if (this.#sink.write(message)) continue;
      this.#isBlocked = true;
      this.#sink.once('drain', () => {
        this.#isBlocked = false;
        this.pump();
      });
    }
  }

  /** Sends all unacknowledged updates again, because the coordinator may have lost uncommitted ones. */
  repeat(): void {
    this.#lastSpoolId = 0;
    this.pump();
  }

  close(): void {
    this.#isClosed = true;
  }

  #nextUpdate(): AgentMessage | undefined {
    const next = this.#spool.after(this.#lastSpoolId);
    if (next === undefined) return undefined;
    this.#lastSpoolId = next.spoolId;
    return this.#gathered.has(next.type) ? this.#withFollowing(next) : next;
  }

  #withFollowing(first: SpooledUpdate): AgentMessage {
    const updates = [first];
    let chars = charsIn(first);
    while (updates.length < TOGETHER_MAX) {
      const next = this.#spool.after(this.#lastSpoolId);
      if (next?.type !== first.type) break;
      chars += charsIn(next);
      if (chars > TOGETHER_CHARS_MAX) break;
      this.#lastSpoolId = next.spoolId;
      updates.push(next);
    }
    if (updates.length === 1) return first;
    // All have the type of the first.
    return first.type === 'taskUpdate'
      ? { type: 'taskUpdates', updates: updates as TaskUpdate[] }
      : { type: 'ingestUpdates', updates: updates as IngestUpdate[] };
  }
}
