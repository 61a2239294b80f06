/**
 * A route is a value: method, path, summary, schemas, handler. Types, validation, OpenAPI and the list of routes come
 * from it. Resources live in `src/api/<resource>/routes.ts`: each exports its routes, and `src/api/resources.ts` lists
 * them. The type of a handler's second parameter names the parts of `src/api/parts.ts` that it uses. A resource looks
 * like this:
 *
 *   const filters = { range: timeRange(), name: texts('Names.') };
 *   const order = orderBy(['title'], ['title']);
 *   const list = defineList({                     // from list.ts
 *     path: '/v6/strikes/', summary: 'List strikes', query: { ...filters, order }, record: StrikeSummary,
 *     records: ({ query }, { sql }: Parts<'sql'>) => listStrikes(sql, query, query.order, query.paging),
 *   });
 *   const create = defineRoute({
 *     method: 'POST', path: '/v6/strikes/', summary: 'Create a strike', body: StrikeCreate,
 *     replies: { 201: StrikeDetails },
 *     async handle({ body }, parts: StrikeParts) {
 *       const strike = await createStrike(parts, body); // throws AppError; its detail.errors reach the client
 *       return reply(201, strike, { location: `/v6/strikes/${strike.id}/` });
 *     },
 *   });
 *   const validate = defineValidation({
 *     path: '/v6/strikes/validation/', summary: 'Check a strike', body: StrikeCreate,
 *     async handle({ raw }, parts: StrikeParts) { return checkStrike(parts, raw.configuration); },
 *   });
 *   export const strikeRoutes = [list, create, validate];
 */
import type { Static, TSchema } from '@sinclair/typebox';
import type { Access, Caller } from '../domain/access.ts';
import type { IdempotencyKey } from '../domain/idempotency.ts';
import { type Checked, joinProblems, type Problem } from '../domain/validation.ts';
import type { BodyReader } from './body/json.ts';
import type { ByteStream } from './exchange.ts';
import { FIELDS, fieldsOf } from './request/fields.ts';
import type { QueryParts, QueryValues } from './request/parameters.ts';
import type { PathParts, PathValues } from './request/path-parameters.ts';
import { bodyKind, type StreamBody, ValidationSchema } from './schema.ts';
import type { SocketDoor } from './socket.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Work that saves its answer under a key, in the transaction that creates the record. */
export type KeyedWork = (key: IdempotencyKey) => Promise<Reply>;

/** The data of a request for handlers, besides the input that the schemas read. */
export interface RouteRequest {
  readonly id: string;
  /** Scheme and authority as the client addressed them, without a final slash. */
  readonly base: string;
  /** With its final slash, undecoded. */
  readonly path: string;
  readonly rawQuery: string;
  readonly headers: ReadonlyMap<string, string>;
  /** When the request arrived. */
  readonly nowMs: number;
  readonly caller: Caller;
  /** The client's address, as far as trusted proxies report it. */
  readonly address: string;
  /** Fires when the client has disconnected, so that work that is only for this client can end. */
  readonly signal: AbortSignal;
  /** Resolves when the audit entry of a write is stored; rejects when it cannot be stored. See `waitsForEntry`. */
  readonly recorded: Promise<void>;
  /**
   * Runs work once for all requests with this `Idempotency-Key`. Absent: the request has no key, or the route takes
   * none.
   */
  readonly once?: ((work: KeyedWork) => Promise<Reply>) | undefined;
  /** The key under which the transaction that creates something saves its answer, if any. */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** The caller and the time of a request for work. */
export type Asker = Pick<RouteRequest, 'caller' | 'nowMs' | 'recorded' | 'idempotencyKey' | 'headers'>;

/** The answer of a handler. A `location` that begins with `/` is made absolute. */
export interface Reply<S extends number = number, B = unknown> {
  readonly status: S;
  readonly body: B;
  readonly headers: Readonly<Record<string, string>>;
  /** As `cookies.ts` writes them. */
  readonly cookies?: readonly string[];
}

export function reply<const S extends number>(status: S): Reply<S, undefined>;
export function reply<const S extends number, B>(
  status: S,
  body: B,
  headers?: Readonly<Record<string, string>>,
): Reply<S, B>;
export function reply(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, body, headers };
}

