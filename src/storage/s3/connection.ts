/**
 * One bucket of an S3 server: requests are signed, bounded in time, and retried where that is safe. Failures are
 * AppErrors that contain no secret. It deals with HTTP and XML only. Uses minio's client for signatures and roles.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'minio';
import { AppError } from '../../domain/errors.ts';
import { errnoWords } from '../../lib/errno-words.ts';

export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface S3Options {
  readonly bucket: string;
  /** `https://host:port`; absent: AWS, by region. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** Default true. AWS is always addressed by host names. */
  readonly pathStyle?: boolean | undefined;
  /** Absent: the role of this host: `roleKeys`, else a token file, a container's or an instance's metadata. */
  readonly keys?: S3Keys | undefined;
  readonly roleKeys?: S3Keys | undefined;
  /** The longest wait for an answer to begin; default 60 s. */
  readonly answerMsMax?: number;
  /** The pause before the first retry of a request; doubles with each. Default 500 ms. */
  readonly retryMs?: number;
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Absent: the bucket itself. */
  readonly key?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** Statuses that count as an answer; all others are failures. */
  readonly expects?: readonly number[];
  readonly signal?: AbortSignal | undefined;
  readonly answerMsMax?: number;
}

/** The server's error, or why the server could not be reached. `code` is S3's error code, or an errno. */
export class S3Failure extends Error {
  readonly code: string;
  readonly isTransient: boolean;

  constructor(code: string, isTransient: boolean, cause: unknown) {
    super(code, { cause });
    this.code = code;
    this.isTransient = isTransient;
  }
}

const ANSWER_MS_MAX = 60_000;
/** A body without any data for so long is given up. */
const IDLE_MS_MAX = 60_000;
const TRIES_MAX = 4;
const RETRY_MS = 500;
const TEXT_BYTES_MAX = 16 * 1024 * 1024;
const SAFE_CODE = /^[A-Za-z0-9_]{1,60}$/;
const TRANSIENT = new Set([
  'SlowDown',
  'InternalError',
  'RequestTimeout',
  'ServiceUnavailable',
  'OperationAborted',
]);
// An import would load everything that the module offers, including fetch and WebSocket: 10 MiB that nothing here uses.
const http = process.getBuiltinModule('node:http');
// limit: connections to one server at a time; further requests wait.
const AGENT_OPTIONS = { keepAlive: true, maxSockets: 64 } as const;
const AGENTS = { 'http:': new http.Agent(AGENT_OPTIONS), 'https:': new https.Agent(AGENT_OPTIONS) } as const;

interface Asking {
  readonly signal: AbortSignal;
  status: number;
}

export class S3Connection {
  readonly bucket: string;
  /** For people: the server's address. */
  readonly where: string;
  readonly #client: Promise<Client>;
  readonly #region: string;
  readonly #asking = new AsyncLocalStorage<Asking>();
  readonly #answerMsMax: number;
  readonly #retryMs: number;

  constructor(options: S3Options) {
    this.bucket = options.bucket;
    this.#region = options.region ?? 'us-east-1';
    this.#answerMsMax = options.answerMsMax ?? ANSWER_MS_MAX;
    this.#retryMs = options.retryMs ?? RETRY_MS;
    this.#client = clientOf(options, this.#transport(options));
    this.#client.catch(() => undefined); // every caller gets this failure
    this.where = options.endpoint ?? `AWS ${this.#region}`;
  }

