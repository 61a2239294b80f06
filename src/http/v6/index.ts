/** The list of resources: the table of contents of the interface. */
import { type Static, Type } from '@sinclair/typebox';
import { type OpenApiDocument, openApi } from '../openapi.ts';
import { defineRoute, type Route, reply } from '../route.ts';
import { type AccountRouteDeps, accountRoutes } from './accounts.ts';
import { type AuditRouteDeps, auditRoutes } from './audit.ts';
import { type BatchRouteDeps, batchRoutes } from './batches.ts';
import { type DatasetRouteDeps, datasetRoutes } from './datasets.ts';
import { type DiagnosticRouteDeps, diagnosticRoutes } from './diagnostics.ts';
import { type ErrorRouteDeps, errorRoutes } from './errors.ts';
import { type ExecutionRouteDeps, executionRoutes } from './executions.ts';
import { type FileRouteDeps, fileRoutes } from './files.ts';
import { type IngestStatusRouteDeps, ingestStatusRoutes } from './ingest-status.ts';
import { type IngestRouteDeps, ingestRoutes } from './ingests.ts';
import { type InputFileRouteDeps, inputFileRoutes } from './input-files.ts';
import { type JobRequestRouteDeps, jobRequestRoutes } from './job-requests.ts';
import { type JobTypeViewRouteDeps, jobTypeViewRoutes } from './job-type-views.ts';
import { type JobTypeRouteDeps, jobTypeRoutes } from './job-types.ts';
import { type JobRouteDeps, jobRoutes } from './jobs.ts';
import { type LoadRouteDeps, loadRoutes } from './load.ts';
import { type LoginRouteDeps, loginRoutes } from './login.ts';
import { type MetricsRouteDeps, metricsRoutes } from './metrics.ts';
import { type NodeRouteDeps, nodeRoutes } from './nodes.ts';
import { type NotificationRouteDeps, notificationRoutes } from './notifications.ts';
import { type OpenIdRouteDeps, openIdRoutes } from './openid-login.ts';
import { type PurgeRouteDeps, purgeRoutes } from './purges.ts';
import { type ReadyRouteDeps, readyRoutes } from './ready.ts';
import { type RecipeTypeRouteDeps, recipeTypeRoutes } from './recipe-types.ts';
import { type RecipeRouteDeps, recipeRoutes } from './recipes.ts';
import { type ScanRouteDeps, scanRoutes } from './scans.ts';
import { type SchedulerRouteDeps, schedulerRoutes } from './scheduler.ts';
import { type SecretKeyRouteDeps, secretKeyRoutes } from './secret-keys.ts';
import { startRoute } from './start.ts';
import { type StatusRouteDeps, statusRoutes } from './status.ts';
import { type StrikeRouteDeps, strikeRoutes } from './strikes.ts';
import { type TimelineRouteDeps, timelineRoutes } from './timelines.ts';
import { type TokenRouteDeps, tokenRoutes } from './tokens.ts';
import { type TypeUpdateRouteDeps, typeUpdateRoutes } from './type-updates.ts';
import { type VersionRouteDeps, versionRoutes } from './version.ts';
import { type WorkspaceRouteDeps, workspaceRoutes } from './workspaces.ts';

/** What all handlers need, each under its resource's name. */
export type ApiDeps = DiagnosticRouteDeps &
  ErrorRouteDeps &
  AccountRouteDeps &
  AuditRouteDeps &
  BatchRouteDeps &
  DatasetRouteDeps &
  ExecutionRouteDeps &
  FileRouteDeps &
  IngestRouteDeps &
  IngestStatusRouteDeps &
  InputFileRouteDeps &
  JobTypeRouteDeps &
  JobTypeViewRouteDeps &
  JobRouteDeps &
  JobRequestRouteDeps &
  LoadRouteDeps &
  LoginRouteDeps &
  MetricsRouteDeps &
  NodeRouteDeps &
  NotificationRouteDeps &
  OpenIdRouteDeps &
  PurgeRouteDeps &
  ReadyRouteDeps &
  RecipeTypeRouteDeps &
  RecipeRouteDeps &
  ScanRouteDeps &
  SchedulerRouteDeps &
  SecretKeyRouteDeps &
  StatusRouteDeps &
  StrikeRouteDeps &
  TimelineRouteDeps &
  TokenRouteDeps &
  TypeUpdateRouteDeps &
  VersionRouteDeps &
  WorkspaceRouteDeps;

const resources: readonly Route<ApiDeps>[] = [
  ...workspaceRoutes,
  ...scanRoutes,
  ...strikeRoutes,
  ...notificationRoutes,
  ...ingestStatusRoutes,
  ...ingestRoutes,
  ...fileRoutes,
  ...purgeRoutes,
  ...jobTypeRoutes,
  ...jobTypeViewRoutes,
  ...recipeTypeRoutes,
  ...recipeRoutes,
  ...jobRoutes,
  ...jobRequestRoutes,
  ...executionRoutes,
  ...inputFileRoutes,
  ...datasetRoutes,
  ...batchRoutes,
  ...errorRoutes,
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
  ...typeUpdateRoutes,
  ...loginRoutes,
  ...openIdRoutes,
  ...auditRoutes,
  ...readyRoutes,
  ...versionRoutes,
];

const OpenApi = Type.Unsafe<OpenApiDocument>({ type: 'object', description: 'An OpenAPI 3.1 document.' });

/** Every route of `/v6/`, the OpenAPI document of all of them among them. */
export function apiRoutes(version: string): readonly Route<ApiDeps>[] {
  let document: Static<typeof OpenApi> | undefined;
  const getOpenApi = defineRoute({
    method: 'GET',
    path: '/v6/openapi.json',
    summary: 'The OpenAPI document of the interface',
    access: 'open',
    replies: { 200: OpenApi },
    handle: () => {
      document ??= openApi(routes, version);
      return reply(200, document);
    },
  });
  const routes: readonly Route<ApiDeps>[] = [startRoute(resources), ...resources, getOpenApi];
  return routes;
}
