/**
 * One request and its answer, in terms of uWebSockets.js. An exchange has these states and leaves each exactly once:
 *
 *   state       enters when                              leaves to
 *   receiving   the head came, a body may be wanted      handling (last chunk) | sending (refused) | closed
 *   handling    `run` has the whole body                 sending (its response) | closed (client gone)
 *   sending     status and headers are written           closed (last byte taken, or client gone)
 *   closed      nothing of the native response may be touched any more
 *
 * The native request is gone when its callback returns, so everything is copied out of it first. An exchange that
 * outlives the callback waits: only then is it counted and does it have an abort handler. No exception crosses a native
 * callback. The library closes a connection whose next request arrives before the last one is answered (pipelining),
 * which HTTP allows.
 *
 * Each call into the library costs, so there are few: headers are written as one, and a small answer ends at once.
 * The smallest answer took 18 us when every answer waited for promises, and takes 11 now (the library alone: 8). These
 * had no effect: a constant block of headers with the id apart, and reading single headers instead of all.
 */
import type { HttpRequest as UwsRequest, HttpResponse as UwsResponse } from 'uWebSockets.js';
import { AppError } from '../../domain/errors.ts';
import { bodyTooLarge } from '../body/limits.ts';
import type { Prepared } from '../dispatch.ts';
import { type HttpResponse, LazyHead, type RequestBody, type RequestHead, tracedBy } from '../exchange.ts';
import { announcedLength, discard, flushSoon, lastHeaders } from './answer-ends.ts';
import type { Shared } from './exchange-options.ts';
import { asksToClose, framingProblem, isReusable } from './framing.ts';
import { IncomingBody } from './incoming-body.ts';
import { headersOf } from './request-headers.ts';
import { STATUS_TEXT } from './status-text.ts';

// limit: µWebSockets.js closes connections idle for 8 to 12 s. This is sent to clients, so that none sends a request on
// such a connection.
const KEEP_ALIVE = 'timeout=8';

// limit: longer texts are written in pieces, as the socket accepts them. Shorter ones fit what the library sends at
// once.
const SMALL_CHARS_MAX = 4_096;
const NO_BYTES = new Uint8Array();

type Running = Extract<Prepared, { readonly kind: 'run' }>;
type State = 'receiving' | 'handling' | 'sending' | 'closed';

export class Exchange {
  readonly #shared: Shared;
  readonly #res: UwsResponse;
  readonly #head: RequestHead;
  #state: State = 'receiving';
  /** It outlives the callback in which it began, so it is counted and notified when the client disconnects. */
  #isWaiting = false;
  #abort: AbortController | undefined;
  #isAborted = false;
  #chunks: Uint8Array[] | undefined;
  #bodyBytes = 0;
  #incoming: IncomingBody | undefined;
  #isCallerChecked = false;
  /** The library reads nothing from the connection. */
  #isPaused = false;
  /** Resumes the sender that waits for the socket to accept more, or for its end. */
  #onDrained: (() => void) | undefined;

  constructor(shared: Shared, res: UwsResponse, req: UwsRequest, method: string) {
    this.#shared = shared;
    this.#res = res;
    const head = {
      id: shared.options.newRequestId(),
      method,
      path: req.getUrl(),
      query: req.getQuery() ?? '',
      headers: headersOf(req),
      address: shared.peers.addressOf(res),
    };
    this.#head = new LazyHead(head, this);
  }

  /** Called within the callback of the request. */
  begin(): void {
    try {
      this.#begin();
    } catch (error) {
      this.#broken(error);
    }
  }

