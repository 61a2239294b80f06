/** The list of resources: the table of contents of the interface. */
import { type Static, Type } from '@sinclair/typebox';
import { type OpenApiDocument, openApi } from '../openapi.ts';
import { defineRoute, type Route, reply } from '../route.ts';
import { type VersionRouteDeps, versionRoutes } from './version.ts';

/** What all handlers need, each under its resource's name. */
export type ApiDeps = VersionRouteDeps;

const resources: readonly Route<ApiDeps>[] = [...versionRoutes];

const OpenApi = Type.Unsafe<OpenApiDocument>({ type: 'object', description: 'An OpenAPI 3.1 document.' });

/** Every route of `/v6/`, the OpenAPI document of all of them among them. */
export function apiRoutes(version: string): readonly Route<ApiDeps>[] {
  let document: Static<typeof OpenApi> | undefined;
  const getOpenApi = defineRoute({
    method: 'GET',
    path: '/v6/openapi.json',
    summary: 'The OpenAPI document of the interface',
    replies: { 200: OpenApi },
    handle: () => {
      document ??= openApi(routes, version);
      return reply(200, document);
    },
  });
  const routes: readonly Route<ApiDeps>[] = [...resources, getOpenApi];
  return routes;
}
