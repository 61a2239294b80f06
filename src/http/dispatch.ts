/**
 * From request to response, without a socket. `prepare` handles whatever the head alone decides (refusals, redirects),
 * so that no body is read in vain; its `run` does the rest. Never throws and never rejects: every outcome is a
 * response.
 */
import type { Caller } from '../domain/access.ts';
import { AppError } from '../domain/errors.ts';
import { type Admitted, admission } from './admission.ts';
import { jsonReader } from './body/json.ts';
import { bodyTooLarge, OPEN_BODY_BYTES_MAX } from './body/limits.ts';
import { compressed } from './compression.ts';
import { openDoor } from './door.ts';
import {
  type HttpRequest,
  type HttpResponse,
  type RequestBody,
  type RequestHead,
  tracedBy,
} from './exchange.ts';
import { type NearPath, nearPaths } from './near-paths.ts';
import { standardHeaders } from './problem.ts';
import { decodeText } from './request/query.ts';
import type { Route } from './route.ts';
import { createRouter, type Match, type Router } from './router.ts';
import {
  type Call,
  failed,
  type MaybePromise,
  type ServedRoute,
  type ServeOptions,
  serve,
  servedRoute,
} from './serve.ts';
import type { SocketDoor } from './socket.ts';

export interface DispatcherOptions<Deps> extends ServeOptions<Deps> {
  readonly routes: readonly Route<Deps>[];
  readonly nowMs: () => number;
  /** Our lower-case host names besides loopback's. */
  readonly hosts: ReadonlySet<string>;
  /** Origins whose pages may change things, besides the request's own origin; as `new URL(…).origin` writes them. */
  readonly origins: ReadonlySet<string>;
  /** Most requests handled at once; further ones are answered 503. */
  readonly requestsMax: number;
}

/** The result of a request's head. */
export type Prepared =
  | { readonly kind: 'answer'; readonly response: HttpResponse }
  /** `run` takes the whole body, at most `bodyBytesMax`; empty when `wantsBody` is false. */
  | {
      readonly kind: 'run';
      readonly wantsBody: boolean;
      /** `run` is called before the body has arrived, whatever its length. */
      readonly isStreamed: boolean;
      readonly bodyBytesMax: number;
      /**
       * The most bytes of a body that are taken before the caller is known. More is taken only when `admit` returns
       * nothing.
       */
      readonly unknownBytesMax: number;
      /** The refusal of a caller without permission, whatever the body is. Never rejects. */
      admit(): MaybePromise<HttpResponse | undefined>;
      run(body: RequestBody): MaybePromise<HttpResponse>;
    };

/** The result of a request for a WebSocket. */
export type Upgraded =
  | { readonly kind: 'answer'; readonly response: HttpResponse }
  | { readonly kind: 'socket'; readonly door: SocketDoor };

export interface Dispatcher {
  prepare(head: RequestHead): Prepared;
  /** Never throws and never rejects. */
  upgrade(head: RequestHead): MaybePromise<Upgraded>;
  dispatch(request: HttpRequest): Promise<HttpResponse>;
  /** The response for a failure in the server itself, such as a body over the limit. */
  refuse(head: RequestHead, error: AppError): HttpResponse;
}

export function createDispatcher<Deps>(options: DispatcherOptions<Deps>): Dispatcher {
  return new RouteDispatcher(options);
}

class RouteDispatcher<Deps> implements Dispatcher {
  readonly #options: DispatcherOptions<Deps>;
  readonly #find: Finder<Deps>;
  readonly #nearPath: NearPath;
  readonly #admit: ReturnType<typeof admission>;
  #runningCount = 0;

  constructor(options: DispatcherOptions<Deps>) {
    this.#options = options;
    this.#nearPath = nearPaths(options.routes);
    this.#find = createFinder(options.routes, this.#nearPath);
    this.#admit = admission(options);
  }

  prepare(head: RequestHead): Prepared {
    const nowMs = this.#options.nowMs();
    try {
      return this.#prepare(head, nowMs);
    } catch (error) {
      return this.#answer(head, failed(this.#options.log, head, error), nowMs);
    }
  }

