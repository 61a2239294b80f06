/** Everything that a coordinator serves over HTTP: the interface, its OpenAPI document, and HTML pages. */

import { openApiInTurns } from '../http/openapi.ts';
import type { Route } from '../http/route.ts';
import { withCursor } from './changes/cursor-header.ts';
import { compatRoutes } from './compat/compat-routes.ts';
import { loginRoutes } from './compat/login-routes.ts';
import { consoleRoutes } from './console/console-routes.ts';
import { pageRoutes } from './pages/page-routes.ts';
import type { ApiParts } from './parts.ts';
import { prometheusRoute } from './prometheus/routes.ts';
import { apiRoutes } from './resources.ts';

export function serviceRoutes(version: string): readonly Route<ApiParts>[] {
  const routes = apiRoutes(version);
  return [
    ...routes.map(withCursor),
    ...compatRoutes(routes),
    ...loginRoutes,
    ...consoleRoutes(),
    ...pageRoutes(() => openApiInTurns(routes.map(withCursor), version)),
    prometheusRoute,
  ];
}
