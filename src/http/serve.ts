/**
 * Serves a request to a route: identifies the caller, reads the input, runs the handler. Nothing waits, and no promise
 * is made, where neither the auth filter nor the handler needs one. Never throws and never rejects.
 */
import type { Caller } from '../domain/access.ts';
import { AppError } from '../domain/errors.ts';
import { joinProblems, type Problem } from '../domain/validation.ts';
import { assert } from '../lib/assert.ts';
import type { AuthFilter, FilteredRoute, Finish, Origin } from './auth-filter.ts';
import { checkBody, replyProblems, type UnknownFields } from './body/body.ts';
import { jsonReader, type ParsedJson } from './body/json.ts';
import { bodyBytesMaxOf, bodyPartsMaxOf, loopBodyBytesMaxOf } from './body/limits.ts';
import { acceptsEvents, EventsReply } from './events.ts';
import { type HttpResponse, type RequestBody, type RequestHead, streamOf, tracedBy } from './exchange.ts';
import { HandlerRequest } from './handler-request.ts';
import type { NearPath } from './near-paths.ts';
import { expectedFailure, failureResponse, invalidBody, unexpectedResponse } from './problem.ts';
import { toResponse } from './reply.ts';
import { isDryRun } from './request/dry-run.ts';
import { tagged } from './request/entity-tag.ts';
import { FIELDS, selected } from './request/fields.ts';
import { type Idempotency, readKey, requestHash } from './request/idempotency.ts';
import type { QueryParts } from './request/parameters.ts';
import { readQuery } from './request/parameters.ts';
import { type PathParts, readPath } from './request/path-parameters.ts';
import {
  accessOf,
  type Input,
  type KeyedWork,
  type RawBody,
  type Reply,
  type Reported,
  type Route,
  recordOf,
  reply,
} from './route.ts';
import { bodyKind } from './schema.ts';

/** The part of a logger that is used here. */
export interface HttpLog {
  /** Absent or `debug`: debug lines are written. */
  readonly level?: string;
  debug(event: string, fields?: Readonly<Record<string, unknown>>): void;
  error(event: string, fields?: Readonly<Record<string, unknown>>): void;
}

export interface ServeOptions<Deps> {
  /** The handlers' dependencies, under the names of their resources. */
  readonly deps: Deps;
  readonly log: HttpLog;
  readonly authFilter: AuthFilter;
  /** Serves bodies that are too large for the event loop; absent: all bodies are read here. */
  readonly largeBodies?: LargeBodies;
  readonly idempotency: Idempotency;
  /** Checks replies against their schemas (a failure is a 500). For tests: it costs as much as the reply itself. */
  readonly isCheckingReplies?: boolean;
}

/** The options that are needed when the caller is known. */
export type HandleOptions<Deps> = Omit<ServeOptions<Deps>, 'authFilter'>;

/** A value, without a promise when nothing has to be waited for. */
export type MaybePromise<T> = T | Promise<T>;

/** A route, with everything that is the same for all its requests. */
export interface ServedRoute<Deps> {
  readonly method: string;
  readonly path: string;
  readonly takesRest: boolean;
  readonly route: Route<Deps>;
  readonly filtered: FilteredRoute;
  readonly bodyBytesMax: number;
  /** Requests with larger bodies are served by another thread. */
  readonly loopBodyBytesMax: number;
  /** The route changes something and identifies its caller, so its calls are audited, except dry runs. */
  readonly isWrite: boolean;
  /** Its answers have an entity tag. */
  readonly isTagged: boolean;
  /** How fields and query parameters that the route does not know are treated. */
  readonly unknown: UnknownNames;
  /** Suggests a path for one that is not served. */
  readonly nearPath: NearPath | undefined;
}

interface UnknownNames {
  readonly fields: UnknownFields;
  readonly parameters: UnknownFields;
}

/**
 * Under the interface's own prefix unknown names are refused, so that no typing mistake goes unnoticed. Old clients and
 * browsers send more.
 */
const STRICT_PREFIX = '/v6/';

