/**
 * Requests for every operation of an OpenAPI document: right ones, broken ones, and ones that make no sense. Ids and
 * names are those that earlier answers told of, so that requests go deep. Where clients of the public system are served
 * some are written as they write them.
 */
import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi.ts';
import type { Seeded } from '../e2e/harness/work/seeded.ts';
import { placesOf, withValue } from '../e2e/hostile/places.ts';
import type { Sample } from '../e2e/hostile/samples.ts';
import type { Answer, Sent } from '../e2e/hostile/sender.ts';
import { asForm, asTheyWrite, CLIENT_PATH, theirQueryText, withTheirPieces } from './client-dialect.ts';
import { type Schema, SchemaValues } from './schema-values.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly spec: OpenApiOperation;
  readonly samples: readonly Sample[];
}

export interface FuzzRequest extends Sent {
  /** `GET /v6/jobs/{id}/`. */
  readonly operation: string;
}

const KNOWN_MAX = 40;
const RAW_VALUES = [
  ...['', '0', '-1', '1.5', 'abc', '9223372036854775808', '%00', '%', '%ZZ', '%ED%A0%80', '%2e%2e', '%2F'],
  ...['__proto__', "'", '*', 'true', 'null', '1;2', '%F0%9F%98%80', 'x'.repeat(5_000), '-id', 'id,name'],
];
const RAW_BODIES = [
  ...['', '{', '[]', 'null', '"text"', '{"a":1}{', '\u0000', '{"title":"\\ud800"}', '['.repeat(9_000)],
  ...['{"__proto__":{"is_staff":true}}', `{"a":${'1'.repeat(5_000)}}`, '{"a":1e999}', '\ufeff{}'],
];
const HEADERS: readonly Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-encoding': 'gzip' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { accept: 'text/html' },
  { accept: 'application/xml;q=nonsense' },
  { host: 'evil.example' },
  { host: 'localhost:99999999' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { range: 'bytes=0-,5-2' },
  { range: 'bytes=99999999999999999999-' },
  { authorization: 'Token x' },
  { authorization: 'Bearer ' },
  { authorization: `Basic ${'x'.repeat(3_000)}` },
  { cookie: 'millrace_session=x; csrftoken=y' },
  { cookie: ';;;=;=' },
  { 'x-forwarded-for': '1.1.1.1, nonsense' },
  { 'x-forwarded-proto': 'gopher' },
  { 'x-csrftoken': 'x' },
  { 'if-none-match': '"x"' },
  { expect: 'nonsense' },
  { 'x-long': 'x'.repeat(20_000) },
];
const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PURGE', 'TRACE'];

/** Diagnostics make as many recipes as they are asked for: thousands a request would be a test of something else. */
const DIAGNOSTICS = /\/v6\/diagnostics\//;
/** They take forms as well. */
const TAKES_FORMS = /^\/api[/-].*(login|api-token-auth)\/$/;
const DIAGNOSTICS_MAX = 3;
const REFUSED_FROM = 1_000_001;

function affordable(path: string, body: unknown): unknown {
  if (!DIAGNOSTICS.test(path) || typeof body !== 'object' || body === null || Array.isArray(body))
    return body;
  const isCostly = (value: unknown) =>
    typeof value === 'number' && value > DIAGNOSTICS_MAX && value < REFUSED_FROM;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [key, isCostly(value) ? DIAGNOSTICS_MAX : value]),
  );
}

/** Records are the same wherever they are served. */
function recordsKey(path: string): string {
  return path.replace(/^\/api/, '');
}

export class FuzzRequests {
  readonly #values: SchemaValues;
  readonly #operations: readonly Operation[];
  /** Parameters of paths that answers told of, by the path up to the parameter and its name. */
  readonly #known = new Map<string, string[]>();

