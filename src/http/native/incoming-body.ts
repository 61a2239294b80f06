/**
 * A request body that its handler reads while it arrives. The connection is not read while many bytes wait here, so
 * that a slow handler slows its client down, and no file is held in memory.
 */
import { AppError } from '../../domain/errors.ts';

/** The part of a connection that is needed here. */
interface Connection {
  pause(): unknown;
  resume(): unknown;
}

// limit: bytes that wait for the handler. More than one chunk, because each pause restarts the idle time of a slow
// client.
const WAITING_BYTES_MAX = 1_048_576;

interface Reader {
  readonly resolve: (chunk: Uint8Array | undefined) => void;
  readonly reject: (reason: AppError) => void;
}

export class IncomingBody implements AsyncIterable<Uint8Array> {
  readonly #connection: Connection;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isPaused = false;
  #end: 'whole' | 'dropped' | AppError | undefined;
  #reader: Reader | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** `chunk` is copied: the library's buffer is gone after its callback. */
  push(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#end !== undefined) return;
    if (isLast) this.#end = 'whole';
    if (chunk.byteLength > 0) this.#take(new Uint8Array(chunk.slice(0)));
    if (isLast) this.#settle((reader) => reader.resolve(undefined));
  }

  /** The client has disconnected. The rest is not read, and its reader fails. */
  abort(): void {
    if (this.#end === 'whole' || this.#end === 'dropped') return;
    const error = new AppError('INVALID_REQUEST', 'the body ended before it was complete');
    this.#end = error;
    this.#drop();
    this.#settle((reader) => reader.reject(error));
  }

  /** Drops the rest of the body, which is not read any more. The connection must still be open. */
  discard(): void {
    this.#end = 'dropped';
    this.#drop();
    if (this.#isPaused) this.#connection.resume();
    this.#isPaused = false;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        const value = await this.#next();
        return value === undefined ? { done: true, value } : { done: false, value };
      },
    };
  }

  #take(chunk: Uint8Array): void {
    if (this.#reader !== undefined) {
      this.#settle((reader) => reader.resolve(chunk));
      return;
    }
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.byteLength;
    if (this.#waitingBytes <= WAITING_BYTES_MAX || this.#isPaused) return;
    this.#isPaused = true;
    this.#connection.pause();
  }

  #next(): Promise<Uint8Array | undefined> {
    const chunk = this.#waiting.shift();
    if (chunk !== undefined) {
      this.#waitingBytes -= chunk.byteLength;
      if (this.#isPaused && this.#waiting.length === 0) {
        this.#isPaused = false;
        this.#connection.resume();
      }
      return Promise.resolve(chunk);
    }
    if (this.#end instanceof AppError) return Promise.reject(this.#end);
    if (this.#end !== undefined) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  /** From the event loop: after a native callback the library does not run pending promise callbacks. */
  #settle(how: (reader: Reader) => void): void {
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader !== undefined) setImmediate(() => how(reader));
  }

  #drop(): void {
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
  }
}
