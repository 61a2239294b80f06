/**
 * The routes for clients of the public system under `/api/`: every route of the interface once more, with the names and
 * values that those clients use. The same handlers do the work. The differences are in `differences.ts` and
 * `special-calls.ts`, and no code outside this folder knows of them.
 */
import { type TSchema, Type } from '@sinclair/typebox';
import { ignoreUnknownFields } from '../../domain/document/unknown-fields.ts';
import { type BodyReader, jsonReader, type ParsedJson, parseJson } from '../../http/body/json.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { bodyKind } from '../../http/schema.ts';
import { deletionRoutes } from '../deletions/routes.ts';
import { pathRoutes } from '../files/path-routes.ts';
import { tryRoutes } from '../job-types/try.ts';

import { uploadRoutes } from '../uploads/routes.ts';
import { DIFFERENCES, type Difference } from './differences.ts';
import { lenientQuery } from './lenient-query.ts';

import { changeAt, isHolder } from './places.ts';
import { PREFIX } from './prefix.ts';
import { SPECIAL_CALLS, type SpecialParts } from './special-calls.ts';
import { spelledRoute } from './spellings.ts';

/**
 * Routes that describe the interface itself, and those for files by their paths and for trials, which those clients do
 * not know.
 */
const NOT_SERVED: ReadonlySet<string> = new Set([
  ...['/v6/', '/v6/openapi.json'],
  ...[...pathRoutes, ...uploadRoutes, ...tryRoutes].map(({ path }) => path),
]);

/** Deletions, which those clients do not use. */
const DELETIONS: ReadonlySet<string> = new Set(deletionRoutes.map(callOf));

/** A translated answer: JSON in the form of the interface, with differences. */
const Translated = Type.Unsafe<unknown>({});

/** These routes of the interface, as they are served under `/api/`. */
export function compatRoutes<Deps extends SpecialParts>(
  routes: readonly Route<Deps>[],
): readonly Route<Deps>[] {
  const byCall = new Map(routes.map((route) => [callOf(route), route]));
  return routes
    .filter((route) => !NOT_SERVED.has(route.path) && !DELETIONS.has(callOf(route)))
    .map((route) => {
      const special = SPECIAL_CALLS.find(({ call }) => call === callOf(route));
      const made = special?.adapt(route, byCall.get(`GET ${route.path}`)) ?? route;
      return translated(spelledRoute(callOf(route), made));
    });
}

function callOf({ method, path }: Pick<Route<never>, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

function translated<Deps>(route: Route<Deps>): Route<Deps> {
  const own = DIFFERENCES.filter(({ calls }) => calls.includes(callOf(route)));
  const ofBody = own.filter(({ part }) => part === 'body');
  const ofAnswer = own.filter(({ part }) => part === 'answer');
  const { events: _events, socket: _socket, ...rest } = route; // the public system has neither
  return {
    ...rest,
    path: `${PREFIX}${route.path}`,
    query: lenientQuery(route.query ?? {}),
    ...(route.body === undefined ? {} : { reader: translatingReader(ofBody, route.body) }),
    replies: Object.fromEntries(
      Object.entries(route.replies).map(([status, schema]) => [status, translatedSchema(schema)]),
    ),
    async handle(input, deps) {
      const request = ownRequest(input.request);
      return answered(await route.handle({ ...input, request }, deps), ofAnswer);
    },
  };
}

function translatedSchema(schema: TSchema): TSchema {
  return bodyKind(schema).kind === 'json' ? Translated : schema;
}

function apply(differences: readonly Difference[], value: unknown): unknown {
  return differences.reduce((changed, { at, change }) => changeAt(changed, at, change), value);
}

/** Reads a body and translates it. Unknown fields are ignored, in the body and in its documents. */
function translatingReader(differences: readonly Difference[], schema: TSchema): BodyReader {
  const fields = Object.keys((schema.properties ?? {}) as object);
  return {
    accept: jsonReader.accept,
    read(bytes, { partsMax }) {
      const parsed = parseJson(bytes, partsMax);
      if (!parsed.isWalkable) return parsed;
      const value = apply(differences, parsed.value) as ParsedJson['value'];
      if (isHolder(value)) for (const field of fields) documentsOf(value[field]).forEach(ignoreUnknownFields);
      return { ...parsed, value };
    },
  };
}

/** A field of a body may be a document, or a list of documents. */
function documentsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function answered(reply: Reply, differences: readonly Difference[]): Reply {
  const { location } = reply.headers;
  const headers = location?.startsWith('/v6/')
    ? { ...reply.headers, location: `${PREFIX}${location}` }
    : reply.headers;
  return { ...reply, headers, body: apply(differences, reply.body) };
}

/** The request as the interface would get it, so that links which it builds lead back below `/api/`. */
function ownRequest(request: RouteRequest): RouteRequest {
  // Not a copy, because `signal` is created on demand.
  return Object.create(request, {
    base: { value: `${request.base}${PREFIX}` },
    path: { value: request.path.slice(PREFIX.length) },
  });
}
