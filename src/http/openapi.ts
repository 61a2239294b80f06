/**
 * The OpenAPI 3.1 document of a list of routes. It is generated from the routes themselves, so that exactly the served
 * routes are documented.
 */
import { setImmediate } from 'node:timers/promises';
import { PatternStringExact, type TSchema } from '@sinclair/typebox';
import type { Access } from '../domain/access.ts';
import { assert } from '../lib/assert.ts';
import { bodyBytesMaxOf, bodyPartsMaxOf } from './body/limits.ts';
import { EventsReply } from './events.ts';
import { operationId, REFUSALS, refusalsOf } from './operation.ts';
import { SESSION_COOKIE } from './request/cookies.ts';
import { IF_NONE_MATCH } from './request/entity-tag.ts';
import { IDEMPOTENCY_HEADER, KEY_CHARS_MAX } from './request/idempotency.ts';
import type { ParameterDoc } from './request/parameters.ts';
import { accessOf, type Route, recordOf } from './route.ts';
import { bodyKind, ErrorSchema } from './schema.ts';

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly required: boolean;
  readonly schema: object;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly OpenApiParameter[];
  /** Any of these authorizes a caller; empty: none is needed. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-access': Access;
  /**
   * `x-bytes-max`: a body with more bytes is refused with 413. `x-parts-max`: one with more parts is refused with 400.
   */
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Content;
    readonly 'x-bytes-max'?: number;
    readonly 'x-parts-max'?: number;
  };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  /** Messages of the WebSocket at this path, by who sends them. */
  readonly 'x-websocket'?: { readonly client: readonly object[]; readonly service: readonly object[] };
}

/** A refusal is a reference to `components/responses`. */
export interface OpenApiResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: object }>>;
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema: object }>>;

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, OpenApiResponse>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of `/v6/tokens/`; `Token` instead of `Bearer` is taken as well.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description: 'Set by `/v6/login/`. Every request that is not a GET also needs the header `X-CSRFToken`.',
  },
} as const;

/** What a caller needs, in words. */
const ACCESS_WORDS: Readonly<Record<Access, string>> = {
  open: 'Open to everybody.',
  read: 'For every account.',
  write: 'For staff; with a token of scope `write` or `admin`.',
  own: 'For every account; by a session or a token of scope `admin`.',
  admin: 'For staff; by a session or a token of scope `admin`.',
  notify: 'With the token for notifications if one is configured, otherwise for staff.',
  scrape: 'With the token for metrics if one is configured, otherwise for every account.',
};

/** Statuses in words, for responses that need no more description. */
const STATUS_WORDS: Readonly<Record<number, string>> = {
  200: 'Success.',
  201: 'Created; `Location` has the URL of the record.',
  202: 'Accepted; the work continues after the answer.',
  204: 'Done; there is no body.',
  206: 'The range that was asked for.',
  302: 'Found elsewhere; see `Location`.',
  307: 'Found elsewhere; see `Location`.',
  416: 'Outside the content, whose size `Content-Range` gives; there is no body.',
  503: 'Not available now; see `Retry-After`.',
};

const KEY_PARAMETER: OpenApiParameter = {
  name: IDEMPOTENCY_HEADER,
  in: 'header',
  description:
    'Names the request, for a day. A repeat with the same body creates nothing and gets the answer of the first; ' +
    'another body is refused with 422, a repeat while the first is being worked on with 409.',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: KEY_CHARS_MAX, pattern: '^[ -~]+$' },
};

const DESCRIPTION =
  'Files arrive in workspaces, recipes of jobs turn them into products. Bodies are JSON; fields and parameters that ' +
  'a call does not know are refused, and null counts as absent where a field is optional. A refusal lists everything ' +
  'that is wrong. Every create has a `…/validation/` that checks its body and changes nothing. The examples of ' +
  '`WorkspaceCreate`, `JobTypeCreate`, `RecipeTypeCreate` and `StrikeCreate` can be sent in this order as they are, ' +
  'once their directories exist. The guide is at `/docs/guide/`.';

const TAG_PARAMETER: OpenApiParameter = {
  name: IF_NONE_MATCH,
  in: 'header',
  description: 'The `ETag` of an earlier answer: while the record has it, the answer is 304 without a body.',
  required: false,
  schema: { type: 'string' },
};

