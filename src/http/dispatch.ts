/**
 * From request to response, without a socket. `prepare` decides what can be told from the head alone
 * (refusals, redirects), so that a server need not read a body that nobody wants; its `run` does the rest.
 * Never throws and never rejects: whatever happens is a response.
 */
import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/validation.ts';
import { assert } from '../lib/assert.ts';
import { admit } from './admission.ts';
import { checkBody, replyProblems } from './body.ts';
import type { HttpRequest, HttpResponse, RequestHead } from './exchange.ts';
import type { Finish, Gate, GatedRoute, Origin } from './gate.ts';
import { jsonReader, type ParsedJson } from './json.ts';
import type { QueryParts } from './parameters.ts';
import { readQuery } from './parameters.ts';
import type { PathParts } from './path-parameters.ts';
import {
  expectedFailure,
  failureResponse,
  invalidBody,
  standardHeaders,
  unexpectedResponse,
} from './problem.ts';
import { decodeText } from './query.ts';
import { toResponse } from './reply.ts';
import { accessOf, type Input, type RawBody, type Reported, type Route, type RouteRequest } from './route.ts';
import { createRouter, type Match } from './router.ts';
import { bodyKind } from './schema.ts';

/** The part of a logger that is needed here. */
export interface HttpLog {
  debug(event: string, fields?: Readonly<Record<string, unknown>>): void;
  error(event: string, fields?: Readonly<Record<string, unknown>>): void;
}

export interface DispatcherOptions<Deps> {
  readonly routes: readonly Route<Deps>[];
  /** What the handlers need, under the names of their resources. */
  readonly deps: Deps;
  readonly nowMs: () => number;
  readonly log: HttpLog;
  /** Lower-case host names of ours besides loopback's. */
  readonly hosts: ReadonlySet<string>;
  readonly gate: Gate;
  readonly bodyBytesMax: number;
  /** Requests being handled at once; further ones are answered 503. */
  readonly requestsMax: number;
  /** Hold replies to their schemas (a failure is a 500). For tests: it costs as much as the reply itself. */
  readonly isCheckingReplies?: boolean;
}

/** What the head of a request calls for. */
export type Prepared =
  | { readonly kind: 'answer'; readonly response: HttpResponse }
  /** `run` takes the whole body, empty when `wantsBody` is false. */
  | { readonly kind: 'run'; readonly wantsBody: boolean; run(body: Uint8Array): Promise<HttpResponse> };

export interface Dispatcher {
  readonly bodyBytesMax: number;
  prepare(head: RequestHead): Prepared;
  dispatch(request: HttpRequest): Promise<HttpResponse>;
  /** The answer to a failure that the server itself meets, such as a body over the limit. */
  refuse(head: RequestHead, error: AppError): HttpResponse;
}

export function createDispatcher<Deps>(options: DispatcherOptions<Deps>): Dispatcher {
  const router = createRouter(options.routes);
  let runningCount = 0;

  const refuse = (head: RequestHead, error: unknown): HttpResponse => failed(options.log, head, error);
  const finish = (head: RequestHead, response: HttpResponse, startedMs: number): HttpResponse => {
    options.log.debug('http_request', {
      request_id: head.id,
      method: head.method,
      path: head.path, // without the query: it may hold what no log should
      status: response.status,
      duration_ms: options.nowMs() - startedMs,
    });
    return response;
  };

  const prepare = (head: RequestHead): Prepared => {
    const nowMs = options.nowMs();
    const answer = (response: HttpResponse): Prepared => ({
      kind: 'answer',
      response: finish(head, response, nowMs),
    });
    try {
      const authority = admit(head, options.hosts);
      const match = find(router, head);
      if (match === undefined) throw new AppError('ROUTE_NOT_FOUND', 'nothing is served at this path');
      if (match.redirect !== undefined) return answer(redirect(head, match.redirect));
      if (head.method === 'OPTIONS') return answer(optionsResponse(head, match));
      const route = routeOf(head, match);
      const { gate } = options;
      const gated: GatedRoute = { method: route.method, path: route.path, access: accessOf(route) };
      const origin = gate.originOf(head);
      gate.admit(head, gated, origin, nowMs);
      refuseBodyEarly(head, route, options.bodyBytesMax);
      if (runningCount >= options.requestsMax) throw new AppError('OVERLOADED', 'too many requests at once');

      const call = { head, route, match, gated, origin, nowMs, base: `${origin.scheme}://${authority}` };
      return {
        kind: 'run',
        wantsBody: route.bodyRule !== 'none',
        run: async (body) => {
          runningCount += 1;
          try {
            return finish(head, await serve(options, call, body), nowMs);
          } finally {
            runningCount -= 1;
          }
        },
      };
    } catch (error) {
      return answer(refuse(head, error));
    }
  };

  return {
    bodyBytesMax: options.bodyBytesMax,
    prepare,
    refuse: (head, error) => finish(head, refuse(head, error), options.nowMs()),
    dispatch: async (request) => {
      const prepared = prepare(request);
      return prepared.kind === 'answer' ? prepared.response : prepared.run(request.body);
    },
  };
}

