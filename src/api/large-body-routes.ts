/** The routes that take large bodies, for the thread that serves them, under `/v6/` and `/api/`. */
import type { Route } from '../http/route.ts';
import { batchRoutes } from './batches/routes.ts';
import { compatRoutes } from './compat/compat-routes.ts';
import { datasetRoutes } from './datasets/routes.ts';
import { createJob } from './jobs/routes.ts';
import type { QueueParts } from './jobs/service.ts';
import { recipeTypeRoutes } from './recipe-types/routes.ts';
import type { RecipeTypeParts } from './recipe-types/service.ts';
import type { ReprocessParts } from './recipes/reprocess.ts';
import { recipeRoutes } from './recipes/routes.ts';
import type { StartParts } from './recipes/service.ts';

/** What these routes use of a coordinator. */
export type LargeBodyRouteParts = QueueParts & StartParts & ReprocessParts & RecipeTypeParts;

/** test/api/large-body-routes.test.ts compares them with all routes. */
export function largeBodyRoutes(): readonly Route<LargeBodyRouteParts>[] {
  const resources: readonly Route<LargeBodyRouteParts>[] = [
    ...[...recipeTypeRoutes, ...recipeRoutes, createJob],
    ...[...datasetRoutes, ...batchRoutes],
  ];
  return [...resources, ...compatRoutes(resources)].filter(({ hasLargeBody }) => hasLargeBody === true);
}
