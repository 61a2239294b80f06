/** Everything that a coordinator serves over HTTP: the interface, its document, and the pages about both. */
import { openApi } from './openapi.ts';
import { pageRoutes } from './pages/page-routes.ts';
import type { Route } from './route.ts';
import { type ApiDeps, apiRoutes } from './v6/index.ts';

export function serviceRoutes(version: string): readonly Route<ApiDeps>[] {
  const routes = apiRoutes(version);
  return [...routes, ...pageRoutes(openApi(routes, version))];
}