type Replies = Readonly<Record<number, TSchema>>;
type ReplyOf<R extends Replies> = {
  [S in keyof R & number]: Reply<S, Static<R[S]>>;
}[keyof R & number];

/** The input of a route's handler. */
export interface Input<P extends PathParts, Q extends QueryParts, B> {
  readonly params: PathValues<P>;
  readonly query: QueryValues<Q>;
  readonly body: B;
  /** Warnings about an accepted body: its unknown fields, where they are ignored. */
  readonly warnings: readonly Problem[];
  readonly request: RouteRequest;
}

/**
 * `keyed`: the route takes an `Idempotency-Key`, and its handler saves its answer under `request.idempotencyKey` in the
 * transaction that creates something. Any other POST states why a repeat without a key is harmless.
 */
export type Repeats = 'keyed' | { readonly reason: string };

/** The documentation of a request header. */
export interface HeaderWords {
  readonly description: string;
  readonly schema: TSchema;
  readonly isRequired?: boolean;
}

export interface RouteWords<P, Q> {
  readonly path: string;
  /** A phrase for the list of routes. */
  readonly summary: string;
  /** More for the documentation, in Markdown. */
  readonly description?: string;
  /** Who may call the route, where its method doesn't imply it: see `accessOf`. */
  readonly access?: Access;
  /**
   * The handler itself waits for `request.recorded` before it changes anything, so that it can read while the audit
   * entry is being stored. Other handlers start after that.
   */
  readonly waitsForEntry?: boolean;
  /** The body holds lists or documents that programs generate, so it may have more bytes (`body/limits.ts`). */
  readonly hasLargeBody?: boolean;
  /** The body holds a document of many lists, so it may have more parts (`body/limits.ts`). */
  readonly hasManyParts?: boolean;
  /** The query is written by others, who may add parameters (a provider that redirects browsers back, a store). */
  readonly takesAnyQuery?: boolean;
  /** The route may answer 410, for records that are kept only for a time. */
  readonly mayBeGone?: boolean;
  /** The effect of a repeated POST. Absent for validations, which change nothing. */
  readonly repeats?: Repeats;
  /** Headers that the handler reads, for the documentation: by their names. */
  readonly headers?: Readonly<Record<string, HeaderWords>>;
  /** Lower-case headers of every answer at this path, refusals included: those of a protocol that it implements. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  readonly params?: P;
  readonly query?: Q;
  /** Headers of the answers with a body, with their descriptions. */
  readonly replyHeaders?: Readonly<Record<string, string>>;
  /** The messages of the WebSocket at this path. */
  readonly socketMessages?: SocketMessages;
}

/** Forms of the messages of a WebSocket, by who sends them. */
export interface SocketMessages {
  readonly client: readonly TSchema[];
  readonly service: readonly TSchema[];
}

interface RouteSpec<P extends PathParts, Q extends QueryParts, B extends TSchema, R extends Replies, Deps>
  extends RouteWords<P, Q> {
  readonly method: Method;
  /** Answers callers that accept server-sent events, with 200. */
  events?(input: Input<P, Q, undefined>, deps: Deps): Promise<StreamBody>;
  /** Accepts a WebSocket at this path. Throws as a handler does. */
  socket?(request: RouteRequest, deps: Deps): SocketDoor;
  readonly body?: B;
  /** A missing body counts as an empty object. */
  readonly isBodyOptional?: boolean;
  readonly replies: R;
  readonly optionsHeaders?: (deps: Deps) => Readonly<Record<string, string>>;
  /**
   * Lists the problems inside the documents of a body whose form is invalid, so that the refusal reports every problem.
   * `raw` may contain anything.
   */
  documentProblems?(raw: RawBody, deps: Deps): Promise<readonly Problem[]>;
  handle(input: Input<P, Q, Static<B>>, deps: Deps): Promise<ReplyOf<R>> | ReplyOf<R>;
}

