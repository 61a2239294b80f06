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
import { parseJson } from './json.ts';
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
import type { Input, RawBody, Reported, Route, RouteRequest } from './route.ts';
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
  /** `https` when a proxy in front speaks TLS: links are built with it. */
  readonly scheme: 'http' | 'https';
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
      refuseBodyEarly(head, route, options.bodyBytesMax);
      if (runningCount >= options.requestsMax) throw new AppError('OVERLOADED', 'too many requests at once');

      const base = `${options.scheme}://${authority}`;
      const request = { ...pick(head), base, path: match.path, nowMs };
      return {
        kind: 'run',
        wantsBody: route.bodyRule !== 'none',
        run: async (body) => {
          runningCount += 1;
          try {
            return finish(head, await handle(options, route, match, request, body), nowMs);
          } catch (error) {
            return finish(head, refuse(head, error), nowMs);
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
  const headers = new Map([...standardHeaders(head.id), ['location', location]]);
  return { status: 301, headers, body: { kind: 'none' } };
}

function optionsResponse<Deps>(head: RequestHead, match: Found<Deps>): HttpResponse {
  const headers = new Map([...standardHeaders(head.id), ['allow', allowed(match)]]);
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
  if (hasBody) requireJson(head);
}

function requireJson(head: RequestHead): void {
  const [type, ...parameters] = (head.headers.get('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type?.trim() !== 'application/json' || !isUtf8) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'the body must be application/json in UTF-8');
  }
  const encoding = head.headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `the body must not be encoded (${encoding.slice(0, 50)})`);
  }
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
  const { body, warnings, wrong } = readBody(route, bytes);
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

interface ReadBody extends Pick<Input<PathParts, QueryParts, unknown>, 'body' | 'warnings'> {
  /** What is wrong with its form. */
  readonly wrong?: { readonly raw: RawBody; readonly problems: readonly Problem[] };
}

function readBody(route: Route<never>, bytes: Uint8Array): ReadBody {
  const { body: schema, bodyRule } = route;
  if (schema === undefined || bodyRule === 'none') return { body: undefined, warnings: [] };
  if (bytes.byteLength === 0 && bodyRule !== 'optional') {
    throw new AppError('INVALID_REQUEST', 'a JSON object is required as the body');
  }
  const parsed = bytes.byteLength === 0 ? { value: {}, problems: [], isWalkable: true } : parseJson(bytes);
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

function reported(
  schema: NonNullable<Route<never>['body']>,
  parsed: ReturnType<typeof parseJson>,
): Reported<unknown> {
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

/** The head's members one by one: `signal` may be a getter, which a spread would not keep lazy. */
function pick(head: RequestHead): Omit<RouteRequest, 'base' | 'path' | 'nowMs'> {
  return {
    id: head.id,
    rawQuery: head.query,
    headers: head.headers,
    get signal() {
      return head.signal;
    },
  };
}
