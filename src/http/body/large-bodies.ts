/**
 * Requests whose bodies are too large to read on the event loop. Route and handler are the same, but parsing and
 * checking the body, the handler and writing the answer run on another thread. Only plain data crosses between threads;
 * the body and long answers cross as bytes.
 */
import type { Caller } from '../../domain/access.ts';
import { assert } from '../../lib/assert.ts';
import type { Origin } from '../auth-filter.ts';
import { type HttpResponse, LazyHead, streamOf } from '../exchange.ts';
import type { Route } from '../route.ts';
import { type Call, type HandleOptions, serveAdmitted, servedRoute } from '../serve.ts';

/** A request with a known caller, as plain data. */
export interface LargeRequest {
  readonly id: string;
  readonly method: string;
  /** The path of the route, with the names of its parameters. */
  readonly routePath: string;
  readonly values: ReadonlyMap<string, string>;
  readonly path: string;
  readonly query: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly origin: Origin;
  readonly nowMs: number;
  readonly base: string;
  readonly caller: Caller;
  readonly body: Uint8Array;
}

/** An answer as plain data. `body` undefined: no body. */
export interface LargeAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

export function toLargeRequest(call: Call<never>, caller: Caller, body: Uint8Array): LargeRequest {
  const { head, served, values, path, origin, nowMs, base } = call;
  const { id, method, query, headers } = head;
  return {
    id,
    method,
    routePath: served.path,
    values,
    path,
    query,
    headers,
    origin,
    nowMs,
    base,
    caller,
    body,
  };
}

export function fromLargeAnswer({ status, headers, body }: LargeAnswer): HttpResponse {
  if (body === undefined) return { status, headers, body: { kind: 'none' } };
  return { status, headers, body: { kind: 'stream', stream: streamOf(body), length: body.byteLength } };
}

/** Serves requests made by `toLargeRequest`, with its own routes. */
export class LargeRequestServer<Deps> {
  readonly #routes: ReadonlyMap<string, Route<Deps>>;
  readonly #options: HandleOptions<Deps>;

  /** `options.deps`: the parts that the routes need. */
  constructor(routes: readonly Route<Deps>[], options: HandleOptions<Deps>) {
    this.#routes = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
    this.#options = options;
  }

  async serve(request: LargeRequest): Promise<LargeAnswer> {
    const { id, method, routePath, values, path, query, headers, origin, nowMs, base, caller, body } =
      request;
    const route = this.#routes.get(`${method} ${routePath}`);
    assert(route !== undefined, `${method} ${routePath} takes no large bodies`);
    const { address } = origin;
    // The work of these routes is not only for the client, so it continues after the client has disconnected.
    const client = { signal: () => new AbortController().signal };
    const head = new LazyHead({ id, method, path, query, headers, address }, client);
    const call: Call<Deps> = { head, served: servedRoute(route), values, path, origin, nowMs, base };
    return toLargeAnswer(await serveAdmitted(this.#options, call, caller, body));
  }
}

function toLargeAnswer({ status, headers, body }: HttpResponse): LargeAnswer {
  assert(body.kind !== 'stream', 'a route that takes large bodies answers no stream');
  return { status, headers, body: body.kind === 'none' ? undefined : new TextEncoder().encode(body.text) };
}
