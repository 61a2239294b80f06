/**
 * Serves requests with large bodies in a separate thread, so that parsing, checking and answering them does not block
 * the event loop. The thread starts with the first such request and ends when it has been idle for a while. It has its
 * own heap: a body that needs more than that ends the thread, not the program.
 */
import { Worker } from 'node:worker_threads';
import type { KeyCipher } from '../../api/shared/idempotency.ts';
import type { Caller } from '../../domain/access.ts';
import { AppError } from '../../domain/errors.ts';
import { fromLargeAnswer, type LargeAnswer, toLargeRequest } from '../../http/body/large-bodies.ts';
import type { HttpResponse } from '../../http/exchange.ts';
import type { Call, LargeBodies } from '../../http/serve.ts';
import type { IdPort, System } from '../../kernel/mod.ts';
import type { Logger } from '../../lib/logger.ts';
import {
  type Answer,
  type CoordinatorCall,
  errorOf,
  type FromThread,
  failureOf,
  type ThreadData,
  type ToThread,
} from './thread-messages.ts';

export interface LargeBodyParts extends ThreadData {
  readonly ids: IdPort;
  readonly system: Pick<System, 'forward'>;
  readonly cipher: KeyCipher;
  readonly log: Logger;
  /** The thread ends after this idle time. */
  readonly idleMs?: number;
  /** The heap of the thread, in MiB. */
  readonly heapMax?: number;
}

// limit: concurrent requests in the thread; each may take a hundred MiB of its heap. Others wait; the server limits the
// total bytes of bodies.
const AT_ONCE_MAX = 2;
const HEAP_MIB_MAX = 768;
const IDLE_MS = 60_000;
/** After this time a stopping thread is terminated. */
const END_MS = 5_000;

interface Waiting {
  readonly call: Call<never>;
  readonly caller: Caller;
  readonly body: Uint8Array;
  resolve(response: HttpResponse): void;
  reject(error: Error): void;
}

/** The caller of `advanceTypeUpdates`, who waits for the thread. */
interface Updating {
  resolve(isDone: boolean): void;
  reject(error: Error): void;
}

export class LargeBodyThread implements LargeBodies {
  readonly #parts: LargeBodyParts;
  #worker: Worker | undefined;
  readonly #waiting: Waiting[] = [];
  readonly #serving = new Map<number, Waiting>();
  readonly #updating = new Map<number, Updating>();
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isClosed = false;
  /** Threads that are stopping. */
  readonly #ending = new Set<Promise<void>>();

  constructor(parts: LargeBodyParts) {
    this.#parts = parts;
  }

  serve(call: Call<never>, caller: Caller, body: Uint8Array): Promise<HttpResponse> {
    if (this.#isClosed) return Promise.reject(new AppError('SHUTTING_DOWN', 'the service is stopping'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, caller, body, resolve, reject });
      this.#next();
    });
  }

  /** Runs `advanceTypeUpdates` in the thread: definitions of recipe types may be as large as bodies. */
  advanceTypeUpdates(nowMs: number): Promise<boolean> {
    if (this.#isClosed) return Promise.reject(new AppError('SHUTTING_DOWN', 'the service is stopping'));
    return new Promise((resolve, reject) => {
      this.#lastId += 1;
      this.#updating.set(this.#lastId, { resolve, reject });
      this.#send({ type: 'advanceTypeUpdates', id: this.#lastId, nowMs });
      this.#next();
    });
  }

  /** Ends the thread; its requests are answered 503. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#failAll(new AppError('SHUTTING_DOWN', 'the service is stopping'));
    this.#end();
    await Promise.all(this.#ending);
  }

  #next(): void {
    clearTimeout(this.#idle);
    while (this.#serving.size < AT_ONCE_MAX) {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) break;
      this.#lastId += 1;
      this.#serving.set(this.#lastId, waiting);
      const request = toLargeRequest(waiting.call, waiting.caller, ownBytes(waiting.body));
      this.#send({ type: 'serve', id: this.#lastId, request }, [request.body.buffer as ArrayBuffer]);
    }
    if (this.#serving.size + this.#updating.size > 0 || this.#worker === undefined) return;
    this.#idle = setTimeout(() => this.#end(), this.#parts.idleMs ?? IDLE_MS);
    this.#idle.unref();
  }

  #send(message: ToThread, transfer: ArrayBuffer[] = []): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(message, transfer);
  }

  #start(): Worker {
    const { databaseUrl, self, log, heapMax = HEAP_MIB_MAX } = this.#parts;
    const data: ThreadData = { databaseUrl, self };
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: heapMax },
    });
    worker.on('message', (message: FromThread) => this.#on(worker, message));
    worker.on('error', (error) => log.error('large_body_thread_failed', { error }));
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      const text = 'the thread that served the request has ended: the request may or may not have been done';
      this.#failServing(new AppError('DEADLINE_EXCEEDED', text));
      this.#next();
    });
    return worker;
  }

  #on(worker: Worker, message: FromThread): void {
    if (message.type === 'error') this.#parts.log.error(message.event, message.fields);
    else if (message.type === 'call') void this.#answer(worker, message.id, message.call);
    else if (message.type === 'typeUpdatesAdvanced') this.#updated(message.id, message.answer);
    else this.#served(message.id, message.answer);
  }

  #served(id: number, answer: LargeAnswer): void {
    const waiting = this.#serving.get(id);
    this.#serving.delete(id);
    waiting?.resolve(fromLargeAnswer(answer));
    this.#next();
  }

  #updated(id: number, answer: Answer<boolean>): void {
    const updating = this.#updating.get(id);
    this.#updating.delete(id);
    if (answer.ok) updating?.resolve(answer.value);
    else updating?.reject(errorOf(answer.failure));
    this.#next();
  }

  async #answer(worker: Worker, id: number, call: CoordinatorCall): Promise<void> {
    const send = (message: ToThread) => worker.postMessage(message);
    try {
      send({ type: 'answer', id, answer: { ok: true, value: await this.#call(call) } });
    } catch (error) {
      send({ type: 'answer', id, answer: { ok: false, failure: failureOf(error) } });
    }
  }

  async #call(call: CoordinatorCall): Promise<unknown> {
    const { ids, system, cipher } = this.#parts;
    switch (call.method) {
      case 'reserve':
        return ids.reserve(call.kind, call.count);
      case 'ask':
        return system.forward(call.to, call.message, call.options);
      case 'encrypt':
        return cipher.encrypt(call.clear);
      case 'decrypt':
        return cipher.decrypt(call.encrypted);
    }
  }

  #end(): void {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    worker.postMessage({ type: 'close' } satisfies ToThread);
    const terminate = setTimeout(() => void worker.terminate(), END_MS);
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    this.#ending.add(ended);
    void ended.then(() => {
      clearTimeout(terminate);
      this.#ending.delete(ended);
    });
  }

  #failAll(error: AppError): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    this.#failServing(error);
  }

  #failServing(error: AppError): void {
    for (const { reject } of [...this.#serving.values(), ...this.#updating.values()]) reject(error);
    this.#serving.clear();
    this.#updating.clear();
  }
}

/** A copy of the bytes in a separate buffer, which can be transferred. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}