  constructor(random: Seeded, document: OpenApiDocument, samples: readonly Sample[]) {
    this.#values = new SchemaValues(random, document);
    this.#operations = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([word, spec]) => {
        const method = word.toUpperCase();
        const fitting = samples.filter((sample) => sample.route === path && sample.method === method);
        return { method, path, spec, samples: fitting };
      }),
    );
  }

  get operationCount(): number {
    return this.#operations.length;
  }

  next(): FuzzRequest {
    const values = this.#values;
    const operation = values.pick(this.#operations);
    const target = this.#target(operation);
    const body = affordable(operation.path, this.#body(operation));
    const method = values.chance(0.03) ? values.pick(METHODS) : operation.method;
    const hasBody = body !== undefined && !['GET', 'HEAD', 'TRACE'].includes(method);
    const isForm = hasBody && TAKES_FORMS.test(operation.path) && values.chance(0.4);
    return {
      ...{ operation: `${operation.method} ${operation.path}`, method, target },
      ...(isForm ? asForm(body, values) : hasBody ? { body } : {}),
      ...(values.chance(0.06) ? { headers: values.pick(HEADERS) } : {}),
    };
  }

  /** Remembers what an answer tells of: ids, names and versions of records. */
  learn({ operation, target }: FuzzRequest, { status, json }: Answer): void {
    if (status < 200 || status > 299 || typeof json !== 'object' || json === null) return;
    const path = operation.slice(operation.indexOf(' ') + 1);
    const list = Array.isArray(json.results) ? json.results : [json];
    const base = /^.*\/job-types\//.exec(path)?.[0] ?? path.replace(/\{.*$/, '');
    for (const record of list.slice(0, 5)) {
      for (const name of ['id', 'name', 'version', 'exe_num', 'revision_num']) {
        const value = record?.[name];
        if (typeof value !== 'number' && typeof value !== 'string') continue;
        this.#remember(recordsKey(`${base}${name}`), encodeURIComponent(`${value}`.toWellFormed()), target);
      }
    }
  }

  #remember(key: string, value: string, target: string): void {
    if (value === '' || value.length > 200 || target.includes(value)) return;
    const known = this.#known.get(key) ?? [];
    this.#known.set(key, known);
    if (known.includes(value)) return;
    if (known.length < KNOWN_MAX) known.push(value);
    else known[this.#values.whole(0, KNOWN_MAX - 1)] = value;
  }

  #target({ path, spec }: Operation): string {
    const values = this.#values;
    const isTheirs = CLIENT_PATH.test(path);
    let target = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const known = this.#known.get(recordsKey(`${path.slice(0, path.indexOf('{'))}${name}`)) ?? [];
      if (known.length > 0 && values.chance(0.85)) return values.pick(known);
      return values.chance(0.5) ? `${values.whole(1, 5)}` : values.pick(RAW_VALUES);
    });
    if (values.chance(0.01)) target = target.slice(0, -1);
    const given: string[] = [];
    for (const { in: place, name, schema } of spec.parameters) {
      if (place !== 'query' || !values.chance(0.25)) continue;
      const count = values.chance(0.1) ? values.whole(2, 30) : 1;
      for (let index = 0; index < count; index += 1) {
        const text = isTheirs ? theirQueryText(values) : undefined;
        given.push(`${name}=${text ?? this.#query(schema as Schema)}`);
      }
    }
    if (values.chance(0.02)) given.push(`unknown=${values.pick(RAW_VALUES)}`);
    const pieces = isTheirs ? withTheirPieces(given, values) : given;
    return pieces.length === 0 ? target : `${target}?${pieces.join('&')}`;
  }

  #query(schema: Schema): string {
    const values = this.#values;
    if (values.chance(0.12)) return values.pick(RAW_VALUES);
    const value = values.value(schema.items ?? schema, 0.95);
    const text = typeof value === 'object' ? JSON.stringify(value) : `${value}`;
    return encodeURIComponent(text.slice(0, 2_000).toWellFormed());
  }

  #body(operation: Operation): unknown {
    const body = this.#plainBody(operation);
    return CLIENT_PATH.test(operation.path) ? asTheyWrite(body, this.#values) : body;
  }

  #plainBody({ spec, samples }: Operation): unknown {
    const values = this.#values;
    if (spec.requestBody === undefined) return values.chance(0.02) ? values.pick(RAW_BODIES) : undefined;
    if (values.chance(0.05)) return values.pick(RAW_BODIES);
    if (samples.length === 0 || values.chance(0.35)) {
      const schema = spec.requestBody.content['application/json']?.schema ?? {};
      return values.value(schema as Schema, values.pick([1, 0.98, 0.9]));
    }
    let changed: unknown = values.pick(samples).body;
    for (let left = values.whole(0, 4); left > 0; left -= 1) {
      const places = placesOf(changed);
      if (places.length === 0) break;
      const { keys } = values.pick(places);
      changed = withValue(changed, keys, values.chance(0.15) ? undefined : values.anything());
    }
    return changed;
  }
}
