/**
 * The only file that knows uWebSockets.js. An exchange goes through these states, each left exactly once:
 *
 *   state       enters when                              leaves to
 *   receiving   the head came and a body is wanted       handling (last chunk) | sending (refused) | closed
 *   handling    `run` has the whole body                 sending (its response) | closed (client gone)
 *   sending     status and headers are written           closed (last byte taken, or client gone)
 *   closed      nothing of the native response may be touched any more
 *
 * The native request dies when its callback returns: everything is copied out of it first. The abort handler
 * is registered before anything else, and no exception crosses a native callback. The library closes a
 * connection whose next request comes before the last one is answered (pipelining), which HTTP allows.
 */
import type {
  HttpRequest as UwsRequest,
  HttpResponse as UwsResponse,
  us_listen_socket,
} from 'uWebSockets.js';
import { AppError } from '../domain/errors.ts';
import type { Logger } from '../lib/logger.ts';
import type { Dispatcher, HttpLog } from './dispatch.ts';
import { bodyLength, type HttpResponse, LazyHead, type RequestHead } from './exchange.ts';
import { framingProblem, isReusable } from './framing.ts';
import { STATUS_TEXT } from './status-text.ts';

export interface ServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** PEM files; absent: HTTP in clear. */
  readonly tls?: { readonly certificateFile: string; readonly keyFile: string };
  readonly dispatcher: Dispatcher;
  readonly log: HttpLog & Pick<Logger, 'warn'>;
  /** Request ids: unique enough to find a request in the log. */
  readonly newRequestId: () => string;
  /** Bytes of request bodies held at once over all requests; further bodies are answered 503. */
  readonly bufferedBytesMax: number;
  /** Connections at once; further ones are closed as they come. Each takes a file descriptor of the process. */
  readonly connectionsMax: number;
}

export interface HttpServer {
  readonly port: number;
  /** Stops listening at once, lets exchanges end until `giveUp` fires, then closes every connection. */
  stop(giveUp: AbortSignal): Promise<void>;
}

// limit: request line and headers together; long lists of filters need more than the default of 4 KiB.
const HEADER_BYTES_MAX = 65_536;

// limit: µWebSockets.js closes a connection that is idle for 8 to 12 s. Told, so that no client asks on one then.
const KEEP_ALIVE = 'timeout=8';
/** Listens. Throws AppError ADDRESS_IN_USE if the address can't be had. */
export async function startServer(options: ServerOptions): Promise<HttpServer> {
  // Read once, when the library is loaded; hence the late import.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(HEADER_BYTES_MAX);
  const uws = await import('uWebSockets.js');
  // The types know this number only as a member of an enum that the module does not export.
  const exclusive = (uws as unknown as { LIBUS_LISTEN_EXCLUSIVE_PORT: number }).LIBUS_LISTEN_EXCLUSIVE_PORT;
  const { tls } = options;
  const files = tls && { cert_file_name: tls.certificateFile, key_file_name: tls.keyFile };
  const app = files === undefined ? uws.App() : uws.SSLApp(files);
  const shared: Shared = { options, active: new Set(), bufferedBytes: 0, onQuiet: undefined };
  limitConnections(app as unknown as FilteredApp, options);
  app.any('/*', (res, req) => {
    const exchange = new Exchange(shared, res, req);
    exchange.guard(() => exchange.begin());
  });
  const socket = await listen(app as unknown as ListeningApp, options, exclusive);
  let isListening = true;
  return {
    port: uws.us_socket_local_port(socket as never),
    stop: async (giveUp) => {
      if (!isListening) return;
      isListening = false;
      uws.us_listen_socket_close(socket);
      await quiet(shared, giveUp);
      app.close();
    },
  };
}

/** Missing from the library's types: called as connections come (1) and go (-1), those included that it closes. */
interface FilteredApp {
  filter(cb: (res: Pick<UwsResponse, 'close'>, change: number) => void): void;
}

function limitConnections(app: FilteredApp, { connectionsMax, log }: ServerOptions): void {
  let count = 0;
  let isFull = false;
  // biome-ignore lint/suspicious/useIterableCallbackReturn: it is no list
  app.filter((res, change) => {
    count += change;
    if (change > 0 && count > connectionsMax) {
      if (!isFull) log.warn('http_connections_full', { connectionsMax });
      isFull = true;
      res.close();
    } else if (count < connectionsMax * 0.9) isFull = false;
  });
}

/** The overload with a host and options exists, and is missing from the library's types. */
interface ListeningApp {
  listen(host: string, port: number, options: number, cb: (socket: us_listen_socket | false) => void): void;
}

