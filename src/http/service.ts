/** Everything that a coordinator serves over HTTP: the interface, its document, and the pages about both. */
import { type CompatDeps, compatRoutes } from './compat/compat-routes.ts';
import { openApi } from './openapi.ts';
import { pageRoutes } from './pages/page-routes.ts';
import type { Route } from './route.ts';
import { apiRoutes } from './v6/index.ts';

export function serviceRoutes(version: string): readonly Route<CompatDeps>[] {
  const routes = apiRoutes(version);
  return [...routes, ...compatRoutes(routes), ...pageRoutes(openApi(routes, version))];
}