  /**
   * Resolves when the answer begins: the caller reads or destroys it. Throws S3Failure, or the reason of an aborted
   * signal.
   */
  async ask(request: S3Request): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt += 1) {
      request.signal?.throwIfAborted();
      try {
        return await this.#once(request);
      } catch (error) {
        request.signal?.throwIfAborted();
        if (!(error instanceof S3Failure) || !error.isTransient || attempt === TRIES_MAX) throw error;
        const delayMs = this.#retryMs * 2 ** (attempt - 1);
        await sleep(delayMs, undefined, request.signal ? { signal: request.signal } : {});
      }
    }
  }

  /** As `ask`, with the whole answer as text. */
  async text(
    request: S3Request,
  ): Promise<{ readonly text: string; readonly headers: IncomingMessage['headers'] }> {
    const answer = await this.ask(request);
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of failingWhenIdle(answer, request.signal)) {
      bytes += piece.length;
      if (bytes > TEXT_BYTES_MAX) throw new S3Failure('AnswerTooLarge', false, undefined);
      pieces.push(piece);
    }
    return { text: Buffer.concat(pieces).toString('utf8'), headers: answer.headers };
  }

  /** The failure as an AppError for callers of a broker. `path` is the file concerned. */
  toAppError(error: unknown, path?: string): unknown {
    if (!(error instanceof S3Failure)) return error;
    const { code } = error;
    const detail = { code, bucket: this.bucket };
    const about = { cause: error };
    if (path !== undefined && (code === 'NoSuchKey' || code === 'NotFound')) {
      return new AppError('FILE_NOT_FOUND', `no file '${path}'`, { path }, about);
    }
    if (code === 'KeyTooLongError')
      return new AppError('PATH_NOT_ALLOWED', 'the path is too long', { path }, about);
    if (code === 'EntityTooLarge' || code === 'QuotaExceeded') {
      return new AppError(
        'FILESYSTEM_IO',
        `the object store does not take '${path}': ${code}`,
        detail,
        about,
      );
    }
    return new AppError('WORKSPACE_UNAVAILABLE', this.#reason(code), detail, about);
  }

  #reason(code: string): string {
    const bucket = `the bucket '${this.bucket}'`;
    if (code === 'NoSuchBucket' || code === 'NotFound') return `${bucket} does not exist at ${this.where}`;
    if (REFUSALS.has(code)) return `${this.where} refuses access to ${bucket}: ${code}`;
    if (code === 'NoCredentials')
      return `there are no credentials for ${bucket}: neither given nor by a role`;
    const words = NO_HTTP.test(code) ? 'no HTTP is spoken there' : CONNECTION_WORDS[code];
    return `${bucket} at ${this.where} cannot be used: ${errnoWords(code, words)}`;
  }

  async #once(request: S3Request): Promise<IncomingMessage> {
    const late = new AbortController();
    const limitMs = request.answerMsMax ?? this.#answerMsMax;
    const timer = setTimeout(() => late.abort(new S3Failure('NoAnswer', true, undefined)), limitMs);
    const signal =
      request.signal === undefined ? late.signal : AbortSignal.any([request.signal, late.signal]);
    const asking: Asking = { signal, status: 0 };
    const { method, key, query = '', headers = {}, body = '', expects = [200] } = request;
    try {
      const options = { method, bucketName: this.bucket, query, headers: { ...headers } };
      const named = key === undefined ? options : { ...options, objectName: key };
      const client = await this.#client;
      const response = this.#asking.run(asking, () =>
        client.makeRequestAsync(named, body, [...expects], this.#region),
      );
      // The client's own requests for a role's keys have no time limit, so one is added.
      return await unlessAborted(response, signal);
    } catch (error) {
      if (late.signal.aborted) throw late.signal.reason;
      throw toFailure(error, asking.status);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * The transport for minio's client, with which requests can be aborted, and answers read before the client discards
   * them.
   */
  #transport({ endpoint }: S3Options) {
    const { request } = endpoint?.startsWith('http:') === true ? http : https;
    return {
      request: (options: RequestOptions, onAnswer: (answer: IncomingMessage) => void): ClientRequest => {
        const asking = this.#asking.getStore();
        const signal = asking === undefined ? {} : { signal: asking.signal };
        return request({ ...options, ...signal }, (answer) => {
          if (asking !== undefined) asking.status = answer.statusCode ?? 0;
          // The client discards these answers without reading them: the connection would never be free again.
          if ((answer.statusCode ?? 0) >= 500) answer.resume();
          onAnswer(answer);
        });
      },
    };
  }
}