  upgrade(head: RequestHead): MaybePromise<Upgraded> {
    const nowMs = this.#options.nowMs();
    const refused = (error: unknown): Upgraded => ({
      kind: 'answer',
      response: this.#finish(head, failed(this.#options.log, head, error), nowMs),
    });
    try {
      const call = this.#call(head, this.#found(head), this.#admit(head, true), nowMs);
      const caller = this.#options.authFilter.identify(head, call.served.filtered, call.origin, nowMs);
      const open = (known: Caller): Upgraded => ({
        kind: 'socket',
        door: openDoor(this.#options, call, known),
      });
      return caller instanceof Promise ? caller.then(open).catch(refused) : open(caller);
    } catch (error) {
      return refused(error);
    }
  }

  refuse(head: RequestHead, error: AppError): HttpResponse {
    const { log, nowMs } = this.#options;
    return this.#finish(head, failed(log, head, error), nowMs());
  }

  async dispatch(request: HttpRequest): Promise<HttpResponse> {
    const prepared = this.prepare(request);
    return prepared.kind === 'answer' ? prepared.response : prepared.run(request.body);
  }

  admit({ head, served, origin, nowMs }: Call<Deps>): MaybePromise<HttpResponse | undefined> {
    const { authFilter, log } = this.#options;
    const refusal = (error: unknown) => {
      return this.#finish(head, withHeaders(failed(log, head, error), served.route.answerHeaders), nowMs);
    };
    try {
      const checked = authFilter.check(head, served.filtered, origin, nowMs);
      if (!(checked instanceof Promise)) return undefined;
      this.#runningCount += 1;
      return checked
        .then(() => undefined, refusal)
        .finally(() => {
          this.#runningCount -= 1;
        });
    } catch (error) {
      return refusal(error);
    }
  }

  run(call: Call<Deps>, body: RequestBody): MaybePromise<HttpResponse> {
    const { head, nowMs } = call;
    this.#runningCount += 1;
    const accepted = head.headers.get('accept-encoding');
    const served = serve(this.#options, call, body);
    const response =
      served instanceof Promise
        ? served.then((later) => compressed(later, accepted))
        : compressed(served, accepted);
    const { answerHeaders } = call.served.route;
    if (!(response instanceof Promise)) {
      this.#runningCount -= 1;
      return this.#finish(head, withHeaders(response, answerHeaders), nowMs);
    }
    return response.then((later) => {
      this.#runningCount -= 1;
      return this.#finish(head, withHeaders(later, answerHeaders), nowMs);
    });
  }

  #prepare(head: RequestHead, nowMs: number): Prepared {
    const admitted = this.#admit(head);
    const found = this.#found(head);
    if (found.redirect !== undefined) return this.#answer(head, redirectTo(head, found.redirect), nowMs);
    const { deps, log } = this.#options;
    if (head.method === 'OPTIONS') return this.#answer(head, optionsResponse(head, found, deps), nowMs);
    try {
      return new Running(this, this.#call(head, found, admitted, nowMs));
    } catch (error) {
      const [any] = found.routes.values();
      return this.#answer(head, withHeaders(failed(log, head, error), any?.route.answerHeaders), nowMs);
    }
  }

  #found(head: RequestHead): Found<Deps> {
    const found = this.#find(head);
    if (found === undefined) throw notServed(this.#nearPath(head.path));
    return found;
  }

  #call(head: RequestHead, found: Found<Deps>, admitted: Admitted, nowMs: number): Call<Deps> {
    const { authFilter, requestsMax } = this.#options;
    const served = routeOf(head, found);
    const origin = authFilter.originOf(head);
    authFilter.admit(head, served.filtered, origin, nowMs);
    refuseBodyEarly(head, served);
    if (this.#runningCount >= requestsMax)
      throw new AppError('OVERLOADED', 'this coordinator has too many requests at once; try again later');
    const base = admitted.publicOrigin ?? `${origin.scheme}://${admitted.authority}`;
    return { head, served, values: found.values, path: found.path, origin, nowMs, base };
  }

  #answer(head: RequestHead, response: HttpResponse, startedMs: number): Prepared {
    return { kind: 'answer', response: this.#finish(head, response, startedMs) };
  }

  #finish(head: RequestHead, response: HttpResponse, startedMs: number): HttpResponse {
    const { log, nowMs } = this.#options;
    // This runs for each request, so a log line is built only if its level is enabled.
    if (log.level !== undefined && log.level !== 'debug') return response;
    log.debug('http_request', {
      request_id: head.id,
      ...tracedBy(head),
      method: head.method,
      path: head.path, // without the query, which may contain secrets
      status: response.status,
      duration_ms: nowMs() - startedMs,
    });
    return response;
  }
}

/** A request to a route, ready to run when its body is complete. */
class Running<Deps> {
  readonly kind = 'run';
  readonly wantsBody: boolean;
  readonly isStreamed: boolean;
  readonly bodyBytesMax: number;
  readonly unknownBytesMax = OPEN_BODY_BYTES_MAX;
  readonly #dispatcher: RouteDispatcher<Deps>;
  readonly #call: Call<Deps>;