export function servedRoute<Deps>(route: Route<Deps>, nearPath?: NearPath): ServedRoute<Deps> {
  const { method, path, bodyRule } = route;
  const access = accessOf(route);
  const isWrite = method !== 'GET' && bodyRule !== 'reported' && access !== 'open' && access !== 'notify';
  const limits = { bodyBytesMax: bodyBytesMaxOf(route), loopBodyBytesMax: loopBodyBytesMaxOf(route) };
  const fields = path.startsWith(STRICT_PREFIX) ? 'refused' : 'ignored';
  const unknown = { fields, parameters: route.takesAnyQuery === true ? 'ignored' : fields } as const;
  const takesRest = Object.values(route.params ?? {}).some((part) => part.takesRest === true);
  const isTagged = recordOf(route) !== undefined;
  const filtered = { method, path, access };
  return { method, path, takesRest, route, filtered, ...limits, isWrite, isTagged, unknown, nearPath };
}

/** One request to a route. */
export interface Call<Deps> {
  readonly head: RequestHead;
  readonly served: ServedRoute<Deps>;
  /** The values of the path's parameters by name, decoded. */
  readonly values: ReadonlyMap<string, string>;
  /** With its final slash. */
  readonly path: string;
  readonly origin: Origin;
  readonly nowMs: number;
  readonly base: string;
}

/** Serves requests with large bodies off the event loop. */
export interface LargeBodies {
  /**
   * Takes ownership of `body`. Throws AppError SHUTTING_DOWN, OVERLOADED, or DEADLINE_EXCEEDED when it is unknown
   * whether the request was served.
   */
  serve(call: Call<never>, caller: Caller, body: Uint8Array): Promise<HttpResponse>;
}

export function serve<Deps>(
  options: ServeOptions<Deps>,
  call: Call<Deps>,
  body: RequestBody,
): MaybePromise<HttpResponse> {
  const { isWrite, route } = call.served;
  if (isWrite && !isDryRun(route.query, call.head.query)) return serveWrite(options, call, body);
  const { authFilter, log } = options;
  try {
    const caller = authFilter.identify(call.head, call.served.filtered, call.origin, call.nowMs);
    const response =
      caller instanceof Promise
        ? caller.then((known) => handle(options, call, known, body))
        : handle(options, call, caller, body);
    if (!(response instanceof Promise)) return response;
    return response.catch((error: unknown) => failed(log, call.head, error));
  } catch (error) {
    return failed(log, call.head, error);
  }
}

/** Records a write in the audit trail and, whatever happens, its outcome. */
async function serveWrite<Deps>(
  options: ServeOptions<Deps>,
  call: Call<Deps>,
  body: RequestBody,
): Promise<HttpResponse> {
  const { head, served, origin, nowMs } = call;
  const { authFilter, log } = options;
  let trail: Finish | undefined;
  const end = (response: HttpResponse): HttpResponse => {
    trail?.({ status: response.status, recordId: createdId(response) });
    return response;
  };
  try {
    const caller = await authFilter.identify(head, served.filtered, origin, nowMs);
    const recorded = authFilter.begin(head, served.filtered, origin, caller, nowMs).then((finish) => {
      trail = finish;
    });
    if (served.route.waitsForEntry !== true) await recorded;
    const work = async () => handle(options, call, caller, body, recorded);
    // If the entry cannot be stored, the write is refused for this reason, whatever other problems it has. No answer is
    // sent before that is known.
    const [, handled] = await Promise.allSettled([recorded, work()]);
    await recorded;
    if (handled.status === 'rejected') throw handled.reason;
    return end(handled.value);
  } catch (error) {
    return end(failed(log, head, error));
  }
}

/** Serves a request of an authorized caller by its handler. Never rejects. */
export async function serveAdmitted<Deps>(
  options: HandleOptions<Deps>,
  call: Call<Deps>,
  caller: Caller,
  body: Uint8Array,
): Promise<HttpResponse> {
  try {
    return await handle(options, call, caller, body);
  } catch (error) {
    return failed(options.log, call.head, error);
  }
}

