/** A resource with one route of each kind, for tests of the framework. It stores nothing. */
import { Type } from '@sinclair/typebox';
import { pathId, pathText } from '../../src/http/request/path-parameters.ts';
import { defineRoute, defineValidation, reply } from '../../src/http/route.ts';
import { document, id, NO_BODY, oneOf, orNull, textReply } from '../../src/http/schema.ts';
import { type Caller, type CallerOptions, makeCaller } from './http.ts';

interface ThingDeps {
  /** What `/v6/fail/` throws. */
  readonly things: { failure: unknown };
}

const Thing = Type.Object({
  title: Type.String({ minLength: 1, maxLength: 50 }),
  count: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
  mode: Type.Optional(oneOf(['FIFO', 'LIFO'])),
  base_url: Type.Optional(orNull(Type.String())),
  configuration: Type.Optional(document()),
  rules: Type.Optional(Type.Array(Type.Object({ regex: Type.String() }), { maxItems: 3 })),
});

const create = defineRoute({
  method: 'POST',
  path: '/v6/things/',
  summary: 'Create',
  body: Thing,
  replies: { 201: Type.Object({ id: id(), body: Type.Unknown(), warnings: Type.Array(Type.Unknown()) }) },
  handle: ({ body, warnings }) =>
    reply(201, { id: 7, body, warnings: [...warnings] }, { location: '/v6/things/7/' }),
});
const get = defineRoute({
  method: 'GET',
  path: '/v6/things/{id}/',
  summary: 'One',
  params: { id: pathId },
  replies: { 200: Type.Object({ id: id() }) },
  handle: ({ params }) => reply(200, { id: params.id }),
});
const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/things/{id}/',
  summary: 'Edit',
  params: { id: pathId },
  body: Type.Object({ is_paused: Type.Optional(Type.Boolean()) }, { additionalProperties: false }),
  replies: { 204: NO_BODY },
  handle: () => reply(204),
});
const process = defineRoute({
  method: 'POST',
  path: '/v6/things/{id}/process/',
  summary: 'Process',
  params: { id: pathId },
  body: Type.Object({ ingest: Type.Optional(Type.Boolean()) }),
  isBodyOptional: true,
  replies: { 200: Type.Object({ ingest: Type.Boolean() }) },
  handle: ({ body }) => reply(200, { ingest: body.ingest ?? false }),
});
const cancel = defineRoute({
  method: 'POST',
  path: '/v6/things/cancel/{id}/',
  summary: 'Cancel',
  params: { id: pathId },
  replies: { 202: NO_BODY },
  handle: () => reply(202),
});
const status = defineRoute({
  method: 'GET',
  path: '/v6/things/status/',
  summary: 'Status',
  replies: { 200: textReply('text/plain; charset=utf-8') },
  handle: () => reply(200, 'fine'),
});
const named = defineRoute({
  method: 'GET',
  path: '/v6/names/{name}/',
  summary: 'By name',
  params: { name: pathText },
  replies: { 200: Type.Object({ name: Type.String() }) },
  handle: ({ params }) => reply(200, { name: params.name }),
});
const validate = defineValidation({
  path: '/v6/things/validation/',
  summary: 'Check',
  body: Thing,
  handle: ({ raw }) => ({
    errors: raw.title === 'bad' ? [{ name: 'BAD', description: 'is bad', path: 'title' }] : [],
    warnings: [],
  }),
});
const fail = defineRoute({
  method: 'GET',
  path: '/v6/fail/',
  summary: 'Fails',
  replies: { 204: NO_BODY },
  handle: (_input, { things }: ThingDeps) => {
    throw things.failure;
  },
});

/** A caller of the resource, which is served below `prefix`, and the failure that it throws. */
export function makeThings(options: CallerOptions<ThingDeps> = {}, prefix = ''): Caller & ThingDeps {
  const things = { failure: undefined as unknown };
  const routes = [create, get, edit, process, cancel, status, named, validate, fail].map((route) => ({
    ...route,
    path: `${prefix}${route.path}`,
  }));
  return { things, ...makeCaller<ThingDeps>(routes, { things }, options) };
}