export function openApi(routes: readonly Route<never>[], version: string): OpenApiDocument {
  const parts: Parts = { paths: {}, components: new Map() };
  for (const route of routes) addOperation(parts, route);
  return whole(parts, version);
}

// limit: operations that are described before other work gets the event loop; each takes up to half a millisecond.
const SLICE = 16;

/** As `openApi`, for a service that answers others meanwhile. */
export async function openApiInTurns(
  routes: readonly Route<never>[],
  version: string,
): Promise<OpenApiDocument> {
  const parts: Parts = { paths: {}, components: new Map() };
  for (const [at, route] of routes.entries()) {
    if (at % SLICE === 0) await setImmediate();
    addOperation(parts, route);
  }
  return whole(parts, version);
}

interface Parts {
  readonly paths: Record<string, Record<string, OpenApiOperation>>;
  readonly components: Map<string, object>;
}

function addOperation({ paths, components }: Parts, route: Route<never>): void {
  paths[route.path] ??= {};
  const operations = paths[route.path] as Record<string, OpenApiOperation>;
  operations[route.method.toLowerCase()] = operation(route, components);
}

function whole({ paths, components }: Parts, version: string): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    paths,
    components: {
      responses: Object.fromEntries(
        Object.values(REFUSALS).map(([name, description]) => [
          name,
          { description, ...content(ErrorSchema, components) },
        ]),
      ),
      securitySchemes: SECURITY_SCHEMES,
      schemas: Object.fromEntries([...components].sort(([one], [other]) => (one < other ? -1 : 1))),
    },
  };
}

function operation(route: Route<never>, components: Map<string, object>): OpenApiOperation {
  const { path, summary, description = '' } = route;
  const access = accessOf(route);
  const words = path.split('/').filter((word) => word !== '' && word !== 'v6');
  const responses: Record<string, OpenApiResponse> = {};
  for (const [status, schema] of Object.entries(route.replies)) {
    responses[status] = {
      description: STATUS_WORDS[Number(status)] ?? 'See the body.',
      ...headers(route),
      ...content(schema, components),
    };
  }
  if (route.events !== undefined) {
    const { content: forms = {}, ...rest } = responses[200] ?? {};
    responses[200] = { ...rest, content: { ...forms, ...content(EventsReply, components).content } };
  }
  for (const refusal of refusalsOf(route))
    responses[refusal] = { $ref: `#/components/responses/${REFUSALS[refusal][0]}` };
  responses.default = { description: 'Overloaded or failed.', ...content(ErrorSchema, components) };
  const isRecord = recordOf(route) !== undefined;
  if (isRecord) responses[304] = { description: 'The record is as the `ETag` that was sent.' };
  return {
    operationId: operationId(route),
    tags: [words[0] ?? 'pages'],
    summary,
    description: `${description} ${ACCESS_WORDS[access]}`.trim(),
    security: access === 'open' ? [] : [{ bearer: [] }, { session: [] }],
    'x-access': access,
    parameters: [
      ...pathParameters(route, components),
      ...queryParameters(route, components),
      ...(route.repeats === 'keyed' ? [KEY_PARAMETER] : []),
      ...(isRecord ? [TAG_PARAMETER] : []),
      ...headerParameters(route, components),
    ],
    ...requestBody(route, components),
    responses,
    ...socketMessages(route, components),
  };
}

function headers({ replyHeaders }: Route<never>): Pick<OpenApiResponse, 'headers'> {
  if (replyHeaders === undefined) return {};
  const described = Object.entries(replyHeaders).map(([name, description]) => {
    return [name, { description, schema: { type: 'string' } }] as const;
  });
  return { headers: Object.fromEntries(described) };
}

function socketMessages(
  { socketMessages }: Route<never>,
  components: Map<string, object>,
): Pick<OpenApiOperation, 'x-websocket'> {
  if (socketMessages === undefined) return {};
  return {
    'x-websocket': {
      client: socketMessages.client.map((schema) => publish(schema, components, true)),
      service: socketMessages.service.map((schema) => publish(schema, components)),
    },
  };
}

function content(schema: TSchema, components: Map<string, object>): { content?: Content } {
  const { kind, mediaType } = bodyKind(schema);
  if (kind === 'none') return {};
  const forms = schema['x-forms'] as Readonly<Record<string, TSchema>> | undefined;
  if (forms !== undefined) {
    const published = Object.entries(forms).map(([type, form]) => [
      type,
      { schema: publish(form, components) },
    ]);
    return { content: Object.fromEntries(published) };
  }
  return { content: { [mediaType]: { schema: publish(schema, components) } } };
}