/** The id of the created record, from the answer. */
function createdId(response: HttpResponse): number | null {
  const id = Number(/\/(\d{1,16})\/$/.exec(response.headers.get('location') ?? '')?.[1]);
  return Number.isSafeInteger(id) ? id : null;
}

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});
const NO_PARTS: QueryParts = Object.freeze({});
const NOTHING_TO_RECORD = Promise.resolve();
const NO_BYTES = new Uint8Array();

function handle<Deps>(
  options: HandleOptions<Deps>,
  call: Call<Deps>,
  caller: Caller,
  sent: RequestBody,
  recorded = NOTHING_TO_RECORD,
): MaybePromise<HttpResponse> {
  const { largeBodies } = options;
  const bytes = sent instanceof Uint8Array ? sent : NO_BYTES;
  if (bytes.byteLength > call.served.loopBodyBytesMax && largeBodies !== undefined) {
    return recorded.then(() => largeBodies.serve(call, caller, bytes));
  }
  const { head, nowMs, values, served } = call;
  const { route } = served;
  const params =
    route.params === undefined
      ? NOTHING
      : readPath(route.params, values, { path: call.path, nearPath: served.nearPath });
  const hasQuery = route.query !== undefined || head.query !== '';
  const query = hasQuery
    ? readQuery(route.query ?? NO_PARTS, head.query, nowMs, served.unknown.parameters)
    : NOTHING;
  const once = route.repeats === 'keyed' ? onceByKey(options.idempotency, call, caller, bytes) : undefined;
  const request = new HandlerRequest(call, caller, recorded, once);
  if (route.events !== undefined && acceptsEvents(head.headers)) {
    const input = { params, query, body: undefined, warnings: [], request };
    return route
      .events(input, options.deps)
      .then((body) => toResponse(reply(200, body), EventsReply, request));
  }
  const answer = (parsed: ParsedJson): MaybePromise<HttpResponse> => {
    const { body, warnings, wrong } = readBody(route, parsed, sent, served.unknown.fields);
    if (wrong !== undefined) return refuseBody(route, wrong, options.deps);
    const input: Input<PathParts, QueryParts, unknown> = { params, query, body, warnings, request };
    const given = route.handle(input, options.deps);
    const toAnswer = (reply: Reply) => answered(options, served, reply, { request, query });
    return given instanceof Promise ? given.then(toAnswer) : toAnswer(given);
  };
  const parsed = parseBody(route, bytes, head.headers);
  return parsed instanceof Promise ? parsed.then(answer) : answer(parsed);
}

/** Undefined: the request has no key. Hashing of the body begins at once, since parsing may transfer the bytes. */
function onceByKey(
  idempotency: Idempotency,
  { head, path }: Call<never>,
  { accountId }: Caller,
  bytes: Uint8Array,
): HandlerRequest['once'] {
  const key = readKey(head.headers);
  if (key === undefined) return undefined;
  const hashed = requestHash({ method: head.method, path, query: head.query }, bytes);
  hashed.catch(() => undefined); // the failure is thrown where the hash is used
  return async (work: KeyedWork) => idempotency.once({ accountId, key, hash: await hashed }, work);
}

function answered<Deps>(
  options: HandleOptions<Deps>,
  { route, isTagged }: ServedRoute<Deps>,
  given: Reply,
  { request, query }: Pick<Input<PathParts, QueryParts, unknown>, 'request' | 'query'>,
): MaybePromise<HttpResponse> {
  const schema = route.replies[given.status];
  assert(
    schema !== undefined,
    `${route.method} ${route.path} replies ${given.status}, which it does not declare`,
  );
  // A stream is checked by its reader, not here.
  if (options.isCheckingReplies === true && bodyKind(schema).kind !== 'stream') {
    const problems = replyProblems(schema, given.body, query[FIELDS] !== undefined);
    assert(
      problems.length === 0,
      `${route.method} ${route.path} replies against its schema: ${JSON.stringify(problems)}`,
    );
  }
  const response = toResponse(selected(given, query), schema, request);
  return isTagged ? tagged(response, request.headers) : response;
}

