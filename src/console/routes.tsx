/** The pages and their addresses. The service serves the same paths: src/api/console/console-routes.ts. */
import { type AnyRoute, createRouter } from '@tanstack/react-router';
import { accountsRoute } from './accounts/route.tsx';
import { arrivalRoute } from './arrival/route.tsx';
import { arrivalsRoute } from './arrivals/route.tsx';
import { auditRoute } from './audit/route.tsx';
import { batchRoute } from './batch/route.tsx';
import { batchesRoute, newBatchRoute } from './batches/route.tsx';
import { datasetRoute } from './dataset/route.tsx';
import { datasetsRoute, newDatasetRoute } from './datasets/route.tsx';
import { errorsRoute } from './errors/route.tsx';
import { fileRoute } from './file/route.tsx';
import { filesRoute } from './files/route.tsx';
import { flowRoute } from './flow/route.tsx';
import { jobRoute } from './job/route.tsx';
import { jobTypeRoute } from './job-type/route.tsx';
import { jobTypesRoute } from './job-types/route.tsx';
import { jobsRoute } from './jobs/route.tsx';
import { metricsRoute } from './metrics/route.tsx';
import { newJobTypeRoute, newRecipeTypeRoute } from './new-type/route.tsx';
import { nodeRoute } from './node/route.tsx';
import { nodesRoute } from './nodes/route.tsx';
import { overviewRoute } from './overview/route.tsx';
import { queueRoute } from './queue/route.tsx';
import { recipeRoute } from './recipe/route.tsx';
import { recipeTypeRoute } from './recipe-type/route.tsx';
import { recipeTypesRoute } from './recipe-types/route.tsx';
import { recipesRoute } from './recipes/route.tsx';
import { root } from './root.tsx';
import { scanRoute } from './scan/route.tsx';
import { newScanRoute, scansRoute } from './scans/route.tsx';
import { onlyRead, parseSearch, searchText } from './search.ts';
import { settingsRoute } from './settings/route.tsx';
import { strikeRoute } from './strike/route.tsx';
import { strikesRoute } from './strikes/route.tsx';
import { tokensRoute } from './tokens/route.tsx';
import { workspaceRoute } from './workspace/route.tsx';
import { workspacesRoute } from './workspaces/route.tsx';

const pages = [
  overviewRoute,
  flowRoute,
  jobsRoute,
  jobRoute,
  filesRoute,
  fileRoute,
  nodesRoute,
  nodeRoute,
  queueRoute,
  batchesRoute,
  newBatchRoute,
  batchRoute,
  scansRoute,
  newScanRoute,
  scanRoute,
  datasetsRoute,
  newDatasetRoute,
  datasetRoute,
  metricsRoute,
  errorsRoute,
  accountsRoute,
  tokensRoute,
  auditRoute,
  settingsRoute,
  arrivalsRoute,
  arrivalRoute,
  strikesRoute,
  strikeRoute,
  workspacesRoute,
  workspaceRoute,
  recipesRoute,
  recipeRoute,
  recipeTypesRoute,
  recipeTypeRoute,
  newRecipeTypeRoute,
  jobTypesRoute,
  jobTypeRoute,
  newJobTypeRoute,
] as const;

for (const { options } of pages as readonly AnyRoute[]) {
  options.validateSearch = onlyRead(options.validateSearch);
}

export const router = createRouter({
  routeTree: root.addChildren(pages),
  context: { queries: undefined },
  parseSearch,
  stringifySearch: searchText,
  trailingSlash: 'always',
  // Fetches only the code of a page whose link the pointer or the keyboard is at; its data is read when it is opened.
  defaultPreload: 'intent',
  defaultPreloadDelay: 0,
  // Loaders run again for the visit itself, which reads the data.
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