/** What is wrong with an address, for people. Codes that say it themselves are left out. */
const CONNECTION_WORDS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is not trusted here; NODE_EXTRA_CA_CERTS of the agent can name it',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'no TLS is spoken there',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no TLS is spoken there',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  EPROTO: 'no TLS is spoken there',
};
const NO_HTTP = /^HPE_INVALID_/;

const REFUSALS = new Set([
  ...['AccessDenied', 'InvalidAccessKeyId', 'SignatureDoesNotMatch', 'AllAccessDisabled', 'AccountProblem'],
  ...['ExpiredToken', 'InvalidToken', 'RequestTimeTooSkewed', 'AuthorizationHeaderMalformed'],
]);

/**
 * A body in pieces. It fails when no piece comes while somebody waits for one. Destroyed when the reader stops early.
 */
export async function* failingWhenIdle(
  body: IncomingMessage,
  signal?: AbortSignal,
  idleMsMax = IDLE_MS_MAX,
): AsyncGenerator<Buffer> {
  const stop = (): void => void body.destroy(signal?.reason as Error);
  signal?.addEventListener('abort', stop, { once: true });
  const pieces = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const timer = setTimeout(() => body.destroy(new S3Failure('NoAnswer', true, undefined)), idleMsMax);
      const next = await pieces.next().finally(() => clearTimeout(timer));
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw toFailure(error, 0);
  } finally {
    signal?.removeEventListener('abort', stop);
    body.destroy();
  }
}

/** The result of the work, or the signal's reason if that comes first. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function toFailure(error: unknown, status: number): S3Failure {
  if (error instanceof S3Failure) return error;
  // The client reports no code then.
  if (status >= 500) return new S3Failure(`HTTP_${status}`, status !== 501, undefined);
  const { code } = error as { code?: unknown };
  const text = error instanceof Error ? error.message : '';
  if (text.startsWith('Unable to get credentials')) return new S3Failure('NoCredentials', false, undefined);
  if (typeof code !== 'string' || !SAFE_CODE.test(code)) {
    return new S3Failure(status === 0 ? 'NoAnswer' : `HTTP_${status}`, status === 0, error);
  }
  const isNetwork = status === 0 && /^(E[A-Z]|UND_|ABORT)/.test(code) && code !== 'ENOTFOUND';
  return new S3Failure(code, isNetwork || TRANSIENT.has(code), error);
}

type Transport = NonNullable<ConstructorParameters<typeof Client>[0]['transport']>;

/**
 * `transport`: used for requests instead of the runtime's own. minio is loaded by the first client: hosts without
 * buckets save 35 MiB and 0.3 s.
 */
export async function clientOf(
  options: S3Options,
  transport?: { readonly request: unknown },
): Promise<Client> {
  const { Client, IamAwsProvider } = await import('minio');
  const { endpoint, region, keys, pathStyle = true } = options;
  const url = new URL(endpoint ?? `https://s3.${region ?? 'us-east-1'}.amazonaws.com`);
  const protocol = url.protocol === 'http:' ? 'http:' : 'https:';
  const given = keys ?? options.roleKeys;
  const access =
    given === undefined
      ? { credentialsProvider: new IamAwsProvider({}) }
      : {
          accessKey: given.accessKeyId,
          secretKey: given.secretAccessKey,
          ...(given.sessionToken === undefined ? {} : { sessionToken: given.sessionToken }),
        };
  return new Client({
    endPoint: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port),
    useSSL: protocol === 'https:',
    region: region ?? 'us-east-1',
    pathStyle,
    ...(transport === undefined ? {} : { transport: transport as Transport }),
    transportAgent: AGENTS[protocol],
    retryOptions: { disableRetry: true },
    ...access,
  });
}