function listen(app: ListeningApp, options: ServerOptions, exclusive: number): Promise<us_listen_socket> {
  const { host, port } = options;
  return new Promise((resolve, reject) => {
    // Without the exclusive option a second server on the same port succeeds, and the two share its traffic.
    app.listen(host, port, exclusive, (socket) => {
      if (socket !== false) resolve(socket);
      else
        reject(
          new AppError(
            'ADDRESS_IN_USE',
            `cannot listen on ${host}:${port}: is it in use, or not an address of this host?`,
          ),
        );
    });
  });
}

function quiet(shared: Shared, giveUp: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (shared.active.size === 0 || giveUp.aborted) resolve();
    shared.onQuiet = resolve;
    giveUp.addEventListener('abort', () => resolve(), { once: true });
  });
}

interface Shared {
  readonly options: ServerOptions;
  readonly active: Set<Exchange>;
  bufferedBytes: number;
  /** Called when the last exchange has closed, if somebody waits for that. */
  onQuiet: (() => void) | undefined;
}

type State = 'receiving' | 'handling' | 'sending' | 'closed';

class Exchange {
  readonly #shared: Shared;
  readonly #res: UwsResponse;
  readonly #head: RequestHead;
  #state: State = 'receiving';
  #abort: AbortController | undefined;
  #isAborted = false;
  #chunks: Uint8Array[] = [];
  #bodyBytes = 0;
  /** Wakes what waits for the socket to take more, or for its end. */
  #onDrained: (() => void) | undefined;