/** The value for a body that is ignored, or optional and missing. */
const NO_JSON: ParsedJson = { value: {}, problems: [], isWalkable: true };

const IGNORED: ReadBody = { body: undefined, warnings: [] };

interface ReadBody extends Pick<Input<PathParts, QueryParts, unknown>, 'body' | 'warnings'> {
  /** The problems of its form. */
  readonly wrong?: { readonly raw: RawBody; readonly problems: readonly Problem[] };
}

function parseBody(
  route: Route<never>,
  bytes: Uint8Array,
  headers: ReadonlyMap<string, string>,
): ParsedJson | Promise<ParsedJson> {
  const { body: schema, bodyRule, reader = jsonReader } = route;
  if (schema === undefined || bodyRule === 'none') return NO_JSON;
  if (bytes.byteLength > 0) return reader.read(bytes, { headers, partsMax: bodyPartsMaxOf(route) });
  if (bodyRule === 'optional') return NO_JSON;
  throw new AppError('INVALID_REQUEST', 'a JSON object is required as the body');
}

function readBody(
  { body: schema, bodyRule }: Route<never>,
  parsed: ParsedJson,
  sent: RequestBody,
  unknownFields: UnknownFields,
): ReadBody {
  if (bodyRule === 'streamed') return { body: streamOf(sent), warnings: [] };
  if (schema === undefined || bodyRule === 'none') return IGNORED;
  if (typeof parsed.value !== 'object' || parsed.value === null || Array.isArray(parsed.value)) {
    throw invalidBody([{ name: 'WRONG_TYPE', description: 'must be a JSON object', path: '' }]);
  }
  if (bodyRule === 'reported') return { body: reported(schema, parsed, unknownFields), warnings: [] };
  if (!parsed.isWalkable) throw invalidBody(parsed.problems);
  const checked = checkBody(schema, parsed.value, unknownFields);
  const problems = joinProblems(parsed.problems, checked.ok ? [] : checked.errors);
  if (checked.ok && problems.length === 0) return { body: checked.value, warnings: checked.warnings };
  return { body: undefined, warnings: [], wrong: { raw: parsed.value as RawBody, problems } };
}

async function refuseBody<Deps>(
  route: Route<Deps>,
  wrong: NonNullable<ReadBody['wrong']>,
  deps: Deps,
): Promise<never> {
  throw invalidBody(await everyProblem(route, wrong, deps));
}

/** Problems of form, and problems inside the body's documents. */
async function everyProblem<Deps>(
  route: Route<Deps>,
  { raw, problems }: NonNullable<ReadBody['wrong']>,
  deps: Deps,
): Promise<readonly Problem[]> {
  if (route.documentProblems === undefined) return problems;
  const named = new Set(problems.map(({ path }) => path));
  const inner = await route.documentProblems(raw, deps);
  return joinProblems(
    problems,
    inner.filter(({ path, count }) => count !== undefined || !named.has(path)),
  );
}

function reported(
  schema: NonNullable<Route<never>['body']>,
  parsed: ParsedJson,
  unknownFields: UnknownFields,
): Reported<unknown> {
  const { problems, isWalkable } = parsed;
  // A body that nests too deep is reported, but not walked.
  if (!isWalkable) return { raw: {}, checked: { ok: false, errors: problems, warnings: [] } };
  const raw = parsed.value as RawBody;
  const checked = checkBody(schema, raw, unknownFields);
  if (problems.length === 0) return { raw, checked };
  const errors = joinProblems(problems, checked.ok ? [] : checked.errors);
  return { raw, checked: { ok: false, errors, warnings: checked.warnings } };
}

/** The answer to an exception. */
export function failed(log: HttpLog, head: RequestHead, error: unknown): HttpResponse {
  const expected = expectedFailure(error);
  if (expected !== undefined) return failureResponse(expected, head.id);
  // The client has disconnected, which ended its work. This is not logged as a failure.
  if (head.signal.aborted) return unexpectedResponse(head.id);
  const { id, method, path } = head;
  log.error('http_request_failed', { request_id: id, ...tracedBy(head), method, path, error });
  return unexpectedResponse(head.id);
}