function requestBody(
  route: Route<never>,
  components: Map<string, object>,
): Pick<OpenApiOperation, 'requestBody'> {
  if (route.bodyRule === 'streamed') {
    const schema = { type: 'string', format: 'binary' };
    const { mediaType = 'application/octet-stream' } = route;
    return { requestBody: { required: true, content: { [mediaType]: { schema } } } };
  }
  if (route.body === undefined) return {};
  const schema = publish(route.body, components, true);
  const partsMax = bodyPartsMaxOf(route);
  return {
    requestBody: {
      required: route.bodyRule !== 'optional',
      content: { 'application/json': { schema } },
      'x-bytes-max': bodyBytesMaxOf(route),
      ...(partsMax === undefined ? {} : { 'x-parts-max': partsMax }),
    },
  };
}

function pathParameters(route: Route<never>, components: Map<string, object>): OpenApiParameter[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const part = route.params?.[name];
    assert(part !== undefined, `${route.path} does not say what {${name}} is`);
    return { name, in: 'path', required: true, schema: publish(part.schema, components) };
  });
}

function headerParameters(route: Route<never>, components: Map<string, object>): OpenApiParameter[] {
  return Object.entries(route.headers ?? {}).map(([name, { description, schema, isRequired = false }]) => ({
    ...{ name, in: 'header', description, required: isRequired, schema: publish(schema, components) },
  }));
}

function queryParameters(route: Route<never>, components: Map<string, object>): OpenApiParameter[] {
  return Object.entries(route.query ?? {}).flatMap(([key, part]) =>
    part.document(key).map((doc: ParameterDoc) => {
      const schema = publish(doc.schema, components);
      return {
        name: doc.name,
        in: 'query' as const,
        description: doc.description,
        required: doc.isRequired ?? false,
        schema: doc.isRepeatable === true ? { type: 'array', items: schema } : schema,
      };
    }),
  );
}

/**
 * A copy of a schema fit for publication: named parts become references, and our own keywords are left out. Objects of
 * bodies refuse unknown fields; those of answers may get further ones in later versions.
 */
function publish(schema: unknown, components: Map<string, object>, isBody = false): object {
  if (Array.isArray(schema)) return schema.map((item) => publishValue(item, components, isBody));
  const {
    'x-name': name,
    'x-body': _body,
    'x-media-type': _media,
    'x-form': form,
    ...rest
  } = schema as Record<string, unknown>;
  if (form !== undefined) {
    const { description } = rest;
    return { ...publish(form, components, isBody), ...(description === undefined ? {} : { description }) };
  }
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(withoutPatterns(rest)))
    copy[key] = publishValue(value, components, isBody);
  if (isBody && copy.type === 'object' && 'properties' in copy) copy.additionalProperties ??= false;
  if (typeof name !== 'string') return copy;
  // A reference to a named schema may have a description of its own.
  const { description, ...own } = copy;
  const known = components.get(name);
  assert(
    known === undefined || JSON.stringify(known) === JSON.stringify(own),
    `two schemas are called ${name}`,
  );
  components.set(name, own);
  const use = { $ref: `#/components/schemas/${name}` };
  return description === undefined ? use : { ...use, description };
}

/**
 * Replaces TypeBox's `patternProperties` of a map by `additionalProperties`, because some generators type the values of
 * the former as anything.
 */
function withoutPatterns(schema: Record<string, unknown>): Record<string, unknown> {
  if (schema.type !== 'object' || schema.patternProperties === undefined) return schema;
  const { patternProperties, additionalProperties: _, ...rest } = schema;
  const [[pattern, values] = [], ...others] = Object.entries(patternProperties as Record<string, unknown>);
  assert(pattern !== undefined && others.length === 0, 'a map has one pattern of names');
  const names = pattern === PatternStringExact ? {} : { propertyNames: { pattern } };
  return { ...rest, additionalProperties: values, ...names };
}

function publishValue(value: unknown, components: Map<string, object>, isBody: boolean): object {
  return typeof value === 'object' && value !== null ? publish(value, components, isBody) : (value as object);
}