/** One request that goes to its route. */
interface Call<Deps> {
  readonly head: RequestHead;
  readonly route: Route<Deps>;
  readonly match: Found<Deps>;
  readonly gated: GatedRoute;
  readonly origin: Origin;
  readonly nowMs: number;
  readonly base: string;
}

/** Never rejects. What is written down before the work is told how it ended, whatever happens. */
async function serve<Deps>(
  options: DispatcherOptions<Deps>,
  call: Call<Deps>,
  body: Uint8Array,
): Promise<HttpResponse> {
  const { head, route, match, gated, origin, nowMs, base } = call;
  const { gate, log } = options;
  let trail: Finish | undefined;
  const end = (response: HttpResponse): HttpResponse => {
    trail?.({ status: response.status, recordId: createdId(response) });
    return response;
  };
  try {
    const caller = await gate.identify(head, gated, origin, nowMs);
    if (isWrite(route)) trail = await gate.begin(head, gated, origin, caller, nowMs);
    const request = new Asked(head, { base, path: match.path, nowMs, caller, address: origin.address });
    return end(await handle(options, route, match, request, body));
  } catch (error) {
    return end(failed(log, head, error));
  }
}

/** What changes something and is asked for by somebody: it leaves a trail. */
function isWrite(route: Route<never>): boolean {
  const access = accessOf(route);
  return route.method !== 'GET' && route.bodyRule !== 'reported' && access !== 'open' && access !== 'notify';
}

/** The id of the record that an answer says was made. */
function createdId(response: HttpResponse): number | null {
  const id = Number(/\/(\d{1,16})\/$/.exec(response.headers.get('location') ?? '')?.[1]);
  return Number.isSafeInteger(id) ? id : null;
}

interface Found<Deps> extends Match<Route<Deps>> {
  /** The path with its final slash. */
  readonly path: string;
  /** Where to send a reader who left out the final slash. Writes without it are taken as if it were there. */
  readonly redirect: string | undefined;
}

function find<Deps>(
  router: ReturnType<typeof createRouter<Route<Deps>>>,
  head: RequestHead,
): Found<Deps> | undefined {
  const segments: string[] = [];
  for (const raw of head.path.slice(1).split('/')) {
    const text = decodeText(raw);
    if (text === undefined)
      throw new AppError('INVALID_REQUEST', 'the path is not valid percent-encoded UTF-8');
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

function routeOf<Deps>(head: RequestHead, match: Found<Deps>): Route<Deps> {
  const route = match.routes.get(head.method === 'HEAD' ? 'GET' : head.method);
  if (route !== undefined) return route;
  throw new AppError('METHOD_NOT_ALLOWED', `${head.method} is not allowed here`, { allow: allowed(match) });
}

function allowed<Deps>(match: Found<Deps>): string {
  const methods = [...match.routes.keys()];
  if (methods.includes('GET')) methods.push('HEAD');
  return [...methods, 'OPTIONS'].join(', ');
}

function redirect(head: RequestHead, location: string): HttpResponse {
  const headers = standardHeaders(head.id).set('location', location);
  return { status: 301, headers, body: { kind: 'none' } };
}

function optionsResponse<Deps>(head: RequestHead, match: Found<Deps>): HttpResponse {
  const headers = standardHeaders(head.id).set('allow', allowed(match));
  return { status: 204, headers, body: { kind: 'none' } };
}

/** What can be said against a body before it has come. */
function refuseBodyEarly(head: RequestHead, route: Route<never>, bytesMax: number): void {
  const length = head.headers.get('content-length') ?? '';
  if (length !== '' && Number(length) > bytesMax) {
    throw new AppError('TOO_LARGE', `the body must not be larger than ${bytesMax} bytes`);
  }
  if (route.bodyRule === 'none') return;
  const hasBody = (length !== '' && length !== '0') || head.headers.get('transfer-encoding') !== undefined;
  if (hasBody) (route.reader ?? jsonReader).accept(head.headers);
}

async function handle<Deps>(
  options: DispatcherOptions<Deps>,
  route: Route<Deps>,
  match: Found<Deps>,
  request: RouteRequest,
  bytes: Uint8Array,
): Promise<HttpResponse> {
  const params = readPath(route.params ?? {}, match.values);
  const query = readQuery(route.query ?? {}, request.rawQuery, request.nowMs);
  const parsing = parseBody(route, bytes, request.headers);
  const { body, warnings, wrong } = readBody(route, parsing instanceof Promise ? await parsing : parsing);
  if (wrong !== undefined) throw invalidBody(await everyProblem(route, wrong, options.deps));
  const input: Input<PathParts, QueryParts, unknown> = { params, query, body, warnings, request };
  const given = await route.handle(input, options.deps);
  const schema = route.replies[given.status];
  assert(
    schema !== undefined,
    `${route.method} ${route.path} replies ${given.status}, which it does not declare`,
  );
  // A stream is no value: it is checked by whoever reads it.
  if (options.isCheckingReplies === true && bodyKind(schema).kind !== 'stream') {
    const problems = replyProblems(schema, given.body);
    assert(
      problems.length === 0,
      `${route.method} ${route.path} replies against its schema: ${JSON.stringify(problems)}`,
    );
  }
  return toResponse(given, schema, request);
}

function readPath(parts: PathParts, values: ReadonlyMap<string, string>): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(parts)) {
    params[name] = part.read(values.get(name) ?? '');
    if (params[name] === undefined) throw new AppError('NOT_FOUND', 'there is no such record');
  }
  return params;
}

