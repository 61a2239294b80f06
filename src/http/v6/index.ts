/** The list of resources: the table of contents of the interface. */
import { type Static, Type } from '@sinclair/typebox';
import { type OpenApiDocument, openApi } from '../openapi.ts';
import { defineRoute, type Route, reply } from '../route.ts';
import { type DatasetRouteDeps, datasetRoutes } from './datasets.ts';
import { type DiagnosticRouteDeps, diagnosticRoutes } from './diagnostics.ts';
import { type ErrorRouteDeps, errorRoutes } from './errors.ts';
import { type ExecutionRouteDeps, executionRoutes } from './executions.ts';
import { type FileRouteDeps, fileRoutes } from './files.ts';
import { type IngestRouteDeps, ingestRoutes } from './ingests.ts';
import { type JobRequestRouteDeps, jobRequestRoutes } from './job-requests.ts';
import { type JobTypeRouteDeps, jobTypeRoutes } from './job-types.ts';
import { type JobRouteDeps, jobRoutes } from './jobs.ts';
import { type LoadRouteDeps, loadRoutes } from './load.ts';
import { type NodeRouteDeps, nodeRoutes } from './nodes.ts';
import { type RecipeTypeRouteDeps, recipeTypeRoutes } from './recipe-types.ts';
import { type RecipeRouteDeps, recipeRoutes } from './recipes.ts';
import { type SchedulerRouteDeps, schedulerRoutes } from './scheduler.ts';
import { type StatusRouteDeps, statusRoutes } from './status.ts';
import { type StrikeRouteDeps, strikeRoutes } from './strikes.ts';
import { type TimelineRouteDeps, timelineRoutes } from './timelines.ts';
import { type VersionRouteDeps, versionRoutes } from './version.ts';
import { type WorkspaceRouteDeps, workspaceRoutes } from './workspaces.ts';

/** What all handlers need, each under its resource's name. */
export type ApiDeps = DiagnosticRouteDeps &
  ErrorRouteDeps &
  DatasetRouteDeps &
  ExecutionRouteDeps &
  FileRouteDeps &
  IngestRouteDeps &
  JobTypeRouteDeps &
  JobRouteDeps &
  JobRequestRouteDeps &
  LoadRouteDeps &
  NodeRouteDeps &
  RecipeTypeRouteDeps &
  RecipeRouteDeps &
  SchedulerRouteDeps &
  StatusRouteDeps &
  StrikeRouteDeps &
  TimelineRouteDeps &
  VersionRouteDeps &
  WorkspaceRouteDeps;

const resources: readonly Route<ApiDeps>[] = [
  ...workspaceRoutes,
  ...strikeRoutes,
  ...ingestRoutes,
  ...fileRoutes,
  ...jobTypeRoutes,
  ...recipeTypeRoutes,
  ...recipeRoutes,
  ...jobRoutes,
  ...jobRequestRoutes,
  ...executionRoutes,
  ...datasetRoutes,
  ...errorRoutes,
  ...nodeRoutes,
  ...schedulerRoutes,
  ...statusRoutes,
  ...loadRoutes,
  ...timelineRoutes,
  ...diagnosticRoutes,
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
    replies: { 200: OpenApi },
    handle: () => {
      document ??= openApi(routes, version);
      return reply(200, document);
    },
  });
  const routes: readonly Route<ApiDeps>[] = [...resources, getOpenApi];
  return routes;
}