  constructor(shared: Shared, res: UwsResponse, req: UwsRequest) {
    this.#shared = shared;
    this.#res = res;
    res.onAborted(() => this.#onAborted());
    shared.active.add(this);
    const headers = new Map<string, string>();
    req.forEach((name, value) => {
      const known = headers.get(name);
      headers.set(name, known === undefined ? value : `${known}, ${value}`);
    });
    const of = {
      id: shared.options.newRequestId(),
      method: req.getCaseSensitiveMethod().toUpperCase(),
      path: req.getUrl(),
      query: req.getQuery() ?? '',
      headers,
      address: Buffer.from(res.getRemoteAddressAsText()).toString(),
    };
    this.#head = new LazyHead(of, this);
  }

  /** Runs a step; what it throws is a bug, is logged, and costs this connection only. */
  guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#broken(error);
    }
  }

  begin(): void {
    const doubt = framingProblem(this.#head.method, this.#head.headers);
    if (doubt !== undefined) {
      this.#refuse(new AppError('INVALID_REQUEST', doubt));
      return;
    }
    const prepared = this.#shared.options.dispatcher.prepare(this.#head);
    if (prepared.kind === 'answer') {
      this.#send(prepared.response);
      return;
    }
    const { run, wantsBody } = prepared;
    const { headers } = this.#head;
    const length = headers.get('content-length') ?? '0';
    const hasBody = length !== '0' || headers.has('transfer-encoding');
    if (!wantsBody || !hasBody) this.#handle(run, new Uint8Array());
    else this.#res.onData((chunk, isLast) => this.guard(() => this.#onData(chunk, isLast, run)));
  }

  #onData(chunk: ArrayBuffer, isLast: boolean, run: (body: Uint8Array) => Promise<HttpResponse>): void {
    if (this.#state !== 'receiving') return; // refused already; the rest is of no interest
    const { options } = this.#shared;
    this.#bodyBytes += chunk.byteLength;
    this.#shared.bufferedBytes += chunk.byteLength;
    if (this.#bodyBytes > options.dispatcher.bodyBytesMax) {
      const message = `the body must not be larger than ${options.dispatcher.bodyBytesMax} bytes`;
      this.#refuse(new AppError('TOO_LARGE', message));
      return;
    }
    if (this.#shared.bufferedBytes > options.bufferedBytesMax) {
      this.#refuse(new AppError('OVERLOADED', 'too many large bodies at once'));
      return;
    }
    this.#chunks.push(new Uint8Array(chunk.slice(0))); // the native buffer is gone after the callback
    if (!isLast) return;
    const body = this.#chunks.length === 1 ? (this.#chunks[0] as Uint8Array) : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#handle(run, body);
  }

  #refuse(error: AppError): void {
    this.#chunks = [];
    this.#send(this.#shared.options.dispatcher.refuse(this.#head, error));
  }

  #handle(run: (body: Uint8Array) => Promise<HttpResponse>, body: Uint8Array): void {
    this.#state = 'handling';
    run(body).then(
      (response) => this.guard(() => this.#send(response)),
      (error: unknown) => this.#broken(error), // `run` never rejects: a bug
    );
  }

  #send(response: HttpResponse): void {
    if (isReusable(this.#head.headers)) {
      this.#write(response);
      return;
    }
    if (this.#state !== 'closed') this.#state = 'sending';
    // Later: what came in one piece with the request is then a second one before an answer, which ends the connection.
    setImmediate(() => this.guard(() => this.#write(response)));
  }

  #write(response: HttpResponse): void {
    if (this.#state === 'closed') {
      if (response.body.kind === 'stream') void discard(response.body.stream);
      return;
    }
    this.#state = 'sending';
    const { body } = response;
    this.#res.cork(() => {
      this.#res.writeStatus(`${response.status} ${STATUS_TEXT[response.status] ?? 'Unknown'}`);
      this.#res.writeHeader('keep-alive', KEEP_ALIVE);
      for (const [name, value] of response.headers) this.#res.writeHeader(name, value);
      for (const cookie of response.cookies ?? []) this.#res.writeHeader('set-cookie', cookie);
      if (this.#head.method === 'HEAD' || body.kind === 'none') this.#sendNoBody(response);
      else if (body.kind === 'bytes') this.#sendBytes(body.bytes);
    });
    if (body.kind !== 'stream' || this.#head.method === 'HEAD') return;
    this.#sendStream(body.stream, body.length).then(
      () => this.#closed(),
      (error: unknown) => this.#broken(error),
    );
  }

  #sendNoBody(response: HttpResponse): void {
    const length = bodyLength(response.body);
    // A 204 has no Content-Length. Not `endWithoutBody(length)`: it would go on waiting for that many bytes.
    if (response.status !== 204 && length !== undefined) this.#res.writeHeader('content-length', `${length}`);
    if (isReusable(this.#head.headers)) this.#res.endWithoutBody();
    else this.#res.endWithoutBody(undefined, true);
    if (response.body.kind === 'stream') void discard(response.body.stream);
    this.#closed();
  }

  #sendBytes(bytes: Uint8Array): void {
    if (!isReusable(this.#head.headers)) {
      this.#res.end(bytes, true);
      this.#closed();
      return;
    }
    const start = this.#res.getWriteOffset();
    const [isTaken, isDone] = this.#res.tryEnd(bytes, bytes.byteLength);
    if (isTaken || isDone) {
      this.#closed();
      return;
    }
    // The socket is full: what it did not take is offered again whenever it can take more.
    this.#res.onWritable((offset) => {
      const [isRestTaken, isRestDone] = this.#res.tryEnd(bytes.subarray(offset - start), bytes.byteLength);
      if (isRestTaken || isRestDone) this.#closed();
      return isRestTaken;
    });
  }

  /** Pulls a chunk when the socket has taken the one before: a slow reader holds one chunk, not a file. */
  async #sendStream(stream: AsyncIterable<Uint8Array>, length: number | undefined): Promise<void> {
    let sentBytes = 0;
    for await (const chunk of stream) {
      if (this.#isClosed()) return; // leaving the loop ends the source
      if (chunk.byteLength === 0) continue;
      sentBytes += chunk.byteLength;
      if (length === undefined) await this.#writeChunk(chunk);
      else {
        if (sentBytes > length) throw new Error(`stream of ${length} bytes has more`);
        await this.#tryChunk(chunk, length);
        if (sentBytes === length) return; // the response is complete, and may not be touched any more
      }
    }
    if (this.#isClosed()) return;
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

  /** Waits until `retry` succeeds on a socket that takes more again, or the client is gone. */
  #drained(retry: (offset: number) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrained = resolve;
      this.#res.onWritable((offset) => {
        const isTaken = retry(offset);
        if (isTaken) flushSoon(resolve);
        return isTaken;
      });
    });
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  #onAborted(): void {
    this.#isAborted = true;
    this.#closed();
    this.#abort?.abort();
    flushSoon(this.#onDrained);
  }

  #closed(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#shared.bufferedBytes -= this.#bodyBytes;
    this.#chunks = [];
    this.#shared.active.delete(this);
    const { active, onQuiet } = this.#shared;
    if (onQuiet !== undefined && active.size === 0) flushSoon(onQuiet);
  }

  #broken(error: unknown): void {
    this.#shared.options.log.error('http_exchange_broken', { request_id: this.#head.id, error });
    if (this.#state !== 'closed') this.#res.close(); // calls the abort handler, which closes the exchange
  }

  signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#isAborted) this.#abort.abort();
    return this.#abort.signal;
  }
}

/**
 * Calls `resume` from the event loop. After some native callbacks (seen with onWritable) the library does not
 * run what promises have waiting, which then stays until something else happens: a stream to the only client
 * stood still. An immediate always runs it.
 */
function flushSoon(resume: () => void = () => {}): void {
  setImmediate(resume);
}

/** Ends a stream that nobody will read, so that its source is freed. */
async function discard(stream: AsyncIterable<Uint8Array>): Promise<void> {
  await stream[Symbol.asyncIterator]().return?.();
}
