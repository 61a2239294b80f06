/** The list of resources: the table of contents of the interface. */
import { type Static, Type } from '@sinclair/typebox';
import { type OpenApiDocument, openApiInTurns } from '../http/openapi.ts';
import { defineRoute, type Route, reply } from '../http/route.ts';
import { accountRoutes } from './accounts/routes.ts';
import { activityRoutes } from './activity/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { batchRoutes } from './batches/routes.ts';
import { withCursor } from './changes/cursor-header.ts';
import { changeRoutes } from './changes/routes.ts';
import { datasetRoutes } from './datasets/routes.ts';
import { deletionRoutes } from './deletions/routes.ts';
import { diagnosticRoutes } from './diagnostics/routes.ts';
import { errorRoutes } from './errors/routes.ts';
import { executionRoutes } from './executions/routes.ts';
import { failureRoutes } from './failures/routes.ts';
import { inputFileRoutes } from './files/input-files.ts';
import { lineageRoutes } from './files/lineage-routes.ts';
import { pathRoutes } from './files/path-routes.ts';
import { fileRoutes } from './files/routes.ts';
import { flowRoutes } from './flow/routes.ts';
import { ingestRoutes } from './ingests/routes.ts';
import { ingestStatusRoutes } from './ingests/status-routes.ts';
import { jobRequestRoutes } from './job-requests/routes.ts';
import { jobTypeRoutes } from './job-types/routes.ts';
import { tryRoutes } from './job-types/try.ts';
import { jobTypeViewRoutes } from './job-types/view-routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { loadRoutes } from './load/routes.ts';
import { loginCodeRoutes } from './login/code-routes.ts';
import { openIdRoutes } from './login/openid-routes.ts';
import { loginRoutes } from './login/routes.ts';
import { metricsRoutes } from './metrics/routes.ts';
import { nodeRoutes } from './nodes/routes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { overviewRoutes } from './overview/routes.ts';
import type { ApiParts } from './parts.ts';
import { purgeRoutes } from './purges/routes.ts';
import { recipeTypeRoutes } from './recipe-types/routes.ts';
import { recipeRoutes } from './recipes/routes.ts';
import { savedFilterRoutes } from './saved-filters/routes.ts';
import { scanRoutes } from './scans/routes.ts';
import { schedulerRoutes } from './scheduler/routes.ts';
import { searchRoutes } from './search/routes.ts';
import { secretKeyRoutes } from './secret-keys/routes.ts';
import { readyRoutes } from './status/ready-routes.ts';
import { statusRoutes } from './status/routes.ts';
import { startRoute } from './status/start-route.ts';
import { versionRoutes } from './status/version-routes.ts';
import { strikeRoutes } from './strikes/routes.ts';
import { timelineRoutes } from './timelines/routes.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { typeUpdateRoutes } from './type-updates/routes.ts';
import { uploadRoutes } from './uploads/routes.ts';
import { fileWhyRoutes } from './why/file-routes.ts';
import { whyRoutes } from './why/routes.ts';
import { workspaceRoutes } from './workspaces/routes.ts';

const resources: readonly Route<ApiParts>[] = [
  ...workspaceRoutes,
  ...scanRoutes,
  ...strikeRoutes,
  ...notificationRoutes,
  ...ingestStatusRoutes,
  ...ingestRoutes,
  ...fileRoutes,
  ...lineageRoutes,
  ...flowRoutes,
  ...searchRoutes,
  ...pathRoutes,
  ...uploadRoutes,
  ...purgeRoutes,
  ...jobTypeRoutes,
  ...jobTypeViewRoutes,
  ...tryRoutes,
  ...recipeTypeRoutes,
  ...recipeRoutes,
  ...jobRoutes,
  ...jobRequestRoutes,
  ...executionRoutes,
  ...inputFileRoutes,
  ...datasetRoutes,
  ...changeRoutes,
  ...batchRoutes,
  ...deletionRoutes,
  ...whyRoutes,
  ...fileWhyRoutes,
  ...errorRoutes,
  ...failureRoutes,
  ...overviewRoutes,
  ...activityRoutes,
  ...nodeRoutes,
  ...schedulerRoutes,
  ...statusRoutes,
  ...secretKeyRoutes,
  ...loadRoutes,
  ...timelineRoutes,
  ...metricsRoutes,
  ...diagnosticRoutes,
  ...accountRoutes,
  ...tokenRoutes,
  ...savedFilterRoutes,
  ...typeUpdateRoutes,
  ...loginRoutes,
  ...loginCodeRoutes,
  ...openIdRoutes,
  ...auditRoutes,
  ...readyRoutes,
  ...versionRoutes,
];

const OpenApi = Type.Unsafe<OpenApiDocument>({ type: 'object', description: 'An OpenAPI 3.1 document.' });

/** Every route of `/v6/`, including the OpenAPI document of all of them. */
export function apiRoutes(version: string): readonly Route<ApiParts>[] {
  let document: Promise<Static<typeof OpenApi>> | undefined;
  const getOpenApi = defineRoute({
    method: 'GET',
    path: '/v6/openapi.json',
    summary: 'The OpenAPI document of the interface',
    access: 'open',
    replies: { 200: OpenApi },
    async handle() {
      document ??= openApiInTurns(routes.map(withCursor), version);
      return reply(200, await document);
    },
  });
  const routes: readonly Route<ApiParts>[] = [startRoute(resources), ...resources, getOpenApi];
  return routes;
}