/** The unchecked body: a JSON object of bounded depth. */
export type RawBody = Readonly<Record<string, unknown>>;

/**
 * How a body is treated: `none` ignores it, `checked` refuses an invalid one with all its problems, `reported` passes
 * the problems to a validation (see `Reported`), `streamed` passes its bytes to the handler while they arrive (see
 * `defineUpload`).
 */
export type BodyRule = 'none' | 'checked' | 'optional' | 'reported' | 'streamed';

/** The input of a handler without its types, for the dispatcher. */
type AnyInput = Input<PathParts, QueryParts, unknown>;

/** A route without the types of its inputs, for the dispatcher. The type of its dependencies is kept. */
export interface Route<in Deps> extends RouteWords<PathParts, QueryParts> {
  readonly method: Method;
  readonly body?: TSchema;
  readonly bodyRule: BodyRule;
  /** Present where more than JSON is accepted. */
  readonly reader?: BodyReader;
  readonly replies: Replies;
  readonly documentProblems?: (raw: RawBody, deps: Deps) => Promise<readonly Problem[]>;
  readonly handle: (input: AnyInput, deps: Deps) => Promise<Reply> | Reply;
  readonly events?: (input: AnyInput, deps: Deps) => Promise<StreamBody>;
  readonly socket?: (request: RouteRequest, deps: Deps) => SocketDoor;
  /** The media type of a streamed body. */
  readonly mediaType?: string;
  /** Further headers of the answer to OPTIONS at this path. */
  readonly optionsHeaders?: (deps: Deps) => Readonly<Record<string, string>>;
}

/** Who may call a route. By default reading and validating needs an account, and everything else needs staff. */
export function accessOf({
  access,
  method,
  bodyRule,
}: Pick<Route<never>, 'access' | 'method' | 'bodyRule'>): Access {
  return access ?? (method === 'GET' || bodyRule === 'reported' ? 'read' : 'write');
}

/** Makes a route. The handler can return only statuses and shapes that `replies` declares. */
export function defineRoute<
  const R extends Replies,
  P extends PathParts = Record<never, never>,
  Q extends QueryParts = Record<never, never>,
  B extends TSchema = TSchema,
  Deps = unknown,
>(spec: RouteSpec<P, Q, B, R, Deps>): Route<Deps> {
  const bodyRule = spec.body === undefined ? 'none' : spec.isBodyOptional === true ? 'optional' : 'checked';
  const { events, handle, ...words } = spec;
  const given: Route<Deps> = {
    ...words,
    ...(events === undefined ? {} : { events: erased(events) }),
    bodyRule,
    handle: erased(handle),
  };
  const record = recordOf(given);
  const isSelected = record !== undefined && given.query?.[FIELDS] === undefined;
  const route = isSelected ? { ...given, query: { ...given.query, [FIELDS]: fieldsOf(record) } } : given;
  return route.repeats === 'keyed' ? { ...route, handle: handleOnce(route) } : route;
}

/**
 * The schema of the record that a route reads by id or name. Undefined if the route does not read one record, or serves
 * clients of the public system, which has neither tags nor a choice of fields.
 */
export function recordOf({ method, path, replies }: Pick<Route<never>, 'method' | 'path' | 'replies'>) {
  const isRecord = method === 'GET' && path.startsWith('/v6/') && path.endsWith('}/');
  const schema = isRecord ? replies[200] : undefined;
  return schema !== undefined && bodyKind(schema).kind === 'json' ? schema : undefined;
}

