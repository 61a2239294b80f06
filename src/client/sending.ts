/**
 * Requests to the service: address, headers, timeout, redirects. Only the service itself gets the token. A redirect to
 * another host is either refused, or followed without any credentials.
 */
import { name, refusalOf } from './answers.ts';
import { Contact, type ContactListeners } from './contact.ts';
import {
  ClientError,
  type FailedCall,
  RefusedError,
  UnreachableError,
  UnusableAnswerError,
} from './errors.ts';
import { faultOf, reasonOf, type SpeaksTls } from './faults.ts';
import { type Retrying, retried } from './retrying.ts';

const REDIRECTS_MAX = 5;
const TOKEN = /^[!-~]+$/;
/** limit: the longest delay of a timer, in ms. */
const LONGEST_MS = 2_147_483_647;

/** Undefined: nobody is logged in. Called for each attempt, so the token may change while a client is in use. */
export type TokenSource = () => string | undefined | Promise<string | undefined>;

export interface SenderOptions {
  /** `http://host:port`, followed by the path of a proxy if there is one. No user, no query, no fragment. */
  readonly server: string;
  readonly token?: TokenSource | undefined;
  /** Further headers of each request to the service, such as those of a session. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
  /** The time limit of an attempt, until its JSON is read, in ms. */
  readonly timeoutMs: number;
  /** How long a call is retried after a transient failure, in ms; 0: never. */
  readonly retryForMs: number;
  /**
   * Whether an answer without `x-request-id`, which every answer of a service has, is an UnusableAnswerError. Pages of
   * another origin cannot see this header.
   */
  readonly requiresRequestId?: boolean | undefined;
  /** Called before each retry, with the failure of the last attempt. Not called if the call has an `onLost`. */
  readonly onRetry?: ((error: unknown) => void) | undefined;
}

/** A request to send. */
export interface Outgoing extends ContactListeners {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called for each attempt. */
  readonly body?: (() => NonNullable<RequestInit['body']>) | undefined;
  readonly isRepeatable: boolean;
  /** Whether redirects to another host are followed; that host gets no credentials. */
  readonly mayLeave?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retryForMs?: number | undefined;
}

/** Reads a successful answer, within the time limit of the attempt. */
type Reading<T> = (call: FailedCall, response: Response) => Promise<T>;

/** Sends requests to one service. The constructor throws a TypeError if `server` is not a valid address. */
export class Sender {
  readonly origin: string;
  readonly #base: string;
  readonly #options: SenderOptions;
  readonly #speaksTls: SpeaksTls | undefined;
  /** An address that has answered is right: what it meets from then on may pass. */
  #hasAnswered = false;