  constructor(dispatcher: RouteDispatcher<Deps>, call: Call<Deps>) {
    this.wantsBody = call.served.route.bodyRule !== 'none';
    this.isStreamed = call.served.route.bodyRule === 'streamed';
    this.bodyBytesMax = call.served.bodyBytesMax;
    this.#dispatcher = dispatcher;
    this.#call = call;
  }

  admit(): MaybePromise<HttpResponse | undefined> {
    return this.#dispatcher.admit(this.#call);
  }

  run(body: RequestBody): MaybePromise<HttpResponse> {
    return this.#dispatcher.run(this.#call, body);
  }
}

interface Found<Deps> extends Match<ServedRoute<Deps>> {
  /** The path with its final slash. */
  readonly path: string;
  /** The redirect for a GET without the final slash. Writes without it are served as if it were there. */
  readonly redirect: string | undefined;
}

type Finder<Deps> = (head: RequestHead) => Found<Deps> | undefined;

/** Looks up paths without parameters directly; splits and decodes any other path. */
function createFinder<Deps>(routes: readonly Route<Deps>[], nearPath: NearPath): Finder<Deps> {
  const router = createRouter(routes.map((route) => servedRoute(route, nearPath)));
  const plain = new Map<string, Found<Deps>>();
  for (const { path } of routes) {
    const match = path.includes('{') ? undefined : router.find(path.slice(1).split('/'));
    if (match !== undefined) plain.set(path, { ...match, path, redirect: undefined });
  }
  return (head) => plain.get(head.path) ?? findDecoded(router, head);
}

function findDecoded<Deps>(router: Router<ServedRoute<Deps>>, head: RequestHead): Found<Deps> | undefined {
  const segments: string[] = [];
  for (const raw of head.path.slice(1).split('/')) {
    const text = decodeText(raw);
    if (text === undefined)
      throw new AppError(
        'INVALID_REQUEST',
        'the path is not valid percent-encoded UTF-8, or has a NUL character',
      );
    segments.push(text);
  }
  const match = router.find(segments);
  if (match !== undefined) return { ...match, path: head.path, redirect: undefined };
  const slashed = router.find([...segments, '']);
  if (slashed === undefined) return undefined;
  const path = `${head.path}/`;
  const isRead = head.method === 'GET' || head.method === 'HEAD';
  return {
    ...slashed,
    path,
    redirect: isRead ? `${path}${head.query === '' ? '' : `?${head.query}`}` : undefined,
  };
}

function notServed(near: string | undefined): AppError {
  const instead = near === undefined ? 'GET /v6/ lists what is served' : `did you mean '${near}'?`;
  return new AppError('ROUTE_NOT_FOUND', `nothing is served at this path; ${instead}`);
}

function routeOf<Deps>(head: RequestHead, found: Found<Deps>): ServedRoute<Deps> {
  const served = found.routes.get(head.method === 'HEAD' ? 'GET' : head.method);
  if (served !== undefined) return served;
  throw new AppError('METHOD_NOT_ALLOWED', `${head.method} is not allowed here`, { allow: allowed(found) });
}

function allowed<Deps>(match: Found<Deps>): string {
  const methods = [...match.routes.keys()];
  if (methods.includes('GET')) methods.push('HEAD');
  return [...methods, 'OPTIONS'].join(', ');
}

function redirectTo(head: RequestHead, location: string): HttpResponse {
  const headers = standardHeaders(head.id).set('location', location);
  return { status: 301, headers, body: { kind: 'none' } };
}

function optionsResponse<Deps>(head: RequestHead, match: Found<Deps>, deps: Deps): HttpResponse {
  const headers = standardHeaders(head.id).set('allow', allowed(match));
  const response: HttpResponse = { status: 204, headers, body: { kind: 'none' } };
  const [any] = match.routes.values();
  return withHeaders(response, any?.route.optionsHeaders?.(deps));
}

function withHeaders(
  response: HttpResponse,
  own: Readonly<Record<string, string>> | undefined,
): HttpResponse {
  if (own === undefined) return response;
  return { ...response, headers: new Map([...response.headers, ...Object.entries(own)]) };
}

/** Refuses a body before it has arrived, by its headers. */
function refuseBodyEarly(head: RequestHead, { route, bodyBytesMax }: ServedRoute<never>): void {
  const length = head.headers.get('content-length') ?? '';
  if (length !== '' && Number(length) > bodyBytesMax) throw bodyTooLarge(bodyBytesMax);
  if (route.bodyRule === 'none' || route.bodyRule === 'streamed') return;
  const hasBody = (length !== '' && length !== '0') || head.headers.get('transfer-encoding') !== undefined;
  if (hasBody) (route.reader ?? jsonReader).accept(head.headers);
}
