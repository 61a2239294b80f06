/**
 * A client of the interface of a Millrace service, typed by its OpenAPI document: what the command line and the console
 * are made with, and programs may be. Programs use `node.ts`, pages `browser.ts`.
 */
import { readJson } from './answers.ts';
import { ChangeStream, type ChangesOptions } from './changes.ts';
import {
  type ContentPlace,
  type Download,
  type DownloadOptions,
  download,
  followLog,
  type ReadCall,
  type Upload,
  type Uploaded,
  upload,
} from './content.ts';
import { SORTED_LISTS } from './generated/calls.ts';
import { RecordList } from './list.ts';
import type {
  AnswerOf,
  CallSettings,
  ListOptions,
  ListPath,
  Method,
  OptionsOf,
  PathWith,
  RecordOf,
  Rest,
} from './operations.ts';
import { Sender, type SenderOptions } from './sending.ts';
import type { OpenSocket } from './socket.ts';

const KEY_HEADER = 'idempotency-key';
const PAGE_SIZE = 500;
const DEFAULTS = { timeoutMs: 30_000, retryForMs: 30_000, bytesMax: 64 * 1_048_576 } as const;

export interface ClientOptions extends Omit<SenderOptions, 'timeoutMs' | 'retryForMs'> {
  /** For an answer and its JSON, and between two pieces of a stream, in ms: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** How long a call is made again whose failure may pass, in ms: 30,000. 0 makes each call once. */
  readonly retryForMs?: number | undefined;
  /** The largest JSON that is read: 64 MiB. */
  readonly bytesMax?: number | undefined;
}

/** A successful answer: its status, 200 to 299, its headers, and its body as the interface documents it. */
export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

interface UntypedOptions extends CallSettings {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/**
 * Calls of one service. All methods reject with a ClientError (`errors.ts`): a RefusedError says what is wrong with the
 * request; after an UnreachableError try again later, or correct the address. A call that its signal ends rejects with
 * the signal's reason. A token that no header can hold is a TypeError.
 */
export class Client {
  readonly #sender: Sender;
  readonly #openSocket: OpenSocket;
  readonly #bytesMax: number;
  readonly #timeoutMs: number;

  /** Throws a TypeError if the server is no usable address. */
  constructor(options: ClientOptions, openSocket: OpenSocket) {
    const { timeoutMs = DEFAULTS.timeoutMs, retryForMs = DEFAULTS.retryForMs } = options;
    this.#sender = new Sender({ ...options, timeoutMs, retryForMs });
    this.#openSocket = openSocket;
    this.#bytesMax = options.bytesMax ?? DEFAULTS.bytesMax;
    this.#timeoutMs = timeoutMs;
  }

  /** The body of the answer. */
  get<P extends PathWith<'get'>>(path: P, ...rest: Rest<OptionsOf<'get', P>>): Promise<AnswerOf<'get', P>> {
    return this.#body('GET', path, rest[0]);
  }

  /** A create answers with the record. A repeat of the request creates nothing, because it has an `Idempotency-Key`. */
  post<P extends PathWith<'post'>>(
    path: P,
    ...rest: Rest<OptionsOf<'post', P>>
  ): Promise<AnswerOf<'post', P>> {
    return this.#body('POST', path, rest[0]);
  }

  /** Changes the fields that the body has, and answers as the interface documents; other fields stay. */
  patch<P extends PathWith<'patch'>>(
    path: P,
    ...rest: Rest<OptionsOf<'patch', P>>
  ): Promise<AnswerOf<'patch', P>> {
    return this.#body('PATCH', path, rest[0]);
  }

  /** A repeat that finds nothing any more has succeeded; a first call that finds nothing is a RefusedError (404). */
  delete<P extends PathWith<'delete'>>(
    path: P,
    ...rest: Rest<OptionsOf<'delete', P>>
  ): Promise<AnswerOf<'delete', P>> {
    return this.#body('DELETE', path, rest[0]);
  }

  /** The same with the status and the headers, such as `Location` and `Warning`. */
  call<M extends Uppercase<Method>, P extends PathWith<Lowercase<M>>>(
    method: M,
    path: P,
    ...rest: Rest<OptionsOf<Lowercase<M>, P>>
  ): Promise<Answer<AnswerOf<Lowercase<M>, P>>> {
    return this.#call(method, path, rest[0]) as Promise<Answer<AnswerOf<Lowercase<M>, P>>>;
  }

