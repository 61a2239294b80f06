/**
 * A request and a response as plain values: what `dispatch` takes and returns, without a socket. Request bodies are
 * whole (the server bounds them) or streams; response bodies are texts or streams.
 */

import { traceFields } from '../domain/trace.ts';

/** A request without its body. Header names are lower-case; `path` is as sent, not decoded. */
export interface RequestHead {
  /** Assigned by the server; returned as `x-request-id` and logged. */
  readonly id: string;
  /** Upper-case. */
  readonly method: string;
  readonly path: string;
  /** Without the `?`; empty when there is none. */
  readonly query: string;
  readonly headers: ReadonlyMap<string, string>;
  /** The connection's peer: an IP address, in whatever form the server writes it. */
  readonly address: string;
  /** Fires when the client disconnects or the server gives up the request, so that long work can end. */
  readonly signal: AbortSignal;
}

/** A head that creates `signal` on first use, since most handlers don't use it. */
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

  /** A getter of the class, because one in an object literal would be created with each request. */
  get signal(): AbortSignal {
    return this.#client.signal();
  }
}

/** The whole body (empty when none was sent), or a stream that the handler reads. */
export type RequestBody = Uint8Array | ByteStream;

/** The bytes of a whole or streamed body. */
export async function* streamOf(body: RequestBody): AsyncGenerator<Uint8Array> {
  if (!(body instanceof Uint8Array)) yield* body;
  else if (body.byteLength > 0) yield body;
}

export interface HttpRequest extends RequestHead {
  readonly body: RequestBody;
}

/** Chunks on demand. When the client disconnects, `return()` is called, so a `finally` frees the source. */
export type ByteStream = AsyncIterable<Uint8Array>;

export type ResponseBody =
  | { readonly kind: 'none' }
  /** Without lone surrogates: the server would write them as they are, which is not UTF-8. */
  | { readonly kind: 'text'; readonly text: string }
  /** With `length`: exactly so many bytes, announced by Content-Length. Without: chunked. */
  | {
      readonly kind: 'stream';
      readonly stream: ByteStream;
      readonly length?: number;
      /** When it fires, the connection is closed if the client has not read everything that was sent. */
      readonly cut?: AbortSignal;
    };

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names. The server writes content-length. */
  readonly headers: ReadonlyMap<string, string>;
  /** Values of `set-cookie`, the only header that may be written more than once. */
  readonly cookies?: readonly string[];
  readonly body: ResponseBody;
}

/** The number of bytes of a body; undefined for a stream of unknown length. */
export function bodyLength(body: ResponseBody): number | undefined {
  if (body.kind === 'none') return 0;
  return body.kind === 'text' ? Buffer.byteLength(body.text) : body.length;
}

/** Log fields of the caller's span, if the request names one. */
export function tracedBy({ headers }: Pick<RequestHead, 'headers'>): ReturnType<typeof traceFields> {
  return traceFields(headers.get('traceparent'));
}
