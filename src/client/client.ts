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
import type { SpeaksTls } from './faults.ts';
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
import type { LoadSockets } from './socket.ts';

const KEY_HEADER = 'idempotency-key';
const PAGE_SIZE = 500;
const DEFAULTS = { timeoutMs: 30_000, retryForMs: 30_000, bytesMax: 64 * 1_048_576 } as const;

export interface ClientOptions extends Omit<SenderOptions, 'timeoutMs' | 'retryForMs'> {
  /** The time limit of an answer with its JSON, and of each pause in a stream, in ms; 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** How long calls are retried after transient failures, in ms; 30,000 by default. 0: never. */
  readonly retryForMs?: number | undefined;
  /** The largest JSON that is read, in bytes; 64 MiB by default. */
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
 * Calls to one service. All methods reject with a ClientError (`errors.ts`): a RefusedError says what is wrong with the
 * request; after an UnreachableError try again later, or correct the address. They reject with the signal's reason if
 * their signal fires, and with a TypeError if the token cannot be sent in a header.
 */
export class Client {
  readonly #sender: Sender;
  readonly #loadSockets: LoadSockets;
  readonly #bytesMax: number;
  readonly #timeoutMs: number;

  /** `speaksTls`: where the runtime can find out. Throws a TypeError if the server is not a valid address. */
  constructor(options: ClientOptions, loadSockets: LoadSockets, speaksTls?: SpeaksTls) {
    const { timeoutMs = DEFAULTS.timeoutMs, retryForMs = DEFAULTS.retryForMs } = options;
    this.#sender = new Sender({ ...options, timeoutMs, retryForMs }, speaksTls);
    this.#loadSockets = loadSockets;
    this.#bytesMax = options.bytesMax ?? DEFAULTS.bytesMax;
    this.#timeoutMs = timeoutMs;
  }

  /** Resolves with the body of the answer. */
  get<P extends PathWith<'get'>>(path: P, ...rest: Rest<OptionsOf<'get', P>>): Promise<AnswerOf<'get', P>> {
    return this.#body('GET', path, rest[0]);
  }

  /** Resolves with the body of the answer. Retries create nothing twice: the request has an `Idempotency-Key`. */
  post<P extends PathWith<'post'>>(
    path: P,
    ...rest: Rest<OptionsOf<'post', P>>
  ): Promise<AnswerOf<'post', P>> {
    return this.#body('POST', path, rest[0]);
  }

  /** Changes the fields that are in the body; others stay. Resolves with the body of the answer. */
  patch<P extends PathWith<'patch'>>(
    path: P,
    ...rest: Rest<OptionsOf<'patch', P>>
  ): Promise<AnswerOf<'patch', P>> {
    return this.#body('PATCH', path, rest[0]);
  }

  /** A retry that is answered with 404 counts as a success; a first attempt that is rejects with a RefusedError. */
  delete<P extends PathWith<'delete'>>(
    path: P,
    ...rest: Rest<OptionsOf<'delete', P>>
  ): Promise<AnswerOf<'delete', P>> {
    return this.#body('DELETE', path, rest[0]);
  }

  /** As the methods above, but resolves with the status and the headers as well, such as `Location` and `Warning`. */
  call<M extends Uppercase<Method>, P extends PathWith<Lowercase<M>>>(
    method: M,
    path: P,
    ...rest: Rest<OptionsOf<Lowercase<M>, P>>
  ): Promise<Answer<AnswerOf<Lowercase<M>, P>>> {
    return this.#call(method, path, rest[0]) as Promise<Answer<AnswerOf<Lowercase<M>, P>>>;
  }

  /** An untyped call, with a JSON body or none. `path` is complete: parameters filled in, with the query. */
  request(
    method: string,
    path: string,
    options: CallSettings & { readonly body?: unknown } = {},
  ): Promise<Answer<unknown>> {
    return this.#send(method, path, options);
  }

  /** Iterates over all records of a list, ordered by id unless the query says otherwise. Pages are read on demand. */
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

  /** The present number of records in a list, with the filters of the query. */
  async count<P extends ListPath>(path: P, ...rest: Rest<ListOptions<P>>): Promise<number> {
    const list = this.list(path, ...([{ ...rest[0], pageSize: 1 }] as Rest<ListOptions<P>>));
    for await (const _ of list) break;
    return list.count ?? 0;
  }

  /** The endless stream of changes of objects. Iterate over it once. */
  changes(options: ChangesOptions = {}): ChangeStream {
    return new ChangeStream(this.#sender, this.#loadSockets, options);
  }

  /** Streams the content of a file, or the answer to any GET. Resolves when the first answer has begun. */
  download(place: ContentPlace | ReadCall, options: DownloadOptions & CallSettings = {}): Promise<Download> {
    return download(this.#sender, place, { ...options, timeoutMs: options.timeoutMs ?? this.#timeoutMs });
  }

  /**
   * Stores a new file; rejects with a RefusedError (409 `CONFLICT`) if there is a file at the path. It has no time
   * limit unless the settings have a `timeoutMs`. It is never retried: check whether the file exists before you call it
   * again.
   */
  upload(what: Upload, settings: CallSettings = {}): Promise<Uploaded> {
    return upload(this.#sender, what, {
      ...settings,
      timeoutMs: settings.timeoutMs ?? Number.POSITIVE_INFINITY,
    });
  }

  /**
   * The bytes of one stream of an execution's log: those written so far or, if followed, all until the execution has
   * ended. A broken connection is resumed at the offset, for `retryForMs`, so no byte is lost or repeated.
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