  /** Any call with a JSON body, or none. `path` is what it is, with its query. */
  request(
    method: string,
    path: string,
    options: CallSettings & { readonly body?: unknown } = {},
  ): Promise<Answer<unknown>> {
    return this.#send(method, path, options);
  }

  /** Iterates over all records of a list, by id unless the query has an order. A page is read when it is needed. */
  list<P extends ListPath>(path: P, ...rest: Rest<ListOptions<P>>): RecordList<RecordOf<P>> {
    const {
      path: parts,
      query,
      pageSize = PAGE_SIZE,
      ...settings
    } = (rest[0] ?? {}) as UntypedOptions & {
      readonly pageSize?: number;
    };
    const search = searchOf(query);
    if (SORTED_LISTS.has(path) && !search.has('order')) search.set('order', 'id');
    return new RecordList(this.#sender, {
      ...settings,
      ...{ path: filled(path, parts), query: search, pageSize, bytesMax: this.#bytesMax },
    });
  }

  /** How many records a list has at the moment, with the filters of the query. */
  async count<P extends ListPath>(path: P, ...rest: Rest<ListOptions<P>>): Promise<number> {
    const list = this.list(path, ...([{ ...rest[0], pageSize: 1 }] as Rest<ListOptions<P>>));
    for await (const _ of list) break;
    return list.count ?? 0;
  }

  /** The changes of objects as they happen, without an end. Iterate over the stream once. */
  changes(options: ChangesOptions = {}): ChangeStream {
    return new ChangeStream(this.#sender, this.#openSocket, options);
  }

  /** The content of a file, or the answer to any GET, as a stream of bytes. Resolves when it begins. */
  download(place: ContentPlace | ReadCall, options: DownloadOptions & CallSettings = {}): Promise<Download> {
    return download(this.#sender, place, { ...options, timeoutMs: options.timeoutMs ?? this.#timeoutMs });
  }

  /**
   * Stores a new file; rejects with a RefusedError (409 `CONFLICT`) if there is one at the path. It takes as long as
   * the content does, and ends early only by a `timeoutMs` or a signal of its own. It is not repeated: look whether the
   * file is there before you call it again.
   */
  upload(what: Upload, settings: CallSettings = {}): Promise<Uploaded> {
    return upload(this.#sender, what, {
      ...settings,
      timeoutMs: settings.timeoutMs ?? Number.POSITIVE_INFINITY,
    });
  }

  /**
   * The bytes of one stream of an execution's log: what is there, or, followed, also what comes until the execution has
   * ended. A log that breaks off is continued at its offset for `retryForMs`, so no byte is missing or comes twice.
   */
  log(
    at: { readonly executionId: number; readonly stream: 'stdout' | 'stderr'; readonly isFollowed: boolean },
    settings: CallSettings = {},
  ): AsyncIterable<Uint8Array> {
    return followLog(this.#sender, at, { ...settings, timeoutMs: settings.timeoutMs ?? this.#timeoutMs });
  }

  async #body<T>(method: string, path: string, options: UntypedOptions | undefined): Promise<T> {
    return (await this.#call(method, path, options)).body as T;
  }

  #call(method: string, path: string, options: UntypedOptions = {}): Promise<Answer<unknown>> {
    const { path: parts, query, ...rest } = options;
    const search = searchOf(query).toString();
    return this.#send(method, `${filled(path, parts)}${search === '' ? '' : `?${search}`}`, rest);
  }

  #send(
    method: string,
    path: string,
    options: Omit<UntypedOptions, 'path' | 'query'>,
  ): Promise<Answer<unknown>> {
    const { body, key, ...settings } = options;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'POST' ? { [KEY_HEADER]: key ?? newKey() } : {}),
    };
    const outgoing = { method, path, headers, isRepeatable: true, ...settings };
    return this.#sender.send(
      text === undefined ? outgoing : { ...outgoing, body: () => text },
      async (call, response) => ({
        status: response.status,
        headers: response.headers,
        body: await readJson(call, response, this.#bytesMax),
      }),
    );
  }
}

/** 128 random bits. (`crypto.randomUUID` is missing in pages that came without TLS.) */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

function filled(path: string, parts: Readonly<Record<string, unknown>> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(String(parts[name] ?? '')));
}

function searchOf(query: Readonly<Record<string, unknown>> = {}): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one));
  }
  return search;
}
