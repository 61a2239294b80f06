/**
 * A request and a response as plain values: what `dispatch` takes and gives, without a socket.
 * Bodies of requests are whole (bounded by the server); bodies of responses are texts or streams.
 */

/** What is known of a request before its body. Header names are lower-case; `path` is as sent, undecoded. */
export interface RequestHead {
  /** Assigned by the server; returned as `x-request-id` and logged. */
  readonly id: string;
  /** Upper-case. */
  readonly method: string;
  readonly path: string;
  /** Without the `?`; empty when there is none. */
  readonly query: string;
  readonly headers: ReadonlyMap<string, string>;
  /** Whoever the connection comes from: an IP address, in whatever form the server writes it. */
  readonly address: string;
  /** Fires when the client has gone or the server gives up on it: long work should end. */
  readonly signal: AbortSignal;
}

/** A head of which `signal` is made when somebody asks, since most handlers don't. */
export class LazyHead implements RequestHead {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly address: string;
  readonly #client: { signal(): AbortSignal };

  constructor(head: Omit<RequestHead, 'signal'>, client: { signal(): AbortSignal }) {
    this.id = head.id;
    this.method = head.method;
    this.path = head.path;
    this.query = head.query;
    this.headers = head.headers;
    this.address = head.address;
    this.#client = client;
  }

  /** The getter belongs to the class, since one of an object literal would be made with each request. */
  get signal(): AbortSignal {
    return this.#client.signal();
  }
}

export interface HttpRequest extends RequestHead {
  /** Empty when none was sent. */
  readonly body: Uint8Array;
}

/** Chunks on demand. When the client goes away `return()` is called, so a `finally` frees the source. */
export type ByteStream = AsyncIterable<Uint8Array>;

export type ResponseBody =
  | { readonly kind: 'none' }
  /** Without lone surrogates, which the server would write as they are: no UTF-8. */
  | { readonly kind: 'text'; readonly text: string }
  /** With `length`: exactly so many bytes, announced by a Content-Length. Without: chunked. */
  | { readonly kind: 'stream'; readonly stream: ByteStream; readonly length?: number };

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; content-length is the server's to write. */
  readonly headers: ReadonlyMap<string, string>;
  /** Values of `set-cookie`, the one header that is written more than once. */
  readonly cookies?: readonly string[];
  readonly body: ResponseBody;
}

/** How many bytes a body has; undefined for a stream that does not say. */
export function bodyLength(body: ResponseBody): number | undefined {
  if (body.kind === 'none') return 0;
  return body.kind === 'text' ? Buffer.byteLength(body.text) : body.length;
}
