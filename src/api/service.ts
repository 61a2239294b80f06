/** Everything that a coordinator serves over HTTP: the interface, its document, and the pages about both. */

import { openApi } from '../http/openapi.ts';
import type { Route } from '../http/route.ts';
import { withCursor } from './changes/cursor-header.ts';
import { type CompatDeps, compatRoutes } from './compat/compat-routes.ts';
import { pageRoutes } from './pages/page-routes.ts';
import { prometheusRoute } from './prometheus/routes.ts';
import { apiRoutes } from './resources.ts';

/** What all handlers need. */
export type ServiceDeps = CompatDeps;

export function serviceRoutes(version: string): readonly Route<ServiceDeps>[] {
  const routes = apiRoutes(version);
  return [
    ...routes.map(withCursor),
    ...compatRoutes(routes),
    ...pageRoutes(openApi(routes, version)),
    prometheusRoute,
  ];
}
