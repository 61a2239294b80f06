/** Requests without a socket: a dispatcher for given routes, whose answers are parsed as JSON. */

import { ANYBODY } from '../../src/domain/access.ts';
import type { AuthFilter } from '../../src/http/auth-filter.ts';
import { createDispatcher, type Dispatcher, type DispatcherOptions } from '../../src/http/dispatch.ts';
import type { HttpResponse } from '../../src/http/exchange.ts';
import type { Idempotency } from '../../src/http/request/idempotency.ts';
import type { Asker, Route } from '../../src/http/route.ts';

export const NOW_MS = Date.UTC(2026, 0, 31, 12, 0, 0);

/** A logged line. */
export interface LogLine {
  readonly level: 'debug' | 'error';
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly cookies: readonly string[];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly json: any;
}

export interface Caller {
  readonly dispatcher: Dispatcher;
  readonly log: readonly LogLine[];
  /** `target` is path and query. An object is sent as JSON, a string or bytes as they are. */
  call(method: string, target: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(target: string, headers?: Record<string, string>): Promise<Answer>;
}

export interface CallerOptions<Deps> extends Partial<Omit<DispatcherOptions<Deps>, 'routes' | 'deps'>> {
  /** The client's address; loopback when absent. */
  readonly address?: () => string;
}

/** An auth filter that allows everything and writes no audit. */
export const OPEN_FILTER: AuthFilter = {
  originOf: ({ address }) => ({ address, scheme: 'http' }),
  admit: () => undefined,
  check: () => undefined,
  identify: async () => ANYBODY,
  begin: async () => () => undefined,
};

/** An asker without a key. */
export function askerAt(nowMs: number): Asker {
  return { caller: ANYBODY, nowMs, recorded: Promise.resolve(), headers: new Map() };
}

/** For tests without keys. */
export const NO_KEYS: Idempotency = {
  once: () => Promise.reject(new Error('a request with a key where none is kept')),
};

/** A dispatcher that checks every reply against its schema. */
export function makeCaller<Deps>(
  routes: readonly Route<Deps>[],
  deps: Deps,
  options: CallerOptions<Deps> = {},
): Caller {
  const log: LogLine[] = [];
  const dispatcher = createDispatcher<Deps>({
    routes,
    deps,
    nowMs: () => NOW_MS,
    log: {
      debug: (event, fields = {}) => log.push({ level: 'debug', event, fields }),
      error: (event, fields = {}) => log.push({ level: 'error', event, fields }),
    },
    hosts: new Set(),
    origins: new Set(),
    authFilter: OPEN_FILTER,
    idempotency: NO_KEYS,
    requestsMax: 100,
    isCheckingReplies: true,
    ...options,
  });
  const call: Caller['call'] = async (method, target, body, headers = {}) => {
    const bytes = toBytes(body);
    const [path = '', query = ''] = target.split(/\?(.*)/s);
    const response = await dispatcher.dispatch({
      id: 'request-1',
      method,
      path,
      query,
      headers: new Map(Object.entries({ host: 'localhost:8080', ...bodyHeaders(bytes), ...headers })),
      address: options.address?.() ?? '127.0.0.1',
      signal: new AbortController().signal,
      body: bytes,
    });
    return toAnswer(response);
  };
  return { dispatcher, log, call, get: (target, headers) => call('GET', target, undefined, headers) };
}

function toBytes(body: unknown): Uint8Array {
  if (body === undefined) return new Uint8Array();
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function bodyHeaders(bytes: Uint8Array): Record<string, string> {
  if (bytes.byteLength === 0) return {};
  return { 'content-length': String(bytes.byteLength), 'content-type': 'application/json' };
}

async function toAnswer({ status, headers, cookies = [], body }: HttpResponse): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  if (body.kind === 'text') chunks.push(Buffer.from(body.text));
  if (body.kind === 'stream') for await (const chunk of body.stream) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const isJson = headers.get('content-type') === 'application/json';
  return { status, headers, cookies, text, json: isJson ? JSON.parse(text) : undefined };
}