/** A body that is not wanted, or was left out where it may be. */
const NO_JSON: ParsedJson = { value: {}, problems: [], isWalkable: true };

interface ReadBody extends Pick<Input<PathParts, QueryParts, unknown>, 'body' | 'warnings'> {
  /** What is wrong with its form. */
  readonly wrong?: { readonly raw: RawBody; readonly problems: readonly Problem[] };
}

function parseBody(
  { body: schema, bodyRule, reader = jsonReader }: Route<never>,
  bytes: Uint8Array,
  headers: ReadonlyMap<string, string>,
): ParsedJson | Promise<ParsedJson> {
  if (schema === undefined || bodyRule === 'none') return NO_JSON;
  if (bytes.byteLength > 0) return reader.read(bytes, headers);
  if (bodyRule === 'optional') return NO_JSON;
  throw new AppError('INVALID_REQUEST', 'a JSON object is required as the body');
}

function readBody({ body: schema, bodyRule }: Route<never>, parsed: ParsedJson): ReadBody {
  if (schema === undefined || bodyRule === 'none') return { body: undefined, warnings: [] };
  if (typeof parsed.value !== 'object' || parsed.value === null || Array.isArray(parsed.value)) {
    throw invalidBody([{ name: 'WRONG_TYPE', description: 'must be a JSON object', path: '' }]);
  }
  if (bodyRule === 'reported') return { body: reported(schema, parsed), warnings: [] };
  if (!parsed.isWalkable) throw invalidBody(parsed.problems);
  const checked = checkBody(schema, parsed.value);
  const problems = [...parsed.problems, ...(checked.ok ? [] : checked.errors)];
  if (checked.ok && problems.length === 0) return { body: checked.value, warnings: checked.warnings };
  return { body: undefined, warnings: [], wrong: { raw: parsed.value as RawBody, problems } };
}

/** Problems of form, and what else is wrong inside the documents of the body. */
async function everyProblem<Deps>(
  route: Route<Deps>,
  { raw, problems }: NonNullable<ReadBody['wrong']>,
  deps: Deps,
): Promise<readonly Problem[]> {
  if (route.documentProblems === undefined) return problems;
  const named = new Set(problems.map(({ path }) => path));
  const inner = await route.documentProblems(raw, deps);
  return [...problems, ...inner.filter(({ path }) => !named.has(path))];
}

function reported(schema: NonNullable<Route<never>['body']>, parsed: ParsedJson): Reported<unknown> {
  const { problems, isWalkable } = parsed;
  // What is nested too deep is reported, and nobody walks it.
  if (!isWalkable) return { raw: {}, checked: { ok: false, errors: problems, warnings: [] } };
  const raw = parsed.value as RawBody;
  const checked = checkBody(schema, raw);
  if (problems.length === 0) return { raw, checked };
  const errors = [...problems, ...(checked.ok ? [] : checked.errors)];
  return { raw, checked: { ok: false, errors, warnings: checked.warnings } };
}

function failed(log: HttpLog, head: RequestHead, error: unknown): HttpResponse {
  const expected = expectedFailure(error);
  if (expected !== undefined) return failureResponse(expected, head.id);
  // Nobody reads it: work for a client that has gone was ended.
  if (head.signal.aborted) return unexpectedResponse(head.id);
  log.error('http_request_failed', { request_id: head.id, method: head.method, path: head.path, error });
  return unexpectedResponse(head.id);
}

/** What a handler sees of a request. Its signal stays the head's, which makes it when somebody asks. */
class Asked implements RouteRequest {
  readonly id: string;
  readonly base: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly nowMs: number;
  readonly caller: RouteRequest['caller'];
  readonly address: string;
  /** No private name: requests that are derived from one have to find it, too. */
  private readonly head: RequestHead;

  constructor(head: RequestHead, of: Pick<RouteRequest, 'base' | 'path' | 'nowMs' | 'caller' | 'address'>) {
    this.id = head.id;
    this.base = of.base;
    this.path = of.path;
    this.rawQuery = head.query;
    this.headers = head.headers;
    this.nowMs = of.nowMs;
    this.caller = of.caller;
    this.address = of.address;
    this.head = head;
  }

  get signal(): AbortSignal {
    return this.head.signal;
  }
}