  constructor(options: SenderOptions, speaksTls?: SpeaksTls) {
    this.#speaksTls = speaksTls;
    const url = URL.canParse(options.server) ? new URL(options.server) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      throw new TypeError('the server is no address that begins with http:// or https://');
    }
    if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
      throw new TypeError('the address of the server has a user, a query or a fragment');
    }
    this.origin = url.origin;
    this.#base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
    this.#options = options;
  }

  /** The URL of a path of the interface, including the path of a proxy. */
  addressOf(path: string): string {
    return `${this.#base}${path}`;
  }

  /** Headers that identify the caller. Throws a TypeError for a token that a header cannot hold, without showing it. */
  async credentials(): Promise<Record<string, string>> {
    const token = await this.#options.token?.();
    if (token !== undefined && !TOKEN.test(token)) {
      throw new TypeError('the token is empty, or has characters other than printable ASCII');
    }
    return {
      ...this.#options.headers?.(),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
  }

  /** How a request is retried: by its own settings, else by the client's. */
  retryingOf(outgoing: Pick<Outgoing, 'isRepeatable' | 'signal' | 'retryForMs'>): Retrying {
    const { isRepeatable, signal, retryForMs = this.#options.retryForMs } = outgoing;
    return { isRepeatable, signal, forMs: retryForMs, onRetry: this.#options.onRetry };
  }

  /** Makes the call, with retries, and reads its answer. Rejects with a ClientError. */
  async send<T>(outgoing: Outgoing, read: Reading<T>): Promise<T> {
    const contact = new Contact(outgoing);
    const retrying = this.retryingOf(outgoing);
    const onRetry = outgoing.onLost === undefined ? retrying.onRetry : contact.lose;
    const answer = await retried({ ...retrying, onRetry }, (attempt) =>
      this.#attempt(outgoing, read, attempt),
    );
    contact.find();
    return answer;
  }

  async #attempt<T>(outgoing: Outgoing, read: Reading<T>, attempt: number): Promise<T> {
    const credentials = await this.credentials();
    try {
      return await this.#timed(outgoing, credentials, read, attempt);
    } catch (error) {
      // The token has expired since it was read; its source may have another by now.
      if (!(error instanceof RefusedError) || error.status !== 401 || !outgoing.isRepeatable) throw error;
      const others = await this.credentials();
      if (others.authorization === credentials.authorization) throw error;
      return await this.#timed(outgoing, others, read, attempt);
    }
  }

  async #timed<T>(
    outgoing: Outgoing,
    credentials: Readonly<Record<string, string>>,
    read: Reading<T>,
    attempt: number,
  ): Promise<T> {
    const call: FailedCall = { method: outgoing.method, path: outgoing.path };
    const { signal, timeoutMs = this.#options.timeoutMs } = outgoing;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), Math.min(timeoutMs, LONGEST_MS));
    const both = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]);
    try {
      signal?.throwIfAborted();
      const response = await this.#fetch(outgoing, call, credentials, both);
      this.#hasAnswered = true;
      // An earlier attempt has deleted the record, and its answer was lost.
      const isGone = response.status === 404 && outgoing.method === 'DELETE' && attempt > 0;
      if (isGone) return await read(call, new Response(null, { status: 204 }));
      if (response.status >= 400) throw await refusalOf(call, response);
      if (this.#options.requiresRequestId === true) this.#requireRequestId(call, response);
      return await read(call, response);
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (limit.signal.aborted) {
        throw new UnreachableError(call, `${name(call)}: no answer within ${timeoutMs / 1_000} s`);
      }
      if (error instanceof ClientError) throw error;
      const fault = await faultOf(error, this.origin, this.#speaksTls);
      const message = `${name(call)}: ${this.origin} cannot be reached: ${reasonOf(error, fault)}`;
      const mayPass = fault === undefined || this.#hasAnswered;
      throw new UnreachableError(call, message, { cause: error, fault, mayPass });
    } finally {
      clearTimeout(timer);
    }
  }

  /** A bucket to which an answer has led gives none. */
  #requireRequestId(call: FailedCall, { url, headers, body }: Response): void {
    if (headers.has('x-request-id') || new URL(url).origin !== this.origin) return;
    body?.cancel().catch(() => undefined);
    throw new UnusableAnswerError(
      call,
      `${name(call)}: what answers there is no Millrace service: its answer has no X-Request-Id`,
    );
  }

  async #fetch(
    outgoing: Outgoing,
    call: FailedCall,
    credentials: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> {
    let url = this.addressOf(outgoing.path);
    const { method, body } = outgoing;
    for (let redirects = 0; ; redirects += 1) {
      const isOurs = new URL(url).origin === this.origin;
      const content = body?.();
      const response = await fetch(url, {
        method,
        headers: { ...outgoing.headers, ...(isOurs ? credentials : {}) },
        ...(content === undefined ? {} : { body: content, duplex: 'half' }),
        // Manual, because the runtime would also pass headers and bodies on to the new address.
        redirect: 'manual',
        credentials: isOurs ? 'same-origin' : 'omit',
        cache: 'no-store',
        signal,
      } as RequestInit);
      // Browsers hide the address that an answer redirects to.
      if (response.type === 'opaqueredirect') {
        throw new UnusableAnswerError(call, `${name(call)}: the answer redirects`);
      }
      if (response.status < 300 || response.status === 304 || response.status >= 400) return response;
      await response.body?.cancel();
      if (method !== 'GET' || redirects >= REDIRECTS_MAX) {
        throw new UnusableAnswerError(call, `${name(call)}: the answer redirects`);
      }
      url = nextUrl(call, url, response.headers.get('location'));
      if (new URL(url).origin !== this.origin && outgoing.mayLeave !== true) {
        throw new UnusableAnswerError(call, `${name(call)}: the answer redirects to another host`);
      }
    }
  }
}

function nextUrl(call: FailedCall, url: string, location: string | null): string {
  const next = location !== null && URL.canParse(location, url) ? new URL(location, url) : undefined;
  if (next === undefined || !/^https?:$/.test(next.protocol)) {
    throw new UnusableAnswerError(call, `${name(call)}: the answer redirects to nowhere`);
  }
  return next.href;
}
