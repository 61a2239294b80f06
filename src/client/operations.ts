/**
 * What the interface's calls take and answer, looked up by method and path in the types that are generated from the
 * service's OpenAPI document.
 */
import type { ContactListeners } from './contact.ts';
import type { paths } from './generated/interface.ts';

export type { components } from './generated/interface.ts';

/** Methods of the interface, as the document writes them. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have a method, as templates: `/v6/jobs/{id}/`. */
export type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: { responses: unknown } } ? P : never;
}[keyof paths];

type Operation<M extends Method, P extends PathWith<M>> = paths[P] extends { [K in M]: infer O } ? O : never;

type Part<O, Name extends 'query' | 'path'> = O extends { parameters: infer Parameters }
  ? Name extends keyof Parameters
    ? Exclude<Parameters[Name], undefined>
    : never
  : never;

/** The query parameters of a call. */
export type QueryOf<M extends Method, P extends PathWith<M>> = Part<Operation<M, P>, 'query'>;

type JsonBody<O> = O extends { requestBody: { content: { 'application/json': infer B } } }
  ? B
  : O extends { requestBody?: { content: { 'application/json': infer B } } }
    ? B | undefined
    : never;

/** The JSON that a call takes. */
export type BodyOf<M extends Method, P extends PathWith<M>> = JsonBody<Operation<M, P>>;

type JsonAnswer<R> = R extends { content: { 'application/json': infer B } } ? B : undefined;

type Responses<O> = O extends { responses: infer R } ? R : never;

/** The JSON of a successful answer; undefined if it has none. */
export type AnswerOf<M extends Method, P extends PathWith<M>> = {
  [S in keyof Responses<Operation<M, P>>]: S extends 200 | 201 | 202 | 204
    ? JsonAnswer<Responses<Operation<M, P>>[S]>
    : never;
}[keyof Responses<Operation<M, P>>];

/** The settings of one call. */
export interface CallSettings extends ContactListeners {
  /** Ends the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Overrides the client's time limit, in ms. */
  readonly timeoutMs?: number | undefined;
  /** Overrides how long the client retries after transient failures, in ms; 0: never. */
  readonly retryForMs?: number | undefined;
  /** The `Idempotency-Key` of a POST, 1 to 255 printable ASCII characters; generated when absent. */
  readonly key?: string | undefined;
}

type Given<Name extends string, T> = [T] extends [never]
  ? { readonly [K in Name]?: never }
  : Record<never, never> extends T
    ? { readonly [K in Name]?: T | undefined }
    : undefined extends T
      ? { readonly [K in Name]?: T }
      : { readonly [K in Name]: T };

/** The options of a call: its `path`, `query` and `body` as far as it takes them, and its settings. */
export type OptionsOf<M extends Method, P extends PathWith<M>> = CallSettings &
  Given<'path', Part<Operation<M, P>, 'path'>> &
  Given<'query', QueryOf<M, P>> &
  Given<'body', BodyOf<M, P>>;

/** The options may be left out where none is needed. */
export type Rest<O> = Record<never, never> extends O ? [options?: O] : [options: O];

interface PageOf<T> {
  readonly results: readonly T[];
}

/** The paths that answer with pages of a list. */
export type ListPath = {
  [P in PathWith<'get'>]: AnswerOf<'get', P> extends PageOf<unknown> ? P : never;
}[PathWith<'get'>];

/** A record of a list. */
export type RecordOf<P extends ListPath> = AnswerOf<'get', P> extends PageOf<infer T> ? T : never;

/** A list takes all options of its call except the page number, which the client counts. */
export interface ListSettings extends CallSettings {
  /** Records on a page, 1 to 1,000; 500 by default. One page is in memory at a time. */
  readonly pageSize?: number | undefined;
}

export type ListOptions<P extends ListPath> = ListSettings &
  Given<'path', Part<Operation<'get', P>, 'path'>> & {
    readonly query?: Omit<QueryOf<'get', P>, 'page' | 'page_size'> | undefined;
  };

/** A change of an object, as the stream has it (docs/changes.md). */
export type Change = AnswerOf<'get', '/v6/changes/'>['changes'][number];
