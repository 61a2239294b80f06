/**
 * Passes one file's bytes from the stream that an agent sends to the response that reads them, a chunk at a time, so
 * that neither side runs ahead of the other. It ends when either side ends.
 */
import { AppError } from '../../domain/errors.ts';
import type { ByteStream } from '../../http/exchange.ts';
import type { Begun, ContentSink } from '../../rpc/content.ts';

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (reason: AppError) => void;
}

export class ContentPipe implements ContentSink {
  /** Rejects if the agent cannot send. */
  readonly begun: Promise<Begun>;
  readonly stream: ByteStream;
  #begin: Waiting<Begun> | undefined;
  /** An unread chunk, and the sender that waits for its read. */
  #chunk: { readonly bytes: Uint8Array; readonly taken: Waiting<void> } | undefined;
  #reader: Waiting<Uint8Array | undefined> | undefined;
  #end: AppError | 'ended' | undefined;

  constructor() {
    this.begun = new Promise((resolve, reject) => {
      this.#begin = { resolve, reject };
    });
    // The opener of the pipe may have given up before the agent reports why it cannot send.
    this.begun.catch(() => undefined);
    this.stream = { [Symbol.asyncIterator]: () => this.#iterator() };
  }

  begin(begun: Begun): void {
    this.#begin?.resolve(begun);
  }

  write(bytes: Uint8Array): Promise<void> {
    if (this.#end !== undefined) return Promise.reject(gone());
    if (this.#reader !== undefined) {
      this.#reader.resolve(bytes);
      this.#reader = undefined;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      this.#chunk = { bytes, taken: { resolve, reject } };
    });
  }

  end(): void {
    this.#finish('ended');
  }

  fail(error: AppError): void {
    this.#begin?.reject(error);
    this.#finish(error);
  }

  /** Called when the reader has disconnected: the agent's next chunk is refused, and a waiting read ends. */
  abandon(): void {
    this.#begin?.reject(gone());
    this.#finish('ended');
    this.#chunk?.taken.reject(gone());
    this.#chunk = undefined;
  }

  #finish(end: AppError | 'ended'): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    if (end === 'ended') this.#reader?.resolve(undefined);
    else this.#reader?.reject(end);
    this.#reader = undefined;
  }

  /**
   * Not a generator, because the body of a generator that is never read does not run, and the sender would wait for
   * ever.
   */
  #iterator(): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        const bytes = await this.#next();
        return bytes === undefined ? { done: true, value: undefined } : { done: false, value: bytes };
      },
      return: async () => {
        this.abandon();
        return { done: true, value: undefined };
      },
    };
  }

  #next(): Promise<Uint8Array | undefined> {
    const waiting = this.#chunk;
    if (waiting !== undefined) {
      this.#chunk = undefined;
      waiting.taken.resolve();
      return Promise.resolve(waiting.bytes);
    }
    if (this.#end === 'ended') return Promise.resolve(undefined);
    if (this.#end !== undefined) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }
}

function gone(): AppError {
  return new AppError('AGENT_UNAVAILABLE', 'the transfer ended early: try again');
}
