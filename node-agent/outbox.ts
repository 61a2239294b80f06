/**
 * Outgoing messages of a session's stream, in order and no faster than they are read: small messages first, then the
 * spool's updates, which are read from the spool when there is room and so are never held twice.
 */
import type { AgentMessage, IngestUpdate } from '../src/domain/node/agent-messages.ts';
import type { Spool } from './data/spool.ts';

/** A stream that signals when it is full. */
export interface MessageSink {
  write(message: AgentMessage): boolean;
  once(event: 'drain', call: () => void): unknown;
}

// limit: small messages that wait. Beyond that the oldest is dropped, so only repeated messages may be sent this way.
const QUEUE_MAX = 10_000;
/** limit: updates in one message. Each has a few hundred bytes, with its path and error at most some thousands. */
const INGESTS_MAX = 100;

export class Outbox {
  readonly #sink: MessageSink;
  readonly #spool: Spool;
  readonly #queue: AgentMessage[] = [];
  #lastSpoolId = 0;
  #isGathering = false;
  #isPumpDue = false;
  #isBlocked = false;
  #isClosed = false;

  constructor(sink: MessageSink, spool: Spool) {
    this.#sink = sink;
    this.#spool = spool;
  }

  send(message: AgentMessage): void {
    this.#queue.push(message);
    if (this.#queue.length > QUEUE_MAX) this.#queue.shift();
    this.pump();
  }

  /** The other side accepts several ends of ingests in one message. */
  gatherIngests(): void {
    this.#isGathering = true;
  }

  /**
   * As `pump`, after everything that became durable together is in the spool, because each message is a write to the
   * socket.
   */
  pumpSoon(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
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
    return this.#isGathering && next.type === 'ingestUpdate' ? this.#withFollowing(next) : next;
  }

  #withFollowing(first: IngestUpdate): AgentMessage {
    const updates = [first];
    while (updates.length < INGESTS_MAX) {
      const next = this.#spool.after(this.#lastSpoolId);
      if (next?.type !== 'ingestUpdate') break;
      this.#lastSpoolId = next.spoolId;
      updates.push(next);
    }
    return updates.length === 1 ? first : { type: 'ingestUpdates', updates };
  }
}