  /** Runs a later step. An exception in it is a bug: it is logged, and ends this connection only. */
  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#broken(error);
    }
  }

  #begin(): void {
    const { method, headers } = this.#head;
    const problem = framingProblem(method, headers);
    if (problem !== undefined) {
      this.#refuse(new AppError('INVALID_REQUEST', problem));
      return;
    }
    const prepared = this.#shared.options.dispatcher.prepare(this.#head);
    if (prepared.kind === 'answer') {
      this.#send(prepared.response);
      return;
    }
    const length = headers.get('content-length') ?? '0';
    const hasBody = length !== '0' || headers.has('transfer-encoding');
    if (!prepared.wantsBody || !hasBody) {
      this.#handle(prepared, NO_BYTES);
      return;
    }
    this.#wait();
    if (prepared.isStreamed) {
      this.#incoming = new IncomingBody(this.#res);
      this.#res.onData((chunk, isLast) => this.#incoming?.push(chunk, isLast));
      this.#handle(prepared, this.#incoming);
      return;
    }
    this.#res.onData((chunk, isLast) => this.#guard(() => this.#onData(chunk, isLast, prepared)));
    if (Number(length) > prepared.unknownBytesMax) this.#checkCaller(prepared);
  }

  /** Pauses reading until the caller's permission is checked, so that no other caller sends a large body. */
  #checkCaller(prepared: Running): void {
    this.#isCallerChecked = true;
    const refusal = prepared.admit();
    if (!(refusal instanceof Promise)) {
      if (refusal !== undefined) this.#turnAway(refusal);
      return;
    }
    this.#isPaused = true;
    this.#res.pause();
    void refusal.then((later) => this.#guard(() => this.#onCallerChecked(later)));
  }

  #onCallerChecked(refusal: HttpResponse | undefined): void {
    // If the whole body has come with the head, `run` refuses the caller.
    if (this.#state !== 'receiving') return;
    if (refusal !== undefined) this.#turnAway(refusal);
    else this.#resume();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#res.resume();
  }

  #wait(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#res.onAborted(() => this.#onAborted());
    this.#shared.active.add(this);
  }

  #onData(chunk: ArrayBuffer, isLast: boolean, prepared: Running): void {
    if (this.#state !== 'receiving') return; // refused already; the rest of the body doesn't matter
    const { options } = this.#shared;
    this.#bodyBytes += chunk.byteLength;
    this.#shared.bufferedBytes += chunk.byteLength;
    if (this.#bodyBytes > prepared.bodyBytesMax) {
      this.#refuse(bodyTooLarge(prepared.bodyBytesMax));
      return;
    }
    if (this.#shared.bufferedBytes > options.bufferedBytesMax) {
      this.#refuse(
        new AppError('OVERLOADED', 'this coordinator has too many large bodies at once; try again later'),
      );
      return;
    }
    if (!this.#isCallerChecked && this.#bodyBytes > prepared.unknownBytesMax) {
      this.#checkCaller(prepared);
      if (!this.#is('receiving')) return;
    }
    this.#chunks ??= [];
    this.#chunks.push(new Uint8Array(chunk.slice(0))); // the native buffer is gone after the callback
    if (!isLast) return;
    const body = this.#chunks.length === 1 ? (this.#chunks[0] as Uint8Array) : Buffer.concat(this.#chunks);
    this.#chunks = undefined;
    this.#handle(prepared, body);
  }

  #refuse(error: AppError): void {
    this.#turnAway(this.#shared.options.dispatcher.refuse(this.#head, error));
  }

  /** Reads and drops the rest of the body. */
  #turnAway(response: HttpResponse): void {
    this.#chunks = undefined;
    this.#resume();
    this.#send(response);
  }

  #handle(prepared: Running, body: RequestBody): void {
    this.#resume();
    this.#state = 'handling';
    const response = prepared.run(body);
    if (!(response instanceof Promise)) {
      this.#send(response);
      return;
    }
    this.#wait();
    response.then(
      (later) => this.#guard(() => this.#send(later)),
      (error: unknown) => this.#broken(error), // can only be a bug, because `run` never rejects
    );
  }

  #send(response: HttpResponse): void {
    if (isReusable(this.#head.headers)) {
      this.#write(response);
      return;
    }
    if (this.#state !== 'closed') this.#wait();
    if (this.#state !== 'closed') this.#state = 'sending';
    // Later: a second request that came with this one then arrives before the answer, which ends the connection.
    setImmediate(() => this.#guard(() => this.#write(response)));
  }

  #write(response: HttpResponse): void {
    const { body } = response;
    if (this.#state === 'closed') {
      if (body.kind === 'stream') void discard(body.stream);
      return;
    }
    this.#incoming?.discard();
    this.#state = 'sending';
    const isStream = body.kind === 'stream' && this.#head.method !== 'HEAD';
    const isSmall = body.kind === 'none' || (body.kind === 'text' && body.text.length <= SMALL_CHARS_MAX);
    if (isStream || !isSmall) this.#wait();
    const isLastAndEmpty = this.#isWithoutBody(response) && !isReusable(this.#head.headers);
    if (this.#isWaiting) this.#res.cork(() => this.#writeOut(response, isSmall));
    else this.#writeOut(response, isSmall);
    if (isLastAndEmpty) this.#res.close();
    if (!isStream) return;
    body.cut?.addEventListener('abort', () => this.#cutOff());
    this.#sendStream(body.stream, body.length).then(
      () => this.#closed(),
      (error: unknown) => this.#broken(error),
    );
  }

  /** Writes status, headers, and a body that is no stream. */
  #writeOut(response: HttpResponse, isSmall: boolean): void {
    const { status, headers, cookies, body } = response;
    if (status !== 200) this.#res.writeStatus(`${status} ${STATUS_TEXT[status] ?? 'Unknown'}`);
    const isWithoutBody = this.#isWithoutBody(response);
    const isLastAndEmpty = isWithoutBody && !isReusable(this.#head.headers);
    const isLastOnConnection = isLastAndEmpty || asksToClose(this.#head.headers);
    let block = isLastOnConnection ? 'close' : KEEP_ALIVE;
    for (const [name, value] of headers) block += `\r\n${name}: ${value}`;
    if (cookies !== undefined) for (const cookie of cookies) block += `\r\nset-cookie: ${cookie}`;
    if (isLastAndEmpty) block += lastHeaders(response);
    this.#res.writeHeader(isLastOnConnection ? 'connection' : 'keep-alive', block);
    if (isWithoutBody) this.#sendNoBody(response);
    else if (body.kind === 'text') this.#sendText(body.text, isSmall);
  }

  #isWithoutBody({ body }: HttpResponse): boolean {
    return this.#head.method === 'HEAD' || body.kind === 'none';
  }

  #sendNoBody(response: HttpResponse): void {
    if (isReusable(this.#head.headers)) {
      const length = announcedLength(response);
      // Not `endWithoutBody(length)`: it would keep waiting for that many bytes.
      if (length !== undefined) this.#res.writeHeader('content-length', `${length}`);
      this.#res.endWithoutBody();
    }
    if (response.body.kind === 'stream') void discard(response.body.stream);
    this.#closed();
  }

  #sendText(text: string, isSmall: boolean): void {
    const isLast = !isReusable(this.#head.headers);
    if (isSmall || isLast) {
      this.#res.end(text, isLast);
      this.#closed();
      return;
    }
    const bytes = Buffer.from(text);
    const start = this.#res.getWriteOffset();
    const [isTaken, isDone] = this.#res.tryEnd(bytes, bytes.byteLength);
    if (isTaken || isDone) {
      this.#closed();
      return;
    }
    // The socket is full. The rest is written whenever it accepts more.
    this.#res.onWritable((offset) => {
      const [isRestTaken, isRestDone] = this.#res.tryEnd(bytes.subarray(offset - start), bytes.byteLength);
      if (isRestTaken || isRestDone) this.#closed();
      return isRestTaken;
    });
  }

  /**
   * Pulls a chunk only when the socket has accepted the last one, so that a slow client holds one chunk in memory and
   * not a file.
   */
  async #sendStream(stream: AsyncIterable<Uint8Array>, length: number | undefined): Promise<void> {
    let sentBytes = 0;
    for await (const chunk of stream) {
      if (this.#is('closed')) return; // leaving the loop ends the source
      if (chunk.byteLength === 0) continue;
      sentBytes += chunk.byteLength;
      if (length === undefined) await this.#writeChunk(chunk);
      else {
        if (sentBytes > length) throw new Error(`stream of ${length} bytes has more`);
        await this.#tryChunk(chunk, length);
        if (sentBytes === length) return; // it is complete and may not be touched any more
      }
    }
    if (this.#is('closed')) return;
    if (length !== undefined && sentBytes < length)
      throw new Error(`stream of ${length} bytes ended after ${sentBytes}`);
    this.#res.cork(() => this.#res.end());
  }

  async #writeChunk(chunk: Uint8Array): Promise<void> {
    let isTaken = true;
    this.#res.cork(() => {
      isTaken = this.#res.write(chunk);
    });
    if (!isTaken) await this.#drained(() => true);
  }

  async #tryChunk(chunk: Uint8Array, length: number): Promise<void> {
    const start = this.#res.getWriteOffset();
    let isTaken = false;
    this.#res.cork(() => {
      [isTaken] = this.#res.tryEnd(chunk, length);
    });
    if (!isTaken)
      await this.#drained((offset) => this.#res.tryEnd(chunk.subarray(offset - start), length)[0]);
  }

  /** Closes the connection of a client that does not read what was sent. Other clients get the end of the stream. */
  #cutOff(): void {
    if (this.#is('sending') && this.#onDrained !== undefined) this.#res.close();
  }

  /**
   * Waits until `retry` succeeds, which is called when the socket accepts more, or until the client has disconnected.
   */
  #drained(retry: (offset: number) => boolean): Promise<void> {
    return new Promise<void>((resolve) => {
      this.#onDrained = () => {
        this.#onDrained = undefined;
        resolve();
      };
      this.#res.onWritable((offset) => {
        const isTaken = retry(offset);
        if (isTaken) flushSoon(this.#onDrained);
        return isTaken;
      });
    });
  }

  /** The compiler assumes that a checked `#state` stays the same after calls that change it. */
  #is(state: State): boolean {
    return this.#state === state;
  }

  #onAborted(): void {
    if (this.#is('closed')) return; // the answer is sent, and this side closed
    this.#isAborted = true;
    this.#closed();
    this.#abort?.abort();
    this.#incoming?.abort();
    flushSoon(this.#onDrained);
  }

  #closed(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#shared.bufferedBytes -= this.#bodyBytes;
    this.#chunks = undefined;
    if (!this.#isWaiting) return;
    this.#shared.active.delete(this);
    const { active, onQuiet } = this.#shared;
    if (onQuiet !== undefined && active.size === 0) flushSoon(onQuiet);
  }

  #broken(error: unknown): void {
    // A stream that ends early for a known reason is closed like a broken one, so that it does not look complete.
    const { log } = this.#shared.options;
    if (!(error instanceof AppError))
      log.error('http_exchange_broken', { request_id: this.#head.id, ...tracedBy(this.#head), error });
    if (this.#state === 'closed') return;
    this.#res.close(); // calls the abort handler, if there is one
    this.#closed();
  }

  signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#isAborted) this.#abort.abort();
    return this.#abort.signal;
  }
}