interface UploadSpec<P extends PathParts, Q extends QueryParts, R extends Replies, Deps>
  extends RouteWords<P, Q> {
  readonly method: 'PUT' | 'PATCH' | 'POST';
  /** The media type of the body; default `application/octet-stream`. */
  readonly mediaType?: string;
  readonly replies: R;
  readonly optionsHeaders?: (deps: Deps) => Readonly<Record<string, string>>;
  /** `body` has any length and media type; the handler limits how much it reads. */
  handle(input: Input<P, Q, ByteStream>, deps: Deps): Promise<ReplyOf<R>> | ReplyOf<R>;
}

/** Makes a route whose handler reads the bytes of its body while they arrive. */
export function defineUpload<
  const R extends Replies,
  P extends PathParts = Record<never, never>,
  Q extends QueryParts = Record<never, never>,
  Deps = unknown,
>(spec: UploadSpec<P, Q, R, Deps>): Route<Deps> {
  return { ...spec, bodyRule: 'streamed', handle: erased(spec.handle) };
}

/**
 * A handler as the dispatcher calls it. The dispatcher reads each input by the parts and schema from which its type was
 * derived, so the types may be erased.
 */
function erased<I extends AnyInput, Deps, R>(handle: (input: I, deps: Deps) => R) {
  return handle as (input: AnyInput, deps: Deps) => R;
}

/** The handler of a keyed route: one request with each key is handled, and its repeats get the same answer. */
export function handleOnce<Deps>({ handle }: Pick<Route<Deps>, 'handle'>): Route<Deps>['handle'] {
  return (input, deps) => {
    const { request } = input;
    if (request.once === undefined) return handle(input, deps);
    return request.once(async (idempotencyKey) => {
      // Not a copy: `signal` is created on first use.
      const keyed = Object.create(request, { idempotencyKey: { value: idempotencyKey } });
      return handle({ ...input, request: keyed }, deps);
    });
  };
}

/** The body of a validation call: as sent, and as the create or edit call would get it. */
export interface Reported<T> {
  readonly raw: RawBody;
  readonly checked: Checked<T>;
}

/** The findings of a validation. */
export interface Findings {
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Further fields of the answer, as declared by `result`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

interface ValidationSpec<S extends TSchema, Deps> {
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /**
   * The body of the call that this validation tries. Problems of its form are reported before the handler's findings.
   */
  readonly body: S;
  /** As for the call that this validation tries. */
  readonly hasLargeBody?: boolean;
  readonly hasManyParts?: boolean;
  /** The answer's schema, where it has more fields than every validation has. */
  readonly result?: TSchema;
  /** Checks the meaning. If the form of the body is invalid, only `raw` is given. */
  handle(body: Reported<Static<S>>, deps: Deps, request: RouteRequest): Promise<Findings> | Findings;
}

/** Makes a `POST …/validation/` route: 200 with a result for every JSON object, whatever it holds. */
export function defineValidation<S extends TSchema, Deps = unknown>(
  spec: ValidationSpec<S, Deps>,
): Route<Deps> {
  const { path, summary, description, body, result = ValidationSchema } = spec;
  const { hasLargeBody = false, hasManyParts = false } = spec;
  return {
    method: 'POST',
    path,
    summary,
    hasLargeBody,
    hasManyParts,
    ...(description === undefined ? {} : { description }),
    body,
    bodyRule: 'reported',
    replies: { 200: result },
    async handle(input, deps) {
      const body = input.body as Reported<Static<S>>;
      const found = await spec.handle(body, deps, input.request);
      const formErrors = body.checked.ok ? [] : body.checked.errors;
      const errors = distinct(formErrors, found.errors);
      const warnings = distinct(body.checked.warnings, found.warnings);
      return reply(200, { is_valid: errors.length === 0, errors, warnings, ...found.extra });
    },
  };
}

/** Removes problems that the checks of form and meaning both report. */
function distinct(ofForm: readonly Problem[], ofMeaning: readonly Problem[]): readonly Problem[] {
  const known = new Set(ofForm.map((problem) => JSON.stringify(problem)));
  const isNew = (problem: Problem) => problem.count !== undefined || !known.has(JSON.stringify(problem));
  return joinProblems(ofForm, ofMeaning.filter(isNew));
}
